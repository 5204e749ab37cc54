"""What every graph store promises of the graph derived from its records, also after a deletion, and
of looks into it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph_stores import (
    EMBEDDER,
    FACTS_A,
    FACTS_B,
    LOCAL,
    SERVERS,
    Fact,
    MakeStore,
    W,
    document,
    everything,
    found_by,
    put,
    rederive,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import CO_OCCURRENCE, Consolidation, EditKind, LabelMerge, VectorKind
from dynagrag.graph_store.derived.canonical import make_edit, make_merge
from dynagrag.graph_store.derived.embedded_texts import mention_texts
from dynagrag.graph_store.rules import missing_ids
from dynagrag.registry.stores import sqlite_store


def test_an_empty_store_has_an_empty_graph(make_store: MakeStore) -> None:
    graph = make_store(W).graph()
    assert (graph.entities, graph.relations, graph.entity_passages) == ((), (), ())
    assert len(graph.entity_vectors) == len(graph.relation_vectors) == 0


def test_the_derived_view_is_out_of_date_after_each_change_of_records(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    changes: list[Callable[[], object]] = [
        lambda: store.put_document(doc, turns, passages),
        lambda: store.put_extractions(extractions),
        lambda: store.put_edit(
            make_edit(EditKind.RENAME, keys=["ada"], name="A", by="me", at="2026-01-01T00:00:00Z")
        ),
        lambda: store.drop_extractions(doc.id, [], "llm"),
        lambda: store.delete_document(doc.id),
    ]
    for change in changes:
        version = store.version()
        change()
        assert not store.is_derived_current()
        assert store.version() != version
        rederive(store)
        assert store.is_derived_current()


def test_the_graph_and_the_merges_round_trip_and_shrink_to_what_is_written(
    store: GraphStore,
) -> None:
    put(store, document("a", FACTS_A))
    put(store, document("b", FACTS_B))
    merge = make_merge(["ada", "bob"], "ada", "model", "saw: both")
    labels = (LabelMerge("works with", "leads", True, "model"),)
    rederive(store, Consolidation((merge,), labels))
    assert store.consolidation() == Consolidation((merge,), labels)
    assert {e.key for e in store.graph().entities} == {"ada", "acme", "zenith", "canary77"}
    rederive(store)
    assert store.consolidation() == Consolidation()
    assert {e.key for e in store.graph().entities} == {"ada", "bob", "acme", "zenith", "canary77"}


def test_vectors_are_replaced_by_those_of_another_store_unless_records_have_changed(
    store: GraphStore, tmp_path: Path
) -> None:
    (tmp_path / "staged").mkdir()
    staged = sqlite_store("", tmp_path / "staged", W, load_settings())
    for own, embedder in ((store, EMBEDDER), (staged, replace(EMBEDDER, name="another"))):
        own.set_embedder(embedder)
        put(own, document("a", FACTS_A))
        rederive(own)
    before = store.records()
    put(store, document("b", FACTS_B))
    rederive(store)
    assert not store.replace_vectors(staged, before)
    assert store.embedder() == EMBEDDER
    put(staged, document("b", FACTS_B))
    rederive(staged)
    assert store.replace_vectors(staged, store.records())
    assert store.embedder() == staged.embedder()
    assert store.is_derived_current()
    assert np.array_equal(store.graph().entity_vectors, staged.graph().entity_vectors)
    staged.close()


def test_a_co_occurrence_has_no_vector_and_loses_one_that_it_had(store: GraphStore) -> None:
    """Workspaces of earlier versions hold vectors of co-occurrences; the next graph that is written
    leaves them out.
    """
    doc, turns, passages, said = document(
        "a", [("Ada", CO_OCCURRENCE, "Bob"), ("Bob", "leads", "Acme")]
    )
    extractions = [replace(e, relations=(replace(e.relations[0], summary=""),)) for e in said]
    put(store, (doc, turns, passages, extractions))
    rederive(store)
    graph = store.graph()
    named = {r.label: r.id for r in graph.relations}
    assert store.vector_ids(VectorKind.RELATION) == (named["leads"],)
    assert graph.relation_vectors.shape == (1, EMBEDDER.dimension)
    earlier = tuple(replace(r, summaries=("old",)) for r in graph.relations)
    before = replace(graph, relations=earlier, relation_vectors=np.ones((2, 8), dtype=np.float32))
    store.write_graph(before, Consolidation(), store.records())
    assert set(store.vector_ids(VectorKind.RELATION)) == set(named.values())
    store.write_graph(graph, Consolidation(), store.records())
    assert store.vector_ids(VectorKind.RELATION) == (named["leads"],)
    assert store.graph().relation_vectors.tobytes() == graph.relation_vectors.tobytes()


def test_add_a_add_b_delete_a_equals_b_alone(store: GraphStore) -> None:
    a, b = document("a", FACTS_A), document("b", FACTS_B)
    put(store, b)
    rederive(store)
    alone = everything(store)
    store.clear()
    store.set_embedder(EMBEDDER)
    put(store, a)
    put(store, b)
    rederive(store)
    assert [store.graph().entities[i].name for i in found_by(store, "Canary77")] == ["Canary77"]
    store.delete_document(a[0].id)
    rederive(store)
    assert everything(store) == alone
    said = repr(everything(store))
    assert "said in a" not in said
    assert "Canary77" not in said
    assert found_by(store, "Canary77") == []
    assert found_by(store, "said in a") == found_by(store, "said in")
    texts_of_a = mention_texts(m for e in a[3] for m in e.mentions)
    assert missing_ids(texts_of_a, store.vector_ids(VectorKind.MENTION)) == tuple(texts_of_a)
    assert missing_ids([p.id for p in a[2]], store.vector_ids(VectorKind.PASSAGE)) == tuple(
        p.id for p in a[2]
    )


_names = st.sampled_from(["Ada", "Bob", "Acme", "Zenith", "ada"])
_facts = st.lists(
    st.tuples(_names, st.sampled_from(["founded", "likes", "mentioned with"]), _names), max_size=5
)
_given = given(a=_facts, b=_facts, is_merged=st.booleans())
_settings = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("make_store", LOCAL, indirect=True)
@_settings
@_given
def test_deletion_leaves_no_trace_of_any_document(
    store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool
) -> None:
    leaves_no_trace(store, a, b, is_merged)


@pytest.mark.parametrize("make_store", SERVERS, indirect=True)
@settings(_settings, max_examples=4)  # a second or two each
@_given
def test_deletion_leaves_no_trace_of_any_document_on_a_server(
    store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool
) -> None:
    leaves_no_trace(store, a, b, is_merged)


def leaves_no_trace(store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool) -> None:
    """Adding A and B and deleting A gives what B alone gives: records, graph, vectors, search."""
    consolidation = Consolidation(
        (make_merge(["ada", "bob"], "bob", "model", ""),) if is_merged else ()
    )
    one, two = document("a", a), document("b", b)
    states = []
    for documents in ([two], [one, two]):
        store.clear()
        store.set_embedder(EMBEDDER)
        for made in documents:
            put(store, made)
        rederive(store, consolidation)
        if len(documents) == 2:
            store.delete_document(one[0].id)
            rederive(store, consolidation)
        searched = tuple(
            tuple(found_by(store, word))
            for word in ("ada", "bob", "acme", "zenith", "said in a", "said in b")
        )
        kinds = (
            VectorKind.PASSAGE,
            VectorKind.MENTION,
            VectorKind.RECORD,
            VectorKind.ENTITY,
            VectorKind.RELATION,
        )
        held = tuple(
            (store.vector_ids(k), store.vectors(k, store.vector_ids(k)).tobytes()) for k in kinds
        )
        near = store.nearest(VectorKind.ENTITY, np.ones(8, dtype=np.float32), limit=100)
        states.append((everything(store), searched, held, [id_ for id_, _ in near]))
    assert states[0] == states[1]


def test_a_lease_is_held_and_given_back_also_after_an_error(store: GraphStore) -> None:
    said: list[str] = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), store.lease("this folder", 5.0, said.append):
            raise ZeroDivisionError
    with store.lease("another folder", 0.0, said.append):
        pass
    assert said == []


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
    for entity in heaviest[:3]:
        held = store.passages_of(entity.id)
        assert {p.id for p in held} == set(passages[entity.id])
        assert [p.document_id for p in held] == sorted(p.document_id for p in held)
    part = store.overview(max_entities=3, max_relations=2)
    ids = {e.id for e in heaviest[:3]}
    assert part.entities == tuple(heaviest[:3])
    assert part.relations == tuple(r for r in whole.relations if {r.head, r.tail} <= ids)[:2]
    assert (part.num_entities, part.num_relations, part.degree_counts) == (
        whole.num_entities,
        whole.num_relations,
        whole.degree_counts,
    )


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
    for look in (store.neighbourhood, store.passages_of):
        with pytest.raises(StoreError, match="no entity"):
            look("nobody")


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
