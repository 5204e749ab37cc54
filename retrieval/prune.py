"""Relevance of an ego-graph's nodes and edges without training, and what goes when a budget must drop something (methods spec, 3.8)."""

import heapq
from dataclasses import dataclass

import numpy as np

from dynagrag.schema import PruneScores, Subgraph, Vector, Vectors, Walk

MIN_TEMPERATURE = 0.05


class UntrainedPrior:
    """m = sigmoid((median d - d) / T), d the Euclidean distance to the query, T = max(0.05, IQR(d) / 2), per subgraph.

    Nodes and edges each have their own median and T, as each has its own MLP when trained. So the median node scores 0.5 and the order is
    that of the cosine. Scores are relative to the subgraph: they say nothing about whether it answers the question.
    """

    label = "untrained prior"

    def score(self, subgraph: Subgraph, query: Vector) -> PruneScores:
        """Scores in (0, 1). Deterministic."""
        unit = (query / (float(np.linalg.norm(query)) or 1.0)).astype(np.float32)
        return PruneScores(_prior(subgraph.x, unit), _prior(subgraph.y, unit), self.label, is_trained=False)


def _prior(vectors: Vectors, query: Vector) -> Vector:
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    distances = np.linalg.norm(vectors.astype(np.float64) - query, axis=1)
    low, median, high = np.percentile(distances, (25, 50, 75))
    temperature = max(MIN_TEMPERATURE, (high - low) / 2)
    # distances are at most 2 and T at least 0.05, so the exponent stays below 40
    return np.asarray(1 / (1 + np.exp((distances - median) / temperature)), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class DroppedNode:
    """A node that a cut left out. `node` is its local index in the subgraph."""

    node: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Cut:
    """What is left of a walk, and what was dropped, in the order of dropping."""

    walk: Walk
    dropped: tuple[DroppedNode, ...]


def cut_to_nodes(subgraph: Subgraph, walk: Walk, scores: PruneScores, max_nodes: int, min_score: float | None = None) -> Cut:
    """Drops the lowest-scored leaf of the walk's tree, again and again, until at most `max_nodes` are left. Never the root.

    With `min_score` (3.8 suggests 0.2), goes on while a leaf scores below it, so the tree paths to survivors stay. Equal scores: the leaf
    on the lighter tree edge goes first, then the higher id.
    """
    num_children = {node: len(walk.children.get(node, ())) for node in walk.order}
    weight = {(int(a), int(b)): float(w) for (a, b), w in zip(subgraph.pairs, subgraph.weights, strict=True)}

    def entry(node: int) -> tuple[float, float, int, int]:
        parent = walk.parent[node]
        return (float(scores.nodes[node]), weight[min(parent, node), max(parent, node)], -subgraph.nodes[node], node)

    weight |= {(b, a): w for (a, b), w in weight.items()}
    leaves = [entry(node) for node in walk.order[1:] if not num_children[node]]
    heapq.heapify(leaves)
    dropped: list[DroppedNode] = []
    while leaves:
        is_over = len(walk.order) - len(dropped) > max(1, max_nodes)
        if not is_over and (min_score is None or leaves[0][0] >= min_score):
            break
        score, _, _, node = heapq.heappop(leaves)
        reason = f"lowest-scored leaf of more than {max_nodes} nodes" if is_over else f"leaf with a score below {min_score:g}"
        dropped.append(DroppedNode(node, score, reason))
        parent = walk.parent[node]
        num_children[parent] -= 1
        if not num_children[parent] and parent != walk.order[0]:
            heapq.heappush(leaves, entry(parent))
    return Cut(_without(walk, {d.node for d in dropped}), tuple(dropped))


def _without(walk: Walk, gone: set[int]) -> Walk:
    order = tuple(node for node in walk.order if node not in gone)
    return Walk(
        order=order,
        parent={node: walk.parent[node] for node in order},
        depth={node: walk.depth[node] for node in order},
        children={node: tuple(c for c in walk.children.get(node, ()) if c not in gone) for node in order},
        num_unvisited=walk.num_unvisited + len(gone),
    )
