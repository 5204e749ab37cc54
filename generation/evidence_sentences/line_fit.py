"""The fit of sentences of the best passages to a question (docs/papers.md, Lines)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Question, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.generation.evidence_sentences.asked_talk import asked_talk
from dynagrag.generation.evidence_sentences.asked_words import verbs_of_saying
from dynagrag.generation.evidence_sentences.held_turns import NONE_HELD, HeldTurns, held_turns
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.line_kinds import introduces_itself, is_call
from dynagrag.generation.evidence_sentences.sides import Side, sides_of
from dynagrag.generation.evidence_sentences.stretches import questions_before, stretch_around
from dynagrag.generation.support import content_stems
from dynagrag.language.answer_kinds import AskedAnswer, asked_answer, fit_of
from dynagrag.retrieval.passages import cosines_with

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NUM_PASSAGES = 20
"""Passages whose sentences are looked at."""
WEIGHTS = {
    "around": 0.5,
    "stretch": 1.5,
    "place": 0.4,
    "words": 0.6,
    "words around": 0.4,
    "words asked": 0.3,
    "answer": 0.2,
    "answer around": 0.2,
    "speaker": 0.8,
    "question": -0.1,
    "call": -1.0,
    "empty": -3.0,
    "held": 3.0,
}
"""Of each part but the cosine, which counts 1 (docs/papers.md, Lines)."""
NUM_OF_EACH = 5
"""Passages of each side of a question that are looked at besides."""
BESIDE = 0.5
"""A neighbour's share in the vector of a sentence with its neighbours."""
MAX_TURNS_APART = 2
"""Of an answer and the question before it, or of a line and who is spoken to in it."""


@dataclass(frozen=True, slots=True)
class Fits:
    """The sentences (n,) of the best passages: how well each fits, and what that is made of.
    `vectors`: (n, d) of the sentences, unit rows or zeros. `stretches`: the talk around each, with
    it. `sides`: of the question, if it has any. `held`: turns that hold what it asks somebody's
    words of, or who speaks of.
    """

    sentences: tuple[PassageSentence, ...]
    total: Floats
    parts: dict[str, Floats]
    vectors: Vectors
    stretches: Sequence[Sequence[PassageSentence]]
    sides: tuple[Side, ...] = ()
    held: HeldTurns = NONE_HELD

    @property
    def spread(self) -> float:
        """The standard deviation of the fits of the lines that say something; 0 of none."""
        says = (self.parts["empty"] == 0) & (self.parts["call"] == 0)
        return float(self.total[says].std()) if says.any() else 0.0

    def of_sentences(self, kept: Sequence[PassageSentence]) -> "Fits":
        """Of these of them alone."""
        places = {(s.document_id, s.start) for s in kept}
        at = [i for i, s in enumerate(self.sentences) if (s.document_id, s.start) in places]
        return Fits(
            tuple(self.sentences[i] for i in at),
            self.total[at],
            {name: part[at] for name, part in self.parts.items()},
            self.vectors[at],
            [self.stretches[i] for i in at],
            self.sides,
            self.held,
        )

    def order(self) -> list[int]:
        """Best first; among equals the one that comes first in the better passage."""
        return [int(i) for i in np.argsort(-np.round(self.total, 6), kind="stable")]


def fits(index: LineIndex, question: Question, rows: Sequence[int], embedder: Embedder) -> Fits:
    """`rows`: passages, best first, each once. Where the question has sides, the passages that fit
    each come after them, and a sentence of a side fits as well as it fits what is asked of that.
    So do those with turns that hold what is asked of.
    """
    sides = sides_of(index, question.text)
    people = index.speakers.people_in(question.text)
    talk = None if sides else asked_talk(question.text, people)
    held = held_turns(index, question, talk)
    is_for_who = talk is not None and not talk.labels
    speakers = frozenset() if is_for_who else index.speakers.named_in(question.text)
    whole = _LineSearch(question, tuple(rows), speakers, held)
    searches = [_search_of(index, side, embedder) for side in sides]
    every = dict.fromkeys(chain(rows, *(search.rows for search in searches), held.rows))
    sentences = [s for row in every for s in index.sentences(row)]
    vectors = index.vectors(sentences, embedder)
    around = _Talk.of(index, list(every), sentences, vectors)
    spans = verbs_of_saying(question.text, chain.from_iterable(people))
    spans += [talk.verb] if talk is not None else []
    verbs = (question.text[a:b] for a, b in spans)
    no_words = " ".join(chain(verbs, *(side.labels for side in sides)))
    parts = _parts(index, whole, around, no_words)
    total = _total(parts)
    for side, search in zip(sides, searches, strict=True):
        of_side = _total(_parts(index, search, around, no_words))
        is_own = np.array([side.holds(s) for s in sentences], dtype=bool)
        total = np.where(is_own, of_side, total)
    if not held.rows and not held.seeks_questions:
        total = _replies_lifted(sentences, around.asked, total)
    return Fits(tuple(sentences), total, parts, vectors, around.stretches, sides, held)


