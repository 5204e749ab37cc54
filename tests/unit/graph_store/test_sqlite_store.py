"""What the embedded store promises beyond the contract: its file, its faults, and its death."""

import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from dynagrag.core.errors import NewerStoreError, StoreError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Extraction
from dynagrag.core.schema import (
    Consolidation,
    Document,
    EmbedderIdentity,
    Entity,
    Graph,
    Mention,
    MentionKind,
    Passage,
    Turn,
    VectorKind,
)
from dynagrag.graph_store.sqlite_store.migrations import MIGRATIONS
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

NUM_CHUNKS = 40


def put_whole(store: SqliteStore, number: int) -> str:
    """A document with 40 turns and passages, then 40 extractions of 5 mentions in one call."""
    doc = Document(
        f"doc{number}",
        store.workspace,
        f"title {number}",
        "",
        f"sha{number}",
        f"secret{number} " * 400,
    )
    turns = [Turn(content_id(doc.id, i), doc.id, i, 10 * i, 10 * i + 9) for i in range(NUM_CHUNKS)]
    passages = [
        Passage(content_id("p", doc.id, i), doc.id, i, 10 * i, 10 * i + 9, i, i)
        for i in range(NUM_CHUNKS)
    ]
    store.put_document(doc, turns, passages)
    store.put_extractions(
        [
            Extraction(
                doc.id,
                10 * i,
                10 * i + 9,
                "llm",
                tuple(mention(doc.id, i, k, passages[i].id) for k in range(5)),
                (),
            )
            for i in range(NUM_CHUNKS)
        ]
    )
    return doc.id


def mention(doc: str, i: int, k: int, passage: str) -> Mention:
    id_ = content_id("m", doc, i, k)
    return Mention(
        id_,
        doc,
        10 * i,
        10 * i + 9,
        (passage,),
        f"Name{k}",
        f"name{k}",
        "",
        f"secret of {doc} {k}",
        MentionKind.SAID,
        "llm",
    )


