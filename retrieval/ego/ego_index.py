"""The ego-graph index: one pooled vector per node, the ego-graphs themselves on demand (DynaGRAG,
section 3.2; docs/papers.md, Ego-graphs).

Reach matrices are never kept: the few ego-graphs that a question needs are cut again, by the same
rule and the same code as at the build.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dynagrag.config.settings import Profile
from dynagrag.core.schema import Graph, Snapshot, Subgraph, Vector, Vectors
from dynagrag.retrieval.ego import index_files
from dynagrag.retrieval.ego.index_refresh import IndexState, build_state, refresh_state
from dynagrag.retrieval.ego.pooling import embeddings
from dynagrag.retrieval.ego.reach import Reach, rule_of
from dynagrag.retrieval.ego.undirected_graph import (
    Floats,
    Ints,
    UndirectedGraph,
    cut_out,
    ranges,
    undirected_graph,
)
from dynagrag.retrieval.passages import cosines_with

logger = logging.getLogger(__name__)


class EgoIndex:
    """Ego-graph vectors of one graph. Immutable but for a memo of top nodes; make one with `build`,
    `refresh` or `open`.

    `vectors` (n, d) unit rows in the order of `graph.entities`; `coverage` (n,): how many
    ego-graphs hold each node.
    """

    def __init__(self, state: IndexState) -> None:
        self.state = state
        self.graph: UndirectedGraph = state.graph
        self.rule = state.rule
        self.coverage: Ints = state.coverage
        self.vectors: Vectors = embeddings(state.sums, state.graph, state.rule)
        self._reach = Reach(state.graph, state.rule)
        self._by_rank: Ints = np.lexsort((np.arange(self.graph.num_nodes), -self.graph.w))
        self._rank: Ints = np.empty_like(self._by_rank)
        self._rank[self._by_rank] = np.arange(self.graph.num_nodes)
        self._tops: dict[tuple[int, float | None], dict[int, tuple[int, ...]]] = {}

    @classmethod
    def build(cls, graph: Graph, profile: Profile, hub_degree: float | None = None) -> "EgoIndex":
        """Builds all. `hub_degree` fixes the hub threshold that is else taken from the graph's
        degrees.
        """
        pairs = undirected_graph(graph)
        rule = rule_of(profile, pairs)
        if hub_degree is not None:
            rule = replace(rule, hub_degree=hub_degree)
        return cls(build_state(pairs, rule))

    def refresh(self, graph: Graph) -> "EgoIndex":
        """The index of a changed graph: equal to a fresh build under the same hub threshold, at the
        cost of the centres that changed.
        """
        return _refreshed(self.state, undirected_graph(graph))

    def save(self, folder: Path, version: str) -> None:
        """Writes the index as of a store version; either the old or the new one is on disk at any
        time.
        """
        index_files.save(self.state, folder, version)

    @classmethod
    def open(cls, folder: Path, snapshot: Snapshot, profile: Profile) -> "EgoIndex":
        """The snapshot's index: read where it is current, refreshed where it is of an older
        version, else built; saved when it is new.

        A file that is damaged, of another format or of other parameters is built anew, which the
        log says.
        """
        pairs = undirected_graph(snapshot.graph)
        rule = rule_of(profile, pairs)
        stored = index_files.load(folder, rule)
        if stored is None:
            started = time.perf_counter()
            index = cls(build_state(pairs, rule))
            seconds = time.perf_counter() - started
            logger.info("ego-graph index built: %d centres, %.2f s", pairs.num_nodes, seconds)
        elif stored.version == snapshot.version and index_files.fits(stored.state, pairs):
            return cls(replace(stored.state, graph=pairs))
        else:
            index = _refreshed(stored.state, pairs)
        index.save(folder, snapshot.version)
        return index

    def scores(self, query: Vector) -> Floats:
        """(n,) cosine of every ego-graph with the query, to six decimals: float32 noise must not
        decide between equals.
        """
        return cosines_with(self.vectors, query)

    def ordered(self, scores: Floats, first: int | None = None) -> Ints:
        """Centres by (score desc, weight desc, id asc): the `first` best, or all."""
        chosen = np.arange(len(scores))
        if first is not None and first < len(scores):
            place = len(scores) - first
            chosen = np.flatnonzero(scores >= np.partition(scores, place)[place])
        return chosen[np.lexsort((self._rank[chosen], -scores[chosen]))][:first]

    def egos(self, centres: Ints) -> list[tuple[Ints, Ints]]:
        """(nodes, hops) of each ego-graph, the centre first, then by (hop, id). Many cost little
        more than one.
        """
        levels = self._reach.levels(centres)
        found = []
        for row in range(len(centres)):
            span = slice(levels.indptr[row], levels.indptr[row + 1])
            nodes = levels.indices[span].astype(np.int64)
            hops = self.rule.num_hops + 1 - levels.data[span].astype(np.int64)
            order = np.lexsort((nodes, hops))
            found.append((nodes[order], hops[order]))
        return found

    def tops(self, centres: Ints, num_top: int, ceiling: float | None) -> list[tuple[int, ...]]:
        """Each centre's most prevalent members by (weight desc, id asc), at most `num_top`.

        With a ceiling, nodes that are `everywhere` do not count; a centre with none left has
        itself.
        """
        memo = self._tops.setdefault((num_top, ceiling), {})
        missing = np.array([c for c in centres if int(c) not in memo], dtype=np.int64)
        if len(missing):
            tops = self._compute_tops(missing, num_top, ceiling)
            memo.update(zip(missing.tolist(), tops, strict=True))
        return [memo[int(c)] for c in centres]

    def subgraphs(self, centres: Ints, scores: Floats) -> tuple[Subgraph, ...]:
        """The centres' ego-graphs with unit vectors, pairs ascending by graph index. `scores` (n,)
        as `EgoIndex.scores` gives them.
        """
        graph = self.graph
        made = []
        for centre, (nodes, hops) in zip(centres.tolist(), self.egos(centres), strict=True):
            is_member = np.zeros(graph.num_nodes, dtype=bool)
            is_member[nodes] = True
            at = ranges(graph.ptr[nodes], graph.ptr[nodes + 1])
            ends, others = np.repeat(nodes, graph.degrees[nodes]), graph.neighbours[at]
            # From each pair's lower end, so that it is seen once.
            pairs = np.sort(graph.neighbour_pairs[at[is_member[others] & (ends < others)]])
            made.append(cut_out(graph, nodes, hops, pairs, float(scores[centre])))
        return tuple(made)

    def everywhere(self, ceiling: float | None) -> Ints:
        """The nodes that more than the ceiling's share of all ego-graphs hold; of them those that
        most hold, never more than that share of the nodes, rounded up. Of equals the heavier first.
        """
        if ceiling is None:
            return np.zeros(0, dtype=np.int64)
        most = ceiling * self.graph.num_nodes
        first = np.lexsort((self._rank, -self.coverage))[: int(np.ceil(most))]
        return first[self.coverage[first] > most]

    def _compute_tops(
        self, centres: Ints, num_top: int, ceiling: float | None
    ) -> Sequence[tuple[int, ...]]:
        n = self.graph.num_nodes
        levels = self._reach.levels(centres)
        rank = self._rank.copy()
        rank[self.everywhere(ceiling)] = n
        ranks = rank[levels.indices]
        tops: list[list[int]] = [[] for _ in centres]
        for _ in range(num_top):
            best = np.minimum.reduceat(ranks, levels.indptr[:-1])
            ranks[ranks == np.repeat(best, np.diff(levels.indptr))] = n
            for row in np.flatnonzero(best < n):
                tops[row].append(int(self._by_rank[best[row]]))
        return [tuple(top) or (int(centre),) for top, centre in zip(tops, centres, strict=True)]


def _refreshed(state: IndexState, pairs: UndirectedGraph) -> EgoIndex:
    started = time.perf_counter()
    refresh = refresh_state(state, pairs)
    why = f" (all: {refresh.rebuilt_because})" if refresh.rebuilt_because else ""
    seconds = time.perf_counter() - started
    logger.info(
        "ego-graph index refreshed: %d of %d centres%s, %.2f s",
        refresh.num_computed,
        pairs.num_nodes,
        why,
        seconds,
    )
    return EgoIndex(refresh.state)
