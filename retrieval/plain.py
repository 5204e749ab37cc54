"""Plain search, without the graph: `naive` (vectors), `bm25` (words), `hybrid` (their fusion). Controls for every graph arm."""

import numpy as np

from dynagrag.retrieval.passages import PassageScores, Scores
from dynagrag.schema import Question, Retrieval, Snapshot


class NaiveSearch:
    """Passages by cosine with the question: one matrix product."""

    name = "naive"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are cosines, -1 to 1. No subgraphs."""
        return _ranked(self.name, self._passages, self._passages.dense(question.vector), num_passages)


class BM25Search:
    """Passages by BM25 (bm25s). A passage without any word of the question is never brought."""

    name = "bm25"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are above 0, without an upper bound. No subgraphs."""
        scores = self._passages.bm25(question.text)
        return Retrieval(self.name, self._passages.best(scores, num_passages, among=np.flatnonzero(scores > 0)))


class HybridSearch:
    """Passages by F = 0.6 z01(dense) + 0.4 z01(BM25)."""

    name = "hybrid"

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are 0 to 1, relative to this corpus. No subgraphs."""
        return _ranked(self.name, self._passages, self._passages.fused(question.text, question.vector), num_passages)


def _ranked(name: str, passages: PassageScores, scores: Scores, num_passages: int) -> Retrieval:
    return Retrieval(name, passages.best(scores, num_passages))
