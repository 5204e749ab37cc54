"""The nouns of GraphQA: a graph of text, and a question that it answers."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np

from dynagrag.evaluation.pruning.pruning_example import Part as Part
from dynagrag.evaluation.pruning.triple_graph import Triple
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

PARTS = {
    "train": Part.TRAIN,
    "val": Part.VALIDATION,
    "validation": Part.VALIDATION,
    "dev": Part.VALIDATION,
    "test": Part.TEST,
}
"""By their names in files."""


class AnswerForm(StrEnum):
    """The form of a right answer: one of two labels, a word or a few that a question has one of, or
    a list of which each item is right.
    """

    LABEL = "label"
    SHORT = "short"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class TextGraph:
    """A directed multigraph whose nodes and edges are texts. `edges`: (head, text, tail), heads and
    tails by their place in `nodes`.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]

    @classmethod
    def of_triples(cls, triples: Iterable[Triple]) -> "TextGraph":
        """Nodes in the order of their first appearance, heads before tails."""
        numbers: dict[str, int] = {}
        edges = tuple(
            (numbers.setdefault(h, len(numbers)), label, numbers.setdefault(t, len(numbers)))
            for h, label, t in triples
        )
        return cls(tuple(numbers), edges)


class LateGraph(TextGraph):
    """A graph that is cut out of a larger one when it is first looked at: a run looks at few of a
    set's.
    """

    __slots__ = ("_made",)
    _made: Callable[[], TextGraph]

    def __init__(self, make: Callable[[], TextGraph]) -> None:
        object.__setattr__(self, "_made", cache(make))

    @property
    def nodes(self) -> tuple[str, ...]:
        """As of any graph."""
        return self._made().nodes

    @property
    def edges(self) -> tuple[tuple[int, str, int], ...]:
        """As of any graph."""
        return self._made().edges

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextGraph) and (self.nodes, self.edges) == (
            other.nodes,
            other.edges,
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.edges))


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """`question`: as it is put to a model; `query`: what of it is embedded, without the words of
    the prompt. `answers`: each is right; `label`: what a model is trained to say. `part`: what it
    serves. `form`: see AnswerForm. `tree`: what of its graph is retrieved; None: all. `path`: the
    triples that lead to the answer, where the set has them.
    """

    id: str
    question: str
    query: str
    graph: TextGraph
    answers: tuple[str, ...]
    label: str
    part: Part
    form: AnswerForm = AnswerForm.LABEL
    tree: TreeOptions | None = None
    path: tuple[Triple, ...] = ()


def shuffled_parts(num: int) -> list[Part]:
    """The split of each of `num` rows in the papers' split of 60, 20 and 20 %: scikit-learn's
    train_test_split, twice, with seed 42.
    """
    order = np.random.RandomState(42).permutation(num)
    rest = order[: math.ceil(0.4 * num)]
    again = np.random.RandomState(42).permutation(len(rest))
    num_test = math.ceil(0.5 * len(rest))
    parts = [Part.TRAIN] * num
    for place, row in enumerate(rest[again].tolist()):
        parts[row] = Part.TEST if place < num_test else Part.VALIDATION
    return parts
