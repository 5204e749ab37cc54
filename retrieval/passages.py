"""Scores of a snapshot's passages: dense, lexical, and their fusion F (docs/papers.md, Plain
search).

F = 0.6 z01(dense) + 0.4 z01(BM25)        z01: min-max to [0, 1] over the corpus; a constant gives 0
"""

import logging
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.schema import ScoredPassage, Snapshot, Vector, Vectors
from dynagrag.retrieval.corpus_words import CorpusWords, TurnParts, words_of
from dynagrag.retrieval.neighbours import Neighbours
from dynagrag.retrieval.terms import TermReader
from dynagrag.retrieval.threads import num_threads, thread_pool

Scores = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE_SHARE = 0.6
"""The vectors' share of F; the words have the rest."""
K1, B = 1.5, 0.75
"""The usual constants of BM25: how soon a repeated word saturates, how much a long text is
discounted.
"""
MANY_VECTORS = 30_000
"""From here on their cosines are shared among threads."""


def z01(scores: Scores) -> Scores:
    """Min-max to [0, 1]; a constant gives 0."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def fuse(dense: Scores, lexical: Scores, dense_share: float = DENSE_SHARE) -> Scores:
    """(p,) F of cosines and BM25 scores, 0 to 1."""
    return dense_share * z01(dense) + (1 - dense_share) * z01(lexical)


def best_rows(scores: Scores, num: int) -> Ints:
    """Rows of the `num` highest scores, highest first, ties by row."""
    if 0 < num < len(scores):
        rows = np.flatnonzero(scores >= np.partition(scores, len(scores) - num)[len(scores) - num])
    else:
        rows = np.arange(len(scores))
    return rows[np.argsort(-scores[rows], kind="stable")][:num].astype(np.int64)


class PassageScores:
    """Scores of all passages of one snapshot. Indices (BM25, id lookups) are built at first use.
    `files`: in which the corpus's words are kept for the next process; None: nowhere.
    """

    def __init__(self, snapshot: Snapshot, files: KeptArrays | None = None) -> None:
        self.snapshot = snapshot
        self._files = files

    def dense(self, query: Vector) -> Scores:
        """(p,) cosine, -1 to 1, to six decimals: float32 noise must not decide between equals."""
        return cosines_with(self.snapshot.passage_vectors, query)

    def dense_of(self, rows: NDArray[np.int64], query: Vector) -> Scores:
        """(len(rows),) the same for some rows alone."""
        return cosines_with(self.snapshot.passage_vectors[rows], query)

    def bm25(self, text: str) -> Scores:
        r"""(p,) BM25 with idf log(1 + (N - n + .5) / (n + .5)), k1 1.5, b 0.75; 0 where no word of
        the question occurs.

        A word that the question repeats counts once.
        """
        return self._bm25.scores(text, len(self.snapshot.passages))

    def fused(self, text: str, query: Vector) -> Scores:
        """(p,) F, 0 to 1."""
        return fuse(self.dense(query), self.bm25(text))

    def best(
        self, scores: Scores, num_passages: int, among: NDArray[np.int64] | None = None
    ) -> tuple[ScoredPassage, ...]:
        """The best passages, ties by their place in the corpus; all or those `among` the given
        rows, which ascend.
        """
        if num_passages <= 0:
            return ()
        rows = np.arange(len(scores)) if among is None else among
        best = rows[best_rows(scores[rows], num_passages)].tolist()
        return tuple(ScoredPassage(self.snapshot.passages[row], float(scores[row])) for row in best)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Passage id -> row."""
        return {passage.id: i for i, passage in enumerate(self.snapshot.passages)}

    def document_id(self, passage_id: str) -> str:
        """The id of the document that a passage is of."""
        return self.snapshot.passages[self.row_of[passage_id]].document_id

    def num_turns(self, rows: NDArray[np.int64]) -> int:
        """How many turns, or lines, the passages at `rows` (ascending) have words of."""
        first, last, document = self._turn_ranges[rows].T
        shared = (document[1:] == document[:-1]) & (first[1:] == last[:-1])
        return int((last - first + 1).sum() - shared.sum())

    @cached_property
    def _turn_ranges(self) -> Ints:
        """(p, 3): each passage's first and last turn, and the number of its document."""
        documents = {id_: number for number, id_ in enumerate(self.snapshot.documents)}
        ranges = [
            (p.first_turn, p.last_turn, documents[p.document_id]) for p in self.snapshot.passages
        ]
        return np.array(ranges, dtype=np.int64).reshape(-1, 3)

    def rows_of_entities(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of the passages that hold any of these entities (indices into the graph),
        ascending.
        """
        held = self.snapshot.graph.entity_passages
        ids = set(chain.from_iterable(held[entity] for entity in entities.tolist()))
        rows = sorted(self.row_of[id_] for id_ in ids & self.row_of.keys())
        return np.array(rows, dtype=np.int64)

    @cached_property
    def neighbours(self) -> Neighbours:
        """Each passage's neighbours in its document."""
        return Neighbours(self.snapshot.passages)

    @property
    def word_frequencies(self) -> dict[str, int]:
        """In how many passages each word occurs, as BM25 sees them."""
        return self._bm25.frequencies

    @cached_property
    def turn_parts(self) -> TurnParts:
        """The parts of turns in the passages."""
        return TurnParts.of(self.snapshot)

    @cached_property
    def terms(self) -> TermReader:
        """Reads the terms of questions in the languages of the documents."""
        return TermReader(self.snapshot.documents)

    @cached_property
    def corpus_words(self) -> CorpusWords:
        """The words of passages and of turns."""
        return CorpusWords.of(self.snapshot, self.turn_parts, self.terms, self._files)

    @cached_property
    def _bm25(self) -> "WordScores":
        table = self.corpus_words.words
        return WordScores(table.texts(), {word: i for i, word in enumerate(table.vocabulary)})


def cosines_with(vectors: Vectors, query: Vector) -> Scores:
    """(len(vectors),) cosine of unit rows with a query of any length, to six decimals."""
    if not len(vectors):
        return np.zeros(0)
    length = float(np.linalg.norm(query)) or 1.0
    unit = (query / length).astype(np.float32)
    if len(vectors) < MANY_VECTORS:
        products = [vectors @ unit]
    else:
        bounds = np.linspace(0, len(vectors), num_threads() + 1).astype(int).tolist()
        parts = [vectors[first:last] for first, last in pairwise(bounds)]
        products = list(thread_pool().map(lambda part: np.vecdot(part, unit), parts))
    cosines: Scores = np.concatenate(products, dtype=np.float64)
    return np.round(cosines, 6)


class WordScores:
    """BM25 over texts, each given as the numbers of its words in a `vocabulary`: the library's
    index over our own tokens.
    """

    def __init__(self, texts: Sequence[Sequence[int]], vocabulary: dict[str, int]) -> None:
        from bm25s import BM25

        # The library's import sets DEBUG and a handler of its own.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self.vocabulary = vocabulary
        self._index = BM25(k1=K1, b=B, method="lucene")
        if self.vocabulary:
            # A copy: the library adds an entry "" of its own to its dictionary.
            self._index.index((texts, dict(self.vocabulary)), show_progress=False)

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> "WordScores":
        """Of texts, each given as its `words`."""
        vocabulary: dict[str, int] = {}
        return cls(
            [[vocabulary.setdefault(word, len(vocabulary)) for word in text] for text in texts],
            vocabulary,
        )

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """In how many texts each word occurs."""
        if not self.vocabulary:
            return {}
        counts = np.diff(self._index.scores["indptr"]).tolist()
        return {word: counts[id_] for word, id_ in self.vocabulary.items()}

    def scores(self, text: str, num: int) -> Scores:
        """(num,) over the texts; a word of the question counts once."""
        known = self.vocabulary
        word_ids = [known[word] for word in dict.fromkeys(words_of(text)) if word in known]
        if not word_ids:
            return np.zeros(num)
        found: Scores = np.asarray(self._index.get_scores(word_ids), dtype=np.float64)
        return np.round(found, 6)
