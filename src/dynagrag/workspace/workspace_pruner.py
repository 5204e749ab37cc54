"""A workspace's trained pruner: a checkpoint in its folder, whatever its store; it goes with the workspace."""

from pathlib import Path

from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.retrieval.pruning.gcn_pruner import KIND
from dynagrag.settings import Settings
from dynagrag.training.checkpoints import DESCRIPTION, read_description

BEATS_PRIOR = "beats_prior"
"""Of a checkpoint's figures: whether it ranked held-out documents' entities better than the untrained prior, by more than chance."""
_FOLDER = "pruner"


def pruner_folder(settings: Settings, workspace: str) -> Path:
    """Where a workspace's pruner lies; it need not be there yet. WorkspaceError where a workspace can't be called so."""
    check_workspace_name(workspace)
    return settings.workspaces_dir / workspace / _FOLDER


def is_default(folder: Path) -> bool:
    """Whether a workspace's pruner scores its questions unasked: it is there and has beaten the prior. One that is still in training is
    not there. Loads no weights.

    Raises LoadError where its description can't be read.
    """
    return (folder / DESCRIPTION).is_file() and read_description(folder, KIND).figures.get(BEATS_PRIOR) is True
