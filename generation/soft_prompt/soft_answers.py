"""A trained soft prompt on a workspace's questions: what it reads of what was retrieved, and its
reply.

What it reads is the house's (docs/papers.md, Soft answers): the graph token is made of the
retrieved subgraphs' own vectors, and the text beside it is a few lines of the subgraphs and ranked
passages, whose lines its reply may cite.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import Question, Retrieval, Snapshot, SoftTrace, Subgraph
from dynagrag.generation.answer_prompt import all_evidence
from dynagrag.generation.soft_prompt.soft_parts import (
    G_RETRIEVER,
    GRAG,
    GRAPH_TOKEN,
    PROMPT_TUNING,
    SoftParts,
)
from dynagrag.generation.soft_prompt.soft_text import SoftText, TokenBudget
from dynagrag.models.memory_errors import within_memory

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftModelReply, SoftPromptModel

KIND = "soft-answers"
"""Of their checkpoints."""
VERSION = 3
"""Of networks and of the texts that they learned. 1: soft pruning read one number of a node, GAT
was GATv2, and tables of a part of a graph had numbers of their own. 2: on a workspace, the text was
of the subgraphs alone, without ranked passages.
"""
MAX_DESCRIPTION, MAX_LABEL, MAX_REPLY = 768, 48, 48
"""Tokens: of the prompts' text, of an answer that is learned, and of a reply, marks included."""


@dataclass(frozen=True, slots=True)
class SoftSystem:
    """A trained system: its learned parts, the retriever that finds its subgraphs, how many, and
    the tokens of each one's text.
    """

    parts: SoftParts
    retriever: str
    num_subgraphs: int
    token_budget: int

    @property
    def profile(self) -> Profile:
        """The prompts of the subgraphs, with ranked passages beside them as in profile graph."""
        return replace(
            PROFILES["default"],
            graph_share=PROFILES["graph"].graph_share,
            has_passages_beside=True,
            num_subgraphs=self.num_subgraphs,
            subgraph_token_budget=self.token_budget,
        )


SYSTEMS: Mapping[str, SoftSystem] = {
    "g-retriever": SoftSystem(G_RETRIEVER, "pcst", 1, 1100),
    "grag": SoftSystem(GRAG, "grag", 3, 500),
    "graph-token": SoftSystem(GRAPH_TOKEN, "pcst", 1, 1100),
    "prompt-tuning": SoftSystem(PROMPT_TUNING, "pcst", 1, 1100),
}
"""The token budgets include instructions of some 200 tokens, which soft prompts don't have."""


@dataclass(frozen=True, slots=True)
class Masks:
    """Masks of soft pruning for entities and for pairs of them, both by id, the ids of a pair in
    order.
    """

    nodes: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SoftReply:
    """A system's reply as it stands: marks are not checked yet."""

    text: str
    trace: SoftTrace
    masks: Masks


