"""The part of a question's graph that stands in its prompt, by method (docs/papers.md, GraphQA,
steps 6 and 7).

Graphs of a set that puts them in whole (`GraphQuestion.tree` None) stay whole for G-Retriever and
GRAG.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Vector, Vectors
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, TextGraph
from dynagrag.evaluation.pruning.triple_graph import Triple
from dynagrag.language.word_runs import words
from dynagrag.retrieval.passages import Scores, WordScores, best_rows, cosines_with
from dynagrag.retrieval.steiner.steiner_tree import Ints, steiner_tree

Flags = NDArray[np.bool_]
NUM_FACTS = 10
"""KAPING's triples in a prompt (its section 4.3)."""
NUM_NEAREST, NUM_NEAREST_WHOLE = 20, 10
"""Nodes, and edges, that GRAG's tables give plain retrievers: of large graphs, and of those that
others put in whole.
"""
NUM_EGO_GRAPHS, NUM_HOPS, NUM_KEPT = 5, 2, 10
"""GRAG: ego-graphs (*chosen*; its code has 20), their hops, and how many nodes and edges of each
are kept.
"""
MAX_NODES = 2000
"""Of a graph whose ego-graphs are compared; of a larger one the nodes nearest the question."""
_AT_ONCE = 1000
MAX_KEPT = 100_000
"""Texts whose vectors are remembered: 150 MB of 384 numbers each."""


@dataclass(frozen=True, slots=True)
class RootedGraph:
    """A graph and the node that it lies round."""

    graph: TextGraph
    root: int


class TextVectors:
    """An embedder of texts that remembers `max_kept` of them."""

    def __init__(self, embedder: Embedder, max_kept: int = MAX_KEPT) -> None:
        self._embedder = embedder
        self.max_kept = max_kept
        self._kept: dict[str, Vector] = {}

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self._embedder.identity.dimension

    def of(self, texts: Sequence[str]) -> Vectors:
        """(n, d) unit rows."""
        self.keep(texts)
        found: Vectors = np.array([self._kept[text] for text in texts], dtype=np.float32).reshape(
            -1, self.width
        )
        return found

    def keep(self, texts: Iterable[str], tell: Callable[[float], None] | None = None) -> None:
        """Embeds those that are new, many at once: embedders are quick with many texts. Forgets the
        others where all would be too many. `tell` is told which share of them is done.
        """
        wanted = dict.fromkeys(texts)
        new = [text for text in wanted if text not in self._kept]
        if len(self._kept) + len(new) > self.max_kept:
            self._kept = {text: vector for text, vector in self._kept.items() if text in wanted}
        new.sort(key=len)
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            self._kept.update(zip(some, self._embedder.embed_documents(some), strict=True))
            if tell:
                tell((start + len(some)) / len(new))

    def of_query(self, text: str) -> Vector:
        """(d,) of what is asked."""
        return self._embedder.embed_query(text)


def tree_of(question: GraphQuestion, vectors: TextVectors) -> TextGraph:
    """G-Retriever's tree, with all edges that a prize made nodes of."""
    graph = question.graph
    if question.tree is None or not graph.nodes or not graph.edges:
        return graph
    query = vectors.of_query(question.query)
    nodes, edges = _cosines(graph, query, vectors)
    tree = steiner_tree(nodes, edges, _ends(graph), question.tree)
    return part_of_graph(graph, tree.nodes.tolist(), tree.edges.tolist())


def nearest_of(question: GraphQuestion, vectors: TextVectors | None) -> TextGraph:
    """The nodes and the edges nearest the question, and the edges' ends: by cosine, without
    `vectors` by BM25. Of equals the first.
    """
    graph, num = question.graph, NUM_NEAREST_WHOLE if question.tree is None else NUM_NEAREST
    if vectors is not None:
        nodes, edges = _cosines(graph, vectors.of_query(question.query), vectors)
    else:
        nodes = _by_words(question.query, graph.nodes)
        edges = _by_words(question.query, [" ".join(triple) for triple in triples_of_graph(graph)])
    return part_of_graph(graph, best_rows(nodes, num).tolist(), best_rows(edges, num).tolist())


def nearest_facts(question: GraphQuestion, vectors: TextVectors) -> list[Triple]:
    """KAPING's: the triples nearest the question by cosine, best first."""
    triples = triples_of_graph(question.graph)
    if not triples:
        return []
    cosines = cosines_with(
        vectors.of([", ".join(triple) for triple in triples]), vectors.of_query(question.query)
    )
    return [triples[row] for row in best_rows(cosines, NUM_FACTS).tolist()]


