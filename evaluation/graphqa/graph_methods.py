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
from dynagrag.evaluation.graphqa.retrieval_options import (
    OF_EGO_GRAPHS,
    OF_NEAREST,
    OF_TREES,
    RetrievalOptions,
)
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
    `after_question`: words that are put there; `max_reply`: tokens of an answer at most; `options`:
    how much is retrieved.
    """

    parts: SoftParts = field(default_factory=SoftParts)
    paper: Paper = Paper.G_RETRIEVER
    retrieval: GraphPart = GraphPart.TREE
    description: Description = Description.TABLES
    after_text: str = ""
    after_question: str = ""
    max_reply: int = 32
    options: RetrievalOptions = field(default_factory=RetrievalOptions)

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


def _without_encoder(own: GraphMethod) -> GraphMethod | None:
    """G-Retriever: ten virtual tokens in its place (its appendix B.3); GRAG: no graph token (its
    section 5.3), so that only adapters are trained.
    """
    if not (own.parts.has_graph and own.parts.has_text):
        return None
    instead = own.paper is Paper.G_RETRIEVER
    return replace(
        own,
        parts=replace(own.parts, has_graph=False, has_virtual=instead, is_pruned=False),
    )


def _without_projector(own: GraphMethod) -> GraphMethod | None:
    has_one = own.parts.has_graph and own.parts.has_text
    return replace(own, parts=replace(own.parts, has_projector=False)) if has_one else None


def _without_text(own: GraphMethod) -> GraphMethod | None:
    """The graph's token alone, or, of LoRA, questions and answers alone."""
    if not own.parts.has_text or not (own.parts.has_graph or own.parts.has_lora):
        return None
    return replace(own, parts=replace(own.parts, has_text=False))


def _without_retrieval(own: GraphMethod) -> GraphMethod | None:
    """G-Retriever, and what reads its tree: the whole graph, as the papers' baselines read it, its
    text as far as it fits. GRAG: questions and answers alone (its section 5.3).
    """
    if own.retrieval is GraphPart.EGO_GRAPHS:
        bare = replace(own.parts, has_graph=False, is_pruned=False, has_text=False)
        return replace(own, parts=bare)
    reads_tree = own.reads_graph and own.retrieval is GraphPart.TREE
    return replace(own, retrieval=GraphPart.WHOLE) if reads_tree else None


def _without_pruning(own: GraphMethod) -> GraphMethod | None:
    return replace(own, parts=replace(own.parts, is_pruned=False)) if own.parts.is_pruned else None


_WITHOUT: Mapping[str, Callable[[GraphMethod], GraphMethod | None]] = {
    "encoder": _without_encoder,
    "projector": _without_projector,
    "text": _without_text,
    "retrieval": _without_retrieval,
    "pruning": _without_pruning,
}


def _left(own: GraphMethod, part: str) -> GraphMethod | None:
    """A method without a part, None where it has none, or where nothing would be left to train."""
    made = _WITHOUT[part](own)
    if made is None or (own.parts.is_trained and not made.parts.is_trained):
        return None
    return made


def parts_of(name: str) -> tuple[str, ...]:
    """The parts that a method can go without."""
    own = METHODS.get(name, GraphMethod(_NOTHING))
    return tuple(part for part in _WITHOUT if _left(own, part) is not None)


def method_of(
    name: str,
    without: Collection[str] = (),
    description: Description | None = None,
    options: RetrievalOptions | None = None,
) -> GraphMethod:
    """A method, without some of its parts, with its graphs described otherwise, or with other
    numbers of what is retrieved. UsageError for what it has not.
    """
    if name not in METHODS:
        raise UsageError(f"there is no method {name!r}; known: {', '.join((MAJORITY, *METHODS))}")
    known = parts_of(name)
    if unknown := [part for part in without if part not in known]:
        raise UsageError(
            f"{name} can't go without {unknown[0]!r}; it can without:"
            f" {', '.join(known) or 'nothing'}"
        )
    made = METHODS[name]
    for part in without:
        left = _left(made, part)
        if left is None:
            others = ", ".join(own for own in without if own != part)
            raise UsageError(
                f"without {others} there is no {part} in {name}, or nothing to train; leave one"
                " out of --without"
            )
        made = left
    if options is not None:
        _check_retrieves(name, made, options)
        made = replace(made, options=options)
    return replace(made, description=description) if description else made


_RETRIEVES: Mapping[GraphPart, tuple[str, ...]] = {
    GraphPart.TREE: OF_TREES,
    GraphPart.EGO_GRAPHS: OF_EGO_GRAPHS,
    GraphPart.FACTS: OF_NEAREST,
    GraphPart.WORDS: OF_NEAREST,
    GraphPart.VECTORS: OF_NEAREST,
    GraphPart.WHOLE: (),
}


def _check_retrieves(name: str, own: GraphMethod, options: RetrievalOptions) -> None:
    """Raises UsageError for numbers of what a method doesn't retrieve."""
    known = _RETRIEVES[own.retrieval] if own.reads_graph else ()
    if unknown := [option for option in options.changed if option not in known]:
        named = ", ".join(f"--{option.replace('_', '-')}" for option in known)
        raise UsageError(
            f"{name} retrieves nothing by --{unknown[0].replace('_', '-')}; it has:"
            f" {named or 'no such options'}"
        )


TEXT_FORMS = ("tables", "tree", "facts", "token", "nothing")
"""The forms in which a method's graph stands before a question: three of text, the graph's token
alone, and not at all.
"""


def text_form(method: GraphMethod) -> str:
    """The form of a method's graph, one of TEXT_FORMS."""
    if not method.parts.has_text:
        return "token" if method.parts.has_graph else "nothing"
    return "facts" if method.retrieval is GraphPart.FACTS else method.description.value


def variant_name(
    name: str,
    without: Collection[str],
    layer: str | None = None,
    options: RetrievalOptions | None = None,
) -> str:
    """Its name in tables: "g-retriever without text", "g-retriever with gcn", "bm25 with nearest
    3".
    """
    left_out = f" without {', '.join(sorted(without))}" if without else ""
    own = METHODS[name].parts.layer if name in METHODS else None
    changed = {} if layer in (None, own) else {str(layer): ""}
    if options is not None:
        changed |= {option.replace("_", " "): f" {n}" for option, n in options.changed.items()}
    words = ", ".join(f"{option}{n}" for option, n in changed.items())
    return name + left_out + (f" with {words}" if words else "")
