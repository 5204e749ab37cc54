"""How far a judge agrees with people: accuracy, Cohen's kappa, Pearson's r, each with a 95 %
interval from resampling groups of rows.

Rows of one group (the answers to one question) are resampled together. Kappa of grades is weighted
by squared distances. All of it comes from one table of counts per group, so ten thousand resamples
are one product of matrices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagrag.evaluation.bootstrap_intervals import LEVEL, RESAMPLES, SEED

Floats = NDArray[np.float64]
_BATCH = 500
"""Resamples at a time: 500 of 7,620 groups are 30 MB."""
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Rated:
    """A row as people and a judge rate it: categories (0, 1, ...), and numbers where they are
    grades.
    """

    group: str
    people: int
    judge: int
    people_grade: float = 0.0
    judge_grade: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval; None where it can't be told (one rater says the same of
    everything, or there is no row).
    """

    value: float | None
    low: float | None = None
    high: float | None = None

    def bounds(self) -> tuple[float, float] | None:
        """The interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def accuracy(
    rated: Sequence[Rated], num_categories: int, seed: int = SEED, resamples: int = RESAMPLES
) -> Estimate:
    """The share of rows of which both say the same."""
    return _resampled(_counts(rated, num_categories), _shares, seed, resamples)


def kappa(
    rated: Sequence[Rated],
    num_categories: int,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    *,
    is_graded: bool = False,
) -> Estimate:
    """Cohen's kappa: 1 the same everywhere, 0 what chance would give with the same shares of
    verdicts, below 0 less than that.
    """
    places = np.arange(num_categories, dtype=np.float64)
    distances = (
        (places[:, None] - places[None, :]) ** 2 if is_graded else 1.0 - np.eye(num_categories)
    )
    return _resampled(
        _counts(rated, num_categories), lambda counts: _kappas(counts, distances), seed, resamples
    )


def pearson(rated: Sequence[Rated], seed: int = SEED, resamples: int = RESAMPLES) -> Estimate:
    """Pearson's r of the grades."""
    data = np.array([[1.0, r.people_grade, r.judge_grade] for r in rated]).reshape(-1, 3)
    moments = np.zeros((len({r.group for r in rated}), 3, 3))
    np.add.at(moments, _groups(rated), data[:, :, None] * data[:, None, :])
    return _resampled(moments, _correlations, seed, resamples)


def _groups(rated: Sequence[Rated]) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(r.group, len(numbers)) for r in rated], dtype=np.int64)


def _counts(rated: Sequence[Rated], num_categories: int) -> Floats:
    """(groups, people, judge)."""
    groups = _groups(rated)
    counts = np.zeros((len(set(groups.tolist())), num_categories, num_categories))
    people, judge = (
        np.array([getattr(r, name) for r in rated], dtype=np.int64) for name in ("people", "judge")
    )
    np.add.at(counts, (groups, people, judge), 1.0)
    return counts


def _resampled(
    tables: Floats, measure: Callable[[Floats], Floats], seed: int, resamples: int
) -> Estimate:
    if not len(tables):
        return Estimate(None)
    value = float(measure(tables.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Estimate(None)
    if len(tables) == 1:
        return Estimate(round(value, _DIGITS))
    rng, flat = np.random.default_rng(seed), tables.reshape(len(tables), -1)
    found = []
    for start in range(0, resamples, _BATCH):
        weights = rng.multinomial(
            len(tables), np.full(len(tables), 1 / len(tables)), size=min(_BATCH, resamples - start)
        )
        found.append(measure((weights @ flat).reshape(-1, *tables.shape[1:])))
    all_of_them = np.concatenate(found)
    told = all_of_them[~np.isnan(all_of_them)]
    if not len(told):
        return Estimate(round(value, _DIGITS))
    low, high = np.quantile(told, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(round(value, _DIGITS), round(float(low), _DIGITS), round(float(high), _DIGITS))


def _shares(counts: Floats) -> Floats:
    shares: Floats = np.trace(counts, axis1=1, axis2=2) / counts.sum(axis=(1, 2))
    return shares


def _kappas(counts: Floats, distances: Floats) -> Floats:
    total = counts.sum(axis=(1, 2))
    by_chance = (
        counts.sum(axis=2)[:, :, None] * counts.sum(axis=1)[:, None, :] / total[:, None, None]
    )
    apart, expected = (
        (counts * distances).sum(axis=(1, 2)),
        (by_chance * distances).sum(axis=(1, 2)),
    )
    found: Floats = 1.0 - np.divide(
        apart, expected, out=np.full_like(apart, np.nan), where=expected > 0
    )
    return found


def _correlations(moments: Floats) -> Floats:
    n, sums = moments[:, 0, 0], moments[:, 0, 1:]
    spread = moments[:, 1:, 1:] - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
    size = np.sqrt(np.maximum(spread[:, 0, 0], 0.0) * np.maximum(spread[:, 1, 1], 0.0))
    least = 1e-9 * np.maximum(
        1.0, np.sqrt(moments[:, 1, 1] * moments[:, 2, 2])
    )  # what rounding leaves of no spread at all
    found: Floats = np.divide(
        spread[:, 0, 1], size, out=np.full_like(size, np.nan), where=size > least
    )
    return found
