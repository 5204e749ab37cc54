"""Plain search, without the graph: `naive` (vectors), `bm25` (words), `hybrid` and `rrf` (their
fusions). Controls for every graph arm.
"""

import numpy as np

from dynagrag.core.schema import Question, Retrieval, Snapshot
from dynagrag.retrieval.passages import PassageScores, Scores, best_rows

_RRF = 60
"""The constant of the paper; ranks count from 1."""


class NaiveSearch:
    """Passages by cosine with the question: one matrix product."""

    name = "naive"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are cosines, -1 to 1. No subgraphs."""
        scores = self._passages.dense(question.vector)
        return Retrieval(self.name, self._passages.best(scores, num_passages))


class BM25Search:
    """Passages by BM25 (bm25s), never one without any word of the question."""

    name = "bm25"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are above 0, without an upper bound. No subgraphs."""
        scores = self._passages.bm25(question.text)
        best = self._passages.best(scores, num_passages, among=np.flatnonzero(scores > 0))
        return Retrieval(self.name, best)


class HybridSearch:
    """Passages by F = 0.6 z01(dense) + 0.4 z01(BM25)."""

    name = "hybrid"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are 0 to 1, relative to this corpus. No subgraphs."""
        scores = self._passages.fused(question.text, question.vector)
        return Retrieval(self.name, self._passages.best(scores, num_passages))


class RRFSearch:
    """Passages by reciprocal-rank fusion (Cormack and others, 2009): the sum of 1 / (60 + rank)
    over the rankings by cosine and by BM25.

    A passage without any word of the question has no rank by BM25.
    """

    name = "rrf"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are 0 to 2 / 61. No subgraphs."""
        words = self._passages.bm25(question.text)
        by_words = np.where(words > 0, self._shares(words), 0)
        fused = self._shares(self._passages.dense(question.vector)) + by_words
        return Retrieval(self.name, self._passages.best(np.round(fused, 9), num_passages))

    def _shares(self, scores: Scores) -> Scores:
        """1 / (60 + rank) of each passage; ties by their place in the corpus."""
        shares: Scores = np.empty(len(scores))
        shares[best_rows(scores, len(scores))] = 1 / (_RRF + 1 + np.arange(len(scores)))
        return shares
