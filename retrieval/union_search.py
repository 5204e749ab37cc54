"""The retriever `union`: what a tree of facts brings beside what Bridge-PPR ranks."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Passage, Question, Retrieval, ScoredPassage, Snapshot
from dynagrag.retrieval.passages import PassageScores


class UnionSearch:
    """Passages of two retrievers in turn, by rank, each once; subgraphs of the second
    (docs/papers.md, Union).
    """

    name = "union"

    def __init__(
        self,
        snapshot: Snapshot,
        first: Retriever,
        second: Retriever,
        passages: PassageScores | None = None,
    ) -> None:
        self._first, self._second = first, second
        self._row_of = (passages or PassageScores(snapshot)).row_of

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """A passage's score is 1 / its rank."""
        one = self._first.retrieve(question, num_passages, num_subgraphs)
        other = self._second.retrieve(question, num_passages, num_subgraphs)
        best = in_turn(
            [scored.passage for scored in one.passages],
            [scored.passage for scored in other.passages],
        )[:num_passages]
        scored = tuple(
            ScoredPassage(passage, 1 / rank) for rank, passage in enumerate(best, start=1)
        )
        return replace(
            other, retriever=self.name, passages=scored, notes=(*one.notes, *other.notes)
        )


def in_turn(first: Sequence[Passage], second: Sequence[Passage]) -> list[Passage]:
    """The first's best, the second's best, the first's next, and so on; what came before is passed
    over.
    """
    found: dict[str, Passage] = {}
    for pair in zip_longest(first, second):
        for passage in pair:
            if passage is not None:
                found.setdefault(passage.id, passage)
    return list(found.values())
