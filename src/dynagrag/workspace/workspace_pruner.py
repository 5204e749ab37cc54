"""Pruners of a workspace's ego-graphs: an untrained one, any checkpoint, or the workspace's own,
which lies in its folder, whatever its store, and goes with it.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from dynagrag import wiring
from dynagrag.checkpoints.checkpoints import DESCRIPTION, Stamp, read_description, stamp_of
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, SettingsError, UsageError
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import EmbedderIdentity, PruneScores, Subgraph, Vector
from dynagrag.registry.choices import listed
from dynagrag.registry.profiles import PAPER
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import DYNAGRAG, EGO_GRAPHS
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner, ScoringError
from dynagrag.workspace.workspace_folder import workspace_folder

BEATS_UNTRAINED = "beats_untrained"
"""Of a checkpoint's figures: whether it ranked held-out documents' entities better than the best
untrained pruner, by more than chance.
"""
MEASURES = "measures"
"""Of a checkpoint's figures: by question, the measures of a network that learned from other
documents.
"""
UNTRAINED = "prior"
"""The row of `registry.pruners` that scores where nothing learned has proven itself."""
AUTO, TRAINED = "auto", "trained"
"""The workspace's trained pruner: where it has beaten the untrained ones; in any case."""
ALIASES: Mapping[str, str] = {"gcn": TRAINED}
"""Names that mean another."""
VERSION = "version"
"""Of what a checkpoint was made with: the version of the workspace's store."""
CHANGED = (
    "the workspace changed since its pruner was trained; train it again to learn of what is new"
)
UNTRAINED_PAPER = (
    "ego-graphs are pruned by distance alone, since the workspace has no trained MLP and GCN;"
    " `dynagrag train pruner` trains them"
)
_FOLDER = "pruner"
_NOT_USED = "the workspace's trained pruner was not used:"
_LOG = logging.getLogger(__name__)


def pruner_folder(settings: Settings, workspace: str) -> Path:
    """Where a workspace's pruner lies, as `workspace_folder` has it."""
    return workspace_folder(settings, workspace, _FOLDER)


def has_pruner(folder: Path) -> bool:
    """Whether a whole checkpoint is in a folder; one that is still in training is not."""
    return (folder / DESCRIPTION).is_file()


def is_default(folder: Path) -> bool:
    """Whether a workspace's pruner scores its questions unasked: it is there and has beaten the
    untrained ones. Loads no weights.

    Raises LoadError where its description can't be read.
    """
    return (
        has_pruner(folder) and read_description(folder, KIND).figures.get(BEATS_UNTRAINED) is True
    )


def asked_pruner(
    settings: Settings, named: str | None, profile: str, retriever: str, is_pruned: bool
) -> str:
    """The pruner that is named, else that of the settings where there is something to score.
    `auto` means the prior, except for DynaGRAG's ego-graphs: under profile graph a workspace's own
    pruner was measured on those that are chosen for diversity, under paper its network belongs to
    all.
    """
    if named is None and not is_pruned:
        return UNTRAINED
    name = settings.pruner if named is None else named
    has_own = (profile == "graph" and retriever == DYNAGRAG) or (
        profile == PAPER and retriever in EGO_GRAPHS
    )
    return UNTRAINED if name == AUTO and not has_own else name


def no_trained_pruner(workspace: str) -> UsageError:
    """The error where a workspace's trained pruner is wanted and there is none."""
    return UsageError(
        f"workspace {workspace!r} has no trained pruner; train one with `dynagrag train pruner"
        f" --workspace {workspace}`, or take --pruner prior"
    )


@dataclass(frozen=True, slots=True)
class ChosenPruner:
    """A pruner, and what is to be told of the choice. `notes`: a sentence each, for the trace."""

    pruner: Pruner
    notes: tuple[str, ...] = ()


class _TrainedOrPrior:
    """A trained pruner that nobody asked for by name. Where it can't score, the prior does, and its
    label says why.
    """

    def __init__(self, trained: Pruner) -> None:
        self._trained = trained

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        try:
            return self._trained.score(subgraphs, query)
        except ScoringError as err:
            _LOG.warning("%s %s", _NOT_USED, err)
            prior = wiring.make_pruner(UNTRAINED)
            return tuple(
                replace(own, label=f"{own.label}; {_NOT_USED} {err}")
                for own in prior.score(subgraphs, query)
            )


