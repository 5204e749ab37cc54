"""Lines of several speakers whom a question asks for, in turn (docs/papers.md, Lines, step 6)."""

from collections.abc import Sequence
from itertools import zip_longest

from dynagrag.core.schema import EvidenceLine
from dynagrag.generation.evidence_sentences.line_fit import WEIGHTS

LEAST_SHARE = 0.5
"""Of the best line's fit, without the part for its speaker: with less a line does not move forward.
"""


def in_turn(lines: Sequence[EvidenceLine], people: Sequence[frozenset[str]]) -> list[EvidenceLine]:
    """The lines, best first; of each of the people, given by their labels, the n-th best that fits
    stands where the best of these does.
    """
    queues, least = _queues(lines, people)
    places = {(line.id, line.start): line.fit for line in lines}
    fitting = ([line for line in own if _unnamed_fit(line) >= least] for own in queues)
    for nth in zip_longest(*fitting):
        there = [line for line in nth if line is not None]
        best = max(line.fit for line in there)
        places |= {(line.id, line.start): best for line in there}
    return sorted(lines, key=lambda line: (-places[line.id, line.start], -line.fit))


def quiet(lines: Sequence[EvidenceLine], people: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """Of several people, by their longest labels, those without a line that fits, where another has
    one. `lines`: `in_turn`'s.
    """
    if len(people) < 2:
        return ()
    queues, least = _queues(lines, people)
    silent = [
        max(sorted(labels), key=len)
        for own, labels in zip(queues, people, strict=True)
        if all(_unnamed_fit(line) < least for line in own)
    ]
    return tuple(silent) if len(silent) < len(people) else ()


def _queues(
    lines: Sequence[EvidenceLine], people: Sequence[frozenset[str]]
) -> tuple[list[list[EvidenceLine]], float]:
    """Each one's lines, and how well one must fit."""
    queues = [[line for line in lines if line.speaker in labels] for labels in people]
    best = max((_unnamed_fit(line) for own in queues for line in own), default=0.0)
    return queues, LEAST_SHARE * best


def _unnamed_fit(line: EvidenceLine) -> float:
    """How well a named speaker's line fits, but for their name."""
    return line.fit - WEIGHTS["speaker"]
