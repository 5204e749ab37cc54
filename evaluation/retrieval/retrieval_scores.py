"""Figures of rankings: means by arm, recall curves, and differences from the baseline with their
intervals, in points.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from dynagrag.evaluation.bootstrap_intervals import SEED, Interval, intervals, share_intervals
from dynagrag.evaluation.frame.figures import POINTS
from dynagrag.evaluation.ranking_measures import NAMES, PROMPT, TURN_DEPTHS

_DIGITS, _PRECISION = 6, 2
"""Of shares, and of what is given in points."""
SHOWN_WITH_INTERVALS = ("recall@5", "p@5", "r@10", "hit@1", "mrr", *TURN_DEPTHS, PROMPT)
"""The measures whose means get an interval of their own, for the plots. Differences get one for
every measure.
"""


class Ranked(Protocol):
    """Measurements of a ranking."""

    @property
    def kind(self) -> str:
        """What its set calls questions of its sort; empty where it has no name for them."""

    @property
    def measures(self) -> Mapping[str, float]:
        """By name, 0 to 1."""

    @property
    def recall(self) -> Sequence[float]:
        """Among the first passage, the first two and so on."""

    @property
    def ms(self) -> float:
        """Milliseconds that it took."""

    @property
    def prompt_tokens(self) -> int | None:
        """Of the prompts; None where none were written."""

    @property
    def other_person(self) -> bool | None:
        """Whether it is told that lines say of another what is asked of somebody; None where that
        isn't measured.
        """


@dataclass(frozen=True, slots=True)
class PointsDifference:
    """A mean difference over the same questions with its 95 % interval, in points."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PointsBounds:
    """The 95 % interval of a mean, in points."""

    low: float
    high: float


class KindMeans(BaseModel):
    """The means of the questions of one kind, as fractions of 1, by arm and measure."""

    model_config = ConfigDict(frozen=True)

    questions: int
    arms: dict[str, dict[str, float]]


class OtherPersonShares(BaseModel):
    """Of how many questions one arm's passages make it told that lines say it of another person:
    of those of the kinds apart (`right`), and of the others (`false_alarms`).
    """

    model_config = ConfigDict(frozen=True)

    arm: str
    right: Interval
    false_alarms: Interval


class ScopeFigures(BaseModel):
    """The figures of one scope. `arms`: means, as fractions of 1; `ms` the median. `curves`: recall
    at 1, 2 and so on. `intervals`: of the differences from the baseline, by arm and measure;
    `means`: of some means themselves. `kinds`: where the questions are of several, those that count
    in no other figure last.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    arms: dict[str, dict[str, float]]
    curves: dict[str, list[float]] = Field(default_factory=dict)
    intervals: dict[str, dict[str, PointsDifference]] = Field(default_factory=dict)
    means: dict[str, dict[str, PointsBounds]] = Field(default_factory=dict)
    kinds: dict[str, KindMeans] = Field(default_factory=dict)
    other_person: OtherPersonShares | None = None


def scope_figures(
    found: Mapping[str, Mapping[str, Ranked]],
    arms: Sequence[str],
    baseline: str,
    kinds_apart: Sequence[str] = (),
    seed: int = SEED,
) -> ScopeFigures:
    """The figures of rankings by arm and question, all arms over the questions of the baseline but
    those of `kinds_apart`, unless there are no others.
    """
    own_baseline = found[baseline]
    names = names_of(line for own in found.values() for line in own.values())
    by_kind: dict[str, list[str]] = {}
    for question, line in own_baseline.items():
        by_kind.setdefault(line.kind, []).append(question)
    counted = [kind for kind in by_kind if kind not in kinds_apart] or list(by_kind)
    questions = [q for q, line in own_baseline.items() if line.kind in counted]
    values = {
        arm: {name: [found[arm][q].measures[name] for q in questions] for name in names}
        for arm in arms
    }
    # of an arm that writes no prompts there are none
    tokens = {
        arm: [n for q in questions if (n := found[arm][q].prompt_tokens) is not None]
        for arm in arms
    }
    shown = [name for name in SHOWN_WITH_INTERVALS if name in names]
    spread = share_intervals({f"{a} {n}": values[a][n] for a in arms for n in shown}, seed)
    return ScopeFigures(
        questions=len(questions),
        arms={
            arm: means_of(values[arm])
            | {"ms": median_ms([found[arm][q] for q in questions])}
            | ({"prompt_tokens": round(fmean(tokens[arm]), 1)} if tokens[arm] else {})
            for arm in arms
        },
        curves={
            arm: [
                round(fmean(at), _DIGITS)
                for at in zip(*(found[arm][q].recall for q in questions), strict=True)
            ]
            for arm in arms
        },
        intervals=differences(
            {a: values[a] for a in arms if a != baseline},
            dict.fromkeys(arms, values[baseline]),
            seed,
        ),
        means={a: {n: PointsBounds(*_bounds(spread[f"{a} {n}"])) for n in shown} for a in arms},
        kinds={
            kind: KindMeans(
                questions=len(by_kind[kind]),
                arms={
                    arm: means_of(
                        {n: [found[arm][q].measures[n] for q in by_kind[kind]] for n in names}
                    )
                    for arm in arms
                },
            )
            for kind in sorted(by_kind, key=lambda kind: kind not in counted)
            if len(by_kind) > 1
        },
        other_person=_other_person(found, kinds_apart, seed),
    )


def _other_person(
    found: Mapping[str, Mapping[str, Ranked]], kinds_apart: Sequence[str], seed: int
) -> OtherPersonShares | None:
    for arm, lines in found.items():
        told: dict[str, list[float]] = {"right": [], "false_alarms": []}
        for line in lines.values():
            if line.other_person is not None:
                of = "right" if line.kind in kinds_apart else "false_alarms"
                told[of].append(float(line.other_person))
        if all(told.values()):
            # one by one: there are not as many questions of the one kind as of the other
            shares = {n: share_intervals({n: own}, seed)[n] for n, own in told.items()}
            return OtherPersonShares(arm=arm, **shares)
    return None


def names_of(lines: Iterable[Ranked]) -> tuple[str, ...]:
    """The measures that all of these lines have, in their order."""
    measured = [line.measures for line in lines]
    return (
        *NAMES,
        *(name for name in (*TURN_DEPTHS, PROMPT) if all(name in own for own in measured)),
    )


def means_of(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean of each measure over the questions."""
    return {name: round(fmean(own), _DIGITS) for name, own in values.items()}


def median_ms(lines: Collection[Ranked]) -> float:
    """The usual time of a question, in milliseconds."""
    return round(median(line.ms for line in lines), 3)


def differences(
    new: Mapping[str, Mapping[str, Sequence[float]]],
    old: Mapping[str, Mapping[str, Sequence[float]]],
    seed: int = SEED,
) -> dict[str, dict[str, PointsDifference]]:
    """new - old by arm and measure, over the same questions in the same order."""
    columns = {
        f"{arm} {name}": [a - b for a, b in zip(new[arm][name], old[arm][name], strict=True)]
        for arm in new
        for name in new[arm]
    }
    found = intervals(columns, seed)

    def in_points(interval: Interval) -> PointsDifference:
        return PointsDifference(round(POINTS * interval.mean, _PRECISION), *_bounds(interval))

    return {arm: {n: in_points(found[f"{arm} {n}"]) for n in new[arm]} for arm in new}


def _bounds(interval: Interval) -> tuple[float, float]:
    return round(POINTS * interval.low, _PRECISION), round(POINTS * interval.high, _PRECISION)