def test_a_killed_writer_leaves_every_call_done_or_undone(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    script = (
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('writer', {__file__!r})\n"
        "writer = importlib.util.module_from_spec(spec); spec.loader.exec_module(writer)\n"
        f"store = writer.SqliteStore(writer.Path({str(path)!r}), 'w')\n"
        "print('ready', flush=True)\n"
        "start = len(store.documents())\n"
        "for number in range(start, start + 100_000):\n"
        "    if number % 7 == 3 and number > start + 3: store.delete_document(f'doc{number - 2}')\n"
        "    writer.put_whole(store, number)\n"
    )
    for wait_s in (0.02, 0.11, 0.23):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(wait_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        store = SqliteStore(path, "w")
        assert store.documents()
        num_mentions = Counter(m.document_id for m in store.mentions())
        for document in store.documents():
            assert len(store.turns(document.id)) == len(store.passages(document.id)) == NUM_CHUNKS
            assert (len(store.live_spans(document.id)), num_mentions[document.id]) in {
                (0, 0),
                (NUM_CHUNKS, 5 * NUM_CHUNKS),
            }
        store.close()
        with sqlite3.connect(path) as sqlite:
            assert sqlite.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert sqlite.execute("PRAGMA foreign_key_check").fetchall() == []
        sqlite.close()


def test_no_byte_of_a_deleted_document_stays_in_the_files(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    store = SqliteStore(path, "w")
    store.set_embedder(EmbedderIdentity("fake", 4))
    canary = np.array([[1.25, -3.5, 7.75, 0.1]], dtype=np.float32)
    for number in range(12):
        doc = put_whole(store, number)
        store.put_vectors(VectorKind.MENTION, [f"text{number}"], canary * (number + 1))
        entity = Entity(
            f"e{number}",
            f"key{number}",
            f"name{number}",
            "",
            (),
            (),
            "",
            1,
            (f"secret of {doc} summary",),
        )
        store.write_graph(
            Graph((entity,), (), canary * (number + 1), np.zeros((0, 4), dtype=np.float32), ((),)),
            Consolidation(),
            store.records(),
        )
    for number in range(0, 12, 2):
        store.delete_document(f"doc{number}")
    store.keep_vectors(VectorKind.MENTION, [f"text{n}" for n in range(1, 12, 2)])
    store.write_graph(store.graph(), Consolidation(), store.records())
    data = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for number in range(12):
        is_kept = number % 2 == 1
        assert (f"secret{number} ".encode() in data) == is_kept
        assert (f"secret of doc{number} ".encode() in data) == is_kept
        assert ((canary * (number + 1)).tobytes() in data) == is_kept
    store.close()


def test_another_process_reads_a_consistent_store_while_this_one_writes(tmp_path: Path) -> None:
    writer, reader = (SqliteStore(tmp_path / "graph.sqlite", "w") for _ in range(2))
    put_whole(writer, 0)
    with writer._connection.write() as sqlite:
        sqlite.execute("DELETE FROM documents")
        assert len(reader.documents()) == 1
        assert len(reader.mentions()) == 5 * NUM_CHUNKS
    assert reader.documents() == ()
    writer.close()
    reader.close()


def test_a_store_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    SqliteStore(path, "w").close()
    with sqlite3.connect(path) as sqlite:
        sqlite.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    sqlite.close()
    before = path.read_bytes()
    with pytest.raises(NewerStoreError, match="update dynagrag"):
        SqliteStore(path, "w")
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as sqlite:
        sqlite.execute("CREATE TABLE bookmarks (url TEXT)")
    sqlite.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        SqliteStore(path, "w")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"this is not a database, it is a text file\n" * 50, b"\x00\xff" * 4096]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "graph.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"graph\.sqlite.*not a dynagrag store"):
        SqliteStore(path, "w")
    assert path.read_bytes() == content


def test_a_damaged_store_is_named_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    store = SqliteStore(path, "w")
    for number in range(5):
        put_whole(store, number)
    store.close()
    data = bytearray(path.read_bytes())
    data[4096 : len(data) - 4096] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        SqliteStore(path, "w").mentions()


def test_another_workspaces_file_is_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "graph.sqlite", "left").close()
    with pytest.raises(StoreError, match="holds workspace 'left'"):
        SqliteStore(tmp_path / "graph.sqlite", "right")


def test_a_full_disk_is_said_and_what_was_stored_stays(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    put_whole(store, 0)
    version = store.version()
    with store._connection.read() as sqlite:
        num_pages = sqlite.execute("PRAGMA page_count").fetchone()[0]
    with store._connection._lock:
        store._connection._sqlite.execute(f"PRAGMA max_page_count = {num_pages}")
    with pytest.raises(StoreError, match="disk is full"):
        put_whole(store, 1)
    assert [d.id for d in store.documents()] == ["doc0"]
    assert store.version() == version
    store.close()


@pytest.mark.parametrize("num_bytes", [0, 4096, 20_000, 50_000, 100_000])
def test_a_disk_that_is_full_while_the_file_is_made_is_said(tmp_path: Path, num_bytes: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (num_bytes, hard)
    )  # no file may be longer: SQLite then rolls back by itself, as on a full disk
    try:
        with pytest.raises(StoreError, match="the disk"):
            SqliteStore(tmp_path / "graph.sqlite", "w")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_store_locked_by_another_writer_says_so(tmp_path: Path) -> None:
    path = tmp_path / "graph.sqlite"
    store = SqliteStore(path, "w")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with store._connection._lock:
        store._connection._sqlite.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(StoreError, match="another process"):
        put_whole(store, 0)
    other.execute("ROLLBACK")
    other.close()
    put_whole(store, 0)
    store.close()


def test_a_folder_that_cannot_be_made_and_a_closed_store_are_our_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        SqliteStore(tmp_path / "file" / "graph.sqlite", "w")
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.documents()


def test_text_with_a_lone_surrogate_is_refused_with_its_code(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    with pytest.raises(StoreError, match=r"U\+D800"):
        store.put_document(Document("d", "w", "bad \ud800", "", "", ""), [], [])
    assert store.documents() == ()
    store.close()


def test_a_store_made_anew_never_has_a_version_of_the_old_one(tmp_path: Path) -> None:
    versions = set()
    for folder in ("a", "b"):
        store = SqliteStore(tmp_path / folder / "graph.sqlite", "w")
        versions.add(store.version())
        store.close()
    assert len(versions) == 2


def test_a_document_is_read_as_fast_whatever_else_the_store_holds(tmp_path: Path) -> None:
    steps = []

    def step() -> None:
        steps[-1] += 1

    with closing(SqliteStore(tmp_path / "graph.sqlite", "w")) as store:
        first = put_whole(store, 0)
        for others in (range(0), range(1, 20)):
            for number in others:
                put_whole(store, number)
            with store._connection.read() as sqlite:
                steps.append(0)
                sqlite.set_progress_handler(step, 100)
            assert len(store.extractions(first)) == NUM_CHUNKS
            with store._connection.read() as sqlite:
                sqlite.set_progress_handler(None, 0)
    alone, among_others = steps
    assert among_others < 1.5 * alone
