"""The systems that answer questions over graphs, by name: what of the graph they are given, and
what is learned before the language model.

Trained, with the language model as it is: g-retriever, grag, graph-token (the graph token without
the graph's text), prompt-tuning (virtual tokens and the text). With adapters in it: lora,
g-retriever-lora, grag-lora. As it is: zero-shot (the text), zero-cot, cot-bag, kaping, bm25, dense,
question-only. Without a model: majority.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from dynagrag.core.errors import UsageError
from dynagrag.generation.soft_prompt.soft_parts import (
    G_RETRIEVER,
    GRAG,
    GRAPH_TOKEN,
    PROMPT_TUNING,
    Paper,
    SoftParts,
)

MAJORITY = "majority"
THINK = "Let's think step by step."
"""Zero-CoT's words, after the question (G-Retriever, section 6)."""
BUILD = "Let's construct a graph with the nodes and edges first."
"""CoT-BAG's, after the graph's text."""
_MAX_THOUGHT = 128


class GraphPart(StrEnum):
    """The part of a graph that is taken: G-Retriever's tree, GRAG's ego-graphs, all, or for the
    text alone KAPING's facts and the nodes and edges that are nearest by words or vectors.
    """

    TREE = "tree"
    EGO_GRAPHS = "ego-graphs"
    WHOLE = "whole"
    FACTS = "facts"
    WORDS = "words"
    VECTORS = "vectors"


class Description(StrEnum):
    """How a graph becomes text: two tables, or GRAG's tree of lines."""

    TABLES = "tables"
    TREE = "tree"


@dataclass(frozen=True, slots=True)
class GraphMethod:
    """The parts and words of a method. `paper`: whose sizes `--paper` gives; `after_text` and
    `after_question`: words that are put there; `max_reply`: tokens of an answer at most.
    """

    parts: SoftParts = field(default_factory=SoftParts)
    paper: Paper = Paper.G_RETRIEVER
    retrieval: GraphPart = GraphPart.TREE
    description: Description = Description.TABLES
    after_text: str = ""
    after_question: str = ""
    max_reply: int = 32

    @property
    def reads_graph(self) -> bool:
        """Whether it is given anything of the graph."""
        return self.parts.has_graph or self.parts.has_text


_GRAG = GraphMethod(GRAG, Paper.GRAG, GraphPart.EGO_GRAPHS, Description.TREE)
_NOTHING = SoftParts(has_text=False)
METHODS: Mapping[str, GraphMethod] = {
    "g-retriever": GraphMethod(G_RETRIEVER),
    "grag": _GRAG,
    "graph-token": GraphMethod(GRAPH_TOKEN),
    "prompt-tuning": GraphMethod(PROMPT_TUNING),
    "lora": GraphMethod(SoftParts(has_lora=True)),
    "g-retriever-lora": GraphMethod(replace(G_RETRIEVER, has_lora=True)),
    "grag-lora": replace(_GRAG, parts=replace(GRAG, has_lora=True)),
    "zero-shot": GraphMethod(),
    "zero-cot": GraphMethod(after_question=THINK, max_reply=_MAX_THOUGHT),
    "cot-bag": GraphMethod(after_text=BUILD, max_reply=_MAX_THOUGHT),
    "kaping": GraphMethod(retrieval=GraphPart.FACTS),
    "bm25": GraphMethod(retrieval=GraphPart.WORDS),
    "dense": GraphMethod(retrieval=GraphPart.VECTORS),
    "question-only": GraphMethod(_NOTHING),
}
TRAINED = tuple(name for name, method in METHODS.items() if method.parts.is_trained)
WITHOUT: Mapping[str, Callable[[GraphMethod], GraphMethod]] = {
    "encoder": lambda own: replace(
        own, parts=replace(own.parts, has_graph=False, has_virtual=True)
    ),
    "projector": lambda own: replace(own, parts=replace(own.parts, has_projector=False)),
    "text": lambda own: replace(own, parts=replace(own.parts, has_text=False)),
    "retrieval": lambda own: replace(own, retrieval=GraphPart.WHOLE),
    "pruning": lambda own: replace(own, parts=replace(own.parts, is_pruned=False)),
}
"""The papers' ablations: what is else where a part is left out. In place of the encoder stand ten
virtual tokens. Without retrieval the whole graph is read, as the papers' baselines read it, its
text as far as it fits.
"""


def parts_of(name: str) -> tuple[str, ...]:
    """The parts that a method can go without: those that read both graph and text without each,
    others that read the tree without its retrieval.
    """
    own = METHODS.get(name, GraphMethod(_NOTHING))
    if not (own.parts.has_graph and own.parts.has_text):
        return ("retrieval",) if own.reads_graph and own.retrieval is GraphPart.TREE else ()
    return tuple(part for part in WITHOUT if part != "pruning" or own.parts.is_pruned)


def method_of(
    name: str, without: Collection[str] = (), description: Description | None = None
) -> GraphMethod:
    """A method, without some of its parts, or with its graphs described otherwise. UsageError for
    what it has not.
    """
    if name not in METHODS:
        raise UsageError(f"there is no method {name!r}; known: {', '.join((MAJORITY, *METHODS))}")
    known = parts_of(name)
    if unknown := [part for part in without if part not in known]:
        raise UsageError(
            f"{name} can't go without {unknown[0]!r}; it can without:"
            f" {', '.join(known) or 'nothing'}"
        )
    if "encoder" in without and {"projector", "pruning"} & set(without):
        raise UsageError(
            "without the encoder there is no projector and no pruning; leave them out of --without"
        )
    made = METHODS[name]
    for part in without:
        made = WITHOUT[part](made)
    return replace(made, description=description) if description else made


def variant_name(name: str, without: Collection[str], layer: str | None = None) -> str:
    """Its name in tables: "g-retriever without text", "g-retriever with gcn"."""
    left_out = f" without {', '.join(sorted(without))}" if without else ""
    return name + left_out + (f" with {layer}" if layer not in (None, "transformer") else "")
