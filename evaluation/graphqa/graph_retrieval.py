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
from dynagrag.evaluation.graphqa.retrieval_options import EgoEdges, RetrievalOptions
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
DEFAULTS = RetrievalOptions()
MAX_NODES = 2000
"""Of a graph whose ego-graphs are compared; of a larger one the nodes nearest the question."""
_AT_ONCE = 1000
MAX_KEPT = 100_000
"""Texts whose vectors are remembered: 150 MB of 384 numbers each."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some of a graph's nodes and edges, by their numbers in it, in the order in which they are
    written.
    """

    nodes: tuple[int, ...]
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RetrievedPart:
    """A part of a question's graph, in the graph's own numbers. `read`: what an encoder reads, the
    ends of its edges among the nodes; `written`: what tables say of it; `root`: the node that it
    lies round.
    """

    read: Rows
    written: Rows
    root: int = 0


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


def whole_of(graph: TextGraph, root: int = 0) -> RetrievedPart:
    """All of a graph."""
    rows = Rows(tuple(range(len(graph.nodes))), tuple(range(len(graph.edges))))
    return RetrievedPart(rows, rows, root)


def tree_of(
    question: GraphQuestion, vectors: TextVectors, options: RetrievalOptions = DEFAULTS
) -> RetrievedPart:
    """G-Retriever's tree, with all edges that a prize made nodes of. Nodes ascend; edges stand in
    the solver's order, by which a text that is cut loses the last ones.
    """
    graph = question.graph
    if question.tree is None or not graph.nodes or not graph.edges:
        return whole_of(graph)
    nodes, edges = _cosines(graph, vectors.of_query(question.query), vectors)
    tree = steiner_tree(nodes, edges, _ends(graph), options.tree(question.tree))
    rows = Rows(tuple(tree.nodes.tolist()), tuple(tree.edges.tolist()))
    return RetrievedPart(rows, rows)


def nearest_of(
    question: GraphQuestion, vectors: TextVectors | None, options: RetrievalOptions = DEFAULTS
) -> RetrievedPart:
    """The nodes and the edges nearest the question, and the edges' ends: by cosine, without
    `vectors` by BM25. Of equals the first.
    """
    graph = question.graph
    num = options.nearest or (NUM_NEAREST_WHOLE if question.tree is None else NUM_NEAREST)
    if vectors is not None:
        nodes, edges = _cosines(graph, vectors.of_query(question.query), vectors)
    else:
        nodes = _by_words(question.query, graph.nodes)
        edges = _by_words(question.query, [" ".join(triple) for triple in triples_of_graph(graph)])
    chosen = sorted(best_rows(edges, num).tolist())
    rows = Rows(tuple(with_ends(graph, best_rows(nodes, num).tolist(), chosen)), tuple(chosen))
    return RetrievedPart(rows, rows)


def nearest_facts(
    question: GraphQuestion, vectors: TextVectors, options: RetrievalOptions = DEFAULTS
) -> list[Triple]:
    """KAPING's: the triples nearest the question by cosine, best first."""
    triples = triples_of_graph(question.graph)
    if not triples:
        return []
    cosines = cosines_with(
        vectors.of([", ".join(triple) for triple in triples]), vectors.of_query(question.query)
    )
    return [triples[row] for row in best_rows(cosines, options.nearest or NUM_FACTS).tolist()]


