"""The figures of a run of answers: each arm's means with intervals, its differences from the
baseline on the same questions, its cost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.bootstrap_intervals import SEED, Interval, intervals, share_intervals
from dynagrag.evaluation.frame.figures import POINTS, ArmComparison, Figure, Unit
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.qa.answer_scores import (
    ABSTAINED,
    CLAIM_SHARES,
    F1,
    MEASURES,
    RECALL,
    ROUGE_L,
    STATED,
    WantedAnswer,
    score,
)
from dynagrag.evaluation.several_comparisons import corrected

Scores = Mapping[str, Mapping[str, float]]
"""Question -> measure -> value."""
_Of = Callable[[Mapping[str, Sequence[float]], int], dict[str, Interval]]
_DIGITS, _PRECISION = 4, 2
CUT_OFF = "cut_off"
"""Answers whose reply had no end; they count as wrong."""
FAILED_PARTS = "failed_parts"
"""Intermediate answers that could not be had, a question."""
COSTS = ("context_tokens", "prompt_tokens", "completion_tokens", "calls", "seconds")


class MeasureDifference(BaseModel):
    """An arm's mean difference over so many `questions`, with its 95 % interval, in points. Of the
    run's measure, where several arms are compared, also whether it `holds` among them.
    """

    model_config = ConfigDict(frozen=True)

    difference: float
    low: float
    high: float
    questions: int
    p_holm: float | None = None
    holds: bool | None = None

    @model_serializer(mode="wrap")
    def _without_empty(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in as_usual(self).items() if value is not None}

    @property
    def figure(self) -> Figure:
        """The difference as it is shown."""
        return Figure(self.difference, self.low, self.high, Unit.POINTS, is_difference=True)

    def against(self, arm: str, baseline: str) -> ArmComparison:
        """The comparison of the arm with the baseline."""
        return ArmComparison(arm, baseline, self.figure, self.questions, self.holds)


class KindFigures(BaseModel):
    """How many questions a kind has, and each arm's means over those that have an answer."""

    model_config = ConfigDict(frozen=True)

    questions: int
    arms: dict[str, dict[str, float]]


class AnswerFigures(Result):
    """The figures of answers by arm. `arms`: means of 0 to 1 over the questions that have an answer
    and the measure; `means` their intervals in points, `counts` over how many they are. `costs`: a
    question. `errors`: answers that failed, and are left out.
    """

    questions: int
    unanswerable: int = 0
    measure: str
    baseline: str
    arms: dict[str, dict[str, float]]
    means: dict[str, dict[str, dict[str, float]]] = Field(default_factory=dict)
    counts: dict[str, dict[str, int]] = Field(default_factory=dict)
    abstention: dict[str, dict[str, float | int | None]] = Field(default_factory=dict)
    costs: dict[str, dict[str, float]]
    differences: dict[str, dict[str, MeasureDifference]] = Field(default_factory=dict)
    kinds: dict[str, KindFigures] = Field(default_factory=dict)
    cut_off: dict[str, int] = Field(default_factory=dict)
    failed_parts: dict[str, float] = Field(default_factory=dict)
    errors: dict[str, int] = Field(default_factory=dict)


