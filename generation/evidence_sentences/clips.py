"""Clips: the stretches of talk in which the best lines stand, each shown once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf

from dynagrag.core.schema import Clip, EvidenceLine
from dynagrag.generation.evidence import same_words
from dynagrag.generation.evidence_sentences.excerpts import citation_of
from dynagrag.generation.evidence_sentences.line_fit import Fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.sides import Side
from dynagrag.generation.evidence_sentences.stretches import (
    MAX_GROWN_WORDS,
    stretch_around,
    with_reply,
)

Place = tuple[str, int]
"""Document and start of a sentence."""
MIN_CLIPS, MAX_CLIPS = 3, 5
"""A sharp drop ends them after so many, and they are so many at most."""
MAX_DROP = 2.0
"""How much worse than the clip before it one may fit, in spreads of the question's lines."""
MAX_MARKED, MARKED_DROP = 3, 0.5
"""Sentences of a clip that are marked at most, and how much worse than its best, in spreads."""
_ANSWER = 0.6
"""What the form of the answer counts beside the fit where a sentence is marked."""


@dataclass(slots=True)
class _ShownStretch:
    """A stretch that is shown, for a line."""

    sentences: list[PassageSentence]
    own: PassageSentence
    line: EvidenceLine

    @property
    def words(self) -> tuple[str, ...]:
        """What is said in it."""
        return tuple(same_words(s.text) for s in self.sentences)


def clips_of(
    index: LineIndex, lines: Sequence[EvidenceLine], found: Fits, quiet: Sequence[Side] = ()
) -> tuple[Clip, ...]:
    """The clips of ranked lines, best first: each around the best line that no better clip holds,
    with no sentence that one does, three at least and none of the others from where the fit drops
    sharply. Stretches that adjoin are one clip as far as that can be read. What is said
    again in the same words, also in a copy of a document, is shown once.

    Of a question's sides each clip tells whose best line it holds; one may fit worse there than
    another's. Lines of `quiet` sides, which say nothing of what is asked, have none.
    """
    drop = inf if found.sides else MAX_DROP * found.spread
    shown: list[_ShownStretch] = []
    taken: set[Place] = set()
    words: set[tuple[str, ...]] = set()
    fit, is_far = 0.0, False

    def is_free(sentence: PassageSentence) -> bool:
        return _place(sentence) not in taken

    for line in lines:
        around = index.around(index.passages.row_of[line.id])
        at = next(i for i, s in enumerate(around) if s.start == line.match_start)
        if not is_free(around[at]) or any(side.holds(line) for side in quiet):
            continue
        is_far = is_far or (bool(shown) and fit - line.fit > drop)
        if is_far and len(shown) >= MIN_CLIPS:
            break
        first, last = with_reply(around, at, stretch_around(around, at, is_free), is_free)
        new = _ShownStretch(around[first : last + 1], around[at], line)
        beside = {_place(around[i]) for i in (first - 1, last + 1) if 0 <= i < len(around)}
        joined = next(
            (
                old
                for old in shown
                if not beside.isdisjoint(map(_place, old.sentences)) and _may_join(found, old, new)
            ),
            None,
        )
        if joined is None and len(shown) == MAX_CLIPS:
            break
        fit = line.fit
        taken.update(map(_place, new.sentences))
        if new.words in words:
            continue
        words.add(new.words)
        if joined is not None:
            joined.sentences = sorted((*joined.sentences, *new.sentences), key=_place)
        else:
            shown.append(new)
    marking = _marking_fits(found)
    clips = []
    for own in shown:
        marked = _marked(own.sentences, marking, MARKED_DROP * found.spread) or [own.own]
        clips.append(_clip(index, own.sentences, marked, own.line.fit, _side_of(found, own.line)))
    return tuple(clips)


def _place(sentence: PassageSentence) -> Place:
    return sentence.document_id, sentence.start


def _side_of(found: Fits, line: EvidenceLine) -> str:
    return next((side.name for side in found.sides if side.holds(line)), "")


def _may_join(found: Fits, one: _ShownStretch, other: _ShownStretch) -> bool:
    """Whether two that adjoin are of one side and one exchange, and can be read as one."""
    later = max((one, other), key=lambda own: _place(own.sentences[0]))
    if later.sentences[0].opens_exchange:
        return False
    num_words = sum(s.num_words for s in (*one.sentences, *other.sentences))
    return num_words <= MAX_GROWN_WORDS and (
        _side_of(found, one.line) == _side_of(found, other.line)
    )


def _marking_fits(found: Fits) -> dict[Place, float]:
    """How well each sentence answers by itself; questions and what says nothing can't, unless they
    hold what somebody is asked of, or who asked.
    """
    fits = found.total + _ANSWER * found.parts["answer"]
    return {
        _place(s): float(fit)
        for s, fit, held in zip(found.sentences, fits, found.parts["held"], strict=True)
        if held > 0 or not (s.is_question or s.says_nothing)
    }


def _marked(
    stretch: Sequence[PassageSentence], fits: Mapping[Place, float], drop: float
) -> list[PassageSentence]:
    """Those of a stretch that answer, best first."""
    able = [s for s in stretch if _place(s) in fits]
    able.sort(key=lambda s: -fits[_place(s)])
    best = max((fits[_place(s)] for s in able), default=0.0)
    return [s for s in able if fits[_place(s)] >= best - drop][:MAX_MARKED]


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
