"""Answers judged, from the options to the folder: arms answer, then a judge grades each answer and
compares it with the baseline's.

Answers and verdicts are written down as they come. Runs lie in HOME/evaluation/runs, the replies of
the model that answers in HOME/evaluation/answers, those of the judge in HOME/evaluation/judge.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, WorkspaceError
from dynagrag.core.protocols import ChatModel, Embedder
from dynagrag.evaluation.answers.answer_arms import pruners_made_with, soft_made_with
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.answers.answer_run import make_answers
from dynagrag.evaluation.answers.answering import Answering, open_answering
from dynagrag.evaluation.frame.experiment import ItemTrial, Keep, TrialExperiment, Watch
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_model import (
    JudgeModel,
    better_questions,
    judge_metrics,
    prompts_digest,
)
from dynagrag.evaluation.judge.judge_options import JudgeOptions, JudgePlan, plan_judge
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.judge.judge_summary import Answers, JudgeResult, judge_result
from dynagrag.evaluation.judge.judged_line import JudgedLine, JudgeUnit
from dynagrag.evaluation.judge.judging import JUDGE, JudgingCost, judge_left, units_cost
from dynagrag.evaluation.judge.kept_calibrations import kept_calibration
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.facade import Workspace, open_workspace

JUDGE_PROMPTS = ("judge_metrics", "judge_better")
OnEstimate = Callable[[AnswersEstimate | JudgingCost], None]


@dataclass(frozen=True, slots=True)
class JudgeModels:
    """Models in place of those of the settings; they are not closed."""

    answers: ChatModel | None = None
    judge: ChatModel | None = None
    embedder: Embedder | None = None


def evaluate_judge(
    settings: Settings,
    options: JudgeOptions,
    progress: Progress | None = None,
    on_estimate: OnEstimate | None = None,
    models: JudgeModels | None = None,
) -> tuple[JudgeRun, JudgeResult]:
    """Runs an experiment, or resumes one; the run and its result.

    `on_estimate` is told what the answers and what their judgement will take, before each begins.
    Raises UsageError, SettingsError and LoadError for what was given wrong, before anything is
    asked; StoppedRunError on Ctrl-C; ModelError and BudgetError where going on makes no sense, with
    all that was done kept.
    """
    plan, given = plan_judge(options), models or JudgeModels()
    with (
        open_answering(settings, options.max_calls, given.answers, plan.arms) as answering,
        _open_judge(settings, options, answering, given.judge) as judge,
        open_workspace(
            options.workspace, settings=settings, create=False, embedder=given.embedder
        ) as space,
    ):
        experiment = JudgeExperiment(plan, options, space, answering, judge, settings, on_estimate)
        return run_experiment(experiment, settings.home, options.out, Watch(progress))


@contextmanager
def _open_judge(
    settings: Settings, options: JudgeOptions, answering: Answering, given: ChatModel | None
) -> Iterator[MeteredChat]:
    """The judge with a cache of its own, and the one budget of the run; the model that answers
    where no other is named.
    """
    is_other = options.judge_llm is not None and options.judge_llm != settings.llm
    opened = None
    if given is None and is_other:
        opened = wiring.make_chat_model(settings.model_copy(update={"llm": options.judge_llm}))
        if opened is None:
            raise SettingsError("--judge-llm is empty; name a model, or leave it out")
    model = given or opened or answering.model
    if model is None:
        raise SettingsError(
            "a language model judges: name one with --judge-llm or --llm, e.g. --judge-llm"
            " openai:NAME"
        )
    try:
        journal = wiring.make_journal(settings.home / "evaluation" / JUDGE)
        try:
            yield MeteredChat(
                model, journal, workspace=f"evaluate-{JUDGE}", budget=answering.budget
            )
        finally:
            journal.close()
    finally:
        if opened is not None:
            opened.close()


class JudgeExperiment(TrialExperiment[JudgeUnit, JudgedLine, JudgeResult, JudgeRun]):
    """Arms that answer, and a judge; units of judgement are its items. What can't be answered isn't
    judged either, so which units there are is known only once the answers are made.
    """

    run_kind = JudgeRun

    def __init__(
        self,
        plan: JudgePlan,
        options: JudgeOptions,
        space: Workspace,
        answering: Answering,
        judge: MeteredChat,
        settings: Settings,
        on_estimate: OnEstimate | None,
    ) -> None:
        self.name = f"judge-{space.name}"
        self.arms, self.items = plan.arm_names, plan.units
        self._plan, self._options, self._space, self._settings = plan, options, space, settings
        self._answering, self._judge, self._on_estimate = answering, judge, on_estimate
        self._answers: Answers = {}

    def made_with(self) -> Mapping[str, JsonValue]:
        """The questions, the arms, both models and the graph."""
        plan, options, space = self._plan, self._options, self._space
        snapshot, identity = space.current_graph.snapshot(), space.embedder.identity
        if not snapshot.passages:
            raise WorkspaceError(
                f"workspace {space.name!r} has no passages; ingest something first"
            )
        return {
            "questions": len(plan.questions),
            "asked": plan.digest,
            "files": {file.name: file.sha256 for file in plan.files},
            "arms": list(plan.arm_names),
            "baseline": plan.baseline,
            "forms": list(plan.forms),
            "samples": plan.samples,
            "llm": self._answering.identity,
            "judge": self._judge.model.identity,
            "prompts": prompts_digest(*JUDGE_PROMPTS),
            "workspace": space.name,
            "passages": len(snapshot.passages),
            "graph": space.store.digest(),
            "embedder": f"{identity.name} ({identity.dimension} dimensions)",
            "checker": wiring.chosen_checker(space.settings.checker, self._answering.model),
            "threshold": options.threshold,
            "seed": options.seed,
            **pruners_made_with(space, plan.arms),
            **soft_made_with(space, plan.arms),
        }

    @property
    def num_lines(self) -> int:
        """A line for each unit, where all answers are made."""
        return len(self.items)

    def trials(self) -> list[ItemTrial[JudgeUnit]]:
        """The units whose answers are there."""
        return [
            ItemTrial(unit.arm, unit)
            for unit in self.items
            if all(
                (unit.question, arm) in self._answers
                and not self._answers[unit.question, arm].has_failed
                for arm in (unit.arm, unit.against or unit.arm)
            )
        ]

    def stage(self, trial: ItemTrial[JudgeUnit]) -> str:
        """All units are followed together."""
        return JUDGE

    def measure_missing(self, run: JudgeRun, watch: Watch) -> Sequence[JudgedLine]:
        """Makes the answers that are missing, then the judgements; these in the order in which they
        were made.
        """
        run.answer_file().drop_torn_line()
        make_answers(
            self._space,
            self._answering,
            self._plan.questions,
            self._plan.arms,
            run.answer_file(),
            self._settings,
            watch.progress,
            self._on_estimate,
        )
        self._answers = run.answers()
        super().measure_missing(run, watch)
        return list(run.judged().values())

    def measure_all(
        self, left: Sequence[ItemTrial[JudgeUnit]], keep: Keep[JudgedLine], watch: Watch
    ) -> None:
        """First what needs no judge, then the others, in an order that tells nothing."""
        blinded = {key: BlindAnswer.of(line) for key, line in self._answers.items()}
        known: list[JudgedLine] = []
        by_question: dict[str, list[JudgeUnit]] = {}
        for trial in left:
            unit = trial.item
            if (line := _without_judge(unit, blinded)) is not None:
                known.append(line)
            else:
                by_question.setdefault(unit.question, []).append(unit)
        keep(known)
        for question, own in by_question.items():
            random.Random(f"{self._options.seed} {question}").shuffle(own)
        shuffled = [unit for own in by_question.values() for unit in own]
        if not shuffled:
            return
        if self._on_estimate:
            self._on_estimate(units_cost(shuffled, blinded, self._judge, self._settings))
        judge_left(
            shuffled,
            lambda unit: self._line(unit, blinded),
            keep,
            self._judge,
            self._settings,
        )

    def _line(self, unit: JudgeUnit, answers: Mapping[tuple[str, str], BlindAnswer]) -> JudgedLine:
        begun = time.perf_counter()
        own = answers[unit.question, unit.arm]
        line = JudgedLine(
            question=unit.question, arm=unit.arm, against=unit.against, sample=unit.sample
        )
        if unit.against:
            other = answers[unit.question, unit.against]
            found = JudgeModel(self._judge).judge_both(
                *better_questions(own.question, own.text, other.text)
            )
            judged: dict[str, object] = {
                "verdict": found.value,
                "orders": found.parts,
                "odds": found.odds,
                "note": found.note,
            }
        else:
            grades, note = judge_metrics(self._judge, own, unit.sample)
            judged = {"grades": grades, "note": note}
        ms = round(1000 * (time.perf_counter() - begun), 1)
        return line.model_copy(update=judged | {"ms": ms})

    def summarize(self, lines: Sequence[JudgedLine], path: Path) -> JudgeResult:
        """The figures, with what is known of the judge."""
        model = self._judge.model
        return judge_result(
            self._plan,
            self._answers,
            lines,
            self._answering.identity,
            kept_calibration(self._settings.home, model.name, model.identity),
            self._options.threshold,
            path,
            self._options.seed,
        )


def _without_judge(
    unit: JudgeUnit, answers: Mapping[tuple[str, str], BlindAnswer]
) -> JudgedLine | None:
    """The judgement that needs no judge: an answer that was cut off has the lowest grades and loses
    to a whole one; equal answers tie.
    """
    own = answers[unit.question, unit.arm]
    line = JudgedLine(
        question=unit.question, arm=unit.arm, against=unit.against, sample=unit.sample
    )
    if not unit.against:
        lowest = {"grades": dict.fromkeys(METRICS, 1.0), "note": "cut off"}
        return line.model_copy(update=lowest) if own.is_cut_off else None
    other = answers[unit.question, unit.against]
    if own.is_cut_off == other.is_cut_off and own.text != other.text:
        return None
    verdict, note = 0.0, "the same answer"
    if own.is_cut_off != other.is_cut_off:
        verdict, note = 2.0 if own.is_cut_off else 1.0, "cut off"
    return line.model_copy(update={"verdict": verdict, "orders": (verdict, verdict), "note": note})
