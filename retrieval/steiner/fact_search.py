"""Retrievers of the parts of the graph whose entities and facts are nearest the question: `pcst`
and `triples`.

The graph is the undirected one: one edge for a pair of entities, with the mean of what its
relations state. Passages are those of the retrieved entities, by their own cosine with the
question.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from dynagrag.core.schema import Candidate, Question, Retrieval, Snapshot, Subgraph, Vector
from dynagrag.retrieval.ego.undirected_graph import UndirectedGraph, cut_out, undirected_graph
from dynagrag.retrieval.passages import PassageScores, best_rows, cosines_with
from dynagrag.retrieval.steiner.steiner_tree import Floats, Ints, Tree, TreeOptions, steiner_tree

NUM_TRIPLES = 10
"""KAPING's number of facts in a prompt (its section 4.3)."""


class _FactSearch(ABC):
    """Base of the searches over facts. Deterministic and thread-safe."""

    name: str
    _why: str
    """Why a subgraph was taken."""
    _kind: str
    """The name of its kind of subgraph."""

    def __init__(self, snapshot: Snapshot, passages: PassageScores | None = None) -> None:
        self._snapshot = snapshot
        self._passages = passages or PassageScores(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Subgraphs by the score of their nearest entity, which is their centre."""
        if not self._snapshot.graph.entities:
            return Retrieval(self.name, (), notes=("the graph is empty",), subgraph_kind=self._kind)
        nodes = cosines_with(self._graph.z, question.vector)
        found = sorted(
            self._found(nodes, self._edge_cosines(nodes, question.vector)),
            key=lambda own: (-own.score, own.nodes[0]),
        )
        subgraphs = tuple(found[:num_subgraphs])
        members = sorted(set(chain.from_iterable(subgraph.nodes for subgraph in subgraphs)))
        rows = self._passages.rows_of_entities(np.array(members, dtype=np.int64))
        best = self._passages.best(self._passages.dense(question.vector), num_passages, among=rows)
        entities = self._snapshot.graph.entities
        centres = [(entities[own.nodes[0]], own.score) for own in subgraphs]
        candidates = tuple(
            Candidate(e.id, e.name, score, is_accepted=True, reason=self._why)
            for e, score in centres
        )
        notes: tuple[str, ...] = ()
        if not self._graph.num_pairs:
            notes = ("the graph has no facts, so entities were brought alone",)
        return Retrieval(self.name, best, subgraphs, candidates, notes, subgraph_kind=self._kind)

    @abstractmethod
    def _found(self, nodes: Floats, edges: Floats) -> list[Subgraph]:
        """The subgraphs for cosines of nodes (n,) and pairs (m,) with the question."""

    def _alone(self, nodes: Floats, num: int) -> list[Subgraph]:
        """The nearest nodes, each a subgraph without edges."""
        best = best_rows(nodes, num)
        no_edges = np.zeros(0, dtype=np.int64)
        return [self._subgraph(Tree(best[i : i + 1], no_edges), nodes) for i in range(len(best))]

    def _subgraph(self, tree: Tree, nodes: Floats) -> Subgraph:
        """The tree's pairs as a subgraph round its nearest entity, in the order in which they are
        reached from it.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import breadth_first_order

        centre = int(np.argmax(nodes[tree.nodes]))
        place = {node: i for i, node in enumerate(tree.nodes.tolist())}
        pairs = [(place[a], place[b]) for a, b in self._ends[tree.edges].tolist()]
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        size = len(tree.nodes)
        linked = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
        order, parents = breadth_first_order(linked.tocsr(), centre, directed=False)
        hops = np.zeros(size, dtype=np.int64)
        for node in order[1:]:
            hops[node] = hops[parents[node]] + 1
        order = order[np.lexsort((tree.nodes[order], hops[order]))]
        edges = np.argsort(tree.edges)
        score = float(nodes[tree.nodes[centre]])
        made = cut_out(self._graph, tree.nodes[order], hops[order], tree.edges[edges], score)
        if tree.node_prizes is None or tree.edge_prizes is None:
            return made
        return replace(
            made,
            node_prizes=tuple(tree.node_prizes[order].tolist()),
            pair_prizes=tuple(tree.edge_prizes[edges].tolist()),
        )

    def _edge_cosines(self, nodes: Floats, query: Vector) -> Floats:
        """(m,) to six decimals: of what the pairs state, else of the mean of their ends."""
        graph = self._graph
        cosines = np.round((nodes[graph.u] + nodes[graph.v]) / self._lengths, 6)
        states = graph.y_rows >= 0
        cosines[states] = cosines_with(graph.y, query)[graph.y_rows[states]]
        return cosines

    @cached_property
    def _graph(self) -> UndirectedGraph:
        return undirected_graph(self._snapshot.graph)

    @cached_property
    def _ends(self) -> Ints:
        return np.stack([self._graph.u, self._graph.v], axis=1)

    @cached_property
    def _lengths(self) -> Floats:
        """(m,) of the sums of the ends' vectors; 1 where the ends are opposites."""
        graph, step = self._graph, 65_536
        parts = [
            np.linalg.norm(graph.z[graph.u[i : i + step]] + graph.z[graph.v[i : i + step]], axis=1)
            for i in range(0, graph.num_pairs, step)
        ]
        lengths = np.concatenate([np.zeros(0), *parts]).astype(np.float64)
        lengths[lengths < 1e-6] = 1.0
        return lengths


class SteinerSearch(_FactSearch):
    """G-Retriever's retrieval (its section 5.2): one tree of entities and facts, large in prizes
    and small in cost.
    """

    name = "pcst"
    _why = "the tree's nearest entity"
    _kind = "tree"

    def __init__(
        self,
        snapshot: Snapshot,
        passages: PassageScores | None = None,
        options: TreeOptions | None = None,
    ) -> None:
        super().__init__(snapshot, passages)
        self._options = options or TreeOptions()

    def _found(self, nodes: Floats, edges: Floats) -> list[Subgraph]:
        if not len(edges):
            # The paper retrieves such a graph whole, but a corpus of entities would be too large.
            return self._alone(nodes, self._options.num_nodes)
        return [self._subgraph(steiner_tree(nodes, edges, self._ends, self._options), nodes)]


class TripleSearch(_FactSearch):
    """KAPING's retrieval: the facts nearest the question; those that hang together are one
    subgraph.
    """

    name = "triples"
    _why = "the nearest entity of the nearest facts"
    _kind = "fact graph"

    def _found(self, nodes: Floats, edges: Floats) -> list[Subgraph]:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not len(edges):
            return self._alone(nodes, NUM_TRIPLES)
        best = best_rows(edges, NUM_TRIPLES)
        members = np.unique(self._ends[best])
        ends = np.searchsorted(members, self._ends[best])
        linked = coo_array(
            (np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(members), len(members))
        )
        count, of_member = connected_components(linked, directed=False)
        of_edge = of_member[ends[:, 0]]
        return [
            self._subgraph(Tree(members[of_member == i], best[of_edge == i]), nodes)
            for i in range(count)
        ]
