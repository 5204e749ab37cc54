"""The fit of sentences of the best passages to a question (docs/papers.md, Lines)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Question, Vectors
from dynagrag.core.vectors import unit_rows
from dynagrag.generation.evidence_sentences.line_index import LineIndex, PassageSentence
from dynagrag.generation.evidence_sentences.line_kinds import introduces_itself, is_call
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
}
"""Of each part but the cosine, which counts 1 (docs/papers.md, Lines)."""
NUM_OF_EACH = 5
"""Passages of each speaker that are looked at besides, where a question asks for several."""
BESIDE = 0.5
"""A neighbour's share in the vector of a sentence with its neighbours."""
MAX_TURNS_APART = 2


@dataclass(frozen=True, slots=True)
class Fits:
    """The sentences (n,) of the best passages: how well each fits, and what that is made of.
    `people`: the labels of each speaker whom the question asks for. `vectors`: (n, d) of the
    sentences, unit rows or zeros.
    """

    sentences: tuple[PassageSentence, ...]
    total: Floats
    parts: dict[str, Floats]
    vectors: Vectors
    people: tuple[frozenset[str], ...] = ()

    def order(self) -> list[int]:
        """Best first; among equals the one that comes first in the better passage."""
        return [int(i) for i in np.argsort(-np.round(self.total, 6), kind="stable")]


def fits(index: LineIndex, question: Question, rows: Sequence[int], embedder: Embedder) -> Fits:
    """`rows`: passages, best first, each once. Where several speakers are asked for, the nearest
    passages of each come after them, and their names are no words to be looked for.
    """
    people = index.speakers.people_in(question.text)
    if len(people) > 1:
        cosines = index.passages.dense(question.vector)
        speaking = [index.labels_in(row) for row in range(len(index.snapshot.passages))]
        for labels in people:
            theirs = [row for row, those in enumerate(speaking) if not labels.isdisjoint(those)]
            rows = [*rows, *sorted(theirs, key=lambda row: (-cosines[row], row))[:NUM_OF_EACH]]
        rows = list(dict.fromkeys(rows))
    asked_people = " ".join(chain.from_iterable(people)) if len(people) > 1 else ""
    share = WordShares(index, question.text, asked_people)
    sentences = [s for row in rows for s in index.sentences(row)]
    place_of = {row: 1.0 / (1.0 + place) for place, row in enumerate(rows)}
    before, after = _neighbours(sentences)
    vectors = index.vectors(sentences, embedder)
    speakers = index.speakers.named_in(question.text)
    names = {language: content_stems(" ".join(speakers), language) for language in index.languages}
    # who says their own name introduces themselves, and answers nothing
    own = [s.stems - names[s.language] if s.speaker in speakers else s.stems for s in sentences]
    joined = [own[i] | _at(own, before[i]) | _at(own, after[i]) for i in range(len(own))]
    places = _places(index, rows)
    spans = [stretch_around(around, at) for around, at in places]
    stretches = [
        around[first : last + 1] for (around, _), (first, last) in zip(places, spans, strict=True)
    ]
    asked = [[around[i] for i in questions_before(around, at)] for around, at in places]
    wanted = asked_answer(question.text)
    parts = {
        "cosine": _nearness(index, vectors, question),
        "around": _nearness(index, _with_neighbours(vectors, before, after), question),
        "stretch": _nearness(index, _mean_vectors(index, stretches, sentences, vectors), question),
        "place": np.array([place_of[s.row] for s in sentences]),
        "words": share.of_all(sentences, own),
        "words around": share.of_all(sentences, joined),
        "words asked": np.array(
            [max((share.of(s.stems, s.language) for s in own), default=0.0) for own in asked]
        ),
        "answer": _answer_fits(wanted, [[s] for s in sentences]),
        "answer around": _answer_fits(wanted, stretches),
        "speaker": np.array([float(s.speaker in speakers) for s in sentences]),
        "question": np.array([float(s.is_question) for s in sentences]),
        "call": np.array([float(_is_formal(s, index.speaker_words)) for s in sentences]),
        "empty": np.array([float(s.says_nothing) for s in sentences]),
    }
    total = np.asarray(
        parts["cosine"] + sum(weight * parts[name] for name, weight in WEIGHTS.items()), np.float64
    )
    return Fits(tuple(sentences), _replies_lifted(sentences, asked, total), parts, vectors, people)


def _nearness(index: LineIndex, vectors: Vectors, question: Question) -> Floats:
    """(n,) cosines as MiniLM's would be, which the weights were fitted with; 0 of no vector."""
    cosines = cosines_with(vectors, question.vector)
    return np.where(vectors.any(axis=1), index.snapshot.scale.of_answers(cosines), 0.0)


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
    fit = {key: 0.0 if s.is_question else fit_of(wanted, s.text) for key, s in every.items()}
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