def ego_graphs_of(question: GraphQuestion, vectors: TextVectors) -> list[RootedGraph]:
    """GRAG's: those whose mean vector, over nodes and edges, is nearest the question; of each its
    nodes and edges that are nearest, and its centre. A graph that is put in whole is one, round its
    node nearest the question.
    """
    graph = question.graph
    if not graph.nodes:
        return [RootedGraph(graph, 0)]
    query = vectors.of_query(question.query)
    nodes, edges = _cosines(graph, query, vectors)
    if question.tree is None:
        return [RootedGraph(graph, int(best_rows(nodes, 1)[0]))]
    if len(graph.nodes) > MAX_NODES:
        kept = set(best_rows(nodes, MAX_NODES).tolist())
        graph = part_of_graph(
            graph,
            kept,
            [i for i, (head, _, tail) in enumerate(graph.edges) if head in kept and tail in kept],
        )
        nodes, edges = _cosines(graph, query, vectors)
    ends = _ends(graph)
    reach = _reach(len(graph.nodes), ends)
    members = reach[:, ends[:, 0]] & reach[:, ends[:, 1]]
    pooled = _pooled(
        reach, members, vectors.of(graph.nodes), vectors.of([label for _, label, _ in graph.edges])
    )
    best = best_rows(cosines_with(pooled, query), NUM_EGO_GRAPHS).tolist()
    return [
        _rooted(graph, centre, _best_of(reach[centre], nodes), _best_of(members[centre], edges))
        for centre in best
    ]


def _rooted(
    graph: TextGraph, centre: int, nodes: Collection[int], edges: Collection[int]
) -> RootedGraph:
    kept = kept_nodes(graph, {*nodes, centre}, edges)
    return RootedGraph(part_of_graph(graph, kept, edges), kept.index(centre))


def union_of(graphs: Sequence[TextGraph]) -> TextGraph:
    """All nodes and edges of graphs, those of one text once."""
    triples = dict.fromkeys(triple for graph in graphs for triple in triples_of_graph(graph))
    whole = TextGraph.of_triples(triples)
    joined = set(whole.nodes)
    alone = dict.fromkeys(node for graph in graphs for node in graph.nodes if node not in joined)
    return TextGraph((*whole.nodes, *alone), whole.edges)


def triples_of_graph(graph: TextGraph) -> list[Triple]:
    """Its edges with the texts of their ends."""
    return [(graph.nodes[head], label, graph.nodes[tail]) for head, label, tail in graph.edges]


def part_of_graph(graph: TextGraph, nodes: Collection[int], edges: Collection[int]) -> TextGraph:
    """Some nodes and edges of a graph, with the edges' ends, in the graph's order and with numbers
    of their own.
    """
    kept = kept_nodes(graph, nodes, edges)
    number = {node: i for i, node in enumerate(kept)}
    chosen = (graph.edges[row] for row in sorted(edges))
    return TextGraph(
        tuple(graph.nodes[node] for node in kept),
        tuple((number[head], label, number[tail]) for head, label, tail in chosen),
    )


def kept_nodes(graph: TextGraph, nodes: Collection[int], edges: Collection[int]) -> list[int]:
    """These nodes and the edges' ends, in the graph's order."""
    return sorted(
        {*nodes, *(end for row in edges for end in (graph.edges[row][0], graph.edges[row][2]))}
    )


def _cosines(graph: TextGraph, query: Vector, vectors: TextVectors) -> tuple[Scores, Scores]:
    return cosines_with(vectors.of(graph.nodes), query), cosines_with(
        vectors.of([label for _, label, _ in graph.edges]), query
    )


def _by_words(query: str, texts: Sequence[str]) -> Scores:
    return WordScores(map(words, texts)).scores(query, len(texts))


def _ends(graph: TextGraph) -> Ints:
    return np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)


def _reach(num: int, ends: Ints) -> Flags:
    """(n, n): which nodes are within the hops of which, whatever the edges' direction."""
    linked = coo_array(
        (np.ones(len(ends), dtype=np.float32), (ends[:, 0], ends[:, 1])), shape=(num, num)
    ).tocsr()
    linked = linked + linked.T
    reach = np.eye(num, dtype=np.float32)
    for _ in range(NUM_HOPS):
        reach = np.minimum(reach + linked @ reach, 1)
    return reach > 0


def _pooled(reach: Flags, members: Flags, x: Vectors, y: Vectors) -> Vectors:
    """(n, d) unit means of the vectors of each ego-graph's nodes and edges."""
    sums = reach.astype(np.float32) @ x + members.astype(np.float32) @ y
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return found


def _best_of(members: Flags, cosines: Scores) -> list[int]:
    rows = np.flatnonzero(members)
    best: list[int] = rows[best_rows(cosines[rows], NUM_KEPT)].tolist()
    return best
