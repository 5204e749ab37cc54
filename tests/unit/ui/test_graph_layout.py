"""Places and communities of a drawing."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.ui.drawing.graph_layout import communities, place, place_3d

CLIQUES = [
    (a, b) for c in range(4) for a in range(8 * c, 8 * c + 8) for b in range(a + 1, 8 * c + 8)
] + [(0, 8), (8, 16), (16, 24)]


def test_communities_are_numbered_by_size() -> None:
    found = communities(34, [*CLIQUES, (0, 32)])
    assert len(set(found[:8])) == 1
    assert found[0] == 0  # the clique with the extra member
    assert len({found[0], found[8], found[16], found[24]}) == 4
    assert found[33] == max(found)  # alone


def test_heavier_relations_hold_communities_together() -> None:
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    assert list(communities(4, square, [9, 1, 9, 1])) == [0, 0, 1, 1]


def test_places_are_the_same_every_time_and_differ_by_seed() -> None:
    assert np.array_equal(place(32, CLIQUES), place(32, CLIQUES))
    assert not np.array_equal(place(32, CLIQUES), place(32, CLIQUES, seed=1))


def test_communities_stand_apart() -> None:
    at = place(32, CLIQUES)
    middles = np.array([at[8 * c : 8 * c + 8].mean(axis=0) for c in range(4)])
    own = np.linalg.norm(at - np.repeat(middles, 8, axis=0), axis=1).mean()
    between = [np.linalg.norm(middles[a] - middles[b]) for a in range(4) for b in range(a)]
    assert own < min(between) / 2


def test_what_has_no_relation_stands_at_the_rim() -> None:
    at = np.linalg.norm(place(50, CLIQUES), axis=1)
    assert at[32:].min() > at[:32].max()
    assert at.max() <= 1.0001


def test_in_a_small_graph_a_lone_node_covers_no_other() -> None:
    at = place(8, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5)])
    apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 9 * np.eye(8)
    assert apart[6:].min() > 0.2


def test_small_components_stay_together_at_the_rim() -> None:
    at = place(40, [*CLIQUES, (32, 33), (33, 34), (35, 36)])  # three, two, and three alone
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    widest = max(apart[32:35, 32:35].max(), apart[35, 36])
    assert widest < apart[32:35, 35:].min()
    assert widest < apart[35:37, 37:].min()
    assert np.linalg.norm(at[32:], axis=1).min() > np.linalg.norm(at[:32], axis=1).max()


@given(st.integers(0, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
@settings(deadline=None, max_examples=60)
def test_any_graph_gets_finite_places_in_the_disc(num: int, ends: list[tuple[int, int]]) -> None:
    pairs = [(a, b) for a, b in ends if a < num and b < num]  # loops and doubles among them
    at = place(num, pairs)
    assert at.shape == (num, 2)
    assert np.isfinite(at).all()
    assert (np.linalg.norm(at, axis=1) <= 1.0001).all()


def test_five_thousand_nodes_take_seconds() -> None:
    rng = np.random.default_rng(0)
    pairs = [(int(a), int(b)) for a, b in 5000 * rng.random((10_000, 2)) ** 2]
    start = time.process_time()
    at = place(5000, pairs, rng.integers(0, 40, 5000))
    assert (
        time.process_time() - start < 20
    )  # 0.7 s alone on a machine; spring layouts of other libraries: 11 to 37 s
    assert len(np.unique(at, axis=0)) == 5000


@pytest.mark.parametrize("num", [0, 1, 2, 3])
def test_3d_of_next_to_nothing(num: int) -> None:
    assert place_3d(num, []).shape == (num, 3)
    assert np.isfinite(place_3d(num, [(0, 1)] if num > 1 else [])).all()


def test_3d_uses_all_three_dimensions_and_keeps_components_readable() -> None:
    at = place_3d(32, CLIQUES[:-1])  # two components
    assert (at.std(axis=0) > 0.1).all()
    assert np.array_equal(at, place_3d(32, CLIQUES[:-1]))
    one = at[24:]
    assert np.linalg.norm(one - one.mean(axis=0), axis=1).mean() > 0.05  # not a dot


def test_3d_stands_upright() -> None:
    rope = [(i, i + 1) for i in range(11)]
    reach = np.abs(place_3d(12, rope)).max(axis=0)
    assert reach[2] > reach[0] > reach[1]