class SoftAnswerer:
    """A trained system, ready to answer. One reply at a time. `label`: what a trace and an answer
    call it.
    """

    def __init__(self, model: "SoftPromptModel", method: str) -> None:
        self.system = SYSTEMS[method]
        self.label = f"{method} with {model.lm.name}"
        self.model = model
        self._answering = Lock()

    def hard_alone(self) -> "SoftAnswerer":
        """The same language model as it is, before the same text: what it answers without soft
        tokens.
        """
        from dynagrag.generation.soft_prompt.soft_prompt_model import (
            SoftPromptModel,
            SoftPromptOptions,
        )

        alone = copy(self)
        alone.model = SoftPromptModel(
            self.model.lm, SoftPromptOptions(layout=self.model.options.layout)
        )
        alone.label = f"{self.model.lm.name} as it is"
        return alone

    def answer(
        self, snapshot: Snapshot, question: Question, retrieval: Retrieval, soft_text: SoftText
    ) -> SoftReply:
        """Its reply, and what it read. Raises UsageError where the question is too long, ModelError
        where memory doesn't suffice.
        """
        example = soft_example(snapshot, question, retrieval.subgraphs, soft_text.text)
        with self._answering:
            began = time.perf_counter()
            reply = self._reply(example)
            seconds = time.perf_counter() - began
        read = self.model.text_read(example)
        options = self.model.options
        trace = SoftTrace(
            label=self.label,
            num_soft_tokens=options.num_virtual + (options.encoder is not None),
            text_tokens=len(self.model.lm.ids(read, options.layout.max_description)),
            prompt_tokens=reply.prompt_tokens,
            reply_tokens=reply.reply_tokens,
            seconds=round(seconds, 3),
            labels=lines_read(all_evidence(soft_text.prompts), read),
            num_lines_read=soft_text.num_lines_in if options.has_text else 0,
            num_lines=soft_text.num_lines,
        )
        return SoftReply(
            reply.text, trace, _masks(snapshot, retrieval.subgraphs, self.model.masks(example))
        )

    def _reply(self, example: "SoftExample") -> "SoftModelReply":
        from dynagrag.generation.soft_prompt.prompt_layout import PromptTooLongError

        try:
            with within_memory(
                f"a question to {self.label}", "ask a shorter one, or free some of the machine's"
            ):
                return self.model.replies([example])[0]
        except PromptTooLongError as err:
            raise UsageError(
                f"{err.what}; ask a shorter question, or train before a model that reads more"
            ) from err


def check_text_version(network: Mapping[str, Any], folder: Path) -> None:
    """LoadError for a network that learned from another text than a workspace's questions get
    now.
    """
    system = SYSTEMS.get(str(network.get("method")))
    if system and system.parts.has_text and network.get("version", 1) < VERSION:
        raise LoadError(
            f"{folder} can't be used: an older version trained it, on the text of the graph alone,"
            " and passages stand beside it now; train it again"
        )


def text_budget(model: "SoftPromptModel") -> TokenBudget:
    """How much text a model's prompt takes."""
    return TokenBudget(lambda text: len(model.lm.ids(text)), model.options.layout.max_description)


def lines_read(labels: Iterable[str], read: str) -> tuple[str, ...]:
    """Those whose evidence line stands in a text of whole lines. A mark behind a fact of the graph
    isn't its line.
    """
    begun = {
        line.partition("]")[0].removeprefix("[")
        for line in read.splitlines()
        if line.startswith("[")
    }
    return tuple(label for label in labels if label in begun)


def _masks(
    snapshot: Snapshot,
    subgraphs: Sequence[Subgraph],
    found: Sequence[tuple[list[float], list[float]]],
) -> Masks:
    """By id: a mask is a function of the question and of one thing's vector, so it is the same in
    each subgraph.
    """
    nodes: dict[str, float] = {}
    pairs: dict[tuple[str, str], float] = {}
    for subgraph, (of_nodes, of_pairs) in zip(subgraphs if found else (), found, strict=True):
        ids = [snapshot.graph.entities[node].id for node in subgraph.nodes]
        nodes |= zip(ids, of_nodes, strict=True)
        for (a, b), mask in zip(subgraph.pairs.tolist(), of_pairs, strict=True):
            pairs[min(ids[a], ids[b]), max(ids[a], ids[b])] = mask
    return Masks(nodes, pairs)


def soft_example(
    snapshot: Snapshot,
    question: Question,
    subgraphs: Sequence[Subgraph],
    text: str,
    label: str = "",
) -> "SoftExample":
    """A question as a soft prompt reads it, before its subgraphs' `text`, with the `label` that is
    learned where there is one.
    """
    from dynagrag.generation.soft_prompt.soft_example import SoftExample

    return SoftExample(
        graphs=tuple(_arrays(snapshot, subgraph) for subgraph in subgraphs),
        query=question.vector,
        description=text,
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
