"""What the numbers of the profile `graph` do to small graphs: who is a top node, what distance
weighs, how deep a walk goes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from dynagrag import wiring
from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import Graph, PruneScores, Subgraph
from dynagrag.generation.traversal import first_nodes
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.selection import Selection, select_diverse

MakeGraph = Callable[..., Graph]
DEFAULT = PROFILES["graph"]


def choose(graph: Graph, best_first: Sequence[int], num: int) -> Selection:
    scores = np.zeros(len(graph.entities))
    scores[list(best_first)] = 1 - np.arange(len(best_first)) / 100
    return select_diverse(EgoIndex.build(graph, DEFAULT), graph.entities, scores, DEFAULT, num)


def stars(size: int, num: int) -> list[tuple[int, int, str, int]]:
    return [
        (middle, middle + i, "l", 1)
        for middle in range(0, size * num, size)
        for i in range(1, size)
    ]


def test_nodes_that_a_fifth_of_all_ego_graphs_hold_are_no_top_nodes_the_heaviest_first(
    make_graph: MakeGraph,
) -> None:
    selection = choose(
        make_graph(100, stars(20, 5), weights=[9 if i % 20 == 0 else 1 for i in range(100)]),
        [1, 2, 21],
        2,
    )
    assert selection.centres == (1, 21)
    assert (
        selection.candidates[0].reason == "top nodes 'e001', 'e002', 'e003'"
    )  # not the middle, though it weighs most


def test_a_node_that_a_twentieth_hold_still_does(make_graph: MakeGraph) -> None:
    selection = choose(
        make_graph(100, stars(5, 20), weights=[9 if i % 5 == 0 else 1 for i in range(100)]),
        [1, 2, 6],
        2,
    )
    assert selection.centres == (1, 6)
    assert selection.candidates[1].reason.startswith("shares 'e000'")


def test_the_top_nodes_are_the_three_heaviest_members(make_graph: MakeGraph) -> None:
    graph = make_graph(100, stars(5, 20), weights=[9 if i % 5 == 0 else 1 for i in range(100)])
    index = EgoIndex.build(graph, DEFAULT)
    assert index.tops(np.array([4]), DEFAULT.num_top_nodes, DEFAULT.prevalence_ceiling) == [
        (0, 1, 2)
    ]


def test_never_more_than_a_twentieth_of_the_nodes_are_no_top_nodes(make_graph: MakeGraph) -> None:
    """In a dense graph nearly all are in more than a twentieth of the ego-graphs; those that most
    hold are left out, not all.
    """
    edges = [
        (a, b, "l", 1) for a in range(40) for b in range(a + 1, 40) if (a * b) % 3 == 0 or a < 2
    ]
    index = EgoIndex.build(make_graph(40, edges), DEFAULT)
    assert (index.coverage > 2).all()
    assert index.everywhere(0.05).tolist() == [0, 1]
    assert index.everywhere(None).tolist() == []
    alone = [top == (centre,) for centre, top in enumerate(index.tops(np.arange(40), 3, 0.05))]
    assert not any(alone[2:])


def on_axes(graph: Graph) -> Graph:
    """Each entity has an axis of its own, relations have no direction."""
    n = len(graph.entities)
    return replace(
        graph,
        entity_vectors=np.eye(n, dtype=np.float32),
        relation_vectors=np.zeros((len(graph.relations), n), np.float32),
    )


def test_a_members_share_of_an_ego_graph_falls_by_three_tenths_a_hop(make_graph: MakeGraph) -> None:
    chain = on_axes(make_graph(5, [(i, i + 1, "l", 1) for i in range(4)]))
    shares = EgoIndex.build(chain, DEFAULT).vectors[0]
    assert shares / shares[0] == pytest.approx([1, 0.7, 0.49, 0.343, 0])


def test_what_is_said_often_weighs_by_its_logarithm(make_graph: MakeGraph) -> None:
    pair = on_axes(make_graph(2, [(0, 1, "l", 1)], weights=[1, 7]))
    shares = EgoIndex.build(pair, DEFAULT).vectors[0]
    assert shares[1] / shares[0] == pytest.approx(0.7 * 3)


def test_a_hub_is_a_member_whose_neighbours_are_not(make_graph: MakeGraph) -> None:
    """Node 0 is a star's middle; 50 hangs on its rim."""
    graph = make_graph(
        52, [*((0, i, "l", 1) for i in range(1, 50)), (1, 50, "l", 1), (50, 51, "l", 1)]
    )
    nodes, _ = EgoIndex.build(graph, DEFAULT).egos(np.array([50]))[0]
    assert nodes.tolist() == [50, 1, 51, 0]
    small = make_graph(
        22, [*((0, i, "l", 1) for i in range(1, 20)), (1, 20, "l", 1), (20, 21, "l", 1)]
    )
    assert len(EgoIndex.build(small, DEFAULT).egos(np.array([20]))[0][0]) == 22, (
        "19 neighbours and one more make no hub"
    )


def test_an_ego_graph_has_at_most_512_nodes(make_graph: MakeGraph) -> None:
    graph = make_graph(600, [(0, i, "l", 1) for i in range(1, 600)])
    assert [len(nodes) for nodes, _ in EgoIndex.build(graph, DEFAULT).egos(np.array([0, 599]))] == [
        512,
        2,
    ]


def subgraph_of(cosines: Sequence[float], pairs: Sequence[tuple[int, int]]) -> Subgraph:
    x = np.array([(c, np.sqrt(1 - c * c)) for c in cosines], dtype=np.float32)
    m = len(pairs)
    return Subgraph(
        tuple(range(len(x))),
        (0,) * len(x),
        np.array(pairs),
        ((),) * m,
        x,
        np.zeros((m, 2), np.float32),
        np.ones(m, np.float32),
        0.0,
    )


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize(
    ("deep", "near", "order"), [(0.99, 0.8, (0, 1, 2, 3)), (0.99, 0.87, (0, 1, 3, 2))]
)
def test_a_step_down_costs_a_walk_some_but_not_all_of_its_likeness(
    profile: object, deep: float, near: float, order: tuple
) -> None:
    """0 - 1 - 2 against 0 - 3: two steps to `deep` cost 0.15 more than the one to `near`."""
    subgraph = subgraph_of((1, 0.999, deep, near), [(0, 1), (0, 3), (1, 2)])
    scores = PruneScores(np.zeros(4, np.float32), np.zeros(3, np.float32), "test", is_trained=False)
    walk = wiring.make_traversal("dsa-bfs", profile).walk(
        subgraph, np.array([1, 0], np.float32), scores, first_nodes(9)
    )
    assert walk.order == order


@pytest.mark.parametrize(("place", "is_seen"), [(40, True), (41, False)])
def test_twenty_candidates_are_looked_at_for_each_ego_graph(
    make_graph: MakeGraph, place: int, is_seen: bool
) -> None:
    """The best are leaves of one star, which share its middle; the first that doesn't stands at
    this place.
    """
    graph = make_graph(
        1000, [*((0, i, "l", 1) for i in range(1, 45)), (500, 501, "l", 1)], weights=[9, *[1] * 999]
    )
    best = list(range(1, 45))
    best.insert(place - 1, 500)
    assert (500 in choose(graph, best, 2).centres) == is_seen
