"""Bringing ego-graph sums up to date after a change of the graph, for the centres that it touches
alone (docs/papers.md, Index upkeep).

A centre is dirty when an edge that came, went or changed has both ends in its ego-graph (in the new
graph, or in the old one for an edge that went), when a member's vector or weight changed, when a
member became a hub or stopped being one, or when it is new. Ego-graphs are taken without the size
cap here, since any of their edges can move the cap. Membership is symmetric (only the inner nodes
of a path must not be hubs), so "the centres that hold x" is x's own row.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import Vectors
from dynagrag.retrieval.ego.pooling import MAX_CHUNK_NNZ, Sums, pooled_sums
from dynagrag.retrieval.ego.reach import EgoRule, Reach, hub_threshold
from dynagrag.retrieval.ego.undirected_graph import Ints, UndirectedGraph

MAX_DIRTY_SHARE = 0.25
"""More dirty centres than this: everything is built anew."""
MAX_HUB_DRIFT = 0.2
"""The hub threshold is fixed at a build; when today's differs by more than this share of it,
everything is built anew.
"""

Digests = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class IndexState:
    """State of an index: the rule, the graph it was made of (`graph`; read back from a file,
    without vectors), digests of each node's and pair's vector and weight, the sums and the coverage
    (n,).
    """

    rule: EgoRule
    graph: UndirectedGraph
    node_digests: Digests
    pair_digests: Digests
    sums: Sums
    coverage: Ints


@dataclass(frozen=True, slots=True)
class Refresh:
    """The new state, how many centres were computed, and the reason when that was all of them."""

    state: IndexState
    num_computed: int
    rebuilt_because: str | None = None


def build_state(graph: UndirectedGraph, rule: EgoRule) -> IndexState:
    """Everything from nothing."""
    sums, coverage = pooled_sums(Reach(graph, rule), np.arange(graph.num_nodes))
    return IndexState(rule, graph, _digests(graph.z, graph.w), _pair_digests(graph), sums, coverage)


def refresh_state(old: IndexState, graph: UndirectedGraph) -> Refresh:
    """The state that `build_state` gives for this graph under the old hub threshold, by computing
    the dirty centres alone where they are few.
    """
    rule = old.rule
    if rule.hub_degree is not None:
        today = hub_threshold(graph)
        if abs(today - rule.hub_degree) > MAX_HUB_DRIFT * rule.hub_degree:
            state = build_state(graph, replace(rule, hub_degree=today))
            why = f"the hub threshold moved from {rule.hub_degree:g} to {today:g}"
            return Refresh(state, graph.num_nodes, why)
    change = _Change(old, graph)
    dirty = change.dirty_centres() if old.sums.node_sum.shape[1] == graph.z.shape[1] else None
    if dirty is None or len(dirty) > MAX_DIRTY_SHARE * graph.num_nodes:
        why = f"more than {MAX_DIRTY_SHARE:.0%} of the ego-graphs changed"
        return Refresh(build_state(graph, rule), graph.num_nodes, why)
    return Refresh(change.apply(dirty), len(dirty))


class _Change:
    """Old state against new graph."""

    def __init__(self, old: IndexState, graph: UndirectedGraph) -> None:
        self.old, self.graph = old, graph
        self.node_digests, self.pair_digests = _digests(graph.z, graph.w), _pair_digests(graph)
        number = {entity_id: i for i, entity_id in enumerate(graph.ids)}
        self.new_of_old: Ints = np.fromiter(
            (number.get(i, -1) for i in old.graph.ids), dtype=np.int64, count=old.graph.num_nodes
        )
        self.kept_old: Ints = np.flatnonzero(self.new_of_old >= 0)
        self.kept_new: Ints = self.new_of_old[self.kept_old]
        self.old_reach, self.reach = Reach(old.graph, old.rule), Reach(graph, old.rule)

    def dirty_centres(self) -> Ints | None:
        """Ascending; None when changed nodes and pair ends alone, all of them dirty, are too
        many.
        """
        graph, old = self.graph, self.old
        is_new = np.ones(graph.num_nodes, dtype=bool)
        is_new[self.kept_new] = False
        is_changed = old.node_digests[self.kept_old] != self.node_digests[self.kept_new]
        has_flipped = self.old_reach.is_hub[self.kept_old] != self.reach.is_hub[self.kept_new]
        gone, come = self._changed_pairs()
        ends = np.concatenate(
            (
                graph.u[come],
                graph.v[come],
                self.kept_new[is_changed | has_flipped],
                np.flatnonzero(is_new),
            )
        )
        if len(np.unique(ends)) > MAX_DIRTY_SHARE * graph.num_nodes:
            return None
        is_dirty = is_new
        _mark_holders(self.reach, self.kept_new[is_changed | has_flipped], None, is_dirty)
        _mark_holders(self.reach, graph.u[come], graph.v[come], is_dirty)
        was_dirty = np.zeros(old.graph.num_nodes, dtype=bool)
        _mark_holders(self.old_reach, self.kept_old[has_flipped], None, was_dirty)
        _mark_holders(self.old_reach, old.graph.u[gone], old.graph.v[gone], was_dirty)
        is_dirty[self.kept_new[was_dirty[self.kept_old]]] = True
        return np.flatnonzero(is_dirty)

    def apply(self, dirty: Ints) -> IndexState:
        """Copies the clean rows, computes the dirty ones."""
        graph, old, n = self.graph, self.old, self.graph.num_nodes
        d = graph.z.shape[1]
        sums = Sums(
            np.zeros((n, d), np.float32), np.zeros(n), np.zeros((n, d), np.float32), np.zeros(n)
        )
        sums.put(self.kept_new, old.sums.take(self.kept_old))
        fresh, gained = pooled_sums(self.reach, dirty)
        sums.put(dirty, fresh)
        is_dirty = np.zeros(n, dtype=bool)
        is_dirty[dirty] = True
        is_stale = self.new_of_old < 0
        is_stale[self.kept_old] = is_dirty[self.kept_new]
        lost = np.zeros(old.graph.num_nodes, dtype=np.int64)
        for rows in _chunks(np.flatnonzero(is_stale), old.graph.num_nodes):
            lost += np.bincount(self.old_reach.levels(rows).indices, minlength=len(lost))
        coverage = gained
        coverage[self.kept_new] += (old.coverage - lost)[self.kept_old]
        return IndexState(old.rule, graph, self.node_digests, self.pair_digests, sums, coverage)

    def _changed_pairs(self) -> tuple[Ints, Ints]:
        """(old pairs that went, new pairs that came or changed)."""
        old, graph, n = self.old.graph, self.graph, self.graph.num_nodes
        u, v = self.new_of_old[old.u], self.new_of_old[old.v]
        has_ends = (u >= 0) & (v >= 0)
        old_keys = np.where(has_ends, u * n + v, -1 - np.arange(old.num_pairs))
        new_keys = graph.u * n + graph.v
        _, in_old, in_new = np.intersect1d(
            old_keys, new_keys, assume_unique=True, return_indices=True
        )
        is_gone, is_come = np.ones(old.num_pairs, dtype=bool), np.ones(graph.num_pairs, dtype=bool)
        is_gone[in_old] = False
        is_come[in_new] = self.old.pair_digests[in_old] != self.pair_digests[in_new]
        return np.flatnonzero(is_gone), np.flatnonzero(is_come)


def _mark_holders(reach: Reach, u: Ints, v: Ints | None, is_marked: NDArray[np.bool_]) -> None:
    """Marks the centres whose ego-graph holds u[i] (and v[i]) for some i."""
    for rows in _chunks(np.arange(len(u)), reach.graph.num_nodes):
        held = reach.levels(u[rows], is_capped=False)
        if v is not None:
            held = held.multiply(reach.levels(v[rows], is_capped=False)).tocsr()
        is_marked[held.indices] = True


def _chunks(rows: Ints, num_columns: int) -> list[Ints]:
    step = max(1, int(MAX_CHUNK_NNZ // max(num_columns, 1)))
    return [rows[i : i + step] for i in range(0, len(rows), step)]


def _digests(vectors: Vectors, weights: NDArray[np.float64]) -> Digests:
    """(n,) a 64-bit hash of each row and its weight, to tell a changed row when the old vectors are
    no longer at hand.
    """
    return _hashed(
        row.tobytes() + weight.tobytes()
        for row, weight in zip(np.ascontiguousarray(vectors), weights, strict=True)
    )


def _pair_digests(graph: UndirectedGraph) -> Digests:
    """(m,) the same for pairs; one that states nothing has its weight alone."""
    y = np.ascontiguousarray(graph.y)
    return _hashed(
        (y[row].tobytes() if row >= 0 else b"") + weight.tobytes()
        for row, weight in zip(graph.y_rows.tolist(), graph.f, strict=True)
    )


def _hashed(rows: Iterable[bytes]) -> Digests:
    return np.frombuffer(
        b"".join(blake2b(row, digest_size=8).digest() for row in rows), dtype="<u8"
    ).astype(np.uint64)