@dataclass(frozen=True, slots=True)
class _LineSearch:
    """What is asked, the rows of the passages that were found for it, best first, the labels of
    the speakers who are asked for, and the turns that hold what they are asked of.
    """

    question: Question
    rows: tuple[int, ...]
    speakers: frozenset[str]
    held: HeldTurns = NONE_HELD


def _search_of(index: LineIndex, side: Side, embedder: Embedder) -> _LineSearch:
    """The passages of a side that fit what is asked of it best, by vectors and words."""
    question = Question(side.text, embedder.embed_query(side.text))
    scores = index.passages.fused(side.text, question.vector)
    rows = range(len(index.snapshot.passages))
    own = [
        row for row in rows if not side.labels or not side.labels.isdisjoint(index.labels_in(row))
    ]
    best = sorted(own, key=lambda row: (-scores[row], row))[:NUM_OF_EACH]
    return _LineSearch(question, tuple(best), side.labels or index.speakers.named_in(side.text))


@dataclass(frozen=True, slots=True)
class _Talk:
    """Sentences (n,) with what stands around them, whatever is asked: the numbers of those before
    and after each, their vectors with these and of their stretches (n, d), the stretches, and the
    questions that each replies to.
    """

    sentences: Sequence[PassageSentence]
    before: Ints
    after: Ints
    vectors: Vectors
    with_neighbours: Vectors
    of_stretches: Vectors
    stretches: Sequence[Sequence[PassageSentence]]
    asked: Sequence[Sequence[PassageSentence]]

    @classmethod
    def of(
        cls,
        index: LineIndex,
        rows: Sequence[int],
        sentences: Sequence[PassageSentence],
        vectors: Vectors,
    ) -> "_Talk":
        before, after = _neighbours(sentences)
        places = _places(index, rows)
        spans = [stretch_around(around, at) for around, at in places]
        stretches = [
            around[first : last + 1]
            for (around, _), (first, last) in zip(places, spans, strict=True)
        ]
        return cls(
            sentences,
            before,
            after,
            vectors,
            _with_neighbours(vectors, before, after),
            _mean_vectors(index, stretches, sentences, vectors),
            stretches,
            [[around[i] for i in questions_before(around, at)] for around, at in places],
        )


def _parts(index: LineIndex, search: _LineSearch, talk: _Talk, no_words: str) -> dict[str, Floats]:
    """Of each sentence, by name. `no_words`: names and verbs that are not looked for."""
    sentences, question, speakers = talk.sentences, search.question, search.speakers
    place_of = {row: 1.0 / (1.0 + place) for place, row in enumerate(search.rows)}
    share = WordShares(index, question.text, no_words)
    names = {language: content_stems(" ".join(speakers), language) for language in index.languages}
    # who says their own name introduces themselves, and answers nothing
    own = [s.stems - names[s.language] if s.speaker in speakers else s.stems for s in sentences]
    joined = [own[i] | _at(own, talk.before[i]) | _at(own, talk.after[i]) for i in range(len(own))]
    wanted = asked_answer(question.text)
    return {
        "cosine": _nearness(index, talk.vectors, question),
        "around": _nearness(index, talk.with_neighbours, question),
        "stretch": _nearness(index, talk.of_stretches, question),
        "place": np.array([place_of.get(s.row, 0.0) for s in sentences]),
        "words": share.of_all(sentences, own),
        "words around": share.of_all(sentences, joined),
        "words asked": np.array(
            [max((share.of(s.stems, s.language) for s in own), default=0.0) for own in talk.asked]
        ),
        "answer": _answer_fits(wanted, [[s] for s in sentences]),
        "answer around": _answer_fits(wanted, talk.stretches),
        "speaker": np.array([float(s.speaker in speakers) for s in sentences]),
        "question": np.array([float(s.is_question) for s in sentences]),
        "call": np.array([float(_is_formal(s, index.speaker_words)) for s in sentences]),
        "empty": np.array([float(s.says_nothing) for s in sentences]),
        "held": np.array([search.held.share(s) for s in sentences], dtype=np.float64),
    }


def _nearness(index: LineIndex, vectors: Vectors, question: Question) -> Floats:
    """(n,) cosines as MiniLM's would be, which the weights were fitted with; 0 of no vector."""
    cosines = cosines_with(vectors, question.vector)
    return np.where(vectors.any(axis=1), index.snapshot.scale.of_answers(cosines), 0.0)


def _total(parts: Mapping[str, Floats]) -> Floats:
    weighted = (weight * parts[name] for name, weight in WEIGHTS.items())
    return np.asarray(parts["cosine"] + sum(weighted), np.float64)


