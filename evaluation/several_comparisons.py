"""Several arms against one baseline: among many comparisons one differs by chance, so each must
show more (Holm 1979).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dynagrag.evaluation.bootstrap_intervals import LEVEL, MIN_PAIRS, RESAMPLES, SEED

HOLM = "Holm's correction"
HOLM_MEANS = (
    "with several arms one may differ from the baseline by chance. The chance of each difference"
    " (the signs of the questions' differences are drawn 10,000 times; of up to 20 all are counted)"
    " is multiplied by how many comparisons are left, the least likely first; one holds where that"
    " stays below 5 %"
)
MAX_COUNTED = 20
"""Differences whose signs are counted in full: a million sums."""
_DIGITS = 4


def corrected(
    found: Mapping[str, Mapping[str, Any]],
    differences: Mapping[str, Sequence[float]],
    seed: int = SEED,
) -> dict[str, dict[str, Any]]:
    """By arm `p_holm`, 0 to 1, and `holds`: whether its difference is more than chance among all of
    these.

    `found`: `low` and `high` of each mean difference; `differences`: those of the questions. None
    holds on fewer than 10 questions.
    """
    chances = holm({name: sign_flip_p(own, seed) for name, own in differences.items()})
    is_apart = {name: own["low"] > 0 or own["high"] < 0 for name, own in found.items()}
    return {
        name: {
            "p_holm": round(p, _DIGITS),
            "holds": p < 1 - LEVEL and is_apart[name] and len(differences[name]) >= MIN_PAIRS,
        }
        for name, p in chances.items()
    }


def holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down: the i-th smallest of m, from 0, times m - i, never below the one before, at
    most 1.
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    for i, name in enumerate(sorted(chances, key=lambda name: chances[name])):
        highest = max(highest, min(1.0, (len(chances) - i) * chances[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in chances}


def sign_flip_p(
    differences: Sequence[float], seed: int = SEED, resamples: int = RESAMPLES
) -> float:
    """How likely a mean as far from 0 is where each difference could as well have the other sign;
    two-sided, 1 of fewer than two.

    Differences of 0 have no sign and are left out. Up to MAX_COUNTED others are counted in full,
    more are drawn.
    """
    from scipy.stats import permutation_test

    nonzero = np.asarray([own for own in differences if own], dtype=np.float64)
    if len(nonzero) < 2:
        return 1.0
    if len(nonzero) <= MAX_COUNTED:
        # The share of all signs whose sum is as far from 0: each difference, added and taken off,
        # doubles the sums.
        sums = np.zeros(1)
        for own in nonzero:
            sums = np.concatenate([sums + own, sums - own])
        seen = abs(nonzero.sum())
        return float(np.mean(np.abs(sums) >= seen - 1e-9 * max(1.0, seen)))
    found = permutation_test(
        (nonzero,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def what_holds(found: Mapping[str, Mapping[str, Any] | None], baseline: str, of: str) -> str:
    """A sentence on what is left of the comparisons with the baseline; empty of fewer than two, and
    of runs of before.
    """
    own = {
        name: value["holds"]
        for name, value in found.items()
        if value is not None and "holds" in value
    }
    if len(own) < 2:
        return ""
    held = [name for name, holds in own.items() if holds]
    which = (
        f"{len(held)} {'holds' if len(held) == 1 else 'hold'} after {HOLM}: {', '.join(held)}"
        if held
        else f"none holds after {HOLM}"
    )
    return f"of {len(own)} comparisons with {baseline} by {of}, {which}"
