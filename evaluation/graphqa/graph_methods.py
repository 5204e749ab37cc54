"""The systems that answer questions over graphs, by name: what of the graph they are given, and what is learned before the language model.

Trained, with the language model as it is: g-retriever, grag, graph-token (the graph token without the graph's text), prompt-tuning
(virtual tokens and the text). With adapters in it: lora, g-retriever-lora, grag-lora. As it is: zero-shot (the text), zero-cot, cot-bag,
kaping, bm25, dense, question-only. Without a model: majority.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from dynagrag.errors import UsageError

MAJORITY = "majority"
THINK = "Let's think step by step."
"""Zero-CoT's words, after the question (G-Retriever, section 6)."""
BUILD = "Let's construct a graph with the nodes and edges first."
"""CoT-BAG's, after the graph's text."""
NUM_VIRTUAL = 10
_MAX_THOUGHT = 128


class Retrieval(StrEnum):
    """What of a graph is taken: G-Retriever's tree, GRAG's ego-graphs, all, or for the text alone KAPING's facts and the nodes and edges
    that are nearest by words or vectors.
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
    """What a method is made of. `is_pruned`: GRAG's soft pruning of nodes and edges; `has_lora`: adapters in the language model.
    `after_text` and `after_question`: words that are put there; `max_reply`: tokens of an answer at most.
    """

    has_graph: bool = False
    is_pruned: bool = False
    has_projector: bool = True
    num_virtual: int = 0
    has_text: bool = True
    has_lora: bool = False
    retrieval: Retrieval = Retrieval.TREE
    description: Description = Description.TABLES
    after_text: str = ""
    after_question: str = ""
    max_reply: int = 32

    @property
    def is_trained(self) -> bool:
        """Whether there is anything to train."""
        return self.has_graph or self.num_virtual > 0 or self.has_lora


_GRAG = GraphMethod(has_graph=True, is_pruned=True, retrieval=Retrieval.EGO_GRAPHS, description=Description.TREE)
METHODS: Mapping[str, GraphMethod] = {
    "g-retriever": GraphMethod(has_graph=True),
    "grag": _GRAG,
    "graph-token": GraphMethod(has_graph=True, has_text=False),
    "prompt-tuning": GraphMethod(num_virtual=NUM_VIRTUAL),
    "lora": GraphMethod(has_lora=True),
    "g-retriever-lora": GraphMethod(has_graph=True, has_lora=True),
    "grag-lora": replace(_GRAG, has_lora=True),
    "zero-shot": GraphMethod(),
    "zero-cot": GraphMethod(after_question=THINK, max_reply=_MAX_THOUGHT),
    "cot-bag": GraphMethod(after_text=BUILD, max_reply=_MAX_THOUGHT),
    "kaping": GraphMethod(retrieval=Retrieval.FACTS),
    "bm25": GraphMethod(retrieval=Retrieval.WORDS),
    "dense": GraphMethod(retrieval=Retrieval.VECTORS),
    "question-only": GraphMethod(has_text=False),
}
TRAINED = tuple(name for name, method in METHODS.items() if method.is_trained)
WITHOUT: Mapping[str, Mapping[str, object]] = {
    "encoder": {"has_graph": False, "is_pruned": False, "num_virtual": NUM_VIRTUAL},
    "projector": {"has_projector": False},
    "text": {"has_text": False},
    "retrieval": {"retrieval": Retrieval.WHOLE},
    "pruning": {"is_pruned": False},
}
"""The papers' ablations: what is else where a part is left out. In place of the encoder stand ten virtual tokens. Without retrieval the
whole graph is read, as the papers' baselines read it, its text as far as it fits."""


def parts_of(name: str) -> tuple[str, ...]:
    """The parts that a method can go without: those that read both graph and text without each, others that read the tree without its
    retrieval.
    """
    own = METHODS.get(name, GraphMethod(has_text=False))
    if not (own.has_graph and own.has_text):
        return ("retrieval",) if (own.has_graph or own.has_text) and own.retrieval is Retrieval.TREE else ()
    return tuple(part for part in WITHOUT if part != "pruning" or METHODS[name].is_pruned)


def method_of(name: str, without: Collection[str] = (), description: Description | None = None) -> GraphMethod:
    """A method, without some of its parts, or with its graphs described otherwise. UsageError for what it has not."""
    if name not in METHODS:
        raise UsageError(f"there is no method {name!r}; known: {', '.join((MAJORITY, *METHODS))}")
    known = parts_of(name)
    if unknown := [part for part in without if part not in known]:
        raise UsageError(f"{name} can't go without {unknown[0]!r}; it can without: {', '.join(known) or 'nothing'}")
    if "encoder" in without and {"projector", "pruning"} & set(without):
        raise UsageError("without the encoder there is no projector and no pruning; leave them out of --without")
    changed = {key: value for part in without for key, value in WITHOUT[part].items()}
    return replace(METHODS[name], **changed | ({"description": description} if description else {}))  # type: ignore[arg-type]


def variant_name(name: str, without: Collection[str], layer: str | None = None) -> str:
    """What tables call it: "g-retriever without text", "g-retriever with gcn"."""
    left_out = f" without {', '.join(sorted(without))}" if without else ""
    return name + left_out + (f" with {layer}" if layer not in (None, "transformer") else "")
