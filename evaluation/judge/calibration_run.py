"""A judge's calibration from its options to its folder: it judges rows that people judged, and each
verdict is written down as it comes.

Runs lie in HOME/evaluation/runs; replies in HOME/evaluation/judge, so that no row is asked about
twice.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import ChatModel
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.experiment import ItemTrial, Keep, TrialExperiment, Watch
from dynagrag.evaluation.frame.experiment_run import ONE_ARM
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import MeteredModel, metered_model, run_experiment
from dynagrag.evaluation.judge.calibration_figures import set_agreement
from dynagrag.evaluation.judge.calibration_report import (
    ROWS,
    CalibrationResult,
    CalibrationRun,
    KnownRow,
    VerdictLine,
    row_id,
    verdict_on_judge,
)
from dynagrag.evaluation.judge.calibration_sets import (
    SETS,
    CalibrationRow,
    CalibrationSet,
    RowKind,
    load_calibration_set,
)
from dynagrag.evaluation.judge.judge_model import (
    JudgeModel,
    JudgeQuestion,
    better_questions,
    grade_question,
    prompts_digest,
    right_question,
)
from dynagrag.evaluation.judge.judging import JUDGE, JudgingCost, judge_left, judging_cost
from dynagrag.evaluation.judge.kept_calibrations import Agreement, keep_calibration
from dynagrag.evaluation.judge.reliability import THRESHOLD
from dynagrag.ingest.pipeline import Progress

_PROMPTS = {
    RowKind.RIGHT: "judge_right",
    RowKind.GRADE: "judge_grade",
    RowKind.PAIR: "judge_better",
}


@dataclass(frozen=True, slots=True)
class CalibrationOptions:
    """Which sets of the folder `data`, so many rows of each at most. `threshold`: the kappa below
    which a judge isn't reliable.
    """

    data: Path
    sets: tuple[str, ...] = tuple(SETS)
    max_rows: int | None = None
    threshold: float = THRESHOLD
    seed: int = SEED
    out: Path | None = None
    max_calls: int | None = None


def calibrate_judge(
    settings: Settings,
    options: CalibrationOptions,
    progress: Progress | None = None,
    on_cost: Callable[[JudgingCost], None] | None = None,
    make: Callable[[Settings], ChatModel | None] | None = None,
) -> tuple[CalibrationRun, CalibrationResult]:
    """Runs a calibration, or resumes one; the run and its result. `make`: makes the model in place
    of that of the settings.

    `on_cost` is told what it will cost, before the judge is asked, and again with the time that it
    will take once it has answered. Raises UsageError, SettingsError and LoadError for what was
    given wrong, before anything is asked; StoppedRunError on Ctrl-C; ModelUnavailableError,
    ModelRefusedError and BudgetError with what was judged kept.
    """
    if not options.sets:
        raise UsageError(f"name a set to calibrate on; known: {', '.join(SETS)}")
    if options.out is not None:
        check_folder(options.out)
    sets = [
        load_calibration_set(options.data, name, options.max_rows, options.seed)
        for name in dict.fromkeys(options.sets)
    ]
    with metered_model(settings, JUDGE, options.max_calls, make) as judge:
        if judge is None:
            raise SettingsError("a judge is a language model: name one with --llm, e.g. --llm qwen")
        experiment = CalibrationExperiment(sets, options, settings, judge, on_cost)
        return run_experiment(experiment, settings.home, options.out, Watch(progress))


def questions_of(row: CalibrationRow) -> tuple[JudgeQuestion, ...]:
    """The questions about a row: one, and of a pair two, in both orders."""
    if row.kind is RowKind.PAIR:
        return better_questions(row.question, *row.texts)
    ask = right_question if row.kind is RowKind.RIGHT else grade_question
    return (ask(row.question, row.references, row.texts[0]),)


class SetRow(NamedTuple):
    """A row as an item: its own id is one of its set alone."""

    row: CalibrationRow

    @property
    def id(self) -> str:
        """Of all sets."""
        return row_id(self.row.set, self.row.id)


class CalibrationExperiment(
    TrialExperiment[SetRow, VerdictLine, CalibrationResult, CalibrationRun]
):
    """One judge, and the rows of all sets."""

    run_kind = CalibrationRun
    name = "judge-calibration"
    arms = (ONE_ARM,)

    def __init__(
        self,
        sets: Sequence[CalibrationSet],
        options: CalibrationOptions,
        settings: Settings,
        judge: MeteredModel,
        on_cost: Callable[[JudgingCost], None] | None,
    ) -> None:
        self.items = [SetRow(row) for own in sets for row in own.rows]
        self._sets, self._options, self._settings = sets, options, settings
        self._judge, self._on_cost = judge, on_cost
        self._prompts = {own.name: prompts_digest(_PROMPTS[own.kind]) for own in sets}

    def made_with(self) -> Mapping[str, JsonValue]:
        """The rows, the judge and the words in which it is asked."""
        sets = self._sets
        return {
            "sets": {own.name: len(own.rows) for own in sets},
            "judge": self._judge.model.identity,
            "files": {file.name: file.sha256 for own in sets for file in own.files},
            "asked": {own.name: own.digest for own in sets},
            "prompts": dict(self._prompts),
            "threshold": self._options.threshold,
            "seed": self._options.seed,
        }

    def stage(self, trial: ItemTrial[SetRow]) -> str:
        """All rows are followed together."""
        return JUDGE

    def measure_all(
        self, left: Sequence[ItemTrial[SetRow]], keep: Keep[VerdictLine], watch: Watch
    ) -> None:
        """As many rows at once as the model takes calls."""
        if not left:
            return
        rows = [trial.item.row for trial in left]
        chat, tell = self._judge.chat, self._on_cost or (lambda _: None)
        questions = [question for row in rows for question in questions_of(row)]
        cost = judging_cost(questions, chat, self._settings)
        tell(cost)
        begun = time.perf_counter()
        num_judged = 0

        def keep_and_tell(lines: Sequence[VerdictLine]) -> None:
            nonlocal num_judged
            num_judged += len(lines)
            if num_judged == 1 < len(rows):
                tell(cost.after_first(time.perf_counter() - begun, len(rows)))
            keep(lines)

        judge_left(rows, partial(_line, JudgeModel(chat)), keep_and_tell, chat, self._settings)

    def summarize(self, lines: Sequence[VerdictLine], path: Path) -> CalibrationResult:
        """The agreement on each set."""
        judge, threshold, seed = self._judge.model.name, self._options.threshold, self._options.seed
        sets = {
            own.name: set_agreement(
                own.kind,
                own.rows,
                {line.row: line for line in lines if line.set == own.name},
                threshold,
                seed,
            )
            for own in self._sets
        }
        return CalibrationResult(
            verdict=verdict_on_judge(judge, sets, threshold),
            judge=judge,
            sets=sets,
            threshold=threshold,
            seed=seed,
            sizes={own.name: own.size for own in self._sets},
            notes={own.name: dict(own.notes) for own in self._sets if own.notes},
            run=str(path),
        )

    def write_rows(self, run: CalibrationRun, result: CalibrationResult) -> None:
        """The rows, and what is known of the judge now."""
        model = self._judge.model
        agreed = {
            name: Agreement.model_validate(own, from_attributes=True)
            for name, own in result.sets.items()
        }
        keep_calibration(self._settings.home, model.name, model.identity, agreed, self._prompts)
        run.write_rows(ROWS, [KnownRow.of(item.row) for item in self.items])


def _line(judge: JudgeModel, row: CalibrationRow) -> VerdictLine:
    begun = time.perf_counter()
    questions = questions_of(row)
    found = judge.judge(questions[0]) if len(questions) == 1 else judge.judge_both(*questions)
    return VerdictLine(
        set=row.set,
        row=row.id,
        verdict=found.value,
        orders=found.parts,
        odds=found.odds,
        note=found.note,
        ms=round(1000 * (time.perf_counter() - begun), 1),
    )
