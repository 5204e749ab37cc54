"""The figures of judged answers: the judge's own reliability first, then totals by arm,
differences, pairs, length, cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.bootstrap_intervals import SEED, Interval
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.judge.arm_statistics import (
    Difference,
    LengthSlope,
    PairedDifference,
    PairFigures,
    length_slope,
    mean_with_interval,
    pair_figures,
    pair_points,
    paired_difference,
)
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_model import prompts_digest
from dynagrag.evaluation.judge.judge_options import LETTERS, PAIRWISE, POINTWISE, JudgePlan
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judged_line import JudgedLine
from dynagrag.evaluation.judge.judged_text import speaks_to_a_judge
from dynagrag.evaluation.judge.kept_calibrations import Agreement, KeptCalibration
from dynagrag.evaluation.judge.reliability import NOT_KNOWN, NOT_RELIABLE, why_not
from dynagrag.evaluation.several_comparisons import corrected

PUBLISHED = {"dsa-diverse": 18.10}
"""DynaGRAG, section 4: the only figure that can be read. Its arm B is called a close second, D a
little below.
"""
_CALIBRATED_BY = {POINTWISE: ("squality", "judge_grade"), PAIRWISE: ("pairs", "judge_better")}
"""The set that is nearest to each form of judging, and the prompt that the judge is asked with
there.
"""
_DIGITS = 4
Answers = Mapping[tuple[str, str], AnswerLine]
"""(Question, arm) -> its answer."""
_ByArm = Mapping[str, Mapping[str, float]]
"""Arm -> question -> value."""


@dataclass(frozen=True, slots=True)
class Graded:
    """An answer's grades: by metric the median of the samples that could be read; None where none
    could.
    """

    grades: Mapping[str, float | None]
    unreadable: int

    @property
    def total(self) -> float | None:
        """Of 25; None where a metric lacks."""
        found = [grade for grade in self.grades.values() if grade is not None]
        return sum(found) if len(found) == len(METRICS) else None


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class NearestAgreement(Agreement):
    """The judge's agreement with people on the `set` that is nearest to a form of judging, measured
    `on` that day.
    """

    set: str
    on: str

    @model_serializer(mode="wrap")
    def _in_order(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The set stands first."""
        found: dict[str, Any] = as_usual(self)
        return {"set": self.set} | found


class JudgedArm(_Figures):
    """An arm's whole `answers`: its grades (`total` of 25), what they are like (`stated`: the share
    of an answer's claims that lines state, over the `claiming` answers), and what they took, means
    of an answer. Values are None of no answer; `published` of an arm that the paper has no
    figure for, `same_as_baseline` of the baseline.
    """

    letter: str
    answers: int
    errors: int = 0
    cut_off: int
    abstained: int
    graded: int
    metrics: dict[str, float | None]
    total: Interval | None
    published: float | None
    unreadable: int
    words: float | None
    citations: float | None
    stated: Interval | None = None
    claiming: int = 0
    same_as_baseline: float | None = None
    context_tokens: float | None
    tokens: float | None
    calls: float | None
    seconds: float | None


class TotalDifference(PairedDifference):
    """An arm's mean total minus the baseline's, over the `n` questions on which both have one.
    `at_equal_length`: by a straight line through the differences; `p_holm` and `holds`: among all
    arms.
    """

    n: int
    at_equal_length: Difference | None = None
    p_holm: float | None = None
    holds: bool | None = None


class KindOfArm(_Figures):
    """An arm on the questions of a kind: its mean total over those `graded`, and the mean share of
    pairs won, ties by half, over those `paired`.
    """

    total: float | None
    graded: int
    win_rate: float | None
    paired: int


class FiguresOfKind(_Figures):
    """The questions of one kind."""

    questions: int
    arms: dict[str, KindOfArm]


class Unreadable(_Figures):
    """How many judgements could not be read, of how many, and the first reason."""

    num: int
    of: int
    why: str