def arm_scores(
    lines: Iterable[AnswerLine], wanted: Mapping[str, WantedAnswer]
) -> dict[str, dict[str, dict[str, float]]]:
    """Arm -> question -> measure -> value, of the answers that did not fail."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for line in lines:
        if values := score(line, wanted[line.question]):
            scores.setdefault(line.arm, {})[line.question] = values
    return scores


def qa_summary(
    lines: Sequence[AnswerLine],
    wanted: Mapping[str, WantedAnswer],
    kinds: Mapping[str, str],
    arms: Sequence[str],
    baseline: str,
) -> AnswerFigures:
    """The figures of answers: `lines` has one for each question and arm."""
    scores = arm_scores(lines, wanted)
    own = {arm: [line for line in lines if line.arm == arm] for arm in arms}
    answerable = frozenset(id_ for id_, gold in wanted.items() if gold.answer.is_answerable)
    columns = {arm: _columns(scores.get(arm, {}), answerable) for arm in arms}
    spread = {arm: _intervals(columns[arm], share_intervals) for arm in arms}
    means = {arm: {n: spread[arm][n] for n in MEASURES if n in spread[arm]} for arm in arms}
    measure = main_measure(means[arms[0]])
    return AnswerFigures(
        questions=len(wanted),
        unanswerable=len(wanted) - len(answerable),
        measure=measure,
        baseline=baseline,
        arms={
            arm: {name: round(found.mean, _DIGITS) for name, found in means[arm].items()}
            for arm in arms
        },
        means={arm: {name: _bounds(found) for name, found in means[arm].items()} for arm in arms},
        counts={
            arm: {name: len(columns[arm][name]) for name in MEASURES if name in columns[arm]}
            for arm in arms
        },
        abstention={arm: _abstention(scores.get(arm, {}), answerable) for arm in arms},
        costs={arm: _costs(own[arm]) for arm in arms},
        differences=_from_baseline(
            scores, baseline, [arm for arm in arms if arm != baseline], answerable, measure
        ),
        kinds=_by_kind(scores, kinds, answerable, arms),
        cut_off={arm: sum(line.is_cut_off for line in own[arm]) for arm in arms},
        failed_parts={
            arm: _mean([line.failed_parts for line in own[arm] if not line.error]) for arm in arms
        },
        errors={arm: sum(line.has_failed for line in own[arm]) for arm in arms},
    )


def main_measure(means: Mapping[str, Any]) -> str:
    """What a run is judged by: F1, for long references ROUGE-L; without references the share of
    stated claims.
    """
    return next((name for name in (F1, ROUGE_L, RECALL, STATED) if name in means), ABSTAINED)


def differences(
    new: Scores, old: Scores, answerable: Iterable[str]
) -> dict[str, MeasureDifference]:
    """new - old by measure over the questions that have it in both: mean and 95 % interval in
    points, and how many questions these are.
    """
    columns = _by_question(new, old, answerable)
    found = _intervals(columns, intervals)
    return {
        name: MeasureDifference.model_validate(
            {"difference": round(POINTS * found[name].mean, _PRECISION)}
            | _bounds(found[name])
            | {"questions": len(columns[name])}
        )
        for name in MEASURES
        if name in found
    }


def _by_question(
    new: Scores, old: Scores, answerable: Iterable[str]
) -> dict[str, dict[str, float]]:
    """Measure -> question -> new - old."""
    columns: dict[str, dict[str, float]] = {}
    for question in [q for q in new if q in old and q in frozenset(answerable)]:
        for name in (n for n in new[question] if n in old[question]):
            columns.setdefault(name, {})[question] = new[question][name] - old[question][name]
    return columns


def _from_baseline(
    scores: Mapping[str, Scores],
    baseline: str,
    arms: Sequence[str],
    answerable: frozenset[str],
    measure: str,
) -> dict[str, dict[str, MeasureDifference]]:
    """Each arm's `differences`; those of the run's measure with `p_holm` and `holds`."""
    old = scores.get(baseline, {})
    found = {arm: differences(scores.get(arm, {}), old, answerable) for arm in arms}
    told = {arm: own[measure] for arm, own in found.items() if measure in own}
    columns = {
        arm: list(_by_question(scores[arm], old, answerable)[measure].values()) for arm in told
    }
    bounds = {arm: {"low": own.low, "high": own.high} for arm, own in told.items()}
    for arm, more in corrected(bounds, columns, SEED).items():
        found[arm][measure] = told[arm].model_copy(update=more)
    return found


def _columns(scores: Scores, answerable: frozenset[str]) -> dict[str, dict[str, float]]:
    columns: dict[str, dict[str, float]] = {}
    for question, values in scores.items():
        if question in answerable:
            for name, value in values.items():
                columns.setdefault(name, {})[question] = value
    return columns


def _intervals(columns: Mapping[str, Mapping[str, float]], of: _Of) -> dict[str, Interval]:
    """The interval of each column; those over the same questions are drawn together."""
    groups: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for name, column in columns.items():
        groups.setdefault(tuple(column), {})[name] = list(column.values())
    return {name: found for group in groups.values() for name, found in of(group, SEED).items()}


def _bounds(interval: Interval) -> dict[str, float]:
    return {
        "low": round(POINTS * interval.low, _PRECISION),
        "high": round(POINTS * interval.high, _PRECISION),
    }


def _abstention(scores: Scores, answerable: frozenset[str]) -> dict[str, float | int | None]:
    """How well the arm knows what can't be answered: of the abstentions the share that is right,
    and of what can't be answered the share that it abstains from; what it claims there by verdict,
    and over how many questions (`claiming`) these means are. None where there is nothing to take a
    share of.
    """
    abstained = {question for question, values in scores.items() if values[ABSTAINED]}
    unanswerable = set(scores) - answerable
    right = len(abstained & unanswerable)
    claims = _columns(scores, frozenset(unanswerable))
    return {
        "abstained": len(abstained),
        "precision": round(right / len(abstained), _DIGITS) if abstained and unanswerable else None,
        "recall": round(right / len(unanswerable), _DIGITS) if unanswerable else None,
        **{
            name: round(fmean(claims[name].values()), _DIGITS) if name in claims else None
            for name in CLAIM_SHARES
        },
        "claiming": len(claims.get(STATED, ())),
    }


def _costs(lines: Sequence[AnswerLine]) -> dict[str, float]:
    """Means a question over the answers that did not fail; a reply from the cache counts as the
    call that it once was. Nobody kept the context of what was cut off, so its mean is of whole
    answers.
    """
    made = [line for line in lines if not line.has_failed]
    values = {
        name: [float(getattr(line, name)) for line in made]
        for name in COSTS
        if name not in ("calls", "context_tokens")
    }
    values["context_tokens"] = [float(line.context_tokens) for line in made if not line.is_cut_off]
    values["calls"] = [float(line.calls + line.cached) for line in made]
    return {name: _mean(values[name]) for name in COSTS}


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 2) if values else 0.0


def _by_kind(
    scores: Mapping[str, Scores],
    kinds: Mapping[str, str],
    answerable: frozenset[str],
    arms: Sequence[str],
) -> dict[str, KindFigures]:
    """Kind -> how many questions it has, and each arm's means; nothing where the set tells no
    kinds.
    """
    found: dict[str, KindFigures] = {}
    for kind in dict.fromkeys(kinds.values()):
        own = {question for question, name in kinds.items() if name == kind}
        columns = {arm: _columns(scores.get(arm, {}), answerable & own) for arm in arms}
        means = {
            arm: {
                name: round(fmean(columns[arm][name].values()), _DIGITS)
                for name in MEASURES
                if name in columns[arm]
            }
            for arm in arms
        }
        found[kind or "other"] = KindFigures(questions=len(own), arms=means)
    return found if len(found) > 1 else {}
