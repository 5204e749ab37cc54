"""A judge's calibration from its options to its folder: it judges rows that people judged, and each
verdict is written down as it comes.

Runs lie in HOME/evaluation/runs; replies in HOME/evaluation/judge, so that no row is asked about
twice.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import ChatModel
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.judge.calibration_figures import set_figures
from dynagrag.evaluation.judge.calibration_folder import CalibrationRun, VerdictLine
from dynagrag.evaluation.judge.calibration_report import render_calibration_report, verdict_on_judge
from dynagrag.evaluation.judge.calibration_sets import (
    SETS,
    CalibrationRow,
    CalibrationSet,
    RowKind,
    load_calibration_set,
)
from dynagrag.evaluation.judge.judge_model import (
    Judgement,
    JudgeModel,
    JudgeQuestion,
    better_questions,
    grade_question,
    prompts_digest,
    right_question,
)
from dynagrag.evaluation.judge.judging import JudgingCost, judge_left, judging_cost
from dynagrag.evaluation.judge.kept_calibrations import keep
from dynagrag.evaluation.judge.reliability import THRESHOLD
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.metered_chat import MeteredChat

_LOG = logging.getLogger(__name__)
JOURNAL = Path("evaluation") / "judge"
CACHE_NAME = "evaluate-judge"
"""Verdicts are cached for all runs alike."""
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
    make: Callable[[Settings], ChatModel | None] = wiring.make_chat_model,
) -> tuple[CalibrationRun, dict[str, Any]]:
    """Runs a calibration, or resumes one; the run's folder and its summary.

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
    with ExitStack() as stack:
        model = make(settings)
        if model is None:
            raise SettingsError("a judge is a language model: name one with --llm, e.g. --llm qwen")
        stack.callback(model.close)
        journal = wiring.make_journal(settings.home / JOURNAL)
        stack.callback(journal.close)
        chat = wiring.make_metered(model, journal, CACHE_NAME, options.max_calls, None)
        prompts = {own.name: prompts_digest(_PROMPTS[own.kind]) for own in sets}
        made_with = _made_with(sets, options, chat, prompts)
        run = CalibrationRun.begin(settings.home, "judge-calibration", made_with, options.out)
        with run.asking(sum(len(own.rows) for own in sets)):
            work = _Work(
                run,
                sets,
                settings,
                chat,
                progress or (lambda *_: None),
                on_cost or (lambda _: None),
            )
            work.judge()
            summary = _summary(run, sets, options, model.name)
            kept = keep(settings.home, model.name, model.identity, summary["sets"], prompts)
            _LOG.info("%d sets are kept of %s", len(kept.sets), model.name)
            run.finish(summary, sets)
            run.write_report(render_calibration_report(run))
    return run, summary


def questions_of(row: CalibrationRow) -> tuple[JudgeQuestion, ...]:
    """What a judge is asked about a row: once, and a pair in both orders."""
    if row.kind is RowKind.PAIR:
        return better_questions(row.question, *row.texts)
    ask = right_question if row.kind is RowKind.RIGHT else grade_question
    return (ask(row.question, row.references, row.texts[0]),)


def _made_with(
    sets: Sequence[CalibrationSet],
    options: CalibrationOptions,
    chat: MeteredChat,
    prompts: dict[str, str],
) -> dict[str, Any]:
    return {
        "sets": {own.name: len(own.rows) for own in sets},
        "judge": chat.model.identity,
        "files": {file.name: file.sha256 for own in sets for file in own.files},
        "asked": {own.name: own.digest for own in sets},
        "prompts": prompts,
        "threshold": options.threshold,
        "seed": options.seed,
    }


@dataclass(frozen=True, slots=True)
class _Work:
    """What is left to judge in a run."""

    run: CalibrationRun
    sets: Sequence[CalibrationSet]
    settings: Settings
    chat: MeteredChat
    progress: Progress
    on_cost: Callable[[JudgingCost], None]

    def judge(self) -> None:
        """Judges what is left, as many rows at once as the model takes calls, and writes down each
        verdict.
        """
        done = self.run.by_row()
        rows = [row for own in self.sets for row in own.rows]
        left = [row for row in rows if (row.set, row.id) not in done]
        if not left:
            return
        cost = judging_cost(
            [question for row in left for question in questions_of(row)], self.chat, self.settings
        )
        self.on_cost(cost)
        begun = time.perf_counter()
        judge = partial(_line, JudgeModel(self.chat))
        for number in judge_left(left, judge, self.run, self.chat, self.settings):
            if number == 1 < len(left):
                self.on_cost(cost.after_first(time.perf_counter() - begun, len(left)))
            self.progress("judge", len(rows) - len(left) + number, len(rows))


def _line(judge: JudgeModel, row: CalibrationRow) -> VerdictLine:
    begun = time.perf_counter()
    asked = questions_of(row)
    found: Judgement = (
        judge.judge_both((asked[0], asked[1]))
        if row.kind is RowKind.PAIR
        else judge.judge(asked[0])
    )
    ms = round(1000 * (time.perf_counter() - begun), 1)
    return VerdictLine(
        set=row.set,
        row=row.id,
        verdict=found.value,
        orders=found.parts,
        odds=found.odds,
        note=found.note,
        ms=ms,
    )


def _summary(
    run: CalibrationRun, sets: Sequence[CalibrationSet], options: CalibrationOptions, judge: str
) -> dict[str, Any]:
    """What `--json` prints."""
    lines = run.by_row()
    figures = {
        own.name: set_figures(
            own.kind,
            own.rows,
            {row.id: lines[own.name, row.id] for row in own.rows},
            options.threshold,
            options.seed,
        )
        for own in sets
    }
    summary = {
        "judge": judge,
        "sets": figures,
        "threshold": options.threshold,
        "seed": options.seed,
        "sizes": {own.name: own.size for own in sets},
        "notes": {own.name: dict(own.notes) for own in sets if own.notes},
        "run": str(run.path),
    }
    return {"verdict": verdict_on_judge(judge, figures, options.threshold)} | summary