class JudgeResult(Result):
    """The figures of judged answers. `compared`: questions on which all arms have a total;
    `differences` from the baseline, None where no question has both totals; `kinds`: of fewer than
    two none is told; `speaking_to_a_judge`: answers with sentences that it was not shown.
    """

    verdict: str
    judge: str
    llm: str | None = None
    is_own_judge: bool = False
    calibration: dict[str, NearestAgreement | None] = Field(default_factory=dict)
    questions: int
    compared: int
    baseline: str
    samples: int = 1
    arms: dict[str, JudgedArm]
    differences: dict[str, TotalDifference | None] = Field(default_factory=dict)
    length: LengthSlope | None = None
    is_one_score: bool = False
    pairs: dict[str, PairFigures] = Field(default_factory=dict)
    kinds: dict[str, FiguresOfKind] = Field(default_factory=dict)
    unreadable: dict[str, Unreadable] = Field(default_factory=dict)
    speaking_to_a_judge: int = 0
    judged_in_s: float = 0.0
    judgements: int = 0
    notes: dict[str, int] = Field(default_factory=dict)
    run: str = ""

    @property
    def is_graded(self) -> bool:
        """Whether answers were graded by themselves, be it that no grade could be read."""
        return POINTWISE in self.calibration

    @property
    def fewest_questions(self) -> int:
        """Of the differences the one over the fewest questions; without differences, all that were
        asked.
        """
        return min((own.n for own in self.differences.values() if own), default=self.questions)


def judge_result(
    plan: JudgePlan,
    answers: Answers,
    lines: Sequence[JudgedLine],
    llm: str | None,
    kept: KeptCalibration,
    threshold: float,
    path: Path,
    seed: int = SEED,
) -> JudgeResult:
    """The figures of a run. `lines`: each judgement once; `llm`: the identity of the model that
    answered; `kept`: what is known of the judge; `path`: of the run.
    """
    graded = grades_of(lines) if POINTWISE in plan.forms else {}
    totals = {
        arm: {
            q.id: own.total
            for q in plan.questions
            if (own := graded.get((q.id, arm))) is not None and own.total is not None
        }
        for arm in plan.arm_names
    }
    words = {
        arm: {
            q: float(BlindAnswer.of(answers[q, arm]).num_words)
            for q in own
            if not answers[q, arm].is_cut_off
        }
        for arm, own in totals.items()
    }
    everything = [value for own in totals.values() for value in own.values()]
    calibration = {form: _nearest(kept, form) for form in plan.forms}
    return JudgeResult(
        verdict=judge_verdict(kept.judge, calibration, threshold),
        judge=kept.judge,
        llm=llm,
        is_own_judge=llm == kept.identity,
        calibration=calibration,
        questions=len(plan.questions),
        compared=sum(all(q.id in own for own in totals.values()) for q in plan.questions),
        baseline=plan.baseline,
        samples=plan.samples,
        arms={arm: _arm(arm, plan, answers, graded, totals[arm], seed) for arm in plan.arm_names},
        differences=_differences(totals, words, plan.baseline, seed),
        length=length_slope(
            *(
                [[own[a][q.id] for a in own if q.id in words[a]] for q in plan.questions]
                for own in (words, totals)
            )
        ),
        is_one_score=len(set(everything)) == 1 and len(everything) > 1,
        pairs=_pairs(plan, answers, lines, seed) if PAIRWISE in plan.forms else {},
        kinds=_by_kind(plan, totals, lines),
        unreadable=_unreadable(lines),
        speaking_to_a_judge=sum(
            speaks_to_a_judge(BlindAnswer.of(line).text) for line in answers.values()
        ),
        judged_in_s=round(sum(line.ms for line in lines) / 1000, 1),
        judgements=len(lines),
        notes=dict(plan.notes),
        run=str(path),
    )


def _unreadable(lines: Sequence[JudgedLine]) -> dict[str, Unreadable]:
    """Grades and pairs, where some could not be read."""
    read = {
        "grades": [
            (line.grades.get(metric), line.note)
            for line in lines
            if not line.against
            for metric in METRICS
        ],
        "pairs": [(line.verdict, line.note) for line in lines if line.against],
    }
    found = {}
    for name, own in read.items():
        if notes := [note for value, note in own if value is None]:
            found[name] = Unreadable(num=len(notes), of=len(own), why=shortened(notes[0]))
    return found


def judge_verdict(
    judge: str, calibration: Mapping[str, NearestAgreement | None], threshold: float
) -> str:
    """The first words of a report: whether this judge can be believed about what it was asked
    here.
    """
    by_answer: dict[bool | None, list[str]] = {}
    for form, own in calibration.items():
        if own is not None:
            is_reliable = own.is_reliable(threshold)
            shown = _with_kappa(form, own, None if is_reliable else threshold)
            by_answer.setdefault(is_reliable, []).append(shown)
    unknown = [form for form, own in calibration.items() if own is None]
    parts = []
    if bad := by_answer.get(False):
        parts.append(f"{NOT_RELIABLE}: {judge}, {', '.join(bad)}")
    if unknown:
        parts.append(
            f"{NOT_KNOWN}: {judge}, {' and '.join(unknown)} (`evaluate judge --calibrate`"
            " measures it)"
        )
    if unsure := by_answer.get(None):
        parts.append(f"{NOT_KNOWN}: {judge}, {', '.join(unsure)}")
    if good := by_answer.get(True):
        parts.append(f"reliable: {judge}, {', '.join(good)}")
    return "; ".join(parts)


