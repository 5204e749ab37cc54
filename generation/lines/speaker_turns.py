"""Lines of several speakers whom a question asks for, in turn (docs/papers.md, Lines, step 6)."""

from collections.abc import Sequence
from itertools import zip_longest

from dynagrag.generation.lines.line_fit import WEIGHTS
from dynagrag.schema import EvidenceLine

LEAST_SHARE = 0.5
"""Of the best line's fit, without what counts for its speaker: with less a line is not brought forward."""


def in_turn(lines: Sequence[EvidenceLine], people: Sequence[frozenset[str]]) -> list[EvidenceLine]:
    """The lines, best first; of each of the people, given by their labels, the n-th best that fits stands where the best of these does."""
    queues = [[line for line in lines if line.speaker in labels] for labels in people]
    least = LEAST_SHARE * max((_said(own[0]) for own in queues if own), default=0.0)
    places = {(line.id, line.start): line.fit for line in lines}
    for round_ in zip_longest(*([line for line in own if _said(line) >= least] for own in queues)):
        there = [line for line in round_ if line is not None]
        for line in there:
            places[line.id, line.start] = max(line.fit for line in there)
    return sorted(lines, key=lambda line: (-places[line.id, line.start], -line.fit))


def _said(line: EvidenceLine) -> float:
    """How well a named speaker's line fits, but for their name."""
    return line.fit - WEIGHTS["speaker"]
