"""Lines of the sides of a question, in turn (docs/papers.md, Lines, step 6)."""

from collections.abc import Sequence
from itertools import zip_longest

from dynagrag.core.schema import EvidenceLine
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS
from dynagrag.generation.evidence_sentences.sides import Side

LEAST_SHARE = 0.5
"""Of the best line's fit, without the part for its speaker: with less a line does not move forward.
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


def quiet(lines: Sequence[EvidenceLine], sides: Sequence[Side]) -> tuple[str, ...]:
    """Of several speakers, by their longest labels, those without a line that fits, where another
    has one. `lines`: `in_turn`'s.
    """
    if not all(side.labels for side in sides):
        return ()
    queues, least = _queues(lines, sides)
    silent = [
        side.name
        for own, side in zip(queues, sides, strict=True)
        if all(_unnamed_fit(line) < least for line in own)
    ]
    return tuple(silent) if len(silent) < len(sides) else ()


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