def _with_kappa(form: str, own: NearestAgreement, threshold: float | None) -> str:
    """A form with its kappa; with a threshold, also why the judge isn't reliable by it."""
    kappa = "can't be told" if own.kappa is None else f"{own.kappa:.2f}"
    if bounds := own.kappa_interval:
        kappa += f" ({bounds[0]:.2f} to {bounds[1]:.2f})"
    why = (
        ""
        if threshold is None
        else f", {why_not(own.kappa, bounds, own.unreadable, own.n, threshold)}"
    )
    lacks = ", measured with references, which these grades lack" if form == POINTWISE else ""
    return f"{form} (kappa with people {kappa} on {plural(own.n, 'row')} of {own.set}{why}{lacks})"


def _nearest(kept: KeptCalibration, form: str) -> NearestAgreement | None:
    """None where it wasn't measured with today's wording."""
    name, prompt = _CALIBRATED_BY[form]
    own = kept.sets.get(name)
    if own is None or own.prompt != prompts_digest(prompt):
        return None
    return NearestAgreement(set=name, **own.model_dump(exclude={"prompt"}))


def grades_of(lines: Sequence[JudgedLine]) -> dict[tuple[str, str], Graded]:
    """(Question, arm) -> the medians of its samples."""
    by_answer: dict[tuple[str, str], list[JudgedLine]] = {}
    for line in lines:
        if not line.against:
            by_answer.setdefault((line.question, line.arm), []).append(line)
    found = {}
    for key, own in by_answer.items():
        read = {
            metric: [grade for line in own if (grade := line.grades.get(metric)) is not None]
            for metric in METRICS
        }
        grades = {metric: median(values) if values else None for metric, values in read.items()}
        found[key] = Graded(grades, sum(len(own) - len(values) for values in read.values()))
    return found


def _arm(
    arm: str,
    plan: JudgePlan,
    answers: Answers,
    graded: Mapping[tuple[str, str], Graded],
    totals: Mapping[str, float],
    seed: int,
) -> JudgedArm:
    made = [
        line
        for q in plan.questions
        if (line := answers.get((q.id, arm))) is not None and not line.has_failed
    ]
    lines = [line for line in made if not line.is_cut_off]
    stated = [len(line.claims.stated) / line.claims.total for line in lines if line.claims.total]
    return JudgedArm(
        letter=LETTERS.get(arm, ""),
        answers=len(lines),
        errors=len(plan.questions) - len(made),
        cut_off=len(made) - len(lines),
        abstained=sum(line.is_abstained for line in lines),
        graded=len(totals),
        metrics={
            metric: _mean(
                [grade for q in totals if (grade := graded[q, arm].grades[metric]) is not None]
            )
            for metric in METRICS
        },
        total=mean_with_interval(list(totals.values()), seed),
        published=PUBLISHED.get(arm),
        unreadable=sum(own.unreadable for (_, name), own in graded.items() if name == arm),
        words=_mean([float(BlindAnswer.of(line).num_words) for line in lines]),
        citations=_mean([float(len(line.citations)) for line in lines]),
        stated=mean_with_interval(stated, seed),
        claiming=len(stated),
        same_as_baseline=None if arm == plan.baseline else _share_of_same(plan, answers, arm),
        context_tokens=_mean([float(line.context_tokens) for line in lines]),
        tokens=_mean([float(line.prompt_tokens + line.completion_tokens) for line in made]),
        calls=_mean([float(line.calls + line.cached) for line in made]),
        seconds=_mean([line.seconds for line in made]),
    )


def _share_of_same(plan: JudgePlan, answers: Answers, arm: str) -> float | None:
    """Of the questions that both answered whole, the share whose answers are one text to the
    judge.
    """
    whole = {
        key: BlindAnswer.of(line).text
        for key, line in answers.items()
        if not line.has_failed and not line.is_cut_off
    }
    both = [
        whole[q.id, arm] == whole[q.id, plan.baseline]
        for q in plan.questions
        if {(q.id, arm), (q.id, plan.baseline)} <= whole.keys()
    ]
    return _mean([float(is_same) for is_same in both])


