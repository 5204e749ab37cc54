"""Prizes and trees against the values of the paper's code, as docs/papers.md has them."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dynagrag.core.errors import SettingsError
from dynagrag.retrieval.steiner import steiner_tree as module
from dynagrag.retrieval.steiner.steiner_tree import (
    Tree,
    TreeOptions,
    edge_prizes,
    node_prizes,
    steiner_tree,
)

PATH = [(0, 1), (1, 2), (2, 3)]


def tree(
    nodes: list[float], edges: list[tuple[int, int]], cosines: list[float], **options: object
) -> tuple[list[int], list[int]]:
    found = steiner_tree(
        np.array(nodes),
        np.array(cosines),
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        TreeOptions(**options),  # type: ignore[arg-type]
    )
    return found.nodes.tolist(), sorted(found.edges.tolist())


def test_the_best_nodes_get_prizes_by_rank_and_of_equals_the_first_more() -> None:
    assert node_prizes(np.array([0.1, 0.9, 0.5, 0.9]), 3).tolist() == [0, 3, 1, 2]
    assert node_prizes(np.array([0.1, 0.9]), 5).tolist() == [1, 2], "no more ranks than nodes"
    assert node_prizes(np.array([0.1, 0.9]), 0).tolist() == [0, 0]


def test_edges_of_one_cosine_share_the_prize_of_their_rank() -> None:
    assert edge_prizes(np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), 5).tolist() == [5, 4, 3, 2, 1, 0]
    tied = edge_prizes(np.array([0.9] * 20 + [0.5]), 5)
    assert tied.tolist() == pytest.approx([0.1] * 20 + [0.099]), (
        "a later rank never gets more than an earlier one"
    )
    assert edge_prizes(np.array([0.9, 0.9, 0.9, 0.9, 0.5]), 2).tolist() == pytest.approx(
        [0.5] * 4 + [0.495]
    ), "ranks are of cosines"
    assert edge_prizes(np.array([0.5, 0.0, -0.5]), 3).tolist() == [3, 2, 1], (
        "a cosine of 0 is a rank like any other"
    )
    assert edge_prizes(np.array([0.5]), 0).tolist() == [0]


def test_a_path_between_two_prizes_is_taken_where_it_costs_less() -> None:
    ends_only = {"num_nodes": 2, "num_edges": 0}
    assert tree([0.9, 0, 0, 0.8], PATH, [0, 0, 0], cost=0.3, **ends_only) == (
        [0, 1, 2, 3],
        [0, 1, 2],
    )
    assert tree([0.9, 0, 0, 0.8], PATH, [0, 0, 0], cost=0.9, **ends_only) == ([0], [])


def test_an_edge_above_its_cost_comes_with_both_ends() -> None:
    assert tree([0, 0, 0, 0], PATH, [0, 0.9, 0], num_nodes=0, num_edges=1) == ([1, 2], [1])
    assert tree([0, 0, 0, 0], PATH, [0.9, 0.8, 0.7], num_nodes=0, num_edges=3) == (
        [0, 1, 2, 3],
        [0, 1, 2],
    )


def test_two_components_give_one_tree_and_loops_and_parallel_edges_are_kept_apart() -> None:
    assert tree([0.9, 0.8, 0.1, 0.1], [(0, 1), (2, 3)], [0.5, 0.1], num_nodes=2, num_edges=0) == (
        [0, 1],
        [0],
    )
    assert tree([0.9, 0.8], [(0, 0), (0, 1)], [0.1, 0.2], num_nodes=2, num_edges=0) == (
        [0, 1],
        [1],
    ), "a loop leads nowhere"
    parallel = [(0, 1), (0, 1), (0, 1)]
    assert tree([0.9, 0.8], parallel, [0.2, 0.2, 0.9], num_nodes=2, num_edges=2, cost=3.0)[1] == [
        2
    ], "the cheapest"


def test_strong_pruning_leaves_out_what_costs_more_than_it_brings() -> None:
    prizes = [0.9, 0, 0, 0.5, 0.7]  # 3, 0, 0, 1 along the path; 2 is far from it
    chain = {"num_nodes": 3, "num_edges": 0, "cost": 0.5}
    assert tree(prizes, PATH, [0, 0, 0], pruning="gw", **chain) == ([0, 1, 2, 3], [0, 1, 2]), (
        "2.5 in all, where the first alone is 3"
    )
    assert tree(prizes, PATH, [0, 0, 0], pruning="strong", **chain) == ([0], [])


def test_a_graph_without_edges_or_nodes_comes_back_whole() -> None:
    assert tree([0.1, 0.2], [], []) == ([0, 1], [])
    assert tree([], [], []) == ([], [])


@given(st.integers(2, 12), st.integers(1, 30), st.integers(0, 10_000))
def test_what_comes_back_hangs_together_and_holds_the_ends_of_its_edges(
    num_nodes: int, num_edges: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, num_nodes, (num_edges, 2))
    found: Tree = steiner_tree(
        rng.random(num_nodes).round(1), rng.random(num_edges).round(1), edges, TreeOptions()
    )
    assert {*edges[found.edges].ravel().tolist()} <= {*found.nodes.tolist()}
    assert len({*found.edges.tolist()}) == len(found.edges)
    place = np.searchsorted(found.nodes, edges[found.edges])
    linked = coo_array(
        (np.ones(len(place)), (place[:, 0], place[:, 1])), shape=(len(found.nodes),) * 2
    )
    assert connected_components(linked, directed=False)[0] == 1


def test_an_edge_costs_what_its_prize_leaves_of_the_cost_and_no_more_than_nearly_the_best_prize(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[list[float], list[float]]] = []

    def solver(
        edges: np.ndarray, prizes: np.ndarray, costs: np.ndarray, *_: object
    ) -> tuple[np.ndarray, np.ndarray]:
        seen.append((prizes.tolist(), costs.tolist()))
        return np.array([0]), np.array([], dtype=int)

    monkeypatch.setattr(module, "_solver", lambda: solver)
    for cost in (1.5, 9.0):
        tree([0.9, 0, 0, 0], PATH, [0.9, 0.8, 0.1], num_nodes=1, num_edges=2, cost=cost)
    (prizes, costs), (capped_prizes, capped_costs) = seen
    assert prizes == [1, 0, 0, 0, 0.5], "the first edge, prize 2, as a node"
    assert costs == [0.5, 1.5, 0, 0], "the others, prizes 1 and 0, and the halves of the first"
    assert capped_prizes == pytest.approx([1, 0, 0, 0, 0.01])
    assert capped_costs == pytest.approx([0.99, 1.99, 0, 0])


def test_a_solver_that_is_missing_or_wrong_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong_nodes = SimpleNamespace(pcst_fast=lambda *_: (np.zeros(4), np.arange(3)))
    wrong_edges = SimpleNamespace(pcst_fast=lambda *_: (np.arange(4), np.ones(3)))
    for own, said in (
        (None, "dynagrag\\[pcst\\]"),
        (wrong_nodes, "wrong trees"),
        (wrong_edges, "wrong trees"),
    ):
        module._solver.cache_clear()
        monkeypatch.setitem(sys.modules, "pcst_fast", own)
        with pytest.raises(SettingsError, match=said):
            tree([0.9, 0.1], [(0, 1)], [0.5])
    monkeypatch.undo()
    module._solver.cache_clear()
    assert tree([0.9, 0.8], [(0, 1)], [0.5]) == ([0, 1], [0])


def test_a_tree_has_the_prizes_of_its_nodes_and_edges() -> None:
    edges = np.array([(0, 1), (1, 2)], dtype=np.int64)
    found = steiner_tree(
        np.array([0.9, 0.1, 0.8]),
        np.array([0.2, 0.6]),
        edges,
        TreeOptions(num_nodes=3, num_edges=2),
    )
    assert found.nodes.tolist() == [0, 1, 2]
    assert found.node_prizes is not None
    assert found.edge_prizes is not None
    assert found.node_prizes.tolist() == [3, 1, 2]
    assert len(found.edge_prizes) == len(found.edges)
    by_edge = dict(zip(found.edges.tolist(), found.edge_prizes.tolist(), strict=True))
    assert by_edge[1] > by_edge[0] > 0, "the edge nearer to the question has the larger one"