def ego_graphs_of(
    question: GraphQuestion, vectors: TextVectors, options: RetrievalOptions = DEFAULTS
) -> list[RetrievedPart]:
    """GRAG's: those whose mean vector, over nodes and edges, is nearest the question, nearest
    first. Each is read whole; written are its nodes and its edges that are nearest. A graph that is
    put in whole is one, round its node nearest the question.
    """
    graph = question.graph
    if not graph.nodes:
        return [whole_of(graph)]
    query = vectors.of_query(question.query)
    nodes, edges = _cosines(graph, query, vectors)
    if question.tree is None:
        return [whole_of(graph, int(best_rows(nodes, 1)[0]))]
    ends = _ends(graph)
    of_node = np.sort(best_rows(nodes, MAX_NODES))
    of_edge = np.flatnonzero(np.isin(ends, of_node).all(axis=1))
    ends = np.searchsorted(of_node, ends[of_edge])
    reach = _reach(len(of_node), ends, options)
    members = reach[:, ends[:, 0]] & reach[:, ends[:, 1]]
    x, y = vectors.of(graph.nodes), vectors.of([label for _, label, _ in graph.edges])
    pooled = _pooled(reach, members, x[of_node], y[of_edge])
    found = []
    for centre in best_rows(cosines_with(pooled, query), options.ego_graphs).tolist():
        rows = of_node[reach[centre]], of_edge[members[centre]]
        # as GRAG's code writes them: nodes by their cosine, edges by their number
        kept = _best_of(rows[0], nodes, options.kept), _best_of(rows[1], edges, options.kept)
        found.append(
            RetrievedPart(
                Rows(tuple(rows[0].tolist()), tuple(rows[1].tolist())),
                Rows(tuple(kept[0]), tuple(sorted(kept[1]))),
                int(of_node[centre]),
            )
        )
    return found


def triples_of_graph(graph: TextGraph) -> list[Triple]:
    """Its edges with the texts of their ends."""
    return [(graph.nodes[head], label, graph.nodes[tail]) for head, label, tail in graph.edges]


def part_of_graph(graph: TextGraph, rows: Rows) -> TextGraph:
    """Some nodes and edges of a graph, with numbers of their own, in their order."""
    number = {node: i for i, node in enumerate(rows.nodes)}
    chosen = (graph.edges[row] for row in rows.edges)
    return TextGraph(
        tuple(graph.nodes[node] for node in rows.nodes),
        tuple((number[head], label, number[tail]) for head, label, tail in chosen),
    )


def with_ends(graph: TextGraph, nodes: Collection[int], edges: Collection[int]) -> list[int]:
    """These nodes and the edges' ends, in the graph's order."""
    return sorted(
        {*nodes, *(end for row in edges for end in (graph.edges[row][0], graph.edges[row][2]))}
    )


def _cosines(graph: TextGraph, query: Vector, vectors: TextVectors) -> tuple[Scores, Scores]:
    return cosines_with(vectors.of(graph.nodes), query), cosines_with(
        vectors.of([label for _, label, _ in graph.edges]), query
    )


def _by_words(query: str, texts: Sequence[str]) -> Scores:
    return WordScores.of(map(words, texts)).scores(query, len(texts))


def _ends(graph: TextGraph) -> Ints:
    return np.array([(head, tail) for head, _, tail in graph.edges], dtype=np.int64).reshape(-1, 2)


def _reach(num: int, ends: Ints, options: RetrievalOptions) -> Flags:
    """(n, n): which nodes are within the hops of which."""
    into = coo_array(
        (np.ones(len(ends), dtype=np.float32), (ends[:, 1], ends[:, 0])), shape=(num, num)
    ).tocsr()
    linked = into if options.ego_edges is EgoEdges.IN else into + into.T
    reach = np.eye(num, dtype=np.float32)
    for _ in range(options.hops):
        reach = np.minimum(reach + linked @ reach, 1)
    return reach > 0


def _pooled(reach: Flags, members: Flags, x: Vectors, y: Vectors) -> Vectors:
    """(n, d) unit means of the vectors of each ego-graph's nodes and edges."""
    sums = reach.astype(np.float32) @ x + members.astype(np.float32) @ y
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Vectors = (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return found


def _best_of(rows: Ints, cosines: Scores, num: int) -> list[int]:
    """All of these rows in their order if they are no more than `num`, else the best, best
    first.
    """
    best = rows if len(rows) <= num else rows[best_rows(cosines[rows], num)]
    return [int(row) for row in best]
