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
from dynagrag.generation.evidence_sentences.line_kinds import (
    asks_for_number,
    has_number,
    is_call,
    is_question,
)
from dynagrag.generation.support import content_stems
from dynagrag.retrieval.passages import cosines_with

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NUM_PASSAGES = 20
"""Passages whose sentences are looked at."""
WEIGHTS = {
    "around": 0.5,
    "place": 0.4,
    "words": 0.6,
    "words around": 0.4,
    "number": 0.1,
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
    `people`: the labels of each speaker whom the question asks for.
    """

    sentences: tuple[PassageSentence, ...]
    total: Floats
    parts: dict[str, Floats]
    people: tuple[frozenset[str], ...] = ()

    def order(self) -> list[int]:
        """Best first; among equals the one that comes first in the better passage."""
        return [int(i) for i in np.argsort(-np.round(self.total, 6), kind="stable")]


def fits(index: LineIndex, question: Question, rows: Sequence[int], embedder: Embedder) -> Fits:
    """`rows`: passages, best first, each once. Where several speakers are asked for, the nearest
    passages of each come after them, and their names are no words to be looked for.
    """
    stems, people = content_stems(question.text), index.speakers.people_in(question.text)
    if len(people) > 1:
        cosines = index.passages.dense(question.vector)
        speaking = [index.labels_in(row) for row in range(len(index.snapshot.passages))]
        for labels in people:
            theirs = [row for row, those in enumerate(speaking) if not labels.isdisjoint(those)]
            rows = [*rows, *sorted(theirs, key=lambda row: (-cosines[row], row))[:NUM_OF_EACH]]
        rows = list(dict.fromkeys(rows))
        stems -= content_stems(" ".join(chain.from_iterable(people)))
    sentences = [s for row in rows for s in index.sentences(row)]
    place_of = {row: 1.0 / (1.0 + place) for place, row in enumerate(rows)}
    before, after = _neighbours(sentences)
    vectors = index.vectors(sentences, embedder)
    own = [s.stems for s in sentences]
    joined = [own[i] | _at(own, before[i]) | _at(own, after[i]) for i in range(len(own))]
    wants_number = asks_for_number(question.text)
    speakers = index.speakers.named_in(question.text)
    parts = {
        "cosine": cosines_with(vectors, question.vector),
        "around": cosines_with(_with_neighbours(vectors, before, after), question.vector),
        "place": np.array([place_of[s.row] for s in sentences]),
        "words": _shares(index, stems, own),
        "words around": _shares(index, stems, joined),
        "number": np.array([float(wants_number and has_number(s.text)) for s in sentences]),
        "speaker": np.array([float(s.speaker in speakers) for s in sentences]),
        "question": np.array([float(is_question(s.text)) for s in sentences]),
        "call": np.array([float(is_call(s.text, index.speaker_words)) for s in sentences]),
        "empty": np.array([float(s.says_nothing) for s in sentences]),
    }
    total = parts["cosine"] + sum(weight * parts[name] for name, weight in WEIGHTS.items())
    return Fits(tuple(sentences), np.asarray(total, dtype=np.float64), parts, people)


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


def _shares(index: LineIndex, wanted: frozenset[str], held: Sequence[frozenset[str]]) -> Floats:
    """The share of the question's words that each holds, weighted by rarity, 0 to 1."""
    rarity = {word: index.rarity(word) for word in wanted}
    whole = sum(rarity.values()) or 1.0
    return np.array(
        [sum(rarity[word] for word in wanted & own) / whole for own in held], dtype=np.float64
    )