class WorkspacePruners:
    """The pruners that a workspace's questions ask for. A checkpoint is loaded once, and again when
    its files change. Threads may share.
    """

    def __init__(self, settings: Settings, workspace: str) -> None:
        self._workspace, self._own = workspace, pruner_folder(settings, workspace)
        self._loading = Lock()
        self._loaded: dict[Path, tuple[Stamp, EmbedderIdentity, GcnPruner]] = {}

    def chosen(
        self,
        name: str,
        embedder: EmbedderIdentity,
        is_used: bool = True,
        version: str | None = None,
        needs_proof: bool = True,
    ) -> ChosenPruner:
        """The pruner called so: `auto`, `trained`, a row of `registry.pruners` or the folder of a
        checkpoint. `needs_proof`: `auto` takes the workspace's own where it has beaten the
        untrained ones alone; else wherever there is one, and a note says where there is none.

        `auto` takes the prior, with a note, where the workspace's own can't be used. `is_used`
        false: there will be nothing to score, so no weights are loaded. `version`: of the store; a
        note says where the workspace's own was trained on another one.

        Raises UsageError for a name that is none, where the workspace has no trained pruner and
        where one fits another embedder; LoadError for what is no checkpoint; SettingsError without
        torch-geometric.
        """
        name = ALIASES.get(name, name)
        if name == AUTO:
            return self._auto(embedder, is_used, version, needs_proof)
        if name in PRUNERS:
            return ChosenPruner(wiring.make_pruner(name))
        folder = self._folder_of(name)
        if is_used:
            return self._opened(folder, embedder, version)
        read_description(folder, KIND).check_fits(embedder, folder)
        return ChosenPruner(wiring.make_pruner())

    def identity(self, name: str) -> str:
        """The identity of the pruner called so: the name of an untrained one, a digest of a
        checkpoint's description and weights. Errors as in `chosen`, but for those of weights that
        don't fit.
        """
        name = ALIASES.get(name, name)
        if name in PRUNERS:
            return name
        if name == AUTO and not is_default(self._own):
            return UNTRAINED
        folder = self._own if name == AUTO else self._folder_of(name)
        return read_description(folder, KIND).identity(folder)

    def _auto(
        self, embedder: EmbedderIdentity, is_used: bool, version: str | None, needs_proof: bool
    ) -> ChosenPruner:
        if not is_used:
            return ChosenPruner(wiring.make_pruner())
        if not needs_proof and not has_pruner(self._own):
            return ChosenPruner(wiring.make_pruner(), (UNTRAINED_PAPER,))
        try:
            if needs_proof and not is_default(self._own):
                return ChosenPruner(wiring.make_pruner())
            own = self._opened(self._own, embedder, version)
        except (
            LoadError,
            SettingsError,
            UsageError,
        ) as err:  # what was not asked for by name shuts out no question
            _LOG.warning("%s %s", _NOT_USED, err)
            return ChosenPruner(wiring.make_pruner(), (f"{_NOT_USED} {err}",))
        return replace(own, pruner=_TrainedOrPrior(own.pruner))

    def _folder_of(self, name: str) -> Path:
        if name == TRAINED:
            if not has_pruner(self._own):
                raise no_trained_pruner(self._workspace)
            return self._own
        folder = Path(name)
        if not name or not folder.exists():  # an empty one would be the current folder
            raise UsageError(
                f"unknown pruner {name!r}; known: {AUTO}, {listed(PRUNERS)}, {TRAINED} (the"
                " workspace's own), or the folder that `dynagrag train pruner` wrote"
            )
        return folder

    def _opened(
        self, folder: Path, embedder: EmbedderIdentity, version: str | None
    ) -> ChosenPruner:
        pruner = self._open(folder, embedder)
        trained_on = (
            read_description(folder, KIND).made_with.get(VERSION)
            if version and folder == self._own
            else None
        )
        return ChosenPruner(pruner, (CHANGED,) if trained_on not in (None, version) else ())

    def _open(self, folder: Path, embedder: EmbedderIdentity) -> GcnPruner:
        with self._loading:
            stamp = stamp_of(folder)
            if folder not in self._loaded or self._loaded[folder][:2] != (stamp, embedder):
                self._loaded[folder] = (stamp, embedder, GcnPruner.open(folder, embedder))
            return self._loaded[folder][2]
