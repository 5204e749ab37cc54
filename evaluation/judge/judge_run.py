"""Answers judged, from the options to the folder: arms answer, then a judge grades each answer and
compares it with the baseline's.

Answers and verdicts are written down as they come. Runs lie in HOME/evaluation/runs, the replies of
the model that answers in HOME/evaluation/answers, those of the judge in HOME/evaluation/judge.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, WorkspaceError
from dynagrag.core.protocols import ChatModel, Embedder
from dynagrag.evaluation.answers.answer_arms import pruners_made_with, soft_made_with
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.answers.answer_run import make_answers
from dynagrag.evaluation.answers.answering import Answering, open_answering
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.calibration_run import CACHE_NAME, JOURNAL
from dynagrag.evaluation.judge.judge_folder import JudgedLine, JudgeRun
from dynagrag.evaluation.judge.judge_model import (
    JudgeModel,
    better_questions,
    judge_metrics,
    prompts_digest,
)
from dynagrag.evaluation.judge.judge_options import JudgeOptions, JudgePlan, plan_judge
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import render_judge_report
from dynagrag.evaluation.judge.judge_summary import judge_summary
from dynagrag.evaluation.judge.judging import JudgingCost, judge_left, units_cost
from dynagrag.evaluation.judge.kept_calibrations import kept_calibration
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.facade import Workspace, open_workspace

JUDGE_PROMPTS = ("judge_metrics", "judge_better")


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
    on_estimate: Callable[[AnswersEstimate | JudgingCost], None] | None = None,
    models: JudgeModels | None = None,
) -> tuple[JudgeRun, dict[str, Any]]:
    """Runs an experiment, or resumes one; the run's folder and its summary.

    `on_estimate` is told what the answers and what their judgement will take, before each begins.
    Raises UsageError, SettingsError and LoadError for what was given wrong, before anything is
    asked; StoppedRunError on Ctrl-C; ModelError and BudgetError where going on makes no sense, with
    all that was done kept.
    """
    plan, given, show = plan_judge(options), models or JudgeModels(), progress or (lambda *_: None)
    with (
        open_answering(settings, options.max_calls, given.answers, plan.arms) as answering,
        _open_judge(settings, options, answering, given.judge) as judge,
        open_workspace(
            options.workspace, settings=settings, create=False, embedder=given.embedder
        ) as space,
    ):
        made_with = _made_with(plan, options, space, answering, judge)
        run = JudgeRun.begin(settings.home, f"judge-{space.name}", made_with, options.out)
        with run.asking(len(plan.units)):
            run.answer_file().drop_torn_line()
            make_answers(
                space,
                answering,
                plan.questions,
                plan.arms,
                run.answer_file(),
                settings,
                show,
                on_estimate,
            )
            _Work(run, plan, judge, settings, show).judge(
                on_estimate or (lambda _: None), options.seed
            )
            kept = kept_calibration(settings.home, judge.model.name, judge.model.identity)
            summary = judge_summary(run, plan, kept, options.threshold, options.seed)
            run.finish(summary)
            run.write_report(render_judge_report(run))
    return run, summary


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
        journal = wiring.make_journal(settings.home / JOURNAL)
        try:
            yield MeteredChat(model, journal, workspace=CACHE_NAME, budget=answering.budget)
        finally:
            journal.close()
    finally:
        if opened is not None:
            opened.close()


def _made_with(
    plan: JudgePlan,
    options: JudgeOptions,
    space: Workspace,
    answering: Answering,
    judge: MeteredChat,
) -> dict[str, Any]:
    snapshot, identity = space.current_graph.snapshot(), space.embedder.identity
    if not snapshot.passages:
        raise WorkspaceError(f"workspace {space.name!r} has no passages; ingest something first")
    return {
        "questions": len(plan.questions),
        "asked": plan.digest,
        "files": {file.name: file.sha256 for file in plan.files},
        "arms": list(plan.arm_names),
        "baseline": plan.baseline,
        "forms": list(plan.forms),
        "samples": plan.samples,
        "llm": answering.identity,
        "judge": judge.model.identity,
        "prompts": prompts_digest(*JUDGE_PROMPTS),
        "workspace": space.name,
        "passages": len(snapshot.passages),
        "graph": space.store.digest(),
        "embedder": f"{identity.name} ({identity.dimension} dimensions)",
        "checker": wiring.chosen_checker(space.settings.checker, answering.model),
        "threshold": options.threshold,
        "seed": options.seed,
        **pruners_made_with(space, plan.arms),
        **soft_made_with(space, plan.arms),
    }


@dataclass(frozen=True, slots=True)
class _Work:
    """What is left to judge in a run."""

    run: JudgeRun
    plan: JudgePlan
    chat: MeteredChat
    settings: Settings
    progress: Progress

    def judge(self, on_cost: Callable[[JudgingCost], None], seed: int) -> None:
        """Judges what is left of the answers that are there, in an order that tells nothing, and
        writes down each judgement; first those that need no judge.
        """
        answers = self.run.answers()
        blinded = {key: BlindAnswer.of(line) for key, line in answers.items()}
        done = self.run.judged()
        missing = [
            unit for unit in self.plan.units if unit not in done and _is_answered(unit, answers)
        ]
        known = {
            unit: line for unit in missing if (line := _without_judge(unit, blinded)) is not None
        }
        self.run.append(known.values())
        left = [unit for unit in missing if unit not in known]
        if not left:
            return
        by_question: dict[str, list[tuple[str, str, str, int]]] = {}
        for unit in left:
            by_question.setdefault(unit[0], []).append(unit)
        for question, own in by_question.items():
            random.Random(f"{seed} {question}").shuffle(own)
        shuffled = [unit for own in by_question.values() for unit in own]
        on_cost(units_cost(shuffled, blinded, self.chat, self.settings))
        total = len(done) + len(missing)
        self.progress("judge", total - len(left), total)
        judge = partial(self._line, answers=blinded)
        for number in judge_left(shuffled, judge, self.run, self.chat, self.settings):
            self.progress("judge", total - len(left) + number, total)

    def _line(
        self, unit: tuple[str, str, str, int], answers: Mapping[tuple[str, str], BlindAnswer]
    ) -> JudgedLine:
        question, arm, against, sample = unit
        begun = time.perf_counter()
        own = answers[question, arm]
        if not against:
            grades, note = judge_metrics(self.chat, own, sample)
            return JudgedLine(
                question=question, arm=arm, sample=sample, grades=grades, note=note, ms=_ms(begun)
            )
        other = answers[question, against]
        found = JudgeModel(self.chat).judge_both(
            better_questions(own.question, own.text, other.text)
        )
        return JudgedLine(
            question=question,
            arm=arm,
            against=against,
            verdict=found.value,
            orders=found.parts,
            odds=found.odds,
            note=found.note,
            ms=_ms(begun),
        )


def _without_judge(
    unit: tuple[str, str, str, int], answers: Mapping[tuple[str, str], BlindAnswer]
) -> JudgedLine | None:
    """What needs no judge: an answer that was cut off has the lowest grades and loses to a whole
    one; equal answers tie.
    """
    question, arm, against, sample = unit
    own, other = answers[question, arm], answers[question, against or arm]
    if not against:
        lowest: dict[str, float | None] = dict.fromkeys(METRICS, 1.0)
        return (
            JudgedLine(question=question, arm=arm, sample=sample, grades=lowest, note="cut off")
            if own.is_cut_off
            else None
        )
    if own.is_cut_off != other.is_cut_off:
        verdict = 2.0 if own.is_cut_off else 1.0
        return JudgedLine(
            question=question,
            arm=arm,
            against=against,
            verdict=verdict,
            orders=(verdict, verdict),
            note="cut off",
        )
    if own.text == other.text:
        return JudgedLine(
            question=question,
            arm=arm,
            against=against,
            verdict=0.0,
            orders=(0.0, 0.0),
            note="the same answer",
        )
    return None


def _is_answered(
    unit: tuple[str, str, str, int], answers: Mapping[tuple[str, str], AnswerLine]
) -> bool:
    question, arm, against, _ = unit
    return all(
        (question, name) in answers and not answers[question, name].has_failed
        for name in (arm, against)
        if name
    )


def _ms(begun: float) -> float:
    return round(1000 * (time.perf_counter() - begun), 1)
