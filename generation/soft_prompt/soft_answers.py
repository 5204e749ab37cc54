"""A trained G-Retriever or GRAG on a workspace's questions: what it reads of what was retrieved, and its reply.

What it reads is the house's (docs/papers.md, Soft answers): the graph token is made of the retrieved subgraphs' own vectors, and the text
beside it is the subgraphs' hard prompts, whose evidence lines its reply may cite.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from dynagrag.generation.context import Context
from dynagrag.schema import Question, Retrieval, Snapshot, Subgraph
from dynagrag.settings import PROFILES, Profile

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel

KIND = "soft-answers"
"""Of their checkpoints."""
MAX_DESCRIPTION, MAX_LABEL, MAX_REPLY = 768, 48, 48
"""Tokens: of the prompts' text, of an answer that is learned, and of a reply, marks included."""


@dataclass(frozen=True, slots=True)
class SoftSystem:
    """How a system finds what it reads: a row of `wiring.RETRIEVERS`, and of how many subgraphs, each of so many tokens."""

    retriever: str
    num_subgraphs: int
    token_budget: int
    is_pruned: bool = False

    @property
    def profile(self) -> Profile:
        """The prompts of the subgraphs alone."""
        return replace(
            PROFILES["default"], passage_ranking="ego", num_subgraphs=self.num_subgraphs, subgraph_token_budget=self.token_budget
        )


SYSTEMS: Mapping[str, SoftSystem] = {
    "g-retriever": SoftSystem("pcst", 1, 900),
    "grag": SoftSystem("grag", 3, 450, is_pruned=True),
}
"""The token budgets include instructions of some 200 tokens, which soft prompts don't have."""


class SoftAnswerer:
    """A trained system, ready to answer. One reply at a time. `label`: what a trace and an answer call it."""

    def __init__(self, model: "SoftPromptModel", method: str) -> None:
        self.system = SYSTEMS[method]
        self.label = f"{method} with {model.lm.name}"
        self._model = model
        self._answering = Lock()

    def answer(self, snapshot: Snapshot, question: Question, retrieval: Retrieval, contexts: Sequence[Context]) -> str:
        """Its reply, as it stands: marks are not checked yet."""
        with self._answering:
            return self._model.answers([soft_example(snapshot, question, retrieval.subgraphs, contexts)])[0]


def soft_example(
    snapshot: Snapshot, question: Question, subgraphs: Sequence[Subgraph], contexts: Sequence[Context], label: str = ""
) -> "SoftExample":
    """A question as a soft prompt reads it, with the `label` that is learned where there is one."""
    from dynagrag.generation.soft_prompt.soft_example import SoftExample

    return SoftExample(
        graphs=tuple(_arrays(snapshot, subgraph) for subgraph in subgraphs),
        query=question.vector,
        description="\n\n".join(context.prompt.text for context in contexts) + "\n\n",
        question=f"Question: {question.text}\n\nAnswer:",
        label=label,
    )


def _arrays(snapshot: Snapshot, subgraph: Subgraph) -> "GraphArrays":
    """An edge for each pair, directed as the first of its relations."""
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays

    graph = snapshot.graph
    ends = []
    for (a, b), relations in zip(subgraph.pairs.tolist(), subgraph.pair_relations, strict=True):
        is_as_stated = graph.entities[subgraph.nodes[a]].id == graph.relations[relations[0]].head
        ends.append((a, b) if is_as_stated else (b, a))
    return GraphArrays(subgraph.x, np.array(ends, dtype=np.int64).reshape(-1, 2), subgraph.y)
