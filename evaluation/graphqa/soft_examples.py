"""Questions over graphs as soft prompts read them: vectors of nodes, edges and question, and the graph as text.

Graphs that a set puts in whole, as the papers do with ExplaGraphs', are one graph for each method. Of larger ones there are G-Retriever's
tree, or GRAG's ego-graphs, of which the text is that of all (docs/papers.md, GraphQA).
"""

from collections.abc import Sequence

import numpy as np

from dynagrag.evaluation.graphqa.graph_methods import METHODS
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors, ego_graphs_of, tree_of, union_of
from dynagrag.evaluation.graphqa.text_tables import text_tables
from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample


def soft_examples(questions: Sequence[GraphQuestion], vectors: TextVectors, method: str) -> list[SoftExample]:
    """An example of each question, with what the method retrieves."""
    texts = dict.fromkeys(t for q in questions for t in (*q.graph.nodes, *(label for _, label, _ in q.graph.edges)))
    vectors.of(list(texts))  # all at once: embedders are quick with many texts
    return [_example(question, vectors, METHODS[method].is_pruned) for question in questions]


def shown_graph(question: GraphQuestion, vectors: TextVectors, method: str) -> TextGraph:
    """The graph whose text stands in a method's prompt; an empty one where none does."""
    if not METHODS[method].has_text:
        return TextGraph((), ())
    return _as_one(_retrieved(question, vectors, METHODS[method].is_pruned))


def _example(question: GraphQuestion, vectors: TextVectors, has_ego_graphs: bool) -> SoftExample:
    graphs = _retrieved(question, vectors, has_ego_graphs)
    text = text_tables(_as_one(graphs))
    arrays = tuple(_arrays(graph, vectors) for graph in graphs)
    return SoftExample(arrays, vectors.of_query(question.query), text, question.question, question.label)


def _retrieved(question: GraphQuestion, vectors: TextVectors, has_ego_graphs: bool) -> list[TextGraph]:
    return ego_graphs_of(question, vectors) if has_ego_graphs else [tree_of(question, vectors)]


def _as_one(graphs: Sequence[TextGraph]) -> TextGraph:
    return graphs[0] if len(graphs) == 1 else union_of(graphs)


def _arrays(graph: TextGraph, vectors: TextVectors) -> GraphArrays:
    ends = np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)
    return GraphArrays(vectors.of(graph.nodes), ends, vectors.of([label for _, label, _ in graph.edges]))
