"""Clips: the stretches of talk in which the best lines stand, each shown once."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from dynagrag.core.schema import Clip, EvidenceLine
from dynagrag.generation.evidence_sentences.excerpts import citation_of
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.sides import Side
from dynagrag.generation.evidence_sentences.stretches import stretch_around, with_reply

MAX_CLIPS = 5
NUM_MARKED = 3
"""Of the best lines: those are marked where a clip holds them, but for questions."""


def clips_of(
    index: LineIndex, lines: Sequence[EvidenceLine], sides: Sequence[Side] = ()
) -> tuple[Clip, ...]:
    """The clips of ranked lines, best first: each around the best line that no better clip holds,
    with no sentence that one does. Of a question's `sides` each tells whose best line it holds.
    """
    found: list[tuple[EvidenceLine, list[PassageSentence]]] = []
    taken: set[tuple[str, int]] = set()

    def is_free(sentence: PassageSentence) -> bool:
        return (sentence.document_id, sentence.start) not in taken

    for line in lines:
        around = index.around(index.passages.row_of[line.id])
        at = next(i for i, s in enumerate(around) if s.start == line.match_start)
        if not is_free(around[at]):
            continue
        bounds = stretch_around(around, at, is_free)
        first, last = with_reply(around, at, bounds, is_free)
        stretch = around[first : last + 1]
        taken.update((s.document_id, s.start) for s in stretch)
        found.append((line, stretch))
        if len(found) == MAX_CLIPS:
            break
    marked = {(line.document, line.match_start) for line in lines[:NUM_MARKED]}
    return tuple(
        replace(_clip(index, line, stretch, marked), side=_side_of(line, sides))
        for line, stretch in found
    )


def _side_of(line: EvidenceLine, sides: Sequence[Side]) -> str:
    return next((side.name for side in sides if side.holds(line)), "")


def _clip(
    index: LineIndex,
    line: EvidenceLine,
    stretch: Sequence[PassageSentence],
    marked: set[tuple[str, int]],
) -> Clip:
    turns = [
        citation_of(index.snapshot, list(run))
        for _, run in groupby(stretch, key=lambda s: (s.turn_index, s.speaker))
    ]
    return Clip(
        id=line.id,
        document=line.document,
        start=stretch[0].start,
        end=stretch[-1].end,
        turns=tuple(turns),
        hits=tuple(
            (s.start, s.end)
            for s in stretch
            if s.start == line.match_start
            or (not s.is_question and (line.document, s.start) in marked)
        ),
        best=(line.match_start, line.match_end),
        fit=line.fit,
    )
