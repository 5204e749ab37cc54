"""Questions over graphs as models read them: vectors of nodes, edges and question, and the graph as
text.

Graphs that a set puts in whole, as the papers do with ExplaGraphs', are one graph for each method.
Of larger ones there are G-Retriever's tree, or GRAG's ego-graphs with the text of each, or text
alone of what is nearest the question (docs/papers.md, GraphQA).
"""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from dynagrag.evaluation.graphqa.graph_methods import (
    Description,
    GraphMethod,
    GraphPart,
    text_form,
)
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import (
    RetrievedPart,
    Rows,
    TextVectors,
    ego_graphs_of,
    nearest_facts,
    nearest_of,
    part_of_graph,
    tree_of,
    whole_of,
    with_ends,
)
from dynagrag.evaluation.graphqa.named_parts import NOTHING_SHOWN, NamedParts, ShownText
from dynagrag.evaluation.graphqa.text_tables import (
    edge_table,
    node_table,
    table_rows,
    text_tables,
)
from dynagrag.evaluation.graphqa.tree_description import description_lines, tree_description
from dynagrag.evaluation.pruning.triple_graph import Triple
from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample
from dynagrag.ingest.pipeline import Progress

FACTS_HEAD = "Below are facts in the form of the triple meaningful to answer the question."
"""KAPING's words before its triples (its section 4.3)."""


def soft_examples(
    questions: Sequence[GraphQuestion],
    vectors: TextVectors,
    method: GraphMethod,
    progress: Progress | None = None,
) -> list[SoftExample]:
    """An example of each question, with what the method retrieves. `progress` is told of the
    embedding, in questions.
    """
    if not (
        method.parts.has_graph
        or (method.parts.has_text and method.retrieval not in (GraphPart.WORDS, GraphPart.WHOLE))
    ):
        return [_example(question, vectors, method) for question in questions]
    examples: list[SoftExample] = []
    tell = progress or (lambda *_: None)

    def told(num: int, share: float) -> None:
        tell("embed", len(examples) + int(share * num), len(questions))

    for group in _groups(questions, vectors.max_kept):
        told(len(group), 0)
        vectors.keep(
            (text for question in group for text in _texts(question)), partial(told, len(group))
        )
        examples += [_example(question, vectors, method) for question in group]
    return examples


def _groups(questions: Sequence[GraphQuestion], most: int) -> Iterator[list[GraphQuestion]]:
    """Neighbours whose graphs have `most` texts together at most, or one question."""
    group: list[GraphQuestion] = []
    texts: set[str] = set()
    for question in questions:
        own = set(_texts(question))
        if group and len(texts | own) > most:
            yield group
            group, texts = [], set()
        group.append(question)
        texts |= own
    if group:
        yield group


def _texts(question: GraphQuestion) -> Iterator[str]:
    yield from question.graph.nodes
    yield from (label for _, label, _ in question.graph.edges)


def _example(question: GraphQuestion, vectors: TextVectors, method: GraphMethod) -> SoftExample:
    asked = f"{method.after_text}\n{question.question}" if method.after_text else question.question
    if method.after_question:
        asked = f"{asked.rstrip()} {method.after_question}"
    if not method.reads_graph:
        return SoftExample((), np.zeros(vectors.width, np.float32), "", asked, question.label)
    found = retrieved(question, vectors, method)
    arrays = (
        tuple(_arrays(part_of_graph(question.graph, own.read), vectors) for own in found)
        if method.parts.has_graph
        else ()
    )
    text = described(question, vectors, method, found) if method.parts.has_text else ""
    return SoftExample(arrays, vectors.of_query(question.query), text, asked, question.label)


