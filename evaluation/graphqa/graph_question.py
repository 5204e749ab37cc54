"""The nouns of GraphQA: a graph of text, and a question that it answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dynagrag.evaluation.pruning.pruning_example import Part as Part


class AnswerForm(StrEnum):
    """What a right answer is: one of two labels, a word or a few that a question has one of, or a list of which each item is right."""

    LABEL = "label"
    SHORT = "short"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class TextGraph:
    """A directed multigraph whose nodes and edges are texts. `edges`: (head, text, tail), heads and tails by their place in `nodes`."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]

    @classmethod
    def of_triples(cls, triples: Iterable[tuple[str, str, str]]) -> "TextGraph":
        """Nodes in the order of their first appearance, heads before tails."""
        numbers: dict[str, int] = {}
        edges = tuple((numbers.setdefault(h, len(numbers)), label, numbers.setdefault(t, len(numbers))) for h, label, t in triples)
        return cls(tuple(numbers), edges)


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """`question`: as it is put to a model; `query`: what of it is embedded, without the words of the prompt. `answers`: each is right;
    `label`: what a model is trained to say. `part`: what it serves. `form`: see AnswerForm.
    """

    id: str
    question: str
    query: str
    graph: TextGraph
    answers: tuple[str, ...]
    label: str
    part: Part
    form: AnswerForm = AnswerForm.LABEL
