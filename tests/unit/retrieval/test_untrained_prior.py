"""The untrained prior."""

from dataclasses import replace

import numpy as np
import pytest

from dynagrag.core.schema import Subgraph
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior


def tree_of(parents: list[int], x: np.ndarray | None = None) -> Subgraph:
    """Node i + 1 hangs on parents[i]."""
    n = len(parents) + 1
    x = np.eye(n, dtype=np.float32) if x is None else x
    pairs = np.array([sorted((p, i + 1)) for i, p in enumerate(parents)], dtype=np.int64).reshape(
        -1, 2
    )
    y = np.zeros((n - 1, x.shape[1]), dtype=np.float32)
    return Subgraph(
        tuple(range(n)), (0,) * n, pairs, ((),) * (n - 1), x, y, np.ones(n - 1, np.float32), 0.0
    )


def test_the_prior_is_the_written_formula() -> None:
    query = np.array([1.0, 0], dtype=np.float32)
    angles = np.array([0.0, 0.3, 0.9, 1.4, 3.0])
    x = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    subgraph = tree_of([0, 0, 0, 0], x)
    scores = UntrainedPrior().score([subgraph], 5 * query)[0]
    d = 2 * np.sin(angles / 2)
    t = (np.quantile(d, 0.75) - np.quantile(d, 0.25)) / 2
    np.testing.assert_allclose(scores.nodes, 1 / (1 + np.exp(-(d[2] - d) / t)), atol=1e-5)
    assert scores.nodes[2] == 0.5
    assert (scores.label, scores.is_trained) == ("untrained prior", False)


def test_edges_are_scored_by_their_own_distances() -> None:
    y = np.array([[1, 0], [0.6, 0.8], [-1, 0]], dtype=np.float32)
    subgraph = replace(tree_of([0, 0, 0], np.ones((4, 2), np.float32)), y=y)
    edges = UntrainedPrior().score([subgraph], np.array([2, 0], np.float32))[0].edges
    assert edges[0] > edges[1] == 0.5 > edges[2]


def test_the_temperature_has_a_floor_and_a_lone_node_scores_one_half() -> None:
    x = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    scores = UntrainedPrior().score([tree_of([0, 0], x)], np.array([1, 0], dtype=np.float32))[0]
    assert scores.nodes[0] == 0.5
    assert scores.nodes[2] == pytest.approx(
        1 / (1 + np.exp(np.sqrt(2) / (np.sqrt(2) / 4))), rel=1e-3
    )
    alone = UntrainedPrior().score([tree_of([])], np.zeros(1, dtype=np.float32))[0]
    assert alone.nodes.tolist() == [0.5]
    assert alone.edges.shape == (0,)
