"""What every graph store promises of looks into its graph."""

import pytest
from graph_stores import FACTS_A, document, put, rederive

from dynagrag.core.errors import EmbedderMismatchError, StoreError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import VectorKind


def test_an_overview_is_that_of_the_whole_graph_cut_to_its_heaviest_part(store: GraphStore) -> None:
    facts = [("Hub", "knows", f"N{i}") for i in range(6)] + [
        ("N0", "knows", "N1"),
        ("N2", "knows", "N2"),
    ]
    assert store.overview().num_entities == 0
    put(store, document("a.txt", facts))
    put(store, document("b.txt", facts[:3]))
    rederive(store)
    graph = store.graph()
    whole = store.overview()
    heaviest = sorted(graph.entities, key=lambda e: (-e.weight, e.id))
    degrees = [sum(e.id in (r.head, r.tail) for r in graph.relations) for e in heaviest]
    passages = dict(zip((e.id for e in graph.entities), graph.entity_passages, strict=True))
    assert whole.entities == tuple(heaviest)
    assert whole.degrees == tuple(degrees)
    assert whole.entity_passages == tuple(passages[e.id] for e in heaviest)
    assert whole.relations == tuple(sorted(graph.relations, key=lambda r: (-r.weight, r.id)))
    assert whole.num_relations == len(graph.relations)
    assert whole.degree_counts == {d: degrees.count(d) for d in degrees}
    assert whole.weight_counts == {
        w: sum(e.weight == w for e in heaviest) for w in {e.weight for e in heaviest}
    }
    assert whole.type_counts == {"thing": len(heaviest)}
    part = store.overview(max_entities=3, max_relations=2)
    ids = {e.id for e in heaviest[:3]}
    assert part.entities == tuple(heaviest[:3])
    assert part.relations == tuple(r for r in whole.relations if {r.head, r.tail} <= ids)[:2]
    assert (part.num_entities, part.num_relations, part.degree_counts) == (
        whole.num_entities,
        whole.num_relations,
        whole.degree_counts,
    )


def test_relation_records_are_found_by_id_in_the_order_asked(store: GraphStore) -> None:
    put(store, document("a.txt", [("A", "knows", "B"), ("B", "knows", "C"), ("C", "knows", "A")]))
    records = store.relation_records()
    ids = [records[2].id, "nobody's", records[0].id, records[2].id]
    assert store.records_of(ids) == (records[2], records[0])
    assert store.records_of([]) == ()


def test_a_neighbourhood_is_bounded_and_heaviest_first(store: GraphStore) -> None:
    put(
        store,
        document(
            "a",
            [("Hub", "knows", f"N{i}") for i in range(30)]
            + [("Hub", "knows", "N7"), ("N7", "owns", "Far")],
        ),
    )
    rederive(store)
    graph = store.graph()
    ids = {e.key: e.id for e in graph.entities}
    near = store.neighbourhood(ids["hub"], num_hops=2, fan_out=5)
    assert near.entities[0].key == "hub"
    assert (near.relations[0].weight, near.relations[0].tail) == (2, ids["n7"])
    assert near.is_cut
    assert "far" in {e.key for e in near.entities}
    assert len([r for r in near.relations if r.head == ids["hub"]]) == 5
    assert near == store.neighbourhood(ids["hub"], num_hops=2, fan_out=5)
    assert store.neighbourhood(ids["far"], num_hops=1).is_cut is False
    assert [e.key for e in store.neighbourhood(ids["hub"], num_hops=0).entities] == ["hub"]
    assert {r.weight for r in store.neighbourhood(ids["hub"], min_weight=2).relations} == {2}
    with pytest.raises(StoreError, match="no entity"):
        store.neighbourhood("nobody")


def test_search_is_for_whole_words_and_finds_the_same_everywhere(store: GraphStore) -> None:
    put(
        store,
        document(
            "a", [("Ada Byron", "founded", "Analytical-Engines"), ("Ada Byron", "knows", "Bob")]
        ),
    )
    rederive(store)
    for text, found in (
        ("byron", {"ada byron"}),
        ("Byr", set()),
        ("Analytical-Engines", {"analytical-engines"}),
        ("engines", {"analytical-engines"}),
        ("BOB byron nobody", {"bob", "ada byron"}),
        ("", set()),
        ("!", set()),
        ('" OR *:* //', set()),
    ):
        keys = {e.id: e.key for e in store.graph().entities}
        assert {keys[id_] for id_, _ in store.search_entities(text)} == found, text
    assert len(store.search_entities("said", limit=2)) == 2


def test_the_nearest_come_with_their_cosines_and_only_for_passages_and_entities(
    store: GraphStore,
) -> None:
    made = document("a", FACTS_A)
    put(store, made)
    rederive(store)
    ids = [p.id for p in made[2]]
    query = store.vectors(VectorKind.PASSAGE, ids[1:2])[0]
    found = store.nearest(VectorKind.PASSAGE, query, limit=2)
    assert [found[0][0], len(found)] == [ids[1], 2]
    assert found[0][1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(StoreError, match="searched"):
        store.nearest(VectorKind.MENTION, query)
    with pytest.raises(EmbedderMismatchError):
        store.nearest(VectorKind.PASSAGE, query[:3])
