"""Lines of the sides of a question, in turn (docs/papers.md, Lines, step 6)."""

from collections.abc import Sequence
from itertools import zip_longest
from math import inf

import numpy as np

from dynagrag.core.schema import EvidenceLine
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS, Fits
from dynagrag.generation.evidence_sentences.sides import Side

LEAST_SHARE = 0.5
"""Of the best line's fit, without the part for its speaker: with less a line does not move forward.
And of the best side's: with less a side says nothing of what is asked.
"""


def in_turn(lines: Sequence[EvidenceLine], sides: Sequence[Side]) -> list[EvidenceLine]:
    """The lines, best first; of each of the sides, the n-th best that fits stands where the best of
    these does.
    """
    queues, least = _queues(lines, sides)
    places = {(line.id, line.start): line.fit for line in lines}
    fitting = ([line for line in own if _unnamed_fit(line) >= least] for own in queues)
    for nth in zip_longest(*fitting):
        there = [line for line in nth if line is not None]
        best = max(line.fit for line in there)
        places |= {(line.id, line.start): best for line in there}
    return sorted(lines, key=lambda line: (-places[line.id, line.start], -line.fit))


def quiet_sides(found: Fits) -> tuple[Side, ...]:
    """The sides without a line that fits at least half as well as the best of them all, where the
    median line doesn't fit at all; a question never does. What is said around a line, often by
    another side, doesn't count for it.
    """
    if not found.sides:
        return ()
    parts = found.parts
    says = ~(parts["question"] + parts["empty"] + parts["call"]).astype(bool)
    if not says.any():
        return ()
    around = sum(WEIGHTS[name] * parts[name] for name in ("speaker", "stretch"))
    own = np.where(says, found.total - around, -inf)
    held = [np.array([side.holds(s) for s in found.sentences], dtype=bool) for side in found.sides]
    best = [float(own[of_side].max(initial=-inf)) for of_side in held]
    median = float(np.median(own[says]))
    least = median + LEAST_SHARE * (max(best) - median)
    quiet = tuple(side for side, fit in zip(found.sides, best, strict=True) if fit < least)
    return quiet if len(quiet) < len(found.sides) else ()


def _queues(
    lines: Sequence[EvidenceLine], sides: Sequence[Side]
) -> tuple[list[list[EvidenceLine]], float]:
    """Each side's lines, and how well one must fit."""
    queues = [[line for line in lines if side.holds(line)] for side in sides]
    best = max((_unnamed_fit(line) for own in queues for line in own), default=0.0)
    return queues, LEAST_SHARE * best


def _unnamed_fit(line: EvidenceLine) -> float:
    """How well a named speaker's line fits, but for their name."""
    return line.fit - WEIGHTS["speaker"]
