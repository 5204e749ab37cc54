"""Ego-graph embeddings as sums, so that single centres can be written back (docs/papers.md,
Ego-graphs, steps 4, 5).

S_n = R diag(w) Z,  W_n = R w,  S_e = M diag(f) Y,  W_e = M f
    with decay: each entry times gamma^hop
g = norm(0.5 S_n / W_n + 0.5 S_e / W_e)
    the node part alone where no edge states anything
g = norm((S_n + S_e) / (W_n + W_e))
    where both are pooled jointly, as GRAG has it
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynagrag.core.schema import Vectors
from dynagrag.retrieval.ego.reach import EgoRule, Reach
from dynagrag.retrieval.ego.undirected_graph import Floats, Ints, UndirectedGraph, precise_unit_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_CHUNK_NNZ = 2e7
"""Most entries of one chunk's sparse matrices, so that memory stays bounded whatever the graph."""


@dataclass(frozen=True, slots=True)
class Sums:
    """`node_sum`, `edge_sum` (n, d) float32; `node_weight`, `edge_weight` (n,); row c belongs to
    the centre c.
    """

    node_sum: Vectors
    node_weight: Floats
    edge_sum: Vectors
    edge_weight: Floats

    def take(self, rows: Ints) -> "Sums":
        """The given rows."""
        return Sums(
            self.node_sum[rows], self.node_weight[rows], self.edge_sum[rows], self.edge_weight[rows]
        )

    def put(self, rows: Ints, other: "Sums") -> None:
        """Writes the other's rows in place."""
        self.node_sum[rows], self.node_weight[rows] = other.node_sum, other.node_weight
        self.edge_sum[rows], self.edge_weight[rows] = other.edge_sum, other.edge_weight


def pooled_sums(reach: Reach, centres: Ints) -> tuple[Sums, Ints]:
    """The centres' sums, and coverage (n,): how many of their ego-graphs hold each node. Every node
    and edge counts once.
    """
    graph, rule = reach.graph, reach.rule
    n, d = graph.z.shape
    count = len(centres)
    sums = Sums(
        np.zeros((count, d), np.float32),
        np.zeros(count),
        np.zeros((count, d), np.float32),
        np.zeros(count),
    )
    coverage = np.zeros(n, dtype=np.int64)
    w, f = _scaled(graph.w, rule), _scaled(graph.f, rule)
    stated = np.flatnonzero(graph.y_rows >= 0)
    step = max(1, int(MAX_CHUNK_NNZ // max(n, graph.num_pairs, 1)))
    for start in range(0, count, step):
        rows = slice(start, start + step)
        levels = reach.levels(centres[rows])
        coverage += np.bincount(levels.indices, minlength=n)
        sums.node_sum[rows], sums.node_weight[rows] = _weighted(levels, w, graph.z, rule)
        if len(graph.y):
            sums.edge_sum[rows], sums.edge_weight[rows] = _weighted(
                reach.member_edges(levels)[:, stated], f[stated], graph.y, rule
            )
    return sums, coverage


def embeddings(sums: Sums, graph: UndirectedGraph, rule: EgoRule) -> Vectors:
    """(n, d) unit ego-graph vectors. Where all members weigh 0 (speakers, titles) the node part is
    the centre's vector.
    """
    if rule.pool == "joint":
        total = sums.node_weight + sums.edge_weight
        joint = (sums.node_sum + sums.edge_sum) / np.where(total > 0, total, 1)[:, None]
        return precise_unit_rows(np.where((total > 0)[:, None], joint, graph.z).astype(np.float32))
    has_nodes, has_edges = sums.node_weight > 0, sums.edge_weight > 0
    nodes = np.where(
        has_nodes[:, None],
        sums.node_sum / np.where(has_nodes, sums.node_weight, 1)[:, None],
        graph.z,
    )
    edges = sums.edge_sum / np.where(has_edges, sums.edge_weight, 1)[:, None]
    return precise_unit_rows(
        np.where(has_edges[:, None], 0.5 * nodes + 0.5 * edges, nodes).astype(np.float32)
    )


def _scaled(weights: Floats, rule: EgoRule) -> Floats:
    if rule.weight == "one":
        return np.ones(len(weights))
    return np.log1p(weights) if rule.weight == "log1p" else weights


def _weighted(
    levels: "csr_array", weights: Floats, vectors: Vectors, rule: EgoRule
) -> tuple[Vectors, Floats]:
    """(rows of sum(decay * weight * vector), sum(decay * weight))."""
    from scipy.sparse import csr_array

    decays = rule.decay ** (rule.num_hops + 1 - np.arange(rule.num_hops + 2, dtype=np.float64))
    factors = decays[levels.data] * weights[levels.indices]
    sums = (
        csr_array((factors.astype(np.float32), levels.indices, levels.indptr), shape=levels.shape)
        @ vectors
    )
    totals = csr_array((factors, levels.indices, levels.indptr), shape=levels.shape) @ np.ones(
        levels.shape[1]
    )
    return sums, totals
