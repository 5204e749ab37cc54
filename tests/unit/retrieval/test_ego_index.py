"""The ego-graph index against the naive way: breadth-first search in Python, every node and edge
counted once.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.errors import SettingsError, StoreError
from dynagrag.core.schema import Graph, Snapshot
from dynagrag.retrieval.ego import pooling
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.undirected_graph import UndirectedGraph, undirected_graph

MakeGraph = Callable[..., Graph]
Edges = list[tuple[int, int, str, int]]

LOG = PROFILES["default"]
RAW = PROFILES["paper"]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges, list[int]]:
    """(number of nodes, relations, node weights): sparse or dense, with hubs, parallel and reverse
    relations, and nodes of weight 0.
    """
    n = draw(st.integers(2, 24))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m = draw(st.integers(0, 3 * n))
    skew = rng.random(n) ** draw(st.sampled_from([0.0, 4.0])) + 1e-3
    ends = rng.choice(n, size=(m, 2), p=skew / skew.sum()).tolist()
    edges = {(a, b, f"l{rng.integers(3)}"): int(rng.integers(1, 5)) for a, b in ends if a != b}
    return (
        n,
        [(a, b, label, w) for (a, b, label), w in edges.items()],
        rng.integers(0, 6, n).tolist(),
    )


profiles = st.builds(
    replace,
    st.just(LOG),
    num_hops=st.integers(1, 4),
    weight=st.sampled_from(["raw", "log1p"]),
    decay=st.sampled_from([1.0, 0.7]),
    max_ego_nodes=st.sampled_from([None, 1, 4, 9]),
)


def naive_ego(
    graph: UndirectedGraph, centre: int, profile: Profile, hub_degree: float
) -> dict[int, int]:
    """Member -> hop, by breadth-first search and sorting."""
    near: list[dict[int, float]] = [{} for _ in graph.ids]
    for u, v, f in zip(graph.u.tolist(), graph.v.tolist(), graph.f.tolist(), strict=True):
        near[u][v] = near[v][u] = f
    hops, heaviest, frontier = {centre: 0}, {centre: 0.0}, [centre]
    for hop in range(1, profile.num_hops + 1):
        found: dict[int, float] = {}
        for node in frontier:
            if node == centre or len(near[node]) <= hub_degree:
                for other, f in near[node].items():
                    if other not in hops:
                        found[other] = max(found.get(other, 0.0), f)
        hops |= dict.fromkeys(found, hop)
        heaviest |= found
        frontier = list(found)
    order = sorted(hops, key=lambda v: (hops[v], -heaviest[v], v))
    return {v: hops[v] for v in order[: profile.max_ego_nodes]}


def naive_vector(
    graph: UndirectedGraph, hops: dict[int, int], centre: int, profile: Profile
) -> np.ndarray:
    scale = np.log1p if profile.weight == "log1p" else float
    nodes = [(profile.decay**hop * scale(graph.w[v]), graph.z[v]) for v, hop in hops.items()]
    edges = [
        (profile.decay ** max(hops[u], hops[v]) * scale(graph.f[j]), graph.y[j])
        for j, (u, v) in enumerate(zip(graph.u.tolist(), graph.v.tolist(), strict=True))
        if u in hops and v in hops
    ]

    def mean(parts: list) -> np.ndarray | None:
        total = sum(weight for weight, _ in parts)
        return sum(weight * x.astype(np.float64) for weight, x in parts) / total if total else None

    nodes_mean = mean(nodes)
    nodes_mean = graph.z[centre] if nodes_mean is None else nodes_mean
    edges_mean = mean(edges)
    g = nodes_mean if edges_mean is None else 0.5 * nodes_mean + 0.5 * edges_mean
    return g / np.linalg.norm(g)


@given(graphs(), profiles, st.sampled_from([None, 1, 3]))
@settings(max_examples=60, deadline=None)
def test_sparse_pooling_equals_the_naive_way(
    make_graph: MakeGraph,
    drawn: tuple[int, Edges, list[int]],
    profile: Profile,
    hub_degree: int | None,
) -> None:
    n, edges, weights = drawn
    graph = make_graph(n, edges, weights=weights)
    index = EgoIndex.build(graph, profile, hub_degree=hub_degree)
    pairs = undirected_graph(graph)
    egos = index.egos(np.arange(n))
    coverage = np.zeros(n, dtype=int)
    for centre in range(n):
        hops = naive_ego(pairs, centre, profile, 20 if hub_degree is None else hub_degree)
        nodes, found = egos[centre]
        assert dict(zip(nodes.tolist(), found.tolist(), strict=True)) == hops
        coverage[list(hops)] += 1
        np.testing.assert_allclose(
            index.vectors[centre], naive_vector(pairs, hops, centre, profile), atol=2e-5
        )
    np.testing.assert_array_equal(index.coverage, coverage)


@given(graphs(), profiles, st.data())
@settings(max_examples=60, deadline=None)
def test_refresh_equals_a_fresh_build_under_the_same_hub_threshold(
    make_graph: MakeGraph,
    drawn: tuple[int, Edges, list[int]],
    profile: Profile,
    data: st.DataObject,
) -> None:
    n, edges, weights = drawn
    # an untouched component keeps the share of dirty centres small, so that the incremental way is
    # the one that is tried
    ballast = [(n + i, n + i + 1, "l", 1) for i in range(0, 8 * n, 2)]
    total = n + 8 * n + 2
    removed = data.draw(st.sets(st.integers(0, n - 1), max_size=2))
    added = data.draw(st.sets(st.integers(0, n - 1), max_size=2)) - removed
    flags = data.draw(st.lists(st.integers(0, 9), min_size=len(edges), max_size=len(edges)))
    new_edges = [
        (a, b, label, w + (flag == 1))
        for (a, b, label, w), flag in zip(edges, flags, strict=True)
        if flag
    ]
    extra = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3))
    new_edges += [(a, b, "new", 2) for a, b in dict.fromkeys(extra) if a != b]
    old_weights, new_weights = [*weights, *[1] * (total - n)], [*weights, *[1] * (total - n)]
    for v in data.draw(st.sets(st.integers(0, n - 1), max_size=2)):
        new_weights[v] += 3
    before = make_graph(total, edges + ballast, weights=old_weights, skip=tuple(added))
    after = make_graph(total, new_edges + ballast, weights=new_weights, skip=tuple(removed))
    old = EgoIndex.build(before, profile, hub_degree=20)
    refreshed, fresh = old.refresh(after), EgoIndex.build(after, profile, hub_degree=20)
    assert_same_index(refreshed, fresh)


@given(graphs(), st.integers(1, 3), st.data())
@settings(max_examples=60, deadline=None)
def test_refresh_holds_when_nodes_become_hubs_or_stop_being_hubs(
    make_graph: MakeGraph, drawn: tuple[int, Edges, list[int]], hub_degree: int, data: st.DataObject
) -> None:
    from dynagrag.retrieval.ego.index_refresh import _Change

    n, edges, weights = drawn
    kept = [e for e in edges if data.draw(st.integers(0, 7))]
    profile = replace(LOG, max_ego_nodes=data.draw(st.sampled_from([None, 6])))
    old = EgoIndex.build(make_graph(n, edges, weights=weights), profile, hub_degree=hub_degree)
    after = make_graph(n, kept, weights=weights)
    change = _Change(old.state, undirected_graph(after))
    dirty = change.dirty_centres()
    if dirty is not None:
        assert_same_index(
            EgoIndex(change.apply(dirty)), EgoIndex.build(after, profile, hub_degree=hub_degree)
        )


def assert_same_index(one: EgoIndex, other: EgoIndex) -> None:
    assert one.graph.ids == other.graph.ids
    np.testing.assert_array_equal(one.coverage, other.coverage)
    for name in ("node_sum", "node_weight", "edge_sum", "edge_weight"):
        np.testing.assert_allclose(
            getattr(one.state.sums, name), getattr(other.state.sums, name), rtol=1e-5, atol=1e-6
        )
    np.testing.assert_allclose(one.vectors, other.vectors, atol=1e-5)


def test_an_edge_between_two_nodes_at_the_last_hop_makes_a_centre_dirty(
    make_graph: MakeGraph,
) -> None:
    # the tempting rule N_{k-1}(u) | N_{k-1}(v) misses centre 0 here: both ends are exactly k = 2
    # hops away
    tree = [(0, 1, "l", 1), (1, 2, "l", 1), (0, 3, "l", 1), (3, 4, "l", 1)] + [
        (10 + i, 11 + i, "l", 1) for i in range(60)
    ]
    profile = replace(LOG, num_hops=2)
    old = EgoIndex.build(make_graph(80, tree), profile)
    new = old.refresh(make_graph(80, [*tree, (2, 4, "l", 1)]))
    assert new.state.sums.edge_weight[0] > old.state.sums.edge_weight[0]


def test_many_changes_build_everything_anew_and_few_do_not(
    make_graph: MakeGraph, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    chain = [(i, i + 1, "l", 1) for i in range(99)]
    index = EgoIndex.build(make_graph(100, chain), LOG)
    index.refresh(make_graph(100, [*chain, (50, 52, "l", 1)]))
    assert "refreshed: 7 of 100 centres," in caplog.messages[-1]
    index.refresh(make_graph(100, chain, seed=1))
    assert (
        "refreshed: 100 of 100 centres (all: more than 25% of the ego-graphs changed)"
        in caplog.messages[-1]
    )


def test_a_hub_threshold_that_is_off_by_a_fifth_is_set_anew(make_graph: MakeGraph) -> None:
    chain = tuple((i, i + 1, "l", 1) for i in range(59))
    index = EgoIndex.build(make_graph(60, chain), LOG)
    star = [*chain, *((a, b, "m", 1) for a in range(3) for b in range(3, 60))]
    assert index.rule.hub_degree == 20
    assert index.refresh(make_graph(60, star)).rule.hub_degree == pytest.approx(
        np.percentile([58, 58, 58] + [5] * 57, 99), abs=2
    )


def test_pair_vectors_are_means_of_labels_not_of_records(make_graph: MakeGraph) -> None:
    graph = make_graph(2, [(0, 1, "a", 3), (1, 0, "a", 1), (0, 1, "b", 100)], d=1)
    graph = replace(
        graph, relation_vectors=np.array([[2.0, 1], [-4.0, 1], [6.0, 1]], dtype=np.float32)
    )
    labels = [(r.head, r.label) for r in graph.relations]
    values = dict(zip(labels, (2.0, -4.0, 6.0), strict=True))
    of_a = (3 * values["e000", "a"] + values["e001", "a"]) / 4
    expected = np.array([(of_a + values["e000", "b"]) / 2, 1])
    pairs = undirected_graph(graph)
    assert pairs.f.tolist() == [104]
    np.testing.assert_allclose(pairs.y[0], expected / np.linalg.norm(expected), atol=1e-6)


def test_a_relation_to_an_unknown_entity_is_refused(make_graph: MakeGraph) -> None:
    graph = make_graph(3, [(0, 2, "l", 1)])
    broken = replace(graph, entities=graph.entities[:2], entity_vectors=graph.entity_vectors[:2])
    with pytest.raises(StoreError, match="'e002'"):
        undirected_graph(broken)


def test_an_empty_graph_and_a_graph_without_edges_have_indices(make_graph: MakeGraph) -> None:
    empty = EgoIndex.build(make_graph(0, []), LOG)
    assert empty.vectors.shape == (0, 5)
    lonely = EgoIndex.build(make_graph(3, []), LOG)
    np.testing.assert_allclose(lonely.vectors, lonely.graph.z, atol=1e-6)
    assert empty.refresh(make_graph(3, [])).coverage.tolist() == [1, 1, 1]
    assert lonely.refresh(make_graph(0, [])).vectors.shape == (0, 5)


@pytest.mark.parametrize("profile", [LOG, replace(LOG, max_ego_nodes=6)])
def test_sums_and_coverage_are_the_same_in_many_chunks(
    make_graph: MakeGraph, profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    star = [(0, i, "l", 1 + i % 3) for i in range(1, 20)] + [(i, i + 1, "m", 1) for i in range(19)]
    graph = make_graph(20, star)
    whole = EgoIndex.build(graph, profile)
    monkeypatch.setattr(pooling, "MAX_CHUNK_NNZ", 1)
    chunked = EgoIndex.build(graph, profile)
    np.testing.assert_array_equal(whole.coverage, chunked.coverage)
    np.testing.assert_array_equal(whole.vectors, chunked.vectors)


def test_the_size_cap_of_one_ego_graph_says_nothing_of_the_next(make_graph: MakeGraph) -> None:
    # Node 5's heavy pair decides for centre 0; for centre 1 its light one does.
    edges = [(0, i, "l", 9 if i == 5 else 2) for i in range(2, 8)]
    edges += [(1, i, "l", 1 if i == 5 else 2) for i in range(2, 8)]
    index = EgoIndex.build(make_graph(8, edges), replace(LOG, num_hops=1, max_ego_nodes=4))
    together = index.egos(np.array([0, 1]))
    alone = [index.egos(np.array([centre]))[0] for centre in (0, 1)]
    for (nodes, hops), (own_nodes, own_hops) in zip(together, alone, strict=True):
        np.testing.assert_array_equal(nodes, own_nodes)
        np.testing.assert_array_equal(hops, own_hops)
    assert 5 in together[0][0]
    assert 5 not in together[1][0]


def test_more_hops_than_can_be_told_apart_are_refused(make_graph: MakeGraph) -> None:
    with pytest.raises(SettingsError, match="num_hops is 7"):
        EgoIndex.build(make_graph(2, []), replace(LOG, num_hops=7))


def test_tops_leave_out_nodes_that_most_ego_graphs_hold(make_graph: MakeGraph) -> None:
    star = [(0, i, "l", 1) for i in range(1, 40)]
    index = EgoIndex.build(
        make_graph(40, star, weights=[9, 8, *[1] * 38]), replace(RAW, num_hops=1)
    )
    assert index.tops(np.array([1, 2]), 2, None) == [(0, 1), (0, 2)]
    assert index.tops(np.array([1, 2]), 2, 0.05) == [(1,), (2,)]
    assert index.tops(np.array([2]), 3, 0.01) == [(2,)], "a centre with no node left has itself"


def test_the_subgraph_is_induced_and_keeps_every_relation(make_graph: MakeGraph) -> None:
    graph = make_graph(
        5,
        [
            (1, 0, "a", 2),
            (0, 1, "b", 1),
            (1, 2, "a", 1),
            (2, 0, "a", 1),
            (2, 3, "a", 1),
            (3, 4, "a", 1),
        ],
    )
    subgraph = EgoIndex.build(graph, replace(LOG, num_hops=1)).subgraphs(
        np.array([1]), np.full(5, 0.5)
    )[0]
    assert subgraph.nodes == (1, 0, 2)
    assert subgraph.hops == (0, 1, 1)
    ends = [tuple(sorted(subgraph.nodes[i] for i in pair)) for pair in subgraph.pairs.tolist()]
    assert ends == [(0, 1), (0, 2), (1, 2)], "the edge between the two neighbours is in"
    assert [{graph.relations[i].id for i in found} for found in subgraph.pair_relations] == [
        {"e001 a e000", "e000 b e001"},
        {"e002 a e000"},
        {"e001 a e002"},
    ]
    assert subgraph.weights.tolist() == [3, 1, 1]
    np.testing.assert_allclose(np.linalg.norm(subgraph.x, axis=1), 1, atol=1e-6)


def snapshot_of(graph: Graph, version: str) -> Snapshot:
    return Snapshot("w", version, {}, {}, (), np.zeros((0, 5), np.float32), {}, graph)


class TestOnDisk:
    chain = tuple((i, i + 1, "l", 1) for i in range(59))

    def test_a_current_index_is_read_back_whole(
        self, make_graph: MakeGraph, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        snapshot = snapshot_of(make_graph(60, self.chain), "v1")
        built = EgoIndex.open(tmp_path, snapshot, LOG)
        caplog.set_level(logging.INFO)
        again = EgoIndex.open(tmp_path, snapshot, LOG)
        np.testing.assert_array_equal(built.vectors, again.vectors)
        assert caplog.messages == []
        assert sorted(p.name for p in tmp_path.iterdir()) == ["ego_index.json", "ego_index.npz"]

    def test_an_older_index_is_refreshed_and_saved(
        self, make_graph: MakeGraph, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        EgoIndex.open(tmp_path, snapshot_of(make_graph(60, self.chain), "v1"), LOG)
        caplog.set_level(logging.INFO)
        after = make_graph(60, [*self.chain, (20, 30, "l", 2)], skip=(59,))
        index = EgoIndex.open(tmp_path, snapshot_of(after, "v2"), LOG)
        assert_same_index(index, EgoIndex.build(after, LOG))
        assert "of 59 centres," in caplog.messages[0]
        caplog.clear()
        EgoIndex.open(tmp_path, snapshot_of(after, "v2"), LOG)
        assert caplog.messages == []

    @pytest.mark.parametrize(
        "changed",
        [
            ((0, 1, "l", 7), *chain[1:]),  # another weight
            ((0, 2, "l", 1), *chain[1:]),  # another pair
        ],
    )
    def test_a_version_alone_is_no_proof_that_an_index_is_of_this_graph(
        self, make_graph: MakeGraph, tmp_path: Path, changed: Edges
    ) -> None:
        EgoIndex.open(tmp_path, snapshot_of(make_graph(60, self.chain), "v1"), LOG)
        other = make_graph(60, changed)
        index = EgoIndex.open(tmp_path, snapshot_of(other, "v1"), LOG)
        assert_same_index(index, EgoIndex.build(other, LOG))

    @pytest.mark.parametrize(
        ("damage", "reason"),
        [
            ("cut", "the checksum does not fit"),
            ("flipped", "the checksum does not fit"),
            ("header", "Expecting property name"),
            ("format", "format 99, not 2"),
            ("parameters", "other parameters"),
            ("pooling", "other parameters"),
            ("object", "list indices must be integers"),
        ],
    )
    def test_what_cannot_be_used_is_built_again_and_said(
        self,
        make_graph: MakeGraph,
        tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
        damage: str,
        reason: str,
    ) -> None:
        snapshot = snapshot_of(make_graph(60, self.chain), "v1")
        EgoIndex.open(tmp_path, snapshot, RAW if damage == "parameters" else LOG)
        arrays, header = tmp_path / "ego_index.npz", tmp_path / "ego_index.json"
        data = arrays.read_bytes()
        if damage == "cut":
            arrays.write_bytes(data[: len(data) // 2])
        elif damage == "flipped":
            arrays.write_bytes(data[:2000] + bytes([data[2000] ^ 1]) + data[2001:])
        elif damage == "header":
            header.write_text("{")
        elif damage == "format":
            header.write_text(header.read_text().replace('"format": 2', '"format": 99'))
        elif damage == "pooling":
            header.write_text(header.read_text().replace('"pool": "separate"', '"pool": "joint"'))
        elif damage == "object":
            header.write_text("[]")
        index = EgoIndex.open(tmp_path, snapshot, LOG)
        assert f"{tmp_path} cannot be used ({reason}" in caplog.messages[0]
        assert_same_index(index, EgoIndex.build(snapshot.graph, LOG))
        caplog.clear()
        EgoIndex.open(tmp_path, snapshot, LOG)
        assert caplog.messages == []

    def test_a_folder_that_cannot_be_written_is_named(
        self, make_graph: MakeGraph, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StoreError, match="file"):
            EgoIndex.build(make_graph(2, []), LOG).save(tmp_path / "file", "v1")
