"""Whether what an answer names as its support stands in the question's graph (G-Retriever, table 5;
docs/papers.md, GraphQA, step 9).

The model is asked again, for the edges that support the answer, and code looks each of them up. The
papers' figures are people's, who read 100 free answers.
"""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from dynagrag.core.ids import content_id
from dynagrag.evaluation.bootstrap_intervals import Interval, share_intervals
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.report import Section, Table
from dynagrag.evaluation.graphqa.answer_items import Tokens, tokens_of
from dynagrag.evaluation.graphqa.graph_methods import TEXT_FORMS
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.graphqa.named_parts import ShownText, named_in
from dynagrag.prompts import render

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel

VALID_NODES, VALID_EDGES, FULLY_VALID, NAMING = (
    "valid_nodes",
    "valid_edges",
    "fully_valid",
    "naming",
)
PUBLISHED: Mapping[str, tuple[tuple[str, float], ...]] = {
    VALID_NODES: (("graph prompt tuning", 31.0), ("G-Retriever", 77.0)),
    VALID_EDGES: (("graph prompt tuning", 12.0), ("G-Retriever", 76.0)),
    FULLY_VALID: (("graph prompt tuning", 8.0), ("G-Retriever", 62.0)),
}
"""In percent; G-Retriever, table 5: 100 answers about SceneGraphs, read by people."""
SOURCE = "G-Retriever, table 5: SceneGraphs, 100 answers read by people"
_WORDS = {
    VALID_NODES: "valid nodes: of those that an answer names, over the answers that name any",
    VALID_EDGES: "valid edges: the same",
    FULLY_VALID: "fully valid graphs: share of all answers that name something, all of it valid",
    NAMING: "share of the answers that name a node or an edge",
}
_DIGITS = 6
_MAX_REPLY = 128
"""Tokens of a reply: some eight edges."""
_NAME = re.compile(r"name: ([^;]+);")
"""How SceneGraphs' nodes begin; the rest are attributes and a place."""


class NamedSupport(BaseModel):
    """The support that a model named, and how many of its nodes and edges are in the graph."""

    model_config = ConfigDict(frozen=True)

    text: str
    nodes: int
    valid_nodes: int
    edges: int
    valid_edges: int

    @property
    def is_naming(self) -> bool:
        """Whether it names anything."""
        return bool(self.nodes)

    @property
    def is_valid(self) -> bool:
        """Whether it names something, and nothing that isn't there."""
        return self.is_naming and (self.nodes, self.edges) == (self.valid_nodes, self.valid_edges)


def asking_support(question: GraphQuestion, form: str) -> GraphQuestion:
    """The question with the words that ask for its support in place of its own. `form`: of the
    graph's text, see `text_form`.
    """
    return replace(
        question,
        question="\n".join(render("name_support", question=question.query, form=form)),
        label="",
    )


def prompt_digest() -> str:
    """A hash of the words that ask for it, in all forms."""
    words = (render("name_support", question="", form=form) for form in TEXT_FORMS)
    return content_id(*(text for pair in words for text in pair))


def with_long_replies(model: "SoftPromptModel") -> "SoftPromptModel":
    """The same model, which may say more."""
    other = copy(model)
    other.options = replace(
        model.options, layout=replace(model.options.layout, max_reply=_MAX_REPLY)
    )
    return other


def checked_support(reply: str, graph: TextGraph, shown: ShownText) -> NamedSupport:
    """A reply against the question's `graph`. A number names the node that has it in the text that
    was `shown`.

    Names are compared as whole tokens, in one case; of SceneGraphs' nodes the name alone will do.
    An edge is valid as the graph has it, not the other way round; without a relation any will do.
    """
    named = named_in(reply, shown)
    known = [_forms(node) for node in graph.nodes]
    nodes = {form for forms in known for form in forms}
    edges = {
        (s, relation, t)
        for head, label, tail in graph.edges
        for s in known[head]
        for t in known[tail]
        for relation in (tokens_of(label), ())
    }
    read = {name: _read(name, shown, nodes) for name in named.nodes}
    return NamedSupport(
        text=reply,
        nodes=len(named.nodes),
        valid_nodes=sum(not nodes.isdisjoint(read[name]) for name in named.nodes),
        edges=len(named.edges),
        valid_edges=sum(
            any((s, tokens_of(label), t) in edges for s in read[source] for t in read[target])
            for source, label, target in named.edges
        ),
    )


def hallucination_figures(found: Sequence[NamedSupport]) -> dict[str, Interval | None]:
    """The share of each measure; None where no answer names what it is about."""
    columns = {
        VALID_NODES: [one.valid_nodes / one.nodes for one in found if one.nodes],
        VALID_EDGES: [one.valid_edges / one.edges for one in found if one.edges],
        FULLY_VALID: [float(one.is_valid) for one in found],
        NAMING: [float(one.is_naming) for one in found],
    }
    return {
        name: share_intervals({name: values})[name].rounded(_DIGITS) if values else None
        for name, values in columns.items()
    }


def hallucination_section(figures: Mapping[str, Interval | None]) -> Section:
    """For the report: ours, and what was printed."""
    rows = []
    for name, own in figures.items():
        printed = [f"{value:.0f} ({system})" for system, value in PUBLISHED.get(name, ())]
        ours = "none named" if own is None else Figure.of(own)
        rows.append((_WORDS[name], (ours, ", ".join(printed) or "-")))
    return Section(
        "What answers name as their support, looked up in the graph",
        tables=(Table(("measure", "share", f"published ({SOURCE})"), tuple(rows)),),
    )


def _forms(node: str) -> tuple[Tokens, ...]:
    own = _NAME.match(node)
    return (tokens_of(node), *([tokens_of(own.group(1))] if own else []))


def _read(name: str, shown: ShownText, nodes: set[Tokens]) -> tuple[Tokens, ...]:
    """What a name may mean: itself where the graph has it, else the nodes of its number."""
    form = tokens_of(name)
    if form not in nodes and name in shown.numbers:
        return tuple(tokens_of(node) for node in shown.numbers[name])
    return (form,)
