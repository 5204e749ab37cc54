"""Orders a subgraph's nodes for the prompt: DSA-BFS and plain BFS (DynaGRAG, section 3.4;
docs/papers.md, DSA-BFS).
"""

import heapq
from collections import deque
from itertools import count

import numpy as np

from dynagrag.core.protocols import Takes
from dynagrag.core.schema import PruneScores, Subgraph, Vector, Walk

Neighbour = tuple[int, float]
"""(node, weight of the edge to it)."""


class DSABFS:
    """Dynamic similarity-aware BFS: a heap that is re-ordered as nodes are found.

        key(x) = sim(x) - level_penalty * depth(x)
        sim: cosine of the node with the query, or the score that a trained pruner gave it, where
        it follows that

    A level penalty above 2 visits level by level, each sorted by similarity; 0 is best-first
    search. It spans the centre's component; depths are at least BFS distances. Of several parents
    that give a node the same key, the one visited first keeps it. Ties on the heap: (key desc, edge
    weight desc, id asc).
    """

    name = "dsa-bfs"

    def __init__(self, level_penalty: float = 0.15, follows_pruner: bool = False) -> None:
        self._level_penalty = level_penalty
        self._follows_pruner = follows_pruner

    def walk(self, subgraph: Subgraph, query: Vector, scores: PruneScores, takes: Takes) -> Walk:
        """The centre, which is visited in any case, then others until one is not taken."""
        near = _neighbours(subgraph)
        is_led = (
            self._follows_pruner and scores.is_trained
        )  # an untrained score is the cosine's own order, stretched
        if is_led:
            sim: list[float] = scores.nodes.tolist()
        else:
            unit = query / (float(np.linalg.norm(query)) or 1.0)
            cosines = (subgraph.x @ unit).astype(np.float64)
            sim = np.clip(np.round(cosines, 6), -1, 1).tolist()
        best: dict[int, float] = {0: 0.0}
        parent: dict[int, int] = {0: -1}
        depth: dict[int, int] = {}
        heap = [(0.0, 0.0, subgraph.nodes[0], 0)]
        while heap:
            _, _, _, node = heapq.heappop(heap)
            if node in depth:
                continue  # a later parent offered a better key, and that entry came first
            if not takes(node, parent[node]):
                break
            depth[node] = depth[parent[node]] + 1 if node else 0
            for other, weight in near[node]:
                if other in depth:
                    continue
                key = sim[other] - self._level_penalty * (depth[node] + 1)
                if other not in best or key > best[other]:
                    best[other], parent[other] = key, node
                    heapq.heappush(heap, (-key, -weight, subgraph.nodes[other], other))
        return _walk(subgraph, depth or {0: 0}, parent)


class BFS:
    """Breadth-first search, neighbours by ascending id: the baseline."""

    name = "bfs"

    def walk(self, subgraph: Subgraph, query: Vector, scores: PruneScores, takes: Takes) -> Walk:
        """The centre, which is visited in any case, then others until one is not taken."""
        near = _neighbours(subgraph)
        parent: dict[int, int] = {0: -1}
        depth: dict[int, int] = {}
        queue = deque([0])
        while queue:
            node = queue.popleft()
            if not takes(node, parent[node]):
                break
            depth[node] = depth[parent[node]] + 1 if node else 0
            for other, _ in near[node]:
                if other not in parent:
                    parent[other] = node
                    queue.append(other)
        return _walk(subgraph, depth or {0: 0}, parent)


def first_nodes(num: int) -> Takes:
    """Takes so many nodes of one walk."""
    places = count(1)
    return lambda node, parent: next(places) <= num


def _neighbours(subgraph: Subgraph) -> list[list[Neighbour]]:
    """Of each node, by ascending id."""
    near: list[list[Neighbour]] = [[] for _ in subgraph.nodes]
    for (a, b), weight in zip(subgraph.pairs.tolist(), subgraph.weights.tolist(), strict=True):
        near[a].append((b, weight))
        near[b].append((a, weight))
    for found in near:
        found.sort(key=lambda neighbour: subgraph.nodes[neighbour[0]])
    return near


def _walk(subgraph: Subgraph, depth: dict[int, int], parent: dict[int, int]) -> Walk:
    """`depth` holds the visited nodes in the order of visit."""
    children: dict[int, list[int]] = {node: [] for node in depth}
    for node in depth:
        if parent[node] >= 0:
            children[parent[node]].append(node)
    return Walk(
        order=tuple(depth),
        parent={node: parent[node] for node in depth},
        depth=depth,
        children={node: tuple(found) for node, found in children.items()},
        num_unvisited=len(subgraph.nodes) - len(depth),
    )
