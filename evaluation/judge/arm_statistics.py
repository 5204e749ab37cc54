"""Statistics of judged answers: totals and differences with intervals, what length has to do with
them, how many questions one would need.

All is paired: the same questions, all arms. Differences are from the baseline.
"""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from dynagrag.evaluation.bootstrap_intervals import (
    LEVEL,
    MIN_PAIRS,
    RESAMPLES,
    SEED,
    Interval,
    intervals,
)
from dynagrag.evaluation.frame.figures import Figure, Unit

POWER = 0.8
TOO_FEW = "too few to tell"
EQUAL_LENGTH = 0.2
"""Two answers are equally long where the shorter has at least so much less of its words than the
longer.
"""
_DIGITS = 4


class Difference(BaseModel):
    """A mean difference in points of 25, with its 95 % interval."""

    model_config = ConfigDict(frozen=True)

    difference: float
    low: float
    high: float

    @property
    def figure(self) -> Figure:
        """The difference as it is shown."""
        return Figure(self.difference, self.low, self.high, Unit.GRADE, is_difference=True)


class PairedDifference(Difference):
    """The difference of two columns over the same questions. `verdict`: better, worse, or why
    nothing can be told; `n_for_this`, `n_for_one_point`: how many questions show such a difference,
    or one of a point.
    """

    verdict: str
    sd: float
    n_for_this: int | None
    n_for_one_point: int | None


class LengthSlope(BaseModel):
    """How much more longer answers to one question get, and Pearson's r with their lengths."""

    model_config = ConfigDict(frozen=True)

    points_per_100_words: float
    r: float


class PairCounts(BaseModel):
    """How `n` pairs with the baseline ended."""

    model_config = ConfigDict(frozen=True)

    n: int
    wins: int
    losses: int
    ties: int


class PairFigures(PairCounts):
    """An arm's pairs with the baseline. `win_rate` counts a tie as half a win; it and its interval
    are of what could be read. `longer_wins`: share of the decided pairs that the longer answer won;
    `equal_length`: of pairs about equally long. `p_holm` and `holds`: among all arms.
    """

    flips: int
    unreadable: int
    win_rate: Interval | None
    longer_wins: float | None
    equal_length: PairCounts
    p_holm: float | None = None
    holds: bool | None = None

    @model_serializer(mode="wrap")
    def _without_empty(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = as_usual(self)
        lacking = [name for name in ("p_holm", "holds") if found[name] is None]
        return {name: value for name, value in found.items() if name not in lacking}


def mean_with_interval(
    values: Sequence[float], seed: int = SEED, resamples: int = RESAMPLES
) -> Interval | None:
    """The mean and its 95 % interval; None of nothing."""
    found = intervals({"value": values}, seed, resamples).get("value")
    return found.rounded(_DIGITS) if found else None


def paired_difference(
    arm: Sequence[float], baseline: Sequence[float], seed: int = SEED, resamples: int = RESAMPLES
) -> PairedDifference | None:
    """arm - baseline over the same questions; None without any."""
    differences = [a - b for a, b in zip(arm, baseline, strict=True)]
    found = mean_with_interval(differences, seed, resamples)
    if found is None:
        return None
    sd = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    return PairedDifference(
        difference=found.mean,
        low=found.low,
        high=found.high,
        verdict=found.verdict.value if len(differences) >= MIN_PAIRS else TOO_FEW,
        sd=_rounded(sd),
        n_for_this=questions_for_power(found.mean, sd),
        n_for_one_point=questions_for_power(1.0, sd),
    )


def questions_for_power(difference: float, sd: float, power: float = POWER) -> int | None:
    """How many questions show a difference of this size, in `power` of all runs, at 95 %: ((z + z')
    sd / difference)^2, two-sided.

    None where there is no difference to show; 2 where every question shows it.
    """
    from scipy.stats import norm

    if abs(difference) < 1e-9:
        return None
    z = float(norm.ppf((1 + LEVEL) / 2) + norm.ppf(power))
    return max(2, math.ceil((z * sd / difference) ** 2))


def length_slope(
    words: Sequence[Sequence[float]], totals: Sequence[Sequence[float]]
) -> LengthSlope | None:
    """How much longer answers to the same question get: points per 100 words, with r. A row has
    what arms have of one question.

    Each question's mean is taken off first, so a question that wants long answers says nothing.
    None without two lengths or two totals.
    """
    from scipy.stats import linregress

    x, y = (
        np.array([value - fmean(row) for row in rows for value in row], dtype=np.float64)
        for rows in (words, totals)
    )
    if len(x) < 3 or np.ptp(x) < 1e-9 or np.ptp(y) < 1e-9:
        return None
    found = linregress(x, y)
    return LengthSlope(
        points_per_100_words=_rounded(100 * float(found.slope)), r=_rounded(float(found.rvalue))
    )


def is_equally_long(words: int, other: int) -> bool:
    """Whether neither answer can win by its length."""
    return max(words, other) - min(words, other) <= EQUAL_LENGTH * max(words, other)


def pair_figures(
    verdicts: Sequence[float | None],
    flips: Sequence[bool],
    words: Sequence[tuple[int, int] | None],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> PairFigures:
    """Of an arm against the baseline. Verdicts: 1 the arm, 2 the baseline, 0 a tie, None
    unreadable; `words` of both answers, None where one was cut off.
    """
    read = [
        (verdict, own) for verdict, own in zip(verdicts, words, strict=True) if verdict is not None
    ]
    decided = [(verdict, own) for verdict, own in read if verdict != 0 and own and own[0] != own[1]]
    longer = [(verdict == 1) == (own[0] > own[1]) for verdict, own in decided]
    equal = [verdict for verdict, own in read if own and is_equally_long(*own)]
    return PairFigures(
        n=len(verdicts),
        wins=sum(verdict == 1 for verdict, _ in read),
        losses=sum(verdict == 2 for verdict, _ in read),
        ties=sum(verdict == 0 for verdict, _ in read),
        flips=sum(flips),
        unreadable=len(verdicts) - len(read),
        win_rate=mean_with_interval([pair_points(verdict) for verdict, _ in read], seed, resamples),
        longer_wins=_rounded(sum(longer) / len(longer)) if longer else None,
        equal_length=PairCounts(
            n=len(equal),
            wins=equal.count(1.0),
            losses=equal.count(2.0),
            ties=equal.count(0.0),
        ),
    )


def pair_points(verdict: float) -> float:
    """The worth of a pair to the arm: 1 won, 0 lost, 0.5 tied."""
    return {1.0: 1.0, 2.0: 0.0}.get(verdict, 0.5)


def _rounded(value: float) -> float:
    return round(value, _DIGITS)
