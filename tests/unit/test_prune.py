"""The untrained prior and the cut to a number of nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.generation.traversal import BFS
from dynagrag.retrieval.prune import UntrainedPrior, cut_to_nodes
from dynagrag.schema import PruneScores, Subgraph


def tree_of(parents: list[int], x: np.ndarray | None = None) -> Subgraph:
    """Node i + 1 hangs on parents[i]."""
    n = len(parents) + 1
    x = np.eye(n, dtype=np.float32) if x is None else x
    pairs = np.array([sorted((p, i + 1)) for i, p in enumerate(parents)], dtype=np.int64).reshape(-1, 2)
    y = np.zeros((n - 1, x.shape[1]), dtype=np.float32)
    return Subgraph(tuple(range(n)), (0,) * n, pairs, ((),) * (n - 1), x, y, np.ones(n - 1, np.float32), 0.0)


def scored(*nodes: float) -> PruneScores:
    return PruneScores(np.array(nodes, np.float32), np.zeros(len(nodes) - 1, np.float32), "test", is_trained=False)


def test_the_prior_is_the_written_formula() -> None:
    query = np.array([1.0, 0], dtype=np.float32)
    angles = np.array([0.0, 0.3, 0.9, 1.4, 3.0])
    x = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    subgraph = tree_of([0, 0, 0, 0], x)
    scores = UntrainedPrior().score(subgraph, 5 * query)
    d = 2 * np.sin(angles / 2)
    t = (np.quantile(d, 0.75) - np.quantile(d, 0.25)) / 2
    np.testing.assert_allclose(scores.nodes, 1 / (1 + np.exp(-(d[2] - d) / t)), atol=1e-5)
    assert scores.nodes[2] == 0.5
    assert (scores.label, scores.is_trained) == ("untrained prior", False)


def test_the_temperature_has_a_floor_and_a_lone_node_scores_one_half() -> None:
    x = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    scores = UntrainedPrior().score(tree_of([0, 0], x), np.array([1, 0], dtype=np.float32))
    assert scores.nodes[0] == 0.5
    assert scores.nodes[2] == pytest.approx(1 / (1 + np.exp(np.sqrt(2) / (np.sqrt(2) / 4))), rel=1e-3)
    alone = UntrainedPrior().score(tree_of([]), np.zeros(1, dtype=np.float32))
    assert alone.nodes.tolist() == [0.5]
    assert alone.edges.shape == (0,)


def test_a_cut_drops_leaves_only_and_says_why() -> None:
    # 0 - 1 - 2 and 0 - 3: node 1 scores lowest but carries 2
    subgraph, scores = tree_of([0, 1, 0]), scored(0.0, 0.1, 0.9, 0.5)
    walk = BFS().walk(subgraph, np.zeros(4, np.float32), scores, 9)
    cut = cut_to_nodes(subgraph, walk, scores, 3)
    assert [(d.node, d.reason) for d in cut.dropped] == [(3, "lowest-scored leaf of more than 3 nodes")]
    assert cut.walk.order == (0, 1, 2)
    assert cut.walk.children == {0: (1,), 1: (2,), 2: ()}
    assert cut.walk.num_unvisited == 1
    assert cut_to_nodes(subgraph, walk, scores, 0).walk.order == (0,), "never the root"


def test_a_threshold_keeps_the_paths_to_survivors() -> None:
    subgraph, scores = tree_of([0, 1, 0, 3]), scored(0.0, 0.1, 0.9, 0.1, 0.15)
    walk = BFS().walk(subgraph, np.zeros(5, np.float32), scores, 9)
    cut = cut_to_nodes(subgraph, walk, scores, 9, min_score=0.2)
    assert cut.walk.order == (0, 1, 2)
    assert [d.node for d in cut.dropped] == [4, 3]
    assert cut.dropped[0].reason == "leaf with a score below 0.2"


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 21), st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_what_is_left_is_a_tree_of_the_asked_size(picks: list[int], max_nodes: int, seed: int) -> None:
    subgraph = tree_of([pick % (i + 1) for i, pick in enumerate(picks)])
    scores = scored(*np.random.default_rng(seed).random(len(picks) + 1))
    walk = BFS().walk(subgraph, np.zeros(len(picks) + 1, np.float32), scores, 99)
    cut = cut_to_nodes(subgraph, walk, scores, max_nodes)
    left = set(cut.walk.order)
    assert len(left) == max(1, min(max_nodes, len(picks) + 1))
    assert left | {d.node for d in cut.dropped} == set(walk.order)
    assert all(cut.walk.parent[node] in left for node in cut.walk.order[1:])
    assert {c for found in cut.walk.children.values() for c in found} == left - {0}
