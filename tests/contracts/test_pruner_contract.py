"""What every pruner of the registry promises, by the protocol `Pruner`."""

import numpy as np
import pytest

from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import Subgraph, Vector
from dynagrag.registry.pruners import PRUNERS
from dynagrag.wiring import make_pruner

D = 8
SIZES = ((1, 0), (2, 1), (9, 14), (30, 0))
"""Nodes and pairs of each subgraph: a lone centre and nodes without pairs among them."""


def unit(rng: np.random.Generator, n: int) -> np.ndarray:
    x = rng.normal(size=(n, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def subgraph_of(num_nodes: int, num_pairs: int) -> Subgraph:
    rng = np.random.default_rng(num_nodes)
    every = [(a, b) for a in range(num_nodes) for b in range(a + 1, num_nodes)]
    return Subgraph(
        nodes=tuple(range(100, 100 + num_nodes)),
        hops=(0,) + (1,) * (num_nodes - 1),
        pairs=np.array(every[:num_pairs], dtype=np.int64).reshape(-1, 2),
        pair_relations=((0,),) * num_pairs,
        x=unit(rng, num_nodes),
        y=unit(rng, num_pairs),
        weights=np.ones(num_pairs, dtype=np.float32),
        score=1.0,
    )


SUBGRAPHS = [subgraph_of(*sizes) for sizes in SIZES]
QUERY: Vector = unit(np.random.default_rng(5), 1)[0]


@pytest.fixture(params=PRUNERS)
def pruner(request: pytest.FixtureRequest) -> Pruner:
    return make_pruner(request.param)


def test_every_node_and_pair_has_a_score_from_0_to_1(pruner: Pruner) -> None:
    found = pruner.score(SUBGRAPHS, QUERY)
    assert [(own.nodes.shape, own.edges.shape) for own in found] == [((n,), (m,)) for n, m in SIZES]
    for own in found:
        for scores in (own.nodes, own.edges):
            assert np.all((scores >= 0) & (scores <= 1))


def test_scores_come_in_the_order_of_the_subgraphs_and_are_each_ones_own(pruner: Pruner) -> None:
    together = pruner.score(SUBGRAPHS, QUERY)
    alone = [own for subgraph in SUBGRAPHS for own in pruner.score([subgraph], QUERY)]
    backwards = pruner.score(SUBGRAPHS[::-1], QUERY)[::-1]
    for others in (alone, backwards):
        for own, other in zip(together, others, strict=True):
            np.testing.assert_array_equal(own.nodes, other.nodes)
            np.testing.assert_array_equal(own.edges, other.edges)


def test_it_says_what_made_the_scores_and_that_nothing_was_learned(pruner: Pruner) -> None:
    for own in pruner.score(SUBGRAPHS, QUERY):
        assert own.label
        assert not own.is_trained


def test_no_subgraphs_have_no_scores(pruner: Pruner) -> None:
    assert pruner.score([], QUERY) == ()


def test_a_question_without_a_direction_is_scored_too(pruner: Pruner) -> None:
    for own in pruner.score(SUBGRAPHS, np.zeros(D, dtype=np.float32)):
        assert np.isfinite(own.nodes).all()
        assert np.isfinite(own.edges).all()
