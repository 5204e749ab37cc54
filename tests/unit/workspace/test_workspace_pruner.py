"""Where a workspace's pruner lies, and when it is used unasked."""

from pathlib import Path
from typing import Any

import pytest

from dynagrag.errors import LoadError, WorkspaceError
from dynagrag.retrieval.pruning.gcn_pruner import KIND
from dynagrag.settings import Settings
from dynagrag.training.checkpoints import DESCRIPTION, Checkpoint
from dynagrag.workspace.workspace_pruner import BEATS_PRIOR, is_default, pruner_folder


def test_it_lies_in_the_workspaces_folder(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert pruner_folder(settings, "moon").parent == settings.workspaces_dir / "moon"
    with pytest.raises(WorkspaceError):
        pruner_folder(settings, "../moon")


@pytest.mark.parametrize(("figures", "expected"), [({BEATS_PRIOR: True}, True), ({BEATS_PRIOR: False}, False), ({}, False)])
def test_it_is_used_unasked_once_it_has_beaten_the_prior(tmp_path: Path, figures: dict[str, Any], expected: bool) -> None:
    checkpoint = Checkpoint(kind=KIND, network={}, embedder="fake", dimension=4, made_with={}, figures=figures, versions={})
    (tmp_path / DESCRIPTION).write_text(checkpoint.model_dump_json(), encoding="utf-8")
    assert is_default(tmp_path) is expected


def test_none_is_no_default_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    assert not is_default(tmp_path / "pruner")
    (tmp_path / DESCRIPTION).write_text("{", encoding="utf-8")
    with pytest.raises(LoadError, match="train it again"):
        is_default(tmp_path)
