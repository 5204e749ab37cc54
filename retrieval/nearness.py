"""Where nothing of the graph is near a question, passages are brought in its place (docs/papers.md,
Nothing near).
"""

from dataclasses import dataclass, replace

import numpy as np

from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Question, Retrieval
from dynagrag.retrieval.passages import PassageScores

NUM_NEAR = 20
"""Passages that fit a question best: a subgraph is near where one of them holds one of its
entities.
"""


@dataclass(frozen=True, slots=True)
class NearOrPassages:
    """The subgraphs of another retriever, but none of them where none is near the question."""

    inner: Retriever
    passages: PassageScores

    @property
    def name(self) -> str:
        """The other retriever's."""
        return self.inner.name

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """As the other retriever. Where nothing is near, its passages if it ranks turns, which
        needs no graph, else those that fit best by vectors and words; it is told in `fallback`.
        """
        found = self.inner.retrieve(question, num_passages, num_subgraphs)
        if not found.subgraphs:
            return found
        best, what = found.ranked_alone or found.passages, "passages alone"
        if not found.turns:
            scores = self.passages.fused(question.text, question.vector)
            best = self.passages.best(scores, max(num_passages, NUM_NEAR))
            what = "passages by vectors and words"
        if self._is_near(found, [self.passages.row_of[own.passage.id] for own in best[:NUM_NEAR]]):
            return found
        refused = tuple(
            replace(own, is_accepted=False, reason="no passage near the question holds it")
            if own.is_accepted
            else own
            for own in found.candidates
        )
        return replace(
            found,
            passages=best[:num_passages],
            ranked_alone=(),
            subgraphs=(),
            candidates=refused,
            fallback=f"nothing of the graph is near this question, so {what} were read",
        )

    def _is_near(self, found: Retrieval, rows: list[int]) -> bool:
        """Whether one of these passages holds an entity of a subgraph."""
        nodes = sorted({node for subgraph in found.subgraphs for node in subgraph.nodes})
        held = self.passages.rows_of_entities(np.array(nodes, dtype=np.int64))
        return bool(np.isin(held, rows).any())
