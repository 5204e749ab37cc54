"""How well a checker tells true claims from false ones: shares of 1, with intervals from resampling
sources.

Balanced accuracy is the mean of the share of true claims that are kept (verdict: stated) and of the
mean over kinds of the shares of false claims that are caught (any other verdict). A kind counts
alike, however many claims it has.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from dynagrag.core.schema import ClaimCheck, Verdict
from dynagrag.evaluation.bootstrap_intervals import LEVEL, RESAMPLES, SEED
from dynagrag.evaluation.citations.claim_sets import LabelledClaim

_DIGITS = 6
_BATCH = 500
"""Resamples at a time: 500 of 600 sources are 2 MB."""
Floats = NDArray[np.float64]


class ThresholdFigures(BaseModel):
    """Figures of the scores alone: of `n` claims with a score, at the threshold that is best for
    these very claims. False claims are pooled here; `balanced` takes the mean over kinds.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    best_threshold: float
    balanced_at_best_threshold: float


class CheckerFigures(BaseModel):
    """All figures of one checker, shares of 1; None for what can't be told, since there is no such
    claim or score. `verdicts`: how often each was given, by kind or label of the claims.
    `right_line`: of the true claims that were kept, the share with a right line among those named.
    `errors`: claims that were not checked in full.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    balanced: float | None
    interval: tuple[float, float] | None
    true_kept: float | None
    false_caught: dict[str, float]
    ms: float
    auroc: float | None
    scores: ThresholdFigures | None
    num_true: int
    num_false: dict[str, int]
    verdicts: dict[str, dict[Verdict, int]]
    right_line: float | None = None
    errors: int = 0

    @property
    def mean_caught(self) -> float | None:
        """The mean over kinds of falseness; None without a false claim."""
        return fmean(self.false_caught.values()) if self.false_caught else None


class CheckerDifference(BaseModel):
    """Balanced accuracy minus that of the baseline on the same claims, with its interval."""

    model_config = ConfigDict(frozen=True)

    difference: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with what a checker found out, and the milliseconds it took."""

    claim: LabelledClaim
    check: ClaimCheck
    ms: float = 0.0

    @property
    def is_stated(self) -> bool:
        """Whether the checker says that the lines state it."""
        return self.check.verdict is Verdict.STATED


def checker_scores(
    checked: Sequence[Checked], seed: int = SEED, resamples: int = RESAMPLES, errors: int = 0
) -> CheckerFigures:
    """The figures of a checker. `errors`: how many of the claims it did not check in full."""
    true = [c for c in checked if c.claim.is_true]
    false = [c for c in checked if not c.claim.is_true]
    caught = {kind: fmean(not c.is_stated for c in own) for kind, own in _by_kind(false).items()}
    kept = fmean(c.is_stated for c in true) if true else None
    balanced = None if kept is None or not caught else (kept + fmean(caught.values())) / 2
    area, threshold = _threshold_free(checked)
    verdicts: dict[str, Counter[Verdict]] = {}
    for c in checked:
        verdicts.setdefault(c.claim.group, Counter())[c.check.verdict] += 1
    # of the true claims that were kept and whose lines are known: is one of these named?
    named_right = [
        not frozenset().union(*c.claim.gold).isdisjoint(c.check.lines)
        for c in true
        if c.is_stated and c.claim.gold
    ]
    return CheckerFigures(
        n=len(checked),
        balanced=_rounded(balanced),
        interval=(
            None if balanced is None else _bounds(_resampled(_Table.of(checked), seed, resamples))
        ),
        true_kept=_rounded(kept),
        false_caught={kind: round(share, _DIGITS) for kind, share in caught.items()},
        ms=round(median(c.ms for c in checked), 3),
        auroc=area,
        scores=threshold,
        num_true=len(true),
        num_false={kind: len(own) for kind, own in _by_kind(false).items()},
        verdicts={
            group: {verdict: own[verdict] for verdict in Verdict}
            for group, own in sorted(verdicts.items())
        },
        right_line=round(fmean(named_right), _DIGITS) if named_right else None,
        errors=errors,
    )


