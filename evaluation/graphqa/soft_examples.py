"""Questions over graphs as soft prompts read them: vectors of nodes, edges and question, and the graph as text.

Graphs of ExplaGraphs are put in whole, as the papers do; for GRAG such a graph is the one ego-graph.
"""

from collections.abc import Sequence

import numpy as np

from dynagrag.evaluation.graphqa.graph_question import GraphQuestion
from dynagrag.evaluation.graphqa.text_tables import text_tables
from dynagrag.generation.soft_prompt.soft_example import GraphArrays, SoftExample
from dynagrag.protocols import Embedder
from dynagrag.schema import Vector, Vectors


def soft_examples(questions: Sequence[GraphQuestion], embedder: Embedder) -> list[SoftExample]:
    """An example of each. Texts that occur again are embedded once."""
    texts = dict.fromkeys(t for q in questions for t in (*q.graph.nodes, *(label for _, label, _ in q.graph.edges)))
    vectors = dict(zip(texts, embedder.embed_documents(list(texts)), strict=True))
    return [_example(question, vectors, embedder) for question in questions]


def _example(question: GraphQuestion, vectors: dict[str, Vector], embedder: Embedder) -> SoftExample:
    graph, width = question.graph, embedder.identity.dimension
    ends = np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)
    x, y = _stacked([vectors[n] for n in graph.nodes], width), _stacked([vectors[label] for _, label, _ in graph.edges], width)
    arrays = GraphArrays(x, ends, y)
    return SoftExample((arrays,), embedder.embed_query(question.query), text_tables(graph), question.question, question.label)


def _stacked(vectors: list[Vector], width: int) -> Vectors:
    found: Vectors = np.array(vectors, dtype=np.float32).reshape(-1, width)
    return found
