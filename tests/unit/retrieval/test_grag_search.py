"""`grag`: the vector of an ego-graph against sums made by hand, and which ego-graphs come."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import CO_OCCURRENCE, Entity, Graph, Passage, Question, Relation, Snapshot
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.grag_search import GRAG_CUT, GragSearch

D = 6


def unit(rows: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def snapshot_of(
    num: int, ends: list[tuple[int, int]], stated: int | None = None, weight: int = 1
) -> Snapshot:
    """Entities e00, e01, ... each in a passage of its own; the first `stated` pairs state
    something.
    """
    stated = len(ends) if stated is None else stated
    entities = tuple(
        Entity(f"e{i:02}", f"n{i}", f"N{i}", "", (f"n{i}",), (), "x", 1 + weight * i, ())
        for i in range(num)
    )
    relations = tuple(
        Relation(
            f"r{i:02}",
            f"e{a:02}",
            f"e{b:02}",
            "l" if i < stated else CO_OCCURRENCE,
            1 + weight * i,
            1,
            (),
            (),
        )
        for i, (a, b) in enumerate(ends)
    )
    passages = tuple(Passage(f"p{i:02}", f"d{i:02}", 0, 0, 1, 0, 0) for i in range(num))
    graph = Graph(
        entities, relations, unit(num, 1), unit(stated, 2), tuple((p.id,) for p in passages)
    )
    return Snapshot("w", "1", {}, {}, passages, unit(num, 3), {}, graph)


def search(made: Snapshot) -> GragSearch:
    return GragSearch(made, EgoIndex.build(made.graph, GRAG_CUT), PROFILES["default"])


@given(st.integers(2, 12), st.integers(0, 25), st.integers(0, 10_000), st.integers(0, 2))
def test_an_ego_graph_is_the_mean_of_all_its_nodes_and_edges_each_once(
    num: int, num_edges: int, seed: int, weight: int
) -> None:
    rng = np.random.default_rng(seed)
    ends = sorted(
        {(min(a, b), max(a, b)) for a, b in rng.integers(0, num, (num_edges, 2)).tolist() if a != b}
    )
    stated = int(rng.integers(0, len(ends) + 1))
    made = snapshot_of(num, ends, stated, weight)
    linked: nx.Graph = nx.Graph()
    linked.add_nodes_from(range(num))
    linked.add_edges_from(ends)
    index = EgoIndex.build(made.graph, GRAG_CUT)
    for centre in range(num):
        near = set(nx.single_source_shortest_path_length(linked, centre, cutoff=GRAG_CUT.num_hops))
        edges = [i for i, (a, b) in enumerate(ends[:stated]) if a in near and b in near]
        total = made.graph.entity_vectors[sorted(near)].sum(axis=0) + made.graph.relation_vectors[
            edges
        ].sum(axis=0)
        assert np.allclose(index.vectors[centre], total / np.linalg.norm(total), atol=1e-5)


def test_the_nearest_ego_graphs_come_whole_with_the_passages_of_their_entities() -> None:
    made = snapshot_of(9, [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (7, 8)], weight=0)
    retriever = search(made)
    vectors = EgoIndex.build(made.graph, GRAG_CUT).vectors
    found = retriever.retrieve(Question("q", vectors[5]), 9, 2)
    assert [made.graph.entities[own.nodes[0]].id for own in found.subgraphs] == ["e05", "e06"], (
        "the two see the same, as the paper has it"
    )
    assert {s.passage.id for s in found.passages} == {"p05", "p06"}
    chain = retriever.retrieve(Question("q", vectors[2]), 9, 1).subgraphs[0]
    assert chain.nodes == (2, 1, 3)
    assert chain.hops == (0, 1, 1)
    assert [c.is_accepted for c in found.candidates] == [True, True]
