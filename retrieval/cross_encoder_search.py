"""A retriever whose best passages a reranker puts in another order."""

from dataclasses import replace

from dynagrag.core.protocols import Reranker, Retriever
from dynagrag.core.schema import Question, Retrieval, ScoredPassage, Snapshot

NUM_WINDOWS = 50
"""Passages, or stretches of talk, that a reranker reads for a question."""


def with_reranker(retriever: Retriever, reranker: Reranker | None, snapshot: Snapshot) -> Retriever:
    """The retriever, whose best passages the reranker orders, where there is one."""
    return retriever if reranker is None else CrossEncoderSearch(retriever, reranker, snapshot)


class CrossEncoderSearch:
    """The passages of another retriever. The best 50 share out the scores that they had in the
    reranker's order; those behind them, subgraphs and turns stay.
    """

    def __init__(self, inner: Retriever, reranker: Reranker, snapshot: Snapshot) -> None:
        self._inner, self._reranker, self._snapshot = inner, reranker, snapshot
        self.name = inner.name

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """As the other retriever, with a note. Ties stay in its order."""
        found = self._inner.retrieve(question, max(num_passages, NUM_WINDOWS), num_subgraphs)
        best, behind = found.passages[:NUM_WINDOWS], found.passages[NUM_WINDOWS:]
        texts = [self._snapshot.passage_text(scored.passage) for scored in best]
        relevance = self._reranker.scores(question.text, texts)
        order = sorted(range(len(best)), key=lambda i: (-round(float(relevance[i]), 6), i))
        dealt = [
            ScoredPassage(best[i].passage, own.score) for i, own in zip(order, best, strict=True)
        ]
        note = f"the best {len(best)} passages in the order of the reranker {self._reranker.name}"
        passages = (*dealt, *behind)[: max(0, num_passages)]
        return replace(found, passages=passages, notes=(*found.notes, note))