def _differences(
    totals: _ByArm, words: _ByArm, baseline: str, seed: int
) -> dict[str, TotalDifference | None]:
    """Each arm against the baseline, on the questions on which both have a total."""
    found: dict[str, TotalDifference | None] = {}
    columns: dict[str, list[float]] = {}
    for arm in (name for name in totals if name != baseline):
        both = [question for question in totals[arm] if question in totals[baseline]]
        there, here = ([totals[name][question] for question in both] for name in (baseline, arm))
        own = paired_difference(here, there, seed)
        if own is None:
            found[arm] = None
            continue
        whole = [q for q in both if q in words[arm] and q in words[baseline]]
        at_equal_length = _at_equal_length(
            *(
                [values[name][question] for question in whole]
                for values in (totals, words)
                for name in (arm, baseline)
            )
        )
        found[arm] = TotalDifference(**dict(own), n=len(both), at_equal_length=at_equal_length)
        columns[arm] = [a - b for a, b in zip(here, there, strict=True)]
    bounds = {arm: {"low": own.low, "high": own.high} for arm, own in found.items() if own}
    for arm, more in corrected(bounds, columns, seed).items():
        own = found[arm]
        assert own is not None, "it has bounds"
        found[arm] = own.model_copy(update=more)
    return found


def _at_equal_length(
    arm: Sequence[float],
    other: Sequence[float],
    words: Sequence[float],
    other_words: Sequence[float],
) -> Difference | None:
    """The difference where both answers are equally long, by a straight line through the
    differences.

    None of fewer than five, and where one arm has always the longer answers.
    """
    from scipy.stats import linregress, t

    x, y = np.subtract(words, other_words), np.subtract(arm, other)
    if len(x) < 5 or np.ptp(x) < 1e-9 or not x.min() <= 0 <= x.max():
        return None
    line = linregress(x, y)
    half = float(t.ppf(0.975, len(x) - 2)) * float(line.intercept_stderr)
    mean = float(line.intercept)
    return Difference(
        difference=round(mean, _DIGITS),
        low=round(mean - half, _DIGITS),
        high=round(mean + half, _DIGITS),
    )


def _pairs(
    plan: JudgePlan, answers: Answers, lines: Sequence[JudgedLine], seed: int
) -> dict[str, PairFigures]:
    found: dict[str, PairFigures] = {}
    bounds: dict[str, dict[str, float]] = {}
    from_half: dict[str, list[float]] = {}
    for arm in plan.arm_names:
        own = sorted(
            (line for line in lines if line.against and line.arm == arm),
            key=lambda line: line.question,
        )
        if not own:
            continue
        lengths: list[tuple[int, int] | None] = []
        for line in own:
            pair = answers[line.question, arm], answers[line.question, line.against]
            is_cut_off = any(answer.is_cut_off for answer in pair)
            one, other = (BlindAnswer.of(answer).num_words for answer in pair)
            lengths.append(None if is_cut_off else (one, other))
        figures = pair_figures(
            [line.verdict for line in own], [line.is_flip for line in own], lengths, seed
        )
        found[arm] = figures
        if rate := figures.win_rate:
            bounds[arm] = {"low": rate.low - 0.5, "high": rate.high - 0.5}
            from_half[arm] = [
                pair_points(line.verdict) - 0.5 for line in own if line.verdict is not None
            ]
    for arm, more in corrected(bounds, from_half, seed).items():
        found[arm] = found[arm].model_copy(update=more)
    return found


def _by_kind(
    plan: JudgePlan, totals: _ByArm, lines: Sequence[JudgedLine]
) -> dict[str, FiguresOfKind]:
    """Nothing of fewer than two kinds."""
    points = {
        (line.question, line.arm): pair_points(line.verdict)
        for line in lines
        if line.against and line.verdict is not None
    }
    found = {}
    for kind in dict.fromkeys(plan.kinds.values()):
        own = [q.id for q in plan.questions if plan.kinds[q.id] == kind]
        arms = {}
        for arm in plan.arm_names:
            graded = [totals[arm][q] for q in own if q in totals[arm]]
            paired = [points[q, arm] for q in own if (q, arm) in points]
            arms[arm] = KindOfArm(
                total=_mean(graded),
                graded=len(graded),
                win_rate=_mean(paired),
                paired=len(paired),
            )
        found[kind or "other"] = FiguresOfKind(questions=len(own), arms=arms)
    return found if len(found) > 1 else {}


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), _DIGITS) if values else None
