"""Passages that Bridge-PPR ranks and subgraphs of another retriever: the retriever `union`, and
what trained systems read.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import Passage, Question, Retrieval, ScoredPassage


class UnionSearch:
    """Passages of two retrievers in turn, by rank, each once; turns and trace of the first,
    subgraphs of the second (docs/papers.md, The retriever union).
    """

    name = "union"

    def __init__(self, first: Retriever, second: Retriever) -> None:
        self._first, self._second = first, second

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """A passage's score is 1 / its rank."""
        one = self._first.retrieve(question, num_passages, num_subgraphs)
        other = self._second.retrieve(question, num_passages, num_subgraphs)
        first, second = ([scored.passage for scored in found.passages] for found in (one, other))
        best = in_turn(first, second)[:num_passages]
        passages = tuple(ScoredPassage(passage, 1 / rank) for rank, passage in enumerate(best, 1))
        return replace(
            other,
            retriever=self.name,
            passages=passages,
            ranked_alone=one.passages,
            turns=one.turns,
            trace=one.trace,
            notes=(*one.notes, *other.notes),
        )


class PassagesBesideSubgraphs:
    """Passages and turns of one retriever, subgraphs of another, whose name it has (docs/papers.md,
    Soft answers).
    """

    def __init__(self, ranker: Retriever, subgraphs: Retriever) -> None:
        self.name = subgraphs.name
        self._ranker, self._subgraphs = ranker, subgraphs

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """With the trace of the ranking."""
        ranked = self._ranker.retrieve(question, num_passages, 0)
        found = self._subgraphs.retrieve(question, 1, num_subgraphs)
        return replace(
            found,
            passages=ranked.passages,
            turns=ranked.turns,
            trace=ranked.trace,
            notes=tuple(dict.fromkeys((*ranked.notes, *found.notes))),
        )


def in_turn(first: Sequence[Passage], second: Sequence[Passage]) -> list[Passage]:
    """The first's best, the second's best, the first's next, and so on; what came before is passed
    over.
    """
    found: dict[str, Passage] = {}
    for passage in chain.from_iterable(zip_longest(first, second)):
        if passage is not None:
            found.setdefault(passage.id, passage)
    return list(found.values())
