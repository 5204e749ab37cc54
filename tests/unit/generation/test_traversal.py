"""DSA-BFS and BFS on random graphs, against distances found the plain way."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import PruneScores, Subgraph
from dynagrag.generation.traversal import BFS, DSABFS, first_nodes


def subgraph_of(
    x: np.ndarray,
    pairs: list[tuple[int, int]],
    weights: list[float] | None = None,
    nodes: list[int] | None = None,
) -> Subgraph:
    n, m = len(x), len(pairs)
    return Subgraph(
        tuple(nodes or range(n)),
        (0,) * n,
        np.array(pairs, dtype=np.int64).reshape(m, 2),
        ((),) * m,
        np.asarray(x, dtype=np.float32),
        np.zeros((m, 2), dtype=np.float32),
        np.array(weights or [1.0] * m, dtype=np.float32),
        0.0,
    )


def flat(subgraph: Subgraph) -> PruneScores:
    return PruneScores(
        np.zeros(len(subgraph.nodes), np.float32),
        np.zeros(len(subgraph.pairs), np.float32),
        "test",
        is_trained=False,
    )


def at(*degrees: float) -> np.ndarray:
    """Unit vectors at these angles from the query."""
    angles = np.radians(degrees)
    return np.stack((np.cos(angles), np.sin(angles)), axis=1)


QUERY = np.array([1.0, 0], dtype=np.float32)

random_subgraphs = st.builds(
    lambda seed, n, m: (seed, n, m), st.integers(0, 10**6), st.integers(1, 25), st.integers(0, 50)
)


def random_subgraph(seed: int, n: int, m: int) -> Subgraph:
    rng = np.random.default_rng(seed)
    pairs = sorted({(int(min(p)), int(max(p))) for p in rng.integers(0, n, (m, 2)) if p[0] != p[1]})
    x = rng.normal(size=(n, 2))
    nodes = rng.permutation(100)[:n].tolist()
    return subgraph_of(
        x / np.linalg.norm(x, axis=1, keepdims=True),
        pairs,
        rng.integers(1, 4, len(pairs)).tolist(),
        nodes,
    )


def distances(subgraph: Subgraph) -> dict[int, int]:
    found, frontier = {0: 0}, {0}
    while frontier:
        frontier = {
            b
            for p in subgraph.pairs.tolist()
            for a, b in (p, p[::-1])
            if a in frontier and b not in found
        }
        found |= dict.fromkeys(frontier, max(found.values()) + 1)
    return found


@given(random_subgraphs, st.sampled_from([0.0, 0.15, 1.0, 2.1]))
@settings(max_examples=150, deadline=None)
def test_dsa_bfs_spans_the_component_in_a_tree_no_shallower_than_bfs(
    drawn: tuple[int, int, int], penalty: float
) -> None:
    subgraph = random_subgraph(*drawn)
    distance = distances(subgraph)
    walk = DSABFS(penalty).walk(subgraph, QUERY, flat(subgraph), first_nodes(99))
    assert set(walk.order) == set(distance)
    assert walk.order[0] == 0
    assert walk.num_unvisited == len(subgraph.nodes) - len(distance)
    edges = {frozenset(p) for p in subgraph.pairs.tolist()}
    for i, node in enumerate(walk.order[1:], start=1):
        parent = walk.parent[node]
        assert parent in walk.order[:i]
        assert frozenset((parent, node)) in edges
        assert walk.depth[node] == walk.depth[parent] + 1 >= distance[node]
        assert node in walk.children[parent]


@given(random_subgraphs, st.floats(2.001, 9))
@settings(max_examples=150, deadline=None)
def test_a_penalty_above_two_is_bfs_level_by_level_each_sorted_by_similarity(
    drawn: tuple[int, int, int], penalty: float
) -> None:
    subgraph = random_subgraph(*drawn)
    walk = DSABFS(penalty).walk(subgraph, QUERY, flat(subgraph), first_nodes(99))
    assert dict(walk.depth) == distances(subgraph)
    similarity = np.round(subgraph.x @ QUERY, 5)
    keys = [(walk.depth[v], -similarity[v]) for v in walk.order]
    assert keys == sorted(keys)


@given(random_subgraphs, st.integers(-1, 30))
@settings(max_examples=60, deadline=None)
def test_bfs_has_bfs_depths_and_a_budget_cuts_the_order_short(
    drawn: tuple[int, int, int], max_nodes: int
) -> None:
    subgraph = random_subgraph(*drawn)
    distance = distances(subgraph)
    for traversal in (BFS(), DSABFS()):
        whole = traversal.walk(subgraph, QUERY, flat(subgraph), first_nodes(99))
        some = traversal.walk(subgraph, QUERY, flat(subgraph), first_nodes(max_nodes))
        assert some.order == whole.order[: max(1, max_nodes)]
        assert some.num_unvisited == len(subgraph.nodes) - len(some.order)
    assert dict(BFS().walk(subgraph, QUERY, flat(subgraph), first_nodes(99)).depth) == distance


def test_bfs_takes_neighbours_by_id_whatever_their_similarity() -> None:
    subgraph = subgraph_of(at(0, 10, 80, 40), [(0, 1), (0, 2), (0, 3)], nodes=[5, 9, 1, 3])
    assert BFS().walk(subgraph, QUERY, flat(subgraph), first_nodes(9)).order == (0, 2, 3, 1)


def test_similar_nodes_deep_down_come_before_far_ones_nearby() -> None:
    # 0 - 1 - 2 is a similar path; 3 is a dissimilar neighbour of 0
    subgraph = subgraph_of(at(0, 10, 5, 80), [(0, 1), (0, 3), (1, 2)])
    assert DSABFS().walk(subgraph, QUERY, flat(subgraph), first_nodes(9)).order == (0, 1, 2, 3)
    assert DSABFS(level_penalty=2.1).walk(
        subgraph, QUERY, flat(subgraph), first_nodes(9)
    ).order == (0, 1, 3, 2)


def test_ties_go_to_the_heavier_edge_then_to_the_lower_id() -> None:
    subgraph = subgraph_of(
        at(0, 30, 30, 30), [(0, 1), (0, 2), (0, 3)], [1, 2, 1], nodes=[0, 8, 9, 7]
    )
    assert DSABFS().walk(subgraph, QUERY, flat(subgraph), first_nodes(9)).order == (0, 2, 3, 1)


def test_a_better_parent_found_later_takes_the_node_over() -> None:
    # 4 hangs on 2, which is two steps from the centre and visited first, and on 3, which is one
    # step from it
    subgraph = subgraph_of(at(0, 5, 10, 60, 90), [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)])
    walk = DSABFS().walk(subgraph, QUERY, flat(subgraph), first_nodes(9))
    assert walk.order == (0, 1, 2, 3, 4)
    assert (walk.parent[4], walk.depth[4]) == (3, 2)


@pytest.mark.parametrize("traversal", [BFS(), DSABFS()])
def test_the_centre_is_visited_even_where_it_is_not_taken_and_nobody_is_asked_then(
    traversal: BFS | DSABFS,
) -> None:
    asked: list[tuple[int, int]] = []

    def takes(node: int, parent: int) -> bool:
        asked.append((node, parent))
        return False

    subgraph = subgraph_of(at(0, 10, 20), [(0, 1), (0, 2)])
    walk = traversal.walk(subgraph, QUERY, flat(subgraph), takes)
    assert (walk.order, walk.num_unvisited, asked) == ((0,), 2, [(0, -1)])


@pytest.mark.parametrize("traversal", [BFS(), DSABFS()])
def test_a_lone_centre_is_a_walk(traversal: BFS | DSABFS) -> None:
    subgraph = subgraph_of(at(0), [])
    walk = traversal.walk(subgraph, np.zeros(2, np.float32), flat(subgraph), first_nodes(0))
    assert (walk.order, dict(walk.parent), dict(walk.depth), dict(walk.children)) == (
        (0,),
        {0: -1},
        {0: 0},
        {0: ()},
    )


def test_a_trained_score_leads_the_walk_in_place_of_the_cosine_and_an_untrained_one_does_not() -> (
    None
):
    """Two neighbours of the centre: the first is nearer the question, the second is what the
    trained pruner holds to matter.
    """
    graph = subgraph_of(at(0, 30, 60), [(0, 1), (0, 2)])
    trained = PruneScores(
        np.array([0, 0, 1], np.float32), np.zeros(2, np.float32), "trained", is_trained=True
    )
    for scores, follows, order in (
        (trained, True, (0, 2, 1)),
        (trained, False, (0, 1, 2)),
        (replace(trained, is_trained=False), True, (0, 1, 2)),
    ):
        assert (
            DSABFS(follows_pruner=follows).walk(graph, QUERY, scores, first_nodes(3)).order == order
        )
