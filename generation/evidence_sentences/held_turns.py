"""The turns that hold what a question for somebody's words, or for who speaks of something, asks of
(docs/papers.md, Lines, step 9): looked for in all passages, not in the best alone.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dynagrag.core.schema import Question
from dynagrag.core.text import without_accents
from dynagrag.generation.evidence_sentences.asked_talk import AskedTalk, TalkKind, is_asking
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.support import WORD, content_stems, stem

MAX_ROWS = 20
"""Passages with such turns that are looked at beside the best."""
LEAST_OF_NAMES = 0.5
"""Of a topic's names, by rarity, that a turn holds; of other words it holds all."""
BEFORE_ASKING, NOT_ASKING, ASKING_ALONE = 0.9, 0.6, 0.1
"""Where it is asked who asked: what a sentence counts that holds the topic, asks nothing itself,
and leads to a sentence that asks, or doesn't; and one that asks and holds nothing of it.
"""
MAX_BEFORE = 2
"""How many sentences after it that stands at most, in the same turn."""
Place = tuple[str, int]
"""A document, and a turn's number there, or where a sentence begins."""


@dataclass(frozen=True, slots=True)
class HeldTurns:
    """`shares`: of the topic that each turn holds, by rarity, 0 to 1. `rows`: passages with some of
    them, the best first. `sought`: of each word that is looked for its rarity. `asks`: where their
    sentences begin that ask, or lead to one that does.
    """

    talk: AskedTalk | None = None
    shares: Mapping[Place, float] = field(default_factory=dict)
    rows: tuple[int, ...] = ()
    sought: Mapping[str, float] = field(default_factory=dict)
    asks: frozenset[Place] = frozenset()

    @property
    def is_answered(self) -> bool:
        """Whether some of the turns are what is asked for: where it is who asked, one that asks."""
        is_for_asking = self.talk is not None and self.talk.kind is TalkKind.ASKED
        return bool(self.asks if is_for_asking else self.shares)

    @property
    def seeks_questions(self) -> bool:
        """Whether it is asked who asked."""
        return self.talk is not None and self.talk.kind is TalkKind.ASKED

    def share(self, sentence: PassageSentence) -> float:
        """What a sentence counts, 0 to 1."""
        if self.talk is None:
            return 0.0
        place = (sentence.document_id, sentence.turn_index)
        own = 0.0
        if place in self.shares:
            held = _held(sentence.text, sentence.stems, self.talk)
            own = sum(self.sought[w] for w in held & self.sought.keys()) / _sum(self.sought)
        if not self.seeks_questions:
            return own
        if is_asking(sentence.text, sentence.is_question):
            return own or ASKING_ALONE
        is_before = (sentence.document_id, sentence.start) in self.asks
        return own * (BEFORE_ASKING if is_before else NOT_ASKING)


NONE_HELD = HeldTurns()


def held_turns(index: LineIndex, question: Question, talk: AskedTalk | None) -> HeldTurns:
    """Those of whom is asked, or of anybody where it is asked who; none where there is no such
    question.
    """
    if talk is None:
        return NONE_HELD
    wanted = talk.names or content_stems(talk.topic)
    sought = {word: index.rarity(stem(word) if talk.names else word) for word in wanted}
    found: dict[Place, float] = {}
    rows_of: dict[Place, list[int]] = {}
    for row in _rows_with(index, sought, talk):
        for turn in index.turns(row):
            if talk.labels and turn.speaker not in talk.labels:
                continue
            document = index.snapshot.passages[row].document_id
            place = (document, turn.index)
            rows_of.setdefault(place, []).append(row)
            if place in found:
                continue
            text = index.snapshot.text(document, turn.start, turn.end)
            held = _held(text, content_stems(text), talk)
            found[place] = sum(sought[w] for w in held & sought.keys()) / _sum(sought)
    least = LEAST_OF_NAMES if talk.names else 1.0
    shares = {place: share for place, share in found.items() if share > least - 1e-9}
    rows = list(dict.fromkeys(row for place in shares for row in rows_of[place]))
    if len(rows) > MAX_ROWS:
        scores = index.passages.fused(question.text, question.vector)
        rows = sorted(sorted(rows, key=lambda row: (-scores[row], row))[:MAX_ROWS])
    asks = _asking(index, rows, shares.keys()) if talk.kind is TalkKind.ASKED else frozenset()
    return HeldTurns(talk, shares, tuple(rows), sought, asks)


def _rows_with(index: LineIndex, sought: Mapping[str, float], talk: AskedTalk) -> list[int]:
    """The passages that hold a name, or the rarest of other words, said by those who are asked
    for.
    """
    if talk.names:
        words = list(sought)
    else:
        words = list(index.words_of_stem(max(sorted(sought), key=lambda word: sought[word])))
    rows = np.flatnonzero(index.passages.bm25(" ".join(words)) > 0).tolist() if words else []
    if not talk.labels:
        return rows
    return [row for row in rows if not talk.labels.isdisjoint(index.labels_in(row))]


def _held(text: str, stems: frozenset[str], talk: AskedTalk) -> frozenset[str]:
    """The words that a text holds: names with a capital, where anybody writes capitals."""
    if not talk.names:
        return stems
    shown = WORD.findall(text)
    if any(word[0].isupper() and len(word) > 1 for word in shown[1:]):
        shown = [word for word in shown if not word[0].islower()]
    return frozenset(_plain(word) for word in shown)


def _plain(word: str) -> str:
    return without_accents(word.casefold())


def _sum(rarities: Mapping[str, float]) -> float:
    return sum(rarities.values()) or 1.0


def _asking(index: LineIndex, rows: Sequence[int], places: Container[Place]) -> frozenset[Place]:
    """The sentences of these turns that ask or lead to one that does, in these passages."""
    found: set[Place] = set()
    for row in rows:
        own = [s for s in index.sentences(row) if (s.document_id, s.turn_index) in places]
        for at, sentence in enumerate(own):
            if is_asking(sentence.text, sentence.is_question):
                near = own[max(0, at - MAX_BEFORE) : at + 1]
                found |= {
                    (s.document_id, s.start) for s in near if s.turn_index == sentence.turn_index
                }
    return frozenset(found)