def retrieved(
    question: GraphQuestion, vectors: TextVectors, method: GraphMethod
) -> list[RetrievedPart]:
    """The parts of a question's graph that a method takes."""
    options = method.options
    match method.retrieval:
        case GraphPart.EGO_GRAPHS:
            return ego_graphs_of(question, vectors, options)
        case GraphPart.WHOLE:
            return [whole_of(question.graph)]
        case GraphPart.WORDS:
            return [nearest_of(question, None, options)]
        case GraphPart.VECTORS:
            return [nearest_of(question, vectors, options)]
        case GraphPart.TREE:
            return [tree_of(question, vectors, options)]
        case GraphPart.FACTS:
            return []


def described(
    question: GraphQuestion,
    vectors: TextVectors,
    method: GraphMethod,
    found: Sequence[RetrievedPart],
) -> str:
    """The text of what a method retrieved. Of several ego-graphs one stands after the other."""
    graph = question.graph
    if method.retrieval is GraphPart.FACTS:
        return _facts_text(question, vectors, method)
    if method.description is Description.TREE:
        return "\n".join(_tree_lines(graph, own) for own in found)
    if method.retrieval is GraphPart.EGO_GRAPHS and question.tree is not None:
        return "".join(_ego_tables(graph, own.written) for own in found)
    (own,) = found
    return text_tables(graph, own.written)


def shown_text(question: GraphQuestion, vectors: TextVectors, method: GraphMethod) -> ShownText:
    """What the lines of a method's text name, and what its numbers stand for."""
    graph, form = question.graph, text_form(method)
    if form == "facts":
        facts = nearest_facts(question, vectors, method.options)
        return ShownText(
            {FACTS_HEAD: NamedParts()} | {_fact(fact): NamedParts((), (fact,)) for fact in facts}
        )
    if form not in ("tables", "tree"):
        return NOTHING_SHOWN
    entries: dict[str, NamedParts] = {}
    numbers: dict[str, set[str]] = {}
    for own in retrieved(question, vectors, method):
        if form == "tree":
            part, root = _tree_part(graph, own)
            lines = description_lines(part, root)
        else:
            lines = table_rows(graph, own.written)
            part = graph
        for line in lines:
            entries[line.text.strip()] = _named_by(part, line.node, line.edge)
            if line.node is not None and line.number:
                numbers.setdefault(line.number, set()).add(part.nodes[line.node])
    return ShownText(entries, numbers)


def _named_by(graph: TextGraph, node: int | None, edge: int | None) -> NamedParts:
    nodes = () if node is None else (graph.nodes[node],)
    if edge is None:
        return NamedParts(nodes)
    head, label, tail = graph.edges[edge]
    return NamedParts(nodes, ((graph.nodes[head], label, graph.nodes[tail]),))


def _tree_part(graph: TextGraph, own: RetrievedPart) -> tuple[TextGraph, int]:
    """The rows that are written, with their edges' ends and the root."""
    edges = own.written.edges
    nodes = with_ends(graph, {*own.written.nodes, own.root}, edges)
    return part_of_graph(graph, Rows(tuple(nodes), edges)), nodes.index(own.root)


def _tree_lines(graph: TextGraph, own: RetrievedPart) -> str:
    """GRAG's description."""
    return tree_description(*_tree_part(graph, own)) if graph.nodes else ""


def _ego_tables(graph: TextGraph, rows: Rows) -> str:
    """As GRAG's code writes an ego-graph; one without edges has no table of them."""
    edges = f"{edge_table(graph, rows)}\n" if rows.edges else ""
    return f"{node_table(graph, rows)}\n{edges}"


def _facts_text(question: GraphQuestion, vectors: TextVectors, method: GraphMethod) -> str:
    facts = [_fact(triple) for triple in nearest_facts(question, vectors, method.options)]
    return "".join(f"{line}\n" for line in (FACTS_HEAD, *facts)) if facts else ""


def _fact(triple: Triple) -> str:
    return f"({', '.join(triple)})"


def _arrays(graph: TextGraph, vectors: TextVectors) -> GraphArrays:
    ends = np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)
    return GraphArrays(
        vectors.of(graph.nodes), ends, vectors.of([label for _, label, _ in graph.edges])
    )
