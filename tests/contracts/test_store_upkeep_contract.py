"""What every graph store promises to those who look after it."""

import pytest
from graph_stores import FACTS_A, MakeStore, W, document, everything, put, rederive

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
