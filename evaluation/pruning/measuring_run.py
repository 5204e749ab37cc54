"""Measuring pruners, on the test questions of a set or of a workspace: from what was asked for to a
run with its report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.checkpoints.checkpoints import digest_of, read_description
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.pruning.pruner_figures import PrunerFigures, compare_pruners, figures_json
from dynagrag.evaluation.pruning.pruner_folder import MeasuredLine, PrunerRun
from dynagrag.evaluation.pruning.pruner_report import render_pruner_report
from dynagrag.evaluation.pruning.pruning_example import Part, PruningExample
from dynagrag.evaluation.pruning.pruning_measures import (
    MEASURED,
    check_training_libraries,
    untrained_pruner,
)
from dynagrag.evaluation.pruning.pruning_sets import load_pruning_set, made_of_set
from dynagrag.evaluation.pruning.workspace_examples import QUESTIONS, WorkspaceQuestions
from dynagrag.evaluation.ranking_measures import check_library
from dynagrag.evaluation.results.run_summary import DIGITS
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_pruner import (
    TRAINED,
    has_pruner,
    no_trained_pruner,
    pruner_folder,
)

OTHER_VERSION = "trained on another version of the set"
OTHER_STATE = (
    "trained on other questions, or before the workspace changed, so it may have seen what it is"
    " measured on"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """Which pruners to measure: names of MEASURED, `trained` (the workspace's own), or folders of
    checkpoints; empty: all but folders, as far as they are there. `limit`: questions at most.
    """

    pruners: Sequence[str] = ()
    device: str | None = None
    limit: int | None = None
    out: Path | None = None

    def check(self) -> None:
        """Raises UsageError for what was given wrong, SettingsError without the library that
        measures.
        """
        check_library()
        if self.device is not None:
            check_training_libraries()
            from dynagrag.checkpoints.devices import choose_device

            choose_device(self.device)
        if self.out is not None:
            check_folder(self.out)


@dataclass(frozen=True, slots=True)
class SetMeasureOptions(MeasureOptions):
    """On which set."""

    dataset: str
    data: Path
    part: str | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceMeasureOptions(MeasureOptions):
    """On which workspace. `questions`: as in WorkspaceTrainOptions."""

    workspace: str
    questions: Path | None = None


@dataclass(frozen=True, slots=True)
class _Measured:
    """What was measured. `name`: of the set or workspace; `asked`: what the summary says of it;
    `made_of`: with hashes; `folders`: of the checkpoints among the pruners, by name.
    """

    name: str
    asked: Mapping[str, Any]
    made_of: Mapping[str, Any]
    test: Sequence[PruningExample]
    figures: Sequence[PrunerFigures]
    folders: Mapping[str, Path]
    embedder: EmbedderIdentity


PrunerMeasuring = tuple[PrunerRun, dict[str, Any], Sequence[PrunerFigures]]
"""The run, its summary, and the figures."""


def measure_on_set(
    settings: Settings, options: SetMeasureOptions, progress: Progress | None = None
) -> PrunerMeasuring:
    """What pruners put first on the test questions of a set. Errors as in `train_on_set`."""
    options.check()
    pruning_set = load_pruning_set(options.dataset, options.data, options.part)
    embedder = wiring.make_embedder(settings)
    folders = _folders(options.pruners, {})
    names = (
        tuple(name for name in options.pruners if name in MEASURED or name in folders) or MEASURED
    )
    pruners = _opened(names, folders, embedder.identity, options.device)
    test = pruning_set.examples(settings, embedder, (Part.TEST,), progress or (lambda *_: None))[
        Part.TEST
    ][: options.limit]
    made_of = made_of_set(pruning_set)
    figures = _noted(compare_pruners(pruners, test), folders, made_of)
    asked = {"dataset": options.dataset, "part": options.part, "set": pruning_set.name}
    return _kept(
        settings,
        options.out,
        _Measured(pruning_set.name, asked, made_of, test, figures, folders, embedder.identity),
    )


def measure_on_workspace(
    settings: Settings, options: WorkspaceMeasureOptions, progress: Progress | None = None
) -> PrunerMeasuring:
    """What pruners put first on the questions of a workspace's documents that a training there
    holds out. Errors as in `train_on_workspace`, but that a single question is enough.
    """
    options.check()
    own = pruner_folder(settings, options.workspace)
    asked_for = tuple(options.pruners) or (*MEASURED, *([TRAINED] if has_pruner(own) else []))
    with open_workspace(options.workspace, settings=settings, create=False) as space:
        if TRAINED in asked_for and not has_pruner(own):
            raise no_trained_pruner(options.workspace)
        folders = _folders(asked_for, {TRAINED: own})
        names = tuple(name for name in asked_for if name in MEASURED or name in folders)
        pruners = _opened(names, folders, space.embedder.identity, options.device)
        asked = WorkspaceQuestions(space, options.questions)
        test = asked.examples((Part.TEST,), progress or (lambda *_: None))[Part.TEST][
            : options.limit
        ]
        if not test:
            raise UsageError(
                f"workspace {space.name!r} has no question of a held-out document: ingest more"
                " documents, or give --questions FILE"
            )
        figures = _noted(compare_pruners(pruners, test), folders, asked.made_of)
        found = {
            "workspace": space.name,
            "set": f"workspace {space.name}",
            "documents": figures[0].num_groups,
        }
        made_of = {
            "asked" if name == QUESTIONS else name: value for name, value in asked.made_of.items()
        }
        return _kept(
            settings,
            options.out,
            _Measured(space.name, found, made_of, test, figures, folders, space.embedder.identity),
        )


def _folders(names: Sequence[str], known: Mapping[str, Path]) -> dict[str, Path]:
    """The folders of the checkpoints among the names. One that two names are of is measured once,
    under the first.
    """
    found: dict[Path, tuple[str, Path]] = {}
    for name in names:
        if name not in MEASURED:
            folder = known.get(name) or _folder(name)
            found.setdefault(folder.resolve(), (name, folder))
    return dict(found.values())


def _folder(name: str) -> Path:
    if not Path(name).exists():
        raise UsageError(
            f"there is no pruner {name!r} to measure; known: {', '.join(MEASURED)}, {TRAINED} (of a"
            " workspace), or a checkpoint's folder"
        )
    return Path(name)


def _opened(
    names: Sequence[str],
    folders: Mapping[str, Path],
    embedder: EmbedderIdentity,
    device: str | None,
) -> dict[str, Pruner]:
    return {
        name: (
            GcnPruner.open(folders[name], embedder, device)
            if name in folders
            else untrained_pruner(name)
        )
        for name in names
    }


def _noted(
    figures: Sequence[PrunerFigures], folders: Mapping[str, Path], made_of: Mapping[str, Any]
) -> list[PrunerFigures]:
    return [
        replace(own, note=_note(folders[own.name], made_of)) if own.name in folders else own
        for own in figures
    ]


def _note(folder: Path, made_of: Mapping[str, Any]) -> str:
    """What to know of a checkpoint that was trained on something else of the same name."""
    own = read_description(folder, KIND).made_with
    for place, parts, note in (
        ("dataset", ("files",), OTHER_VERSION),
        ("workspace", (QUESTIONS, "graph"), OTHER_STATE),
    ):
        if place in made_of and own.get(place) == made_of[place]:
            return note if any(own.get(part) != made_of[part] for part in parts) else ""
    return ""


def _kept(settings: Settings, out: Path | None, found: _Measured) -> PrunerMeasuring:
    """Keeps what was measured as a run."""
    made_with = dict(found.made_of) | {
        "pruners": [own.name for own in found.figures],
        "checkpoints": {name: digest_of(folder) for name, folder in found.folders.items()},
        "questions": len(found.test),
        "embedder": f"{found.embedder.name} ({found.embedder.dimension} dimensions)",
    }
    run = PrunerRun.begin(settings.home, f"pruner-{found.name}", made_with, out)
    lines = [
        MeasuredLine(
            question=q.id, text=q.text, pruner=own.name, measures=dict(own.by_question[q.id])
        )
        for own in found.figures
        for q in found.test
    ]
    summary = dict(found.asked) | _summary(found.figures) | {"run": str(run.path)}
    with run.asking(0):
        run.finish(summary, lines)
        run.write_report(render_pruner_report(run))
    return run, summary, found.figures


def _summary(figures: Sequence[PrunerFigures]) -> dict[str, Any]:
    return {
        "questions": figures[0].n,
        "pruners": figures_json(figures),
        "intervals": {
            own.name: {
                n: [round(v.low, DIGITS), round(v.high, DIGITS)] for n, v in own.means.items()
            }
            for own in figures
        },
    }
