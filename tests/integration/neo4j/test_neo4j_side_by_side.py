"""What processes and machines that share a Neo4j server could do to each other, and to a local copy
of its rows.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from neo4j import Driver
from neo4j_stores import EMBEDDER, OpenStore, document, graph_of, write

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.schema import VectorKind
from dynagrag.graph_store.neo4j_store.cache import RowCache
from dynagrag.graph_store.neo4j_store.graph_writer import GraphWriter
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

pytestmark = pytest.mark.neo4j


def test_two_processes_that_refresh_one_local_copy_never_read_a_half(tmp_path: Path) -> None:
    one, other = RowCache(tmp_path / "cache.sqlite", "o"), RowCache(tmp_path / "cache.sqlite", "o")
    rows = {"a": "1"}
    read: list[dict[str, bytes]] = []

    def fetch(uids: list[str]) -> list[tuple[str, str, bytes]]:
        return [(uid, rows[uid], f"{uid}{rows[uid]}".encode()) for uid in uids if uid in rows]

    def slow_fetch(uids: list[str]) -> list[tuple[str, str, bytes]]:
        if rows == {"a": "1"}:
            rows.update(a="2", b="1")
            read.append(other.read("L", "later", lambda: rows.items(), fetch))
        return fetch(uids)

    def signatures() -> list[tuple[str, str]]:
        if len(rows) == 2:  # the second turn, after which all would be well again
            read.append(other.read("L", "later", lambda: rows.items(), fetch))
        return list(rows.items())

    try:
        assert one.read("L", "now", signatures, slow_fetch) == {"a": b"a2", "b": b"b1"}
        assert read == [{"a": b"a2", "b": b"b1"}] * 2
    finally:
        one.close()
        other.close()


def test_a_damaged_local_copy_is_made_anew(open_store: OpenStore, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    store = open_store(cache=path)
    store.put_document(*document(store, 1))
    assert len(store.documents()) == 1
    store.close()
    path.write_bytes(b"junk" * 2000)
    again = open_store(cache=path)
    assert [d.title for d in again.documents()] == ["t1"]


def test_a_local_copy_that_cannot_be_opened_is_one_line(
    open_store: OpenStore, tmp_path: Path
) -> None:
    (tmp_path / "cache.sqlite").mkdir()
    with pytest.raises(StoreError, match=re.escape("cache.sqlite")):
        open_store(cache=tmp_path / "cache.sqlite")


def test_what_was_cleared_elsewhere_is_not_read_from_the_local_copy(
    open_store: OpenStore, tmp_path: Path
) -> None:
    here, elsewhere = (
        open_store(cache=tmp_path / "a.sqlite"),
        open_store(cache=tmp_path / "b.sqlite"),
    )
    here.set_embedder(EMBEDDER)
    here.put_document(*document(here, 1))
    write(here, graph_of(here, {1: 1, 2: 2}))
    assert len(here.graph().entities) == 2
    elsewhere.clear()
    assert (here.documents(), here.graph().entities, here.exists()) == ((), (), False)
    elsewhere.put_document(*document(elsewhere, 2))
    assert [d.title for d in here.documents()] == ["t2"]
    assert here.graph().entities == ()


@pytest.mark.parametrize("kind", ["sqlite", "neo4j"])
def test_the_vector_of_a_passage_that_went_is_passed_over(
    open_store: OpenStore, tmp_path: Path, kind: str
) -> None:
    server = open_store()
    store = server if kind == "neo4j" else SqliteStore(tmp_path / "graph.sqlite", server.workspace)
    store.set_embedder(EMBEDDER)
    made = document(store, 1)
    store.put_document(*made)
    store.put_vectors(VectorKind.PASSAGE, [made[2][0].id], np.ones((1, 4), dtype=np.float32))
    assert store.vector_ids(VectorKind.PASSAGE) == (made[2][0].id,)
    store.put_vectors(VectorKind.PASSAGE, ["gone"], np.ones((1, 4), dtype=np.float32))
    there = store.vector_ids(VectorKind.PASSAGE)
    if kind == "sqlite":
        store.close()
    assert there == (made[2][0].id,)


def test_a_writer_that_was_overtaken_does_not_pass_its_mixture_off_as_current(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder of the right to derive that stood still for longer than it lasts (Ctrl-Z, a closed
    laptop) goes on beside the next one.
    """
    slow, quick = open_store(), open_store()
    slow.set_embedder(EMBEDDER)
    slow.put_document(*document(slow, 1))
    old = slow.records()
    slow.put_document(*document(slow, 2))
    new = slow.records()
    put_entities, has_met = GraphWriter.put_entities, []

    def overtaken(writer: GraphWriter, *args: Any) -> None:
        if not has_met:
            has_met.append(True)
            write(quick, graph_of(quick, {1: 1, 3: 1}), old)
        put_entities(writer, *args)

    monkeypatch.setattr(GraphWriter, "put_entities", overtaken)
    with pytest.raises(StoreError, match="another machine took over"):
        write(slow, graph_of(slow, {1: 2, 2: 2}), new)
    assert not slow.is_derived_current()
    write(slow, graph_of(slow, {1: 2, 2: 2}), new)
    assert slow.is_derived_current()
    assert [(e.key, e.weight) for e in slow.graph().entities] == [("k1", 2), ("k2", 2)]


def test_the_right_to_derive_is_held_by_one_and_lost_by_the_dead(
    open_store: OpenStore, driver: Driver
) -> None:
    one, other = open_store(), open_store()
    waits: list[str] = []
    with one.lease("one", 1, waits.append):
        assert waits == []
        with (
            pytest.raises(WorkspaceError, match="another machine"),
            other.lease("other", 0.6, waits.append),
        ):
            pass
        assert len(waits) == 1
        with one.lease("one", 1, waits.append):  # the same folder, whose own lock the caller has
            pass
    with other.lease("other", 0.1, waits.append):
        pass
    driver.execute_query(
        "MATCH (w:Workspace {uid: $ws}) SET w.lease_holder = 'dead', w.lease_until ="
        " timestamp() - 1",
        ws=one.workspace,
    )
    with other.lease("other", 0.1, waits.append):
        pass
    assert len(waits) == 1