def _replies_lifted(
    sentences: Sequence[PassageSentence], asked: Sequence[Sequence[PassageSentence]], total: Floats
) -> Floats:
    """The fits, where a question that fits better than every reply to it and the best of these
    change places: what is wanted is the reply. `asked`: the questions that each replies to.
    """
    number = {(s.document_id, s.start): i for i, s in enumerate(sentences)}
    best_reply: dict[int, int] = {}
    for i, questions in enumerate(asked):
        for question in questions:
            at = number.get((question.document_id, question.start))
            if at is not None and (at not in best_reply or total[i] > total[best_reply[at]]):
                best_reply[at] = i
    lifted = total.copy()
    for at, reply in sorted(best_reply.items(), key=lambda pair: -total[pair[0]]):
        if lifted[reply] < lifted[at]:
            lifted[reply], lifted[at] = lifted[at], lifted[reply]
    return lifted


def _places(index: LineIndex, rows: Sequence[int]) -> list[tuple[list[PassageSentence], int]]:
    """Of each sentence of the rows, those around its passage, and its place among them."""
    places = []
    for row in rows:
        around, own = index.around(row), index.sentences(row)
        first = around.index(own[0]) if own else 0
        places += [(around, first + i) for i in range(len(own))]
    return places


def _mean_vectors(
    index: LineIndex,
    stretches: Sequence[Sequence[PassageSentence]],
    sentences: Sequence[PassageSentence],
    vectors: Vectors,
) -> Vectors:
    """(n, d) of each stretch, by its sentences that have a vector; `vectors` are those of
    `sentences`, and nothing more is embedded.
    """
    members = {(s.document_id, s.start): s for stretch in stretches for s in stretch}
    of = dict(zip(members, index.stored_vectors(list(members.values())), strict=True))
    of |= {(s.document_id, s.start): own for s, own in zip(sentences, vectors, strict=True)}
    summed = np.zeros_like(vectors)
    for i, stretch in enumerate(stretches):
        summed[i] = sum(of[s.document_id, s.start] for s in stretch)
    return unit_rows(summed)


def _answer_fits(wanted: AskedAnswer | None, groups: Sequence[Sequence[PassageSentence]]) -> Floats:
    """(n,) how well the sentence of each group fits that can best be what is asked for; a question
    can't.
    """
    if wanted is None:
        return np.zeros(len(groups))
    every = {(s.document_id, s.start): s for group in groups for s in group}
    fit = {
        key: 0.0 if s.is_question else fit_of(wanted, s.text, s.language)
        for key, s in every.items()
    }
    return np.array([max(fit[s.document_id, s.start] for s in group) for group in groups])


def _is_formal(sentence: PassageSentence, speakers: frozenset[str]) -> bool:
    return is_call(sentence.text, speakers) or introduces_itself(sentence.text, sentence.speaker)


def _neighbours(sentences: Sequence[PassageSentence]) -> tuple[Ints, Ints]:
    """The sentence before and after each, -1 where none stands within two turns in its document."""
    num = len(sentences)
    before, after = np.full(num, -1), np.full(num, -1)
    order = sorted(range(num), key=lambda i: (sentences[i].document_id, sentences[i].start))
    for i, j in pairwise(order):
        if are_neighbours(sentences[i], sentences[j]):
            after[i], before[j] = j, i
    return before, after


def are_neighbours(first: PassageSentence, second: PassageSentence) -> bool:
    """Whether one can be read after the other: in one document, at most two turns further on."""
    return (
        first.document_id == second.document_id
        and second.turn_index - first.turn_index <= MAX_TURNS_APART
    )


def _with_neighbours(vectors: Vectors, before: Ints, after: Ints) -> Vectors:
    summed = vectors.copy()
    for beside in (before, after):
        there = beside >= 0
        summed[there] += BESIDE * vectors[beside[there]]
    return unit_rows(summed)


def _at(stems: Sequence[frozenset[str]], i: int) -> frozenset[str]:
    return stems[i] if i >= 0 else frozenset()


class WordShares:
    """The share of a question's content words that a text holds, weighted by rarity, 0 to 1: in
    the text's language.
    """

    def __init__(self, index: LineIndex, question: str, but: str = "") -> None:
        """`but`: words that aren't looked for."""
        self._rarity = {
            language: {
                word: index.rarity(word)
                for word in content_stems(question, language) - content_stems(but, language)
            }
            for language in index.languages
        }
        self._whole = {
            language: sum(rarity.values()) or 1.0 for language, rarity in self._rarity.items()
        }

    def of(self, held: frozenset[str], language: str) -> float:
        """Of a text with these stems."""
        rarity = self._rarity[language]
        return sum(rarity[word] for word in rarity.keys() & held) / self._whole[language]

    def of_all(
        self, sentences: Sequence[PassageSentence], held: Sequence[frozenset[str]]
    ) -> Floats:
        """(n,) of each sentence with these stems."""
        shares = [self.of(own, s.language) for s, own in zip(sentences, held, strict=True)]
        return np.array(shares, dtype=np.float64)
