"""What judged answers come to: totals and differences with intervals, what length has to do with
them, how many questions one would need.

All is paired: the same questions, all arms. Differences are from the baseline.
"""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from dynagrag.evaluation.bootstrap_intervals import (
    LEVEL,
    MIN_PAIRS,
    RESAMPLES,
    SEED,
    Interval,
    intervals,
)

POWER = 0.8
TOO_FEW = "too few to tell"
EQUAL_LENGTH = 0.2
"""Two answers are equally long where the shorter has at least so much less of its words than the
longer.
"""
_DIGITS = 4


def mean_with_interval(
    values: Sequence[float], seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, float] | None:
    """The mean and its 95 % interval; None of nothing."""
    found = intervals({"value": values}, seed, resamples).get("value")
    return (
        None
        if found is None
        else {
            "mean": _rounded(found.mean),
            "low": _rounded(found.low),
            "high": _rounded(found.high),
        }
    )


def paired_difference(
    arm: Sequence[float], baseline: Sequence[float], seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, Any] | None:
    """arm - baseline over the same questions: mean, interval, `wins` (better, worse, or nothing can
    be told), and what power would take.
    """
    differences = [a - b for a, b in zip(arm, baseline, strict=True)]
    found = mean_with_interval(differences, seed, resamples)
    if found is None:
        return None
    spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    verdict = Interval.of(found).verdict.value
    return {
        "difference": found["mean"],
        "low": found["low"],
        "high": found["high"],
        "verdict": verdict if len(differences) >= MIN_PAIRS else TOO_FEW,
        "sd": _rounded(spread),
        "n_for_this": questions_for_power(found["mean"], spread),
        "n_for_one_point": questions_for_power(1.0, spread),
    }


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
) -> dict[str, float] | None:
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
    return {
        "points_per_100_words": _rounded(100 * float(found.slope)),
        "r": _rounded(float(found.rvalue)),
    }


def is_equally_long(words: int, other: int) -> bool:
    """Whether neither answer can win by its length."""
    return max(words, other) - min(words, other) <= EQUAL_LENGTH * max(words, other)


def pair_figures(
    verdicts: Sequence[float | None],
    flips: Sequence[bool],
    words: Sequence[tuple[int, int] | None],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Of an arm against the baseline. Verdicts: 1 the arm, 2 the baseline, 0 a tie, None
    unreadable; `words` of both answers, None where one was cut off.

    `win_rate` counts a tie as half a win; it and its interval are of what could be read.
    """
    read = [
        (verdict, own) for verdict, own in zip(verdicts, words, strict=True) if verdict is not None
    ]
    decided = [(verdict, own) for verdict, own in read if verdict != 0 and own and own[0] != own[1]]
    equal = [verdict for verdict, own in read if own and is_equally_long(*own)]
    rate = mean_with_interval([pair_points(verdict) for verdict, _ in read], seed, resamples)
    return {
        "n": len(verdicts),
        "wins": sum(verdict == 1 for verdict, _ in read),
        "losses": sum(verdict == 2 for verdict, _ in read),
        "ties": sum(verdict == 0 for verdict, _ in read),
        "flips": sum(flips),
        "unreadable": len(verdicts) - len(read),
        "win_rate": rate,
        "longer_wins": _share([(verdict == 1) == (own[0] > own[1]) for verdict, own in decided]),
        "equal_length": {
            "n": len(equal),
            "wins": equal.count(1.0),
            "losses": equal.count(2.0),
            "ties": equal.count(0.0),
        },
    }


def pair_points(verdict: float) -> float:
    """What a pair is worth to the arm: 1 won, 0 lost, 0.5 tied."""
    return {1.0: 1.0, 2.0: 0.0}.get(verdict, 0.5)


def _share(truths: Sequence[bool]) -> float | None:
    return _rounded(sum(truths) / len(truths)) if truths else None


def _rounded(value: float) -> float:
    return round(value, _DIGITS)
