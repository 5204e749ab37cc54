"""Diversity-aware choice of ego-graphs: what is accepted, what is refused, and what the trace
says.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.schema import Graph
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.selection import Selection, select_by_cosine, select_diverse

MakeGraph = Callable[..., Graph]

PAPER = replace(PROFILES["paper"], num_hops=1, num_top_nodes=1)
# three stars: 0 with 1-3, 4 with 5-7, 8 with 9-11; the middles weigh most
STARS = [(middle, middle + i, "l", 1) for middle in (0, 4, 8) for i in (1, 2, 3)]
WEIGHTS = [9, 1, 1, 1, 8, 1, 1, 1, 7, 1, 1, 1]


def choose(make_graph: MakeGraph, best_first: list[int], profile: Profile, num: int) -> Selection:
    graph = make_graph(12, STARS, weights=WEIGHTS)
    scores = np.zeros(12)
    scores[best_first] = 1 - np.arange(len(best_first)) / 20
    return select_diverse(EgoIndex.build(graph, profile), graph.entities, scores, profile, num)


def test_the_paper_walks_the_whole_order_and_takes_none_that_shares_a_top_node(
    make_graph: MakeGraph,
) -> None:
    selection = choose(make_graph, [1, 2, 3, 0, 5, 6, 7, 9], PAPER, 5)
    assert selection.centres == (
        1,
        5,
        9,
    ), "no fallback: three ego-graphs have a top node of their own"
    assert len(selection.candidates) == 12
    second = selection.candidates[1]
    assert (second.name, second.is_accepted) == ("e002", False)
    assert second.reason == "shares 'e000' with the ego-graph of 'e001'"


def test_the_walk_stops_at_n_and_traces_only_what_it_looked_at(make_graph: MakeGraph) -> None:
    selection = choose(make_graph, [1, 2, 5, 9], PAPER, 2)
    assert selection.centres == (1, 5)
    assert [c.name for c in selection.candidates] == ["e001", "e002", "e005"]


def test_the_fallback_allows_one_shared_then_more_then_fills_by_cosine(
    make_graph: MakeGraph,
) -> None:
    profile = replace(PAPER, num_top_nodes=2, pool_factor=20, has_fallback=True)
    # top nodes: 1 -> (0, 1), 0 -> (0, 1), 2 -> (0, 2), 5 -> (4, 5)
    selection = choose(make_graph, [1, 0, 2, 5], profile, 5)
    reasons = {c.name: c.reason for c in selection.candidates if c.is_accepted}
    assert reasons["e001"] == "top nodes 'e000', 'e001'"
    assert reasons["e005"] == "top nodes 'e004', 'e005'"
    assert reasons["e002"].startswith("fallback, 1 shared allowed: shares 'e000'")
    assert "e000" not in reasons, (
        "it shares both of its top nodes, and one shared node was enough to reach five"
    )
    everything = choose(make_graph, [1, 0, 2, 5], profile, 12)
    filled = {c.name: c.reason for c in everything.candidates}
    assert (
        filled["e000"]
        == "fallback, filled by cosine: shares 'e000', 'e001' with the ego-graph of 'e001'"
    )
    assert sorted(everything.centres) == list(range(12))


def test_the_pool_bounds_what_is_looked_at(make_graph: MakeGraph) -> None:
    profile = replace(PAPER, pool_factor=3, has_fallback=False)
    assert choose(make_graph, [1, 2, 3, 5], profile, 1).centres == (1,)
    assert choose(
        make_graph, [1, 2, 3, 0, 6, 7, 5], replace(profile, pool_factor=2), 2
    ).centres == (1,)


def test_equal_scores_go_to_the_heavier_then_to_the_lower_id(make_graph: MakeGraph) -> None:
    graph = make_graph(4, [], weights=[1, 3, 3, 2])
    index = EgoIndex.build(graph, PAPER)
    assert select_by_cosine(index, graph.entities, np.ones(4), 3).centres == (1, 2, 3)
    assert index.ordered(np.array([0.5, 0.1, 0.5, 0.5]), 2).tolist() == [2, 3]


def test_nothing_asked_or_nothing_there_gives_nothing(make_graph: MakeGraph) -> None:
    assert choose(make_graph, [1], PAPER, 0) == Selection((), ())
    empty = make_graph(0, [])
    assert select_diverse(EgoIndex.build(empty, PAPER), (), np.zeros(0), PAPER, 5) == Selection(
        (), ()
    )
    assert select_by_cosine(EgoIndex.build(empty, PAPER), (), np.zeros(0), 5) == Selection((), ())


@given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(["graph", "paper"]))
@settings(max_examples=60, deadline=None)
def test_accepted_ego_graphs_are_disjoint_in_top_nodes_and_graph_never_starves(
    make_graph: MakeGraph, seed: int, num: int, name: str
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    edges = {(int(a), int(b)) for a, b in rng.integers(0, n, (2 * n, 2)) if a < b}
    graph = make_graph(
        n, [(a, b, "l", 1) for a, b in edges], weights=rng.integers(1, 4, n).tolist()
    )
    profile = PROFILES[name]
    index = EgoIndex.build(graph, profile)
    scores = np.round(rng.random(n), 1)
    selection = select_diverse(index, graph.entities, scores, profile, num)
    strict = [
        c
        for c, line in zip(
            selection.centres, (c for c in selection.candidates if c.is_accepted), strict=True
        )
        if line.reason[:4] == "top "
    ]
    tops = [
        set(index.tops(np.array([c]), profile.num_top_nodes, profile.prevalence_ceiling)[0])
        for c in strict
    ]
    assert sum(map(len, tops)) == len(set().union(*tops))
    assert list(selection.centres) == sorted(
        selection.centres, key=lambda c: (-scores[c], -graph.entities[c].weight, c)
    )
    if name == "graph":
        assert len(selection.centres) == min(num, n)
    # the literal rule, replayed
    if name == "paper":
        seen: set[int] = set()
        expected = []
        for c in index.ordered(scores).tolist():
            top = set(index.tops(np.array([c]), 3, None)[0])
            if not top & seen and len(expected) < num:
                expected.append(c)
                seen |= top
        assert list(selection.centres) == expected


def brute_force(
    tops: list[set[int]],
    order: list[int],
    num: int,
    num_top: int,
    pool: int | None,
    has_fallback: bool,
) -> set[int]:
    """The rule by the letter: walk the order again and again, allowing one more shared top node
    each time, then fill.
    """
    order = order[:pool]
    accepted: list[int] = []
    for num_allowed in range(num_top if has_fallback else 1):
        for c in order:
            owned = set().union(*(tops[a] for a in accepted))
            if c not in accepted and len(accepted) < num and len(tops[c] & owned) <= num_allowed:
                accepted.append(c)
    filled = [c for c in order if c not in accepted] if has_fallback else []
    return {*accepted, *filled[: num - len(accepted)]}


@given(
    st.integers(0, 10**6),
    st.integers(1, 8),
    st.booleans(),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([None, 0.05, 0.3]),
)
@settings(max_examples=80, deadline=None)
def test_the_choice_is_that_of_brute_force(
    make_graph: MakeGraph,
    seed: int,
    num: int,
    has_fallback: bool,
    factor: int | None,
    ceiling: float | None,
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    edges = {
        (int(a), int(b)) for a, b in rng.integers(0, n, (int(rng.integers(0, 4 * n)), 2)) if a < b
    }
    graph = make_graph(
        n, [(a, b, "l", 1) for a, b in edges], weights=rng.integers(1, 4, n).tolist()
    )
    profile = replace(
        PROFILES["graph"], has_fallback=has_fallback, pool_factor=factor, prevalence_ceiling=ceiling
    )
    index = EgoIndex.build(graph, profile)
    scores = np.round(rng.random(n), 1)
    tops = [set(top) for top in index.tops(np.arange(n), profile.num_top_nodes, ceiling)]
    order = index.ordered(scores).tolist()
    chosen = select_diverse(index, graph.entities, scores, profile, num)
    assert chosen == select_diverse(index, graph.entities, scores, profile, num)
    assert set(chosen.centres) == brute_force(
        tops, order, num, profile.num_top_nodes, factor and factor * num, has_fallback
    )
    assert len(chosen.centres) <= num
    assert chosen.centres[:1] == tuple(order[:1])  # the best one is always there
    worst = order.index(chosen.centres[-1])
    for passed in set(order[:worst]) - set(
        chosen.centres
    ):  # whoever was passed over shares a top node with a chosen one
        assert tops[passed] & set().union(*(tops[c] for c in chosen.centres))
