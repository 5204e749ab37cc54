"""What every graph store promises of its vectors."""

import numpy as np
import pytest
from graph_stores import FACTS_A, MakeStore, W, document, everything, put, rederive

from dynagrag.core.errors import EmbedderMismatchError, StoreError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import EmbedderIdentity, VectorKind


def test_vectors_come_in_the_order_asked_and_a_missing_one_is_an_error(store: GraphStore) -> None:
    ids = [f"id{i}" for i in range(1200)]
    rng = np.random.default_rng(0)
    array = rng.standard_normal((1200, 8)).astype(np.float32)
    store.put_vectors(VectorKind.MENTION, ids, array)
    order = [int(i) for i in rng.permutation(1200)]
    assert np.array_equal(store.vectors(VectorKind.MENTION, [ids[i] for i in order]), array[order])
    assert np.array_equal(
        store.vectors(VectorKind.MENTION, [ids[7], ids[3], ids[7]]), array[[7, 3, 7]]
    )
    assert store.vectors(VectorKind.MENTION, []).shape == (0, 8)
    with pytest.raises(StoreError, match="missing"):
        store.vectors(VectorKind.RECORD, ["id1"])
    assert store.keep_vectors(VectorKind.MENTION, ids[:5]) == 1195
    assert store.keep_vectors(VectorKind.MENTION, ids[:5]) == 0
    assert store.vectors(VectorKind.MENTION, ids[:5]).shape == (5, 8)
    assert store.vector_ids(VectorKind.MENTION) == tuple(sorted(ids[:5]))
    assert store.vector_ids(VectorKind.RECORD) == ()


@pytest.mark.parametrize("other", [EmbedderIdentity("fake", 9), EmbedderIdentity("other", 8)])
def test_another_embedder_is_refused_before_any_write_and_both_are_named(
    store: GraphStore, other: EmbedderIdentity
) -> None:
    put(store, document("a", FACTS_A))
    rederive(store)
    before = (store.version(), everything(store))
    with pytest.raises(
        EmbedderMismatchError, match=rf"fake.*\b8\b.*{other.name}.*\b{other.dimension}\b"
    ):
        store.set_embedder(other)
    assert (store.version(), everything(store)) == before


def test_vectors_of_another_dimension_are_refused(store: GraphStore) -> None:
    with pytest.raises(EmbedderMismatchError):
        store.put_vectors(VectorKind.PASSAGE, ["a"], np.zeros((1, 9), dtype=np.float32))
    assert store.vector_ids(VectorKind.PASSAGE) == ()


def test_vectors_need_an_embedder_first(make_store: MakeStore) -> None:
    store = make_store(W)
    assert store.embedder() is None
    with pytest.raises(StoreError, match="set_embedder"):
        store.put_vectors(VectorKind.PASSAGE, ["a"], np.zeros((1, 8), dtype=np.float32))


def test_an_embedder_of_4096_dimensions_is_kept_whole(make_store: MakeStore) -> None:
    store, wide = make_store(W), EmbedderIdentity("wide", 4096)
    store.set_embedder(wide)
    vectors = np.random.default_rng(0).standard_normal((3, 4096)).astype(np.float32)
    store.put_vectors(VectorKind.MENTION, ["a", "b", "c"], vectors)
    assert store.embedder() == wide
    assert np.array_equal(store.vectors(VectorKind.MENTION, ["c", "a"]), vectors[[2, 0]])


def test_neo4j_alone_refuses_an_embedder_that_its_indexes_cannot_hold(
    make_store: MakeStore,
) -> None:
    store = make_store(W)
    if not store.address().startswith("bolt"):
        store.set_embedder(EmbedderIdentity("huge", 8192))
        return
    with pytest.raises(StoreError, match=r"huge gives 8,192 numbers .*--store sqlite"):
        store.set_embedder(EmbedderIdentity("huge", 8192))
    assert store.embedder() is None


def test_vectors_of_the_graph_come_with_the_graph_alone(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    rederive(store)
    entity = store.graph().entities[0].id
    with pytest.raises(StoreError, match="write_graph"):
        store.put_vectors(VectorKind.ENTITY, [entity], np.zeros((1, 8), dtype=np.float32))
    with pytest.raises(StoreError, match="write_graph"):
        store.keep_vectors(VectorKind.RELATION, [])


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
