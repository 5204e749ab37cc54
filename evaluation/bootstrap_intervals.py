"""How sure a mean, or a difference between two arms on the same questions, is: paired bootstrap;
of few, Student's interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 10_000
SEED = 0
MIN_PAIRS = 10
"""Below it an interval from resampling is too narrow for a verdict."""
_F1_NAMES = ("precision", "recall", "f1")
_BATCH = 200
"""Resamples at a time: 200 of 300 questions and 60 columns are 30 MB."""


class DifferenceVerdict(StrEnum):
    """Reading of a difference's interval."""

    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "no difference seen"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the interval that holds it in 95 % of the resamples (percentiles). One question
    has no interval: low = high = mean.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, found: Mapping[str, float], scale: float = 1.0) -> "Interval":
        """The interval of a summary: `mean`, or what it is of a `difference`, `low` and `high`,
        times `scale`.
        """
        return cls(
            *(
                scale * found[name]
                for name in ("mean" if "mean" in found else "difference", "low", "high")
            )
        )

    def times(self, scale: float) -> "Interval":
        """The same on another scale: 100 makes points of fractions."""
        return Interval(scale * self.mean, scale * self.low, scale * self.high)

    def rounded(self, digits: int) -> "Interval":
        """As it is kept."""
        return Interval(round(self.mean, digits), round(self.low, digits), round(self.high, digits))

    def text(self, sign: str = "", digits: int = 1, unit: str = "") -> str:
        """MEAN (LOW to HIGH); with `sign` +, as differences have it; `unit` stands after the
        mean.
        """
        mean, low, high = (
            f"{value:{sign}.{digits}f}" for value in (self.mean, self.low, self.high)
        )
        return f"{mean}{unit} ({low} to {high})"

    @property
    def verdict(self) -> DifferenceVerdict:
        """Of a difference: whether it is more than chance, and which way."""
        if self.low > 0:
            return DifferenceVerdict.BETTER
        return DifferenceVerdict.WORSE if self.high < 0 else DifferenceVerdict.UNCLEAR


def intervals(
    columns: Mapping[str, Sequence[float]], seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, Interval]:
    """The mean of each column over the questions, with its interval. The same questions are drawn
    for all columns.

    Columns are of one length, one value per question, in one order; without any question there is
    nothing to give back.
    """
    if not columns or not len(next(iter(columns.values()))):
        return {}
    data: NDArray[np.float64] = np.array(list(columns.values()), dtype=np.float64)
    low = high = means = data.mean(axis=1)
    if data.shape[1] > 1:
        from scipy.stats import bootstrap

        low, high = bootstrap(
            (data,),
            np.mean,
            axis=1,
            n_resamples=resamples,
            batch=_BATCH,
            confidence_level=LEVEL,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return {
        name: Interval(float(m), float(a), float(b))
        for name, m, a, b in zip(columns, means, low, high, strict=True)
    }


def student_interval(values: Sequence[float]) -> Interval:
    """The mean of values, of which there is one at least, with Student's 95 % interval; one alone
    has none: low = high = mean.
    """
    data = np.array(values, dtype=np.float64)
    mean, num = float(data.mean()), len(data)
    if num == 1:
        return Interval(mean, mean, mean)
    from scipy.stats import t

    half = float(t.ppf((1 + LEVEL) / 2, num - 1) * data.std(ddof=1) / np.sqrt(num))
    return Interval(mean, mean - half, mean + half)


def share_intervals(
    columns: Mapping[str, Sequence[float]], seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, Interval]:
    """As `intervals`, of items that are 0 or 1 each, not of differences. Where all are 0, or all
    are 1, resampling shows no spread: the interval is then that of Clopper and Pearson for a share,
    which is exact, and holds for one item too.

    A fraction per item (precision, F1) is no such share, and `intervals` is for those: a column of
    ones would get wider bounds here than one of nearly ones. Retrieval, qa, graphqa and pruners do
    give their fractions to this one; published figures hold them, so that stays.
    """
    from scipy.stats import binomtest

    found = intervals(columns, seed, resamples)
    for name, own in found.items():
        if set(columns[name]) in ({0.0}, {1.0}):
            num = len(columns[name])
            exact = binomtest(round(own.mean * num), num).proportion_ci(LEVEL, method="exact")
            found[name] = Interval(own.mean, float(exact.low), float(exact.high))
    return found


def f1_intervals(
    counts: Sequence[tuple[int, int, int, int]],
    seed: int = SEED,
    resamples: int = RESAMPLES,
    times: Sequence[int] | None = None,
) -> dict[str, Interval]:
    """`precision`, `recall` and `f1` of counts that are summed over units, with their intervals:
    the units are resampled.

    Each unit gives (found ones that are right, found ones, wanted ones that were found, wanted
    ones). A share of nothing is 0. `times`: how many units are like each; None: one.
    """
    data: NDArray[np.float64] = np.array(counts, dtype=np.float64).reshape(-1, 4)
    number: NDArray[np.int64] = (
        np.ones(len(data), dtype=np.int64) if times is None else np.array(times, dtype=np.int64)
    )
    means = _f1(number[None, :] @ data)[:, 0]
    if number.sum() < 2:
        return {
            name: Interval(float(m), float(m), float(m))
            for name, m in zip(_F1_NAMES, means, strict=True)
        }
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(number.sum(), number / number.sum(), size=resamples)
    low, high = np.quantile(_f1(weights @ data), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
    return {
        name: Interval(float(m), float(a), float(b))
        for name, m, a, b in zip(_F1_NAMES, means, low, high, strict=True)
    }


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, n): precision, recall and F1 of (n, 4) sums."""
    right, found, hit, wanted = sums.T
    precision, recall = (
        np.divide(a, b, out=np.zeros_like(a), where=b > 0)
        for a, b in ((right, found), (hit, wanted))
    )
    both = precision + recall
    return np.stack(
        [
            precision,
            recall,
            np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0),
        ]
    )
