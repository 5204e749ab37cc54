"""Questions over graphs as models read them: vectors of nodes, edges and question, and the graph as
text.

Graphs that a set puts in whole, as the papers do with ExplaGraphs', are one graph for each method.
Of larger ones there are G-Retriever's tree, or GRAG's ego-graphs with the text of each, or text
alone of what is nearest the question (docs/papers.md, GraphQA).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from dynagrag.evaluation.graphqa.graph_methods import Description, GraphMethod, GraphPart
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import (
    RootedGraph,
    TextVectors,
    ego_graphs_of,
    nearest_facts,
    nearest_of,
    tree_of,
    union_of,
)
from dynagrag.evaluation.graphqa.text_tables import text_tables
from dynagrag.evaluation.graphqa.tree_description import tree_description
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


def shown_graph(question: GraphQuestion, vectors: TextVectors, method: GraphMethod) -> TextGraph:
    """The graph whose tables stand in a method's prompt, an empty one where none do."""
    if (
        not method.parts.has_text
        or method.retrieval is GraphPart.FACTS
        or method.description is not Description.TABLES
    ):
        return TextGraph((), ())
    return _as_one(_retrieved(question, vectors, method))


def _example(question: GraphQuestion, vectors: TextVectors, method: GraphMethod) -> SoftExample:
    asked = f"{method.after_text}\n{question.question}" if method.after_text else question.question
    if method.after_question:
        asked = f"{asked.rstrip()} {method.after_question}"
    if not method.reads_graph:
        return SoftExample((), np.zeros(vectors.width, np.float32), "", asked, question.label)
    graphs = _retrieved(question, vectors, method)
    text = (
        _facts_text(question, vectors)
        if method.retrieval is GraphPart.FACTS
        else _described(graphs, method.description)
    )
    arrays = tuple(_arrays(own.graph, vectors) for own in graphs) if method.parts.has_graph else ()
    return SoftExample(arrays, vectors.of_query(question.query), text, asked, question.label)


def _retrieved(
    question: GraphQuestion, vectors: TextVectors, method: GraphMethod
) -> list[RootedGraph]:
    match method.retrieval:
        case GraphPart.EGO_GRAPHS:
            return ego_graphs_of(question, vectors)
        case GraphPart.WHOLE:
            return (
                ego_graphs_of(replace(question, tree=None), vectors)
                if method.parts.has_graph
                else [RootedGraph(question.graph, 0)]
            )
        case GraphPart.WORDS:
            return [RootedGraph(nearest_of(question, None), 0)]
        case GraphPart.VECTORS:
            return [RootedGraph(nearest_of(question, vectors), 0)]
        case GraphPart.TREE:
            return [RootedGraph(tree_of(question, vectors), 0)]
        case GraphPart.FACTS:
            return []


def _described(graphs: Sequence[RootedGraph], description: Description) -> str:
    """Trees of several graphs stand one after the other, a blank line between them; tables are of
    all together.
    """
    if description is Description.TREE:
        return "\n".join(tree_description(own.graph, own.root) for own in graphs)
    return text_tables(_as_one(graphs))


def _facts_text(question: GraphQuestion, vectors: TextVectors) -> str:
    facts = [f"({', '.join(triple)})\n" for triple in nearest_facts(question, vectors)]
    return "".join([f"{FACTS_HEAD}\n", *facts]) if facts else ""


def _as_one(graphs: Sequence[RootedGraph]) -> TextGraph:
    return graphs[0].graph if len(graphs) == 1 else union_of([own.graph for own in graphs])


def _arrays(graph: TextGraph, vectors: TextVectors) -> GraphArrays:
    ends = np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)
    return GraphArrays(
        vectors.of(graph.nodes), ends, vectors.of([label for _, label, _ in graph.edges])
    )
