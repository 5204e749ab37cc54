"""What every graph store promises to those who look after it."""

import pytest
from graph_stores import FACTS_A, FACTS_B, MakeStore, W, document, everything, put, rederive

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Consolidation, EditKind, EmbedderIdentity, VectorKind
from dynagrag.graph_store.derived.canonical import make_edit, make_merge


def test_a_store_that_is_whole_says_so_and_repairing_it_loses_nothing(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    digest_before = rederive(store)
    assert store.exists()
    assert all(finding.is_ok for finding in store.health()), store.health()
    assert store.address()
    before = everything(store)
    store.repair()
    assert rederive(store) == digest_before
    assert everything(store) == before


def test_a_note_is_kept_and_dropped_without_a_change_of_the_workspace(store: GraphStore) -> None:
    version = store.version()
    assert store.note("copy") == ""
    store.set_note("copy", "from there")
    assert store.note("copy") == "from there"
    store.set_note("copy", "")
    assert (store.note("copy"), store.version()) == ("", version)


def test_a_lease_is_held_and_given_back_also_after_an_error(store: GraphStore) -> None:
    said: list[str] = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), store.lease("this folder", 5.0, said.append):
            raise ZeroDivisionError
    with store.lease("another folder", 0.0, said.append):
        pass
    assert said == []


def test_inside_a_reading_own_writes_are_seen_and_afterwards_everybody_elses(
    store: GraphStore,
) -> None:
    put(store, document("a", FACTS_A))
    with store.reading():
        before = store.version()
        assert [d.title for d in store.documents()] == ["a"]
        put(store, document("b", FACTS_B))
        assert [d.title for d in store.documents()] == ["a", "b"]
        assert store.version() != before
    assert store.version() != before


def test_a_cleared_workspace_is_empty_and_takes_another_embedder(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    store.put_edit(
        make_edit(EditKind.RENAME, keys=["ada"], name="A", by="me", at="2026-01-01T00:00:00Z")
    )
    rederive(store, Consolidation((make_merge(["ada", "acme"], "ada", "model", ""),)))
    store.set_note("copy", "from there")
    version = store.version()
    store.clear()
    graph = store.graph()
    assert (graph.entities, graph.relations, store.consolidation()) == ((), (), Consolidation())
    assert (
        store.documents(),
        store.turns(),
        store.passages(),
        store.mentions(),
        store.relation_records(),
        store.edits(),
    ) == ((),) * 6
    assert (store.embedder(), store.note("copy"), store.num_chunks()) == (None, "", 0)
    assert [store.vector_ids(kind) for kind in VectorKind] == [()] * len(VectorKind)
    assert store.version() != version
    store.set_embedder(EmbedderIdentity("another", 3))


def test_a_store_that_is_wiped_holds_what_it_held(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    rederive(store)
    before = everything(store)
    store.wipe()
    assert everything(store) == before


def test_a_store_is_closed_twice_and_then_refuses_to_read(make_store: MakeStore) -> None:
    store = make_store(W)
    store.close()
    store.close()
    with pytest.raises(StoreError):
        store.documents()
