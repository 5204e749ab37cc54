"""Measuring pruners, on the test questions of a set or of a workspace: from what was asked for to a
run with its report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.checkpoints.checkpoints import digest_of, read_description
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.evaluation.frame.experiment import Experiment
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.pruning.pruner_figures import (
    ByQuestion,
    KeptPrunerFigures,
    PrunerFigures,
    compare_pruners,
    rounded_bounds,
)
from dynagrag.evaluation.pruning.pruner_report import MeasuredLine, PrunerResult, PrunerRun
from dynagrag.evaluation.pruning.pruning_example import Part, PruningExample
from dynagrag.evaluation.pruning.pruning_measures import (
    MEASURED,
    check_training_libraries,
    untrained_pruner,
)
from dynagrag.evaluation.pruning.pruning_sets import load_pruning_set, made_of_set
from dynagrag.evaluation.pruning.workspace_examples import QUESTIONS, WorkspaceQuestions
from dynagrag.evaluation.ranking_measures import check_library
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_pruner import (
    MEASURES,
    TRAINED,
    has_pruner,
    no_trained_pruner,
    pruner_folder,
)

OTHER_VERSION = "trained on another version of the set"
SEEN = "an earlier version trained it on some of these documents; train it again"
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
class _TestQuestions:
    """On what pruners are measured. `name`: of the set or workspace, `title` of it in reports;
    `made_of`: with hashes.
    """

    name: str
    title: str
    made_of: Mapping[str, Any]
    test: Sequence[PruningExample]
    dataset: str | None = None
    part: str | None = None
    workspace: str | None = None


def measure_on_set(
    settings: Settings, options: SetMeasureOptions, progress: Progress | None = None
) -> tuple[PrunerRun, PrunerResult]:
    """Measures pruners on the test questions of a set. Errors as in `train_on_set`."""
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
    if not test:
        raise UsageError("no question is left to measure on; give a larger set")
    tested = _TestQuestions(
        name=pruning_set.name,
        title=pruning_set.name,
        made_of=made_of_set(pruning_set),
        test=test,
        dataset=options.dataset,
        part=options.part,
    )
    return run_experiment(
        PrunerExperiment(tested, pruners, folders, embedder.identity), settings.home, options.out
    )


def measure_on_workspace(
    settings: Settings, options: WorkspaceMeasureOptions, progress: Progress | None = None
) -> tuple[PrunerRun, PrunerResult]:
    """Measures pruners on all questions of a workspace. What was trained on these very questions
    counts as its folds measured it: each document by a network that learned from others. Errors as
    in `train_on_workspace`, but that a single question is enough.
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
        questions = WorkspaceQuestions(space, options.questions)
        folds = questions.folds(progress or (lambda *_: None))
        test = [example for fold in folds for example in fold.measured][: options.limit]
        if not test:
            raise UsageError(
                f"workspace {space.name!r} has no question of what its graph holds: ingest more"
                " documents, or give --questions FILE"
            )
        tested = _TestQuestions(
            name=space.name,
            title=f"workspace {space.name}",
            made_of=questions.made_of,
            test=test,
            workspace=space.name,
        )
        return run_experiment(
            PrunerExperiment(tested, pruners, folders, space.embedder.identity),
            settings.home,
            options.out,
        )


class PrunerExperiment(Experiment[MeasuredLine, PrunerResult, PrunerRun]):
    """Pruners on the same questions. It is worked out in one go, so it has no lines on the way."""

    run_kind = PrunerRun

    def __init__(
        self,
        tested: _TestQuestions,
        pruners: Mapping[str, Pruner],
        folders: Mapping[str, Path],
        embedder: EmbedderIdentity,
    ) -> None:
        """`folders`: of the checkpoints among the pruners, by name."""
        self.name = f"pruner-{tested.name}"
        self._asked, self._pruners, self._folders = tested, pruners, folders
        self._embedder = embedder

    def made_with(self) -> Mapping[str, JsonValue]:
        """The source of the questions, the pruners, and the embedder."""
        names = {QUESTIONS: "asked"} if self._asked.workspace else {}
        return {
            **{names.get(name, name): value for name, value in self._asked.made_of.items()},
            "pruners": list(self._pruners),
            "checkpoints": {name: digest_of(folder) for name, folder in self._folders.items()},
            "questions": len(self._asked.test),
            "embedder": f"{self._embedder.name} ({self._embedder.dimension} dimensions)",
        }

    @cached_property
    def _figures(self) -> list[PrunerFigures]:
        by_folds = {name: self._by_folds(folder) for name, folder in self._folders.items()}
        pruners = {name: by_folds.get(name) or own for name, own in self._pruners.items()}
        return [
            replace(own, note=_note(self._folders[own.name], self._asked.made_of))
            if own.name in self._folders and not by_folds[own.name]
            else own
            for own in compare_pruners(pruners, self._asked.test)
        ]

    def _by_folds(self, folder: Path) -> ByQuestion:
        """What the folds of a checkpoint measured on these questions; empty where it has none of
        them.
        """
        own = read_description(folder, KIND)
        measures: ByQuestion = own.figures.get(MEASURES, {})
        is_same = all(
            own.made_with.get(name) == value for name, value in self._asked.made_of.items()
        )
        if not is_same or any(example.id not in measures for example in self._asked.test):
            return {}
        return {example.id: measures[example.id] for example in self._asked.test}

    def summarize(self, lines: Sequence[MeasuredLine], path: Path) -> PrunerResult:
        """Measures all of them."""
        return PrunerResult(
            dataset=self._asked.dataset,
            part=self._asked.part,
            workspace=self._asked.workspace,
            set=self._asked.title,
            documents=self._figures[0].num_groups if self._asked.workspace else None,
            questions=self._figures[0].n,
            pruners={own.name: KeptPrunerFigures.of(own) for own in self._figures},
            intervals=rounded_bounds(self._figures),
            run=str(path),
        )

    def write_rows(self, run: PrunerRun, result: PrunerResult) -> None:
        """The measures of each pruner on each question."""
        lines = (
            MeasuredLine(
                question=q.id, text=q.text, pruner=own.name, measures=dict(own.by_question[q.id])
            )
            for own in self._figures
            for q in self._asked.test
        )
        run.write_rows(run.lines_file, lines)


def _folders(names: Sequence[str], known: Mapping[str, Path]) -> dict[str, Path]:
    """The folders of the checkpoints among the names. One that two names are of is measured once,
    under the first.
    """
    found: dict[Path, tuple[str, Path]] = {}
    for name in names:
        if name in MEASURED:
            continue
        folder = known.get(name, Path(name))
        if name not in known and not folder.exists():
            raise UsageError(
                f"there is no pruner {name!r} to measure; known: {', '.join(MEASURED)}, {TRAINED}"
                " (of a workspace), or a checkpoint's folder"
            )
        found.setdefault(folder.resolve(), (name, folder))
    return dict(found.values())


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


def _note(folder: Path, made_of: Mapping[str, Any]) -> str:
    """Warning on a checkpoint that was trained on something else of the same name."""
    own = read_description(folder, KIND).made_with
    for place, parts, note in (
        ("dataset", ("files",), OTHER_VERSION),
        ("workspace", (QUESTIONS, "graph"), OTHER_STATE),
    ):
        if place in made_of and own.get(place) == made_of[place]:
            is_other = any(own.get(part) != made_of[part] for part in parts)
            return note if is_other else SEEN if place == "workspace" else ""
    return ""