def difference(
    checked: Sequence[Checked],
    baseline: Sequence[Checked],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> CheckerDifference:
    """Balanced accuracy minus that of another checker on the same claims, with the paired interval.
    Both need true and false claims.
    """
    own, other = _Table.of(checked), _Table.of(baseline)
    one = np.ones((1, len(own.counts)))
    pairs = zip(_resampled(own, seed, resamples), _resampled(other, seed, resamples), strict=True)
    return CheckerDifference(
        difference=round(float((_balanced(own, one) - _balanced(other, one))[0]), _DIGITS),
        interval=_bounds(a - b for a, b in pairs),
    )


def auroc(scores: Sequence[float], is_true: Sequence[bool]) -> float | None:
    """The share of pairs of a true and a false claim in which the true one has the higher score,
    ties half. None without such a pair.
    """
    values, truth = np.array(scores, dtype=np.float64), np.array(is_true, dtype=bool)
    true, false = values[truth], np.sort(values[~truth])
    if not len(true) or not len(false):
        return None
    below = (np.searchsorted(false, true, "left") + np.searchsorted(false, true, "right")) / 2
    return float(below.mean() / len(false))


# ------------------------------------------------------------------------------------------- inside


def _by_kind(false: Sequence[Checked]) -> dict[str, list[Checked]]:
    found: dict[str, list[Checked]] = {}
    for checked in false:
        found.setdefault(checked.claim.false_kind, []).append(checked)
    return dict(sorted(found.items()))


def _threshold_free(checked: Sequence[Checked]) -> tuple[float | None, ThresholdFigures | None]:
    """AUROC, and the threshold whose balanced accuracy over all false claims is best on these very
    claims.
    """
    scored = [(c.check.score, c.claim.is_true) for c in checked if c.check.score is not None]
    area = auroc(*zip(*scored, strict=True)) if scored else None
    if area is None:
        return None, None
    values, truth = np.array([s for s, _ in scored]), np.array([t for _, t in scored], dtype=bool)
    kept, passed = np.sort(values[truth]), np.sort(values[~truth])
    candidates = np.unique(values)
    shares = (
        1
        - np.searchsorted(kept, candidates) / len(kept)
        + np.searchsorted(passed, candidates) / len(passed)
    ) / 2
    best = int(shares.argmax())
    return round(area, _DIGITS), ThresholdFigures(
        n=len(scored),
        best_threshold=round(float(candidates[best]), _DIGITS),
        balanced_at_best_threshold=round(float(shares[best]), _DIGITS),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """(sources, 1 + kinds): how many claims there are, and how many of them were judged rightly;
    column 0 has the true claims.
    """

    counts: Floats
    right: Floats

    @classmethod
    def of(cls, checked: Sequence[Checked]) -> "_Table":
        row = {source: i for i, source in enumerate(sorted({c.claim.source for c in checked}))}
        kinds = _by_kind([c for c in checked if not c.claim.is_true])
        column = {kind: i for i, kind in enumerate(kinds, start=1)}
        shape = (len(row), 1 + len(column))
        table = cls(np.zeros(shape), np.zeros(shape))
        for c in checked:
            at = row[c.claim.source], 0 if c.claim.is_true else column[c.claim.false_kind]
            table.counts[at] += 1
            table.right[at] += c.is_stated == c.claim.is_true
        return table


def _resampled(table: _Table, seed: int, resamples: int) -> Iterator[Floats]:
    """Balanced accuracy in resamples of the sources, batch by batch; the same sources are drawn for
    every checker of the same claims.
    """
    num = len(table.counts)
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, _BATCH):
        weights = rng.multinomial(num, np.full(num, 1 / num), size=min(_BATCH, resamples - start))
        yield _balanced(table, weights.astype(np.float64))


def _balanced(table: _Table, weights: Floats) -> Floats:
    """(r,) balanced accuracy where each source counts as often as its weight, (r, sources). NaN
    where no true or no false claim is left.
    """
    total = weights @ table.counts
    shares = np.divide(
        weights @ table.right, total, out=np.full(total.shape, np.nan), where=total > 0
    )
    num_kinds = (~np.isnan(shares[:, 1:])).sum(axis=1)
    caught = np.divide(
        np.nansum(shares[:, 1:], axis=1),
        num_kinds,
        out=np.full(len(shares), np.nan),
        where=num_kinds > 0,
    )
    balanced: Floats = (shares[:, 0] + caught) / 2
    return balanced


def _bounds(batches: Iterator[Floats]) -> tuple[float, float] | None:
    values = np.concatenate(list(batches))
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return round(float(low), _DIGITS), round(float(high), _DIGITS)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
