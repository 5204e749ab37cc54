"""Clips: the stretches of talk in which the best lines stand, each shown once."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf

from dynagrag.core.schema import Clip, EvidenceLine
from dynagrag.generation.evidence_sentences.excerpts import citation_of
from dynagrag.generation.evidence_sentences.line_fit import Fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.sides import Side
from dynagrag.generation.evidence_sentences.stretches import stretch_around, with_reply

Place = tuple[str, int]
"""Document and start of a sentence."""
MAX_CLIPS = 5
MAX_DROP = 2.0
"""How much worse than the clip before it one may fit, in spreads of the question's lines."""
MAX_MARKED, MARKED_DROP = 3, 0.5
"""Sentences of a clip that are marked at most, and how much worse than its best, in spreads."""
_ANSWER = 0.6
"""What the form of the answer counts beside the fit where a sentence is marked."""


def clips_of(
    index: LineIndex, lines: Sequence[EvidenceLine], found: Fits, quiet: Sequence[Side] = ()
) -> tuple[Clip, ...]:
    """The clips of ranked lines, best first: each around the best line that no better clip holds,
    with no sentence that one does, and none from where the fit drops sharply. What people of a
    document say again in the same words is shown once.

    Of a question's sides each clip tells whose best line it holds; one may fit worse there than
    another's. Lines of `quiet` sides, which say nothing of what is asked, have none.
    """
    drop = inf if found.sides else MAX_DROP * found.spread
    marking = _marking_fits(found)
    clips: list[Clip] = []
    taken: set[Place] = set()
    words: set[tuple[str, ...]] = set()

    def is_free(sentence: PassageSentence) -> bool:
        return (sentence.document_id, sentence.start) not in taken

    for line in lines:
        if len(clips) == MAX_CLIPS:
            break
        around = index.around(index.passages.row_of[line.id])
        at = next(i for i, s in enumerate(around) if s.start == line.match_start)
        if not is_free(around[at]) or any(side.holds(line) for side in quiet):
            continue
        if clips and clips[-1].fit - line.fit > drop:
            break
        first, last = with_reply(around, at, stretch_around(around, at, is_free), is_free)
        stretch = around[first : last + 1]
        taken.update((s.document_id, s.start) for s in stretch)
        said = (stretch[0].document_id, *(s.text for s in stretch))
        if said in words:
            continue
        words.add(said)
        marked = _marked(stretch, marking, MARKED_DROP * found.spread) or [around[at]]
        side = next((side.name for side in found.sides if side.holds(line)), "")
        clips.append(_clip(index, stretch, marked, line.fit, side))
    return tuple(clips)


def _marking_fits(found: Fits) -> dict[Place, float]:
    """How well each sentence answers by itself; questions and what says nothing can't."""
    fits = found.total + _ANSWER * found.parts["answer"]
    return {
        (s.document_id, s.start): float(fit)
        for s, fit in zip(found.sentences, fits, strict=True)
        if not (s.is_question or s.says_nothing)
    }


def _marked(
    stretch: Sequence[PassageSentence], fits: Mapping[Place, float], drop: float
) -> list[PassageSentence]:
    """Those of a stretch that answer, best first."""
    able = [s for s in stretch if (s.document_id, s.start) in fits]
    able.sort(key=lambda s: -fits[s.document_id, s.start])
    best = max((fits[s.document_id, s.start] for s in able), default=0.0)
    return [s for s in able if fits[s.document_id, s.start] >= best - drop][:MAX_MARKED]


def _clip(
    index: LineIndex,
    stretch: Sequence[PassageSentence],
    marked: Sequence[PassageSentence],
    fit: float,
    side: str,
) -> Clip:
    """`marked`: best first."""
    turns = [
        citation_of(index.snapshot, list(run))
        for _, run in groupby(stretch, key=lambda s: (s.turn_index, s.speaker))
    ]
    return Clip(
        id=marked[0].passage_id,
        document=turns[0].document,
        start=stretch[0].start,
        end=stretch[-1].end,
        turns=tuple(turns),
        hits=tuple(sorted((s.start, s.end) for s in marked)),
        best=(marked[0].start, marked[0].end),
        fit=fit,
        side=side,
    )
