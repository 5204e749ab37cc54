"""The nodes and edges of an ego-graph: one rule, the same when the index is built and when a
question is answered.

docs/papers.md, Ego-graphs, steps 1 to 3:

    R_0 = I;  R_1 = bool(I + A);  R_{h+1} = bool(R_h B)

B is I + A with a hub's row cut down to the hub itself: it is a member of the ego-graphs that reach
it but is not expanded, except as the centre. Edges are induced. What a matrix stores is the
*level*, k + 1 - hop, so 1 to k + 1, and 0 for "not reached": the plain sum of R_0 .. R_k.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dynagrag.config.settings import Profile
from dynagrag.core.errors import SettingsError
from dynagrag.retrieval.ego.undirected_graph import Floats, Ints, UndirectedGraph, ranges

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_HOPS = 6
"""The levels of an edge's two ends are told apart in one int16 (see `member_edges`)."""


@dataclass(frozen=True, slots=True)
class EgoRule:
    """How ego-graphs are cut and pooled. `hub_degree` None: no hub cut; `max_nodes` None: no size
    cap. `pool`: nodes' and edges' means half and half, or one mean over both.
    """

    num_hops: int
    weight: Literal["raw", "log1p", "one"]
    decay: float
    hub_degree: float | None
    max_nodes: int | None
    pool: Literal["separate", "joint"] = "separate"


def rule_of(profile: Profile, graph: UndirectedGraph) -> EgoRule:
    """The profile's rule for this graph: the hub threshold is max(20, 99th percentile of the
    degrees) as they are now.
    """
    if not 1 <= profile.num_hops <= MAX_HOPS:
        raise SettingsError(f"num_hops is {profile.num_hops}; ego-graphs have 1 to {MAX_HOPS} hops")
    hub_degree = hub_threshold(graph) if profile.has_hub_cut else None
    return EgoRule(
        profile.num_hops,
        profile.weight,
        profile.decay,
        hub_degree,
        profile.max_ego_nodes,
        profile.pool,
    )


def hub_threshold(graph: UndirectedGraph) -> float:
    """max(20, 99th percentile of the degrees)."""
    degrees = graph.degrees
    return max(20.0, float(np.percentile(degrees, 99))) if len(degrees) else 20.0


class Reach:
    """A graph's ego-graphs under a rule, as sparse matrices. Cheap to make: O(n + m)."""

    def __init__(self, graph: UndirectedGraph, rule: EgoRule) -> None:
        from scipy.sparse import csr_array, eye_array

        n, m = graph.num_nodes, graph.num_pairs
        self.graph = graph
        self.rule = rule
        self.is_hub: NDArray[np.bool_] = graph.degrees > (
            np.inf if rule.hub_degree is None else rule.hub_degree
        )
        # Half the memory traffic of int64; 2^31 pair ends are far beyond what fits the vectors.
        neighbours, ptr = graph.neighbours.astype(np.int32), graph.ptr.astype(np.int32)
        pairs = graph.neighbour_pairs.astype(np.int32)
        linked = csr_array((np.ones(2 * m, dtype=bool), neighbours, ptr), shape=(n, n))
        self._first_hop = linked + eye_array(n, dtype=bool, format="csr")
        self._next_hop = self._first_hop
        if self.is_hub.any():
            self._next_hop = self._first_hop.copy()
            rows = np.repeat(np.arange(n), np.diff(self._next_hop.indptr))
            self._next_hop.data[self.is_hub[rows] & (self._next_hop.indices != rows)] = False
            self._next_hop.eliminate_zeros()
        self._incidence = csr_array((np.ones(2 * m, dtype=np.int16), pairs, ptr), shape=(n, m))

    def levels(self, centres: Ints, is_capped: bool = True) -> "csr_array":
        """(len(centres), n) int16: level of each member node. Rows have ascending columns.
        `is_capped` False leaves out the size cap.
        """
        from scipy.sparse import csr_array

        rows, n = len(centres), self.graph.num_nodes
        reached = csr_array(
            (np.ones(rows, dtype=bool), (np.arange(rows), centres)), shape=(rows, n)
        )
        total = reached.astype(np.int16)
        for hop in range(self.rule.num_hops):
            reached = reached @ (self._next_hop if hop else self._first_hop)
            reached.sort_indices()
            total = total + reached.astype(np.int16)
        return self._capped(total) if is_capped and self.rule.max_nodes is not None else total

    def member_edges(self, levels: "csr_array") -> "csr_array":
        """(rows, m) int16: level of each induced edge, which is the lower level of its ends (so
        decay counts the farther end).

        One product gives the sum of both ends' codes; a code is a power of four of the level, so
        the sum tells both levels.
        """
        table = _edge_levels(self.rule.num_hops + 1)
        codes = levels.copy()
        codes.data = np.left_shift(1, 2 * (levels.data - 1)).astype(np.int16)
        edges = codes @ self._incidence
        edges.data = table[edges.data]
        edges.eliminate_zeros()
        edges.sort_indices()
        return edges

    def _capped(self, levels: "csr_array") -> "csr_array":
        """Keeps the first max_nodes members in the order (hop, weight of the heaviest edge to the
        hop before desc, id).
        """
        max_nodes = self.rule.max_nodes or 0
        too_big = np.flatnonzero(np.diff(levels.indptr) > max_nodes)
        if not len(too_big):
            return levels
        best = np.zeros(self.graph.num_nodes)
        for row in too_big:
            span = slice(levels.indptr[row], levels.indptr[row + 1])
            own = levels.data[span]  # a view
            own[self._over_cap(levels.indices[span], own, max_nodes, best)] = 0
        levels.eliminate_zeros()
        return levels

    def _over_cap(
        self, nodes: NDArray[np.int32], levels: NDArray[np.int16], max_nodes: int, best: Floats
    ) -> NDArray[np.bool_]:
        """Which members of one ego-graph the cap leaves out. `best` (n,) is scratch space, all zero
        before and after.
        """
        top = self.rule.num_hops + 1
        within = np.cumsum(np.bincount(top - levels, minlength=top))
        hop = int(np.searchsorted(within, max_nodes, side="right"))
        if hop == 0:
            return levels < top
        before = nodes[levels == top - hop + 1]
        if hop > 1:
            before = before[~self.is_hub[before]]
        edges = ranges(self.graph.ptr[before], self.graph.ptr[before + 1])
        ends = self.graph.neighbours[edges]
        np.maximum.at(best, ends, self.graph.f[self.graph.neighbour_pairs[edges]])
        at_hop = np.flatnonzero(levels == top - hop)
        order = np.lexsort((nodes[at_hop], -best[nodes[at_hop]]))
        best[ends] = 0
        is_out = levels < top - hop
        is_out[at_hop[order[max_nodes - int(within[hop - 1]) :]]] = True
        return is_out


@cache
def _edge_levels(num_levels: int) -> NDArray[np.int16]:
    """code of one end -> 0; sum of two ends' codes -> their lower level."""
    table = np.zeros(2 * 4 ** (num_levels - 1) + 1, dtype=np.int16)
    for low in range(num_levels):
        for high in range(low, num_levels):
            table[4**low + 4**high] = low + 1
    return table
