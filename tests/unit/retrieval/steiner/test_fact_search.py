"""`pcst` and `triples`: which facts come, in which subgraphs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import CO_OCCURRENCE, Entity, Graph, Passage, Question, Relation, Snapshot
from dynagrag.retrieval.ego.undirected_graph import undirected_graph
from dynagrag.retrieval.steiner.fact_search import NUM_TRIPLES, SteinerSearch, TripleSearch
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

D = 6


def unit(rows: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(rows, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def snapshot_of(
    num: int, ends: list[tuple[int, int]], *, stated: int | None = None, seed: int = 1
) -> Snapshot:
    """Entities e00, e01, ... each in a passage of its own; the first `stated` relations state
    something, the rest are co-occurrences.
    """
    stated = len(ends) if stated is None else stated
    entities = tuple(
        Entity(f"e{i:02}", f"n{i}", f"N{i}", "", (f"n{i}",), (), "x", 1, ()) for i in range(num)
    )
    relations = tuple(
        Relation(
            f"r{i:02}", f"e{a:02}", f"e{b:02}", "l" if i < stated else CO_OCCURRENCE, 1, 1, (), ()
        )
        for i, (a, b) in enumerate(ends)
    )
    passages = tuple(Passage(f"p{i:02}", f"d{i:02}", 0, 0, 1, 0, 0) for i in range(num))
    graph = Graph(
        entities,
        relations,
        unit(num, seed),
        unit(stated, seed + 1),
        tuple((p.id,) for p in passages),
    )
    return Snapshot("w", "1", {}, {}, passages, unit(num, seed + 2), {}, graph)


def near(made: Snapshot, relation: int) -> Question:
    return Question("q", made.graph.relation_vectors[relation])


RING = [(i, (i + 1) % 16) for i in range(16)]


def test_the_tree_holds_the_fact_that_was_asked_for_and_its_own_pairs_alone() -> None:
    made = snapshot_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    found = SteinerSearch(made, options=TreeOptions(num_nodes=0, num_edges=1)).retrieve(
        near(made, 1), 5, 5
    )
    (tree,) = found.subgraphs
    assert {made.graph.entities[node].id for node in tree.nodes} == {"e01", "e02"}
    assert [[made.graph.relations[r].id for r in own] for own in tree.pair_relations] == [["r01"]]
    assert tree.hops == (0, 1)
    assert tree.node_prizes == (0, 0)
    assert tree.pair_prizes == (1,)
    assert {s.passage.id for s in found.passages} == {"p01", "p02"}
    assert found.candidates[0].entity_id == made.graph.entities[tree.nodes[0]].id
    assert found.subgraph_kind == "tree"


def test_a_tree_is_no_induced_subgraph() -> None:
    triangle = snapshot_of(3, [(0, 1), (1, 2), (0, 2)])
    (tree,) = (
        SteinerSearch(triangle, options=TreeOptions(num_nodes=0, num_edges=2))
        .retrieve(near(triangle, 0), 5, 5)
        .subgraphs
    )
    assert len(tree.nodes) == 3
    assert len(tree.pairs) == 2


def test_facts_that_hang_together_are_one_subgraph_and_the_nearest_comes_first() -> None:
    made = snapshot_of(16, RING)
    found = TripleSearch(made).retrieve(near(made, 3), 50, 50)
    assert sum(len(own.pairs) for own in found.subgraphs) == NUM_TRIPLES
    assert found.subgraph_kind == "fact graph"
    nodes = [node for own in found.subgraphs for node in own.nodes]
    assert len(set(nodes)) == len(nodes), "subgraphs share no entity"
    assert 1 < len(found.subgraphs) <= 6
    brought = {
        made.graph.relations[r].id
        for own in found.subgraphs
        for rows in own.pair_relations
        for r in rows
    }
    cosines = made.graph.relation_vectors @ made.graph.relation_vectors[3]
    assert brought == {f"r{i:02}" for i in np.argsort(-cosines)[:NUM_TRIPLES]}
    assert [own.score for own in found.subgraphs] == sorted(
        (own.score for own in found.subgraphs), reverse=True
    )


def test_a_subgraph_stands_by_hops_from_its_centre_and_then_as_the_graph_has_it() -> None:
    made = snapshot_of(6, [(0, 1), (0, 2), (1, 5), (2, 3)])
    (found,) = (
        TripleSearch(made).retrieve(Question("q", made.graph.entity_vectors[0]), 5, 5).subgraphs
    )
    assert found.nodes == (0, 1, 2, 3, 5), "5 is reached before 3"
    assert found.hops == (0, 1, 1, 2, 2)


def test_a_graph_without_facts_gives_its_nearest_entities_alone() -> None:
    made = snapshot_of(5, [])
    question = Question("q", made.graph.entity_vectors[2])
    for retriever, num in ((SteinerSearch(made), 3), (TripleSearch(made), 5)):
        found = retriever.retrieve(question, 5, 9)
        assert len(found.subgraphs) == num
        assert made.graph.entities[found.subgraphs[0].nodes[0]].id == "e02"
        assert found.notes == ("the graph has no facts, so entities were brought alone",)


@given(st.integers(0, 1000), st.integers(0, 16))
def test_a_pair_that_states_nothing_is_as_near_as_the_mean_of_its_ends(
    seed: int, stated: int
) -> None:
    made = snapshot_of(16, RING, stated=stated, seed=seed)
    query = unit(1, seed + 9)[0]
    graph = undirected_graph(made.graph)
    search = TripleSearch(made)
    cosines = search._edge_cosines((graph.z @ query).astype(np.float64), query)
    assert np.allclose(cosines, graph.vectors_of(np.arange(graph.num_pairs)) @ query, atol=2e-6)
