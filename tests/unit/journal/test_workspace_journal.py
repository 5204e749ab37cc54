import json
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import timeit
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from dynagrag.core.errors import NewerStoreError, StoreError, UsageError
from dynagrag.core.protocols import ModelReply
from dynagrag.journal import journal_file
from dynagrag.journal.workspace_journal import Journal

REPLY = ModelReply('{"a": 1}', False, 10, 5, 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspace" / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal(path)
    yield opened
    opened.close()


def test_a_stored_reply_comes_back_in_another_connection(journal: Journal, path: Path) -> None:
    reply = ModelReply('a "NUL" \0 and 😀', True, 1, 2, 0.25)
    journal.store_reply("k", reply, ["d"])
    other = Journal(path)
    assert other.cached_reply("k") == reply
    assert other.cached_reply("other") is None
    other.close()


def test_a_text_that_no_json_holds_is_a_miss_rather_than_an_error(journal: Journal) -> None:
    journal.store_reply("k", ModelReply("\ud800", False, 1, 1, 0.1), ["d"])
    assert journal.cached_reply("k") is None


@pytest.mark.parametrize(
    "body",
    [
        (
            '{"text": "forged", "is_cut_off": false, "prompt_tokens": 1, "completion_tokens": 1,'
            ' "seconds": 0.1}'
        ),
        "not json",
        pickle.dumps(REPLY.text),
    ],
)
def test_a_corrupt_entry_is_a_miss(journal: Journal, path: Path, body: str | bytes) -> None:
    journal.store_reply("k", REPLY, ["d"])
    with sqlite3.connect(path) as db:
        db.execute("UPDATE replies SET body = ?", (body,))
    db.close()
    assert journal.cached_reply("k") is None
    journal.store_reply("k", REPLY, ["d"])
    assert journal.cached_reply("k") == REPLY


def test_a_reply_that_is_whole_but_of_another_form_is_a_miss(journal: Journal, path: Path) -> None:
    journal.store_reply("k", REPLY, ["d"])
    body = json.dumps({"text": ["a", "list"], "is_cut_off": False})
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE replies SET body = ?, checksum = ?", (body, journal_file.checksum("k", body))
        )
    db.close()
    assert journal.cached_reply("k") is None


def test_a_reply_goes_with_the_last_document_that_uses_it(journal: Journal) -> None:
    journal.store_reply("k", REPLY, ["a"])
    journal.link_reply("k", "b")
    assert journal.forget_documents(["a"]) == 0
    assert journal.cached_reply("k") == REPLY
    assert journal.forget_documents(["b"]) == 1
    assert journal.cached_reply("k") is None


def test_a_reply_to_a_prompt_with_two_documents_goes_with_either(journal: Journal) -> None:
    journal.store_reply("k", REPLY, ["a", "b"])
    journal.forget_documents(["a"])
    assert journal.cached_reply("k") is None


def test_a_reply_that_names_no_document_goes_with_any_deletion(journal: Journal) -> None:
    journal.store_reply("question", REPLY)
    journal.forget_documents([])
    assert journal.cached_reply("question") == REPLY
    journal.forget_documents(["a"])
    assert journal.cached_reply("question") is None


def test_storing_again_keeps_the_uses_by_other_documents(journal: Journal) -> None:
    journal.store_reply("k", REPLY, ["a"])
    journal.store_reply("k", REPLY, ["b"])
    journal.forget_documents(["b"])
    assert journal.cached_reply("k") == REPLY


def test_a_link_to_an_unknown_reply_is_nothing(journal: Journal) -> None:
    journal.link_reply("k", "a")
    assert journal.cached_reply("k") is None


def test_a_forgotten_text_leaves_no_bytes_on_disk(journal: Journal, path: Path) -> None:
    journal.store_reply("k", ModelReply("CANARY " * 500, False, 1, 1, 0.1), ["a"])
    journal.store_verdict("v", "CANARY verdict", ["a"])
    journal.set_aside("a", 0, 10, "CANARY reason")
    journal.store_reply("other", REPLY, ["b"])
    journal.forget_documents(["a"])
    assert all(b"CANARY" not in file.read_bytes() for file in path.parent.iterdir())
    assert journal.cached_reply("other") == REPLY


def test_verdicts_go_with_their_last_document_or_when_no_longer_wanted(journal: Journal) -> None:
    journal.store_verdict("v", "one", ["a", "b"])
    journal.store_verdict("w", "two", ["b"])
    journal.forget_documents(["a"])
    assert (journal.verdict("v"), journal.verdict("w")) == ("one", "two")
    assert journal.keep_verdicts(["w"]) == 1
    assert (journal.verdict("v"), journal.verdict("w")) == (None, "two")
    journal.forget_documents(["b"])
    assert journal.verdict("w") is None


def test_the_ledger_sums_by_stage_and_document_and_leaves_cached_replies_out(
    journal: Journal,
) -> None:
    journal.record_call("extract", "a", prompt_tokens=10, completion_tokens=5, seconds=1.0)
    journal.record_call("extract", "a", prompt_tokens=20, completion_tokens=5, seconds=1.0)
    journal.record_call(
        "extract", "a", prompt_tokens=99, completion_tokens=9, seconds=9.0, is_cached=True
    )
    journal.record_call("answer")
    rows = [
        (r.stage, r.document_id, r.calls, r.cached, r.prompt_tokens, r.completion_tokens, r.seconds)
        for r in journal.ledger()
    ]
    assert rows == [("answer", None, 1, 0, 0, 0, 0.0), ("extract", "a", 2, 1, 30, 10, 2.0)]
    journal.forget_documents(["a"])
    assert [(r.stage, r.document_id, r.calls) for r in journal.ledger()] == [
        ("answer", None, 1),
        ("extract", None, 2),
    ]


def test_set_asides_are_replaced_cleared_by_span_and_forgotten(journal: Journal) -> None:
    journal.set_aside("a", 0, 10, "first")
    journal.set_aside("a", 0, 10, "second \ud800")
    journal.set_aside("a", 10, 20, "other")
    journal.set_aside("b", 0, 10, "b's")
    assert [(s.document_id, s.start, s.end, s.reason) for s in journal.set_asides()] == [
        ("a", 0, 10, "second ?"),
        ("a", 10, 20, "other"),
        ("b", 0, 10, "b's"),
    ]
    journal.clear_set_aside("a", 10, 20)
    journal.forget_documents(["b"])
    assert [(s.document_id, s.start) for s in journal.set_asides()] == [("a", 0)]


def test_a_set_aside_chunk_names_its_job(journal: Journal) -> None:
    journal.set_aside("a", 0, 10, "why", job_id=7)
    journal.set_aside("a", 10, 20, "why")
    assert [s.job_id for s in journal.set_asides()] == [7, None]


def test_what_cached_replies_once_took_is_summed_apart(journal: Journal) -> None:
    assert journal.cached_seconds() == 0
    for seconds, is_cached in ((1.0, False), (2.5, True), (0.5, True)):
        journal.record_call("check", seconds=seconds, is_cached=is_cached)
    assert journal.cached_seconds() == 3.0


def test_the_ledger_outlives_a_kill_and_the_documents_it_names(path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from dynagrag.journal.workspace_journal"
        " import Journal\n"
        "Journal(Path(sys.argv[1])).record_call('extract', 'a', prompt_tokens=10,"
        " completion_tokens=5, seconds=1.0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert (
        subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode
        == -signal.SIGKILL
    )
    journal = Journal(path)
    assert [(r.document_id, r.calls, r.prompt_tokens) for r in journal.ledger()] == [("a", 1, 10)]
    journal.forget_documents(["a"])
    assert [(r.document_id, r.calls, r.prompt_tokens) for r in journal.ledger()] == [(None, 1, 10)]
    journal.close()


def test_a_journal_of_the_first_version_is_brought_up_to_date_with_all_it_holds(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        for statement in filter(str.strip, journal_file.MIGRATIONS[0].split(";")):
            db.execute(statement)
        db.execute("PRAGMA user_version = 1")
        db.execute(
            "INSERT INTO jobs VALUES (1, 'ingest', '{\"documents\": 2, \"chunks\": 5}', 'done',"
            " '2026-01-01', '2026-01-02')"
        )
        db.execute(
            "INSERT INTO jobs VALUES (2, 'ingest', 'in words', 'running', '2026-01-03', NULL)"
        )
        db.execute("INSERT INTO set_asides VALUES ('a', 0, 10, 'why', '2026-01-01')")
        db.execute("INSERT INTO ledger VALUES (1, '2026-01-01', 'extract', 'a', 10, 5, 1.0, 0)")
    db.close()
    for _ in range(2):  # once to migrate, once to find it migrated
        journal = Journal(path)
        done, killed = journal.jobs()
        assert (done.status, dict(done.counts), done.finished_at) == (
            "done",
            {"documents": 2, "chunks": 5},
            "2026-01-02",
        )
        assert (killed.status, dict(killed.counts), killed.request.paths) == ("interrupted", {}, ())
        assert [(s.document_id, s.job_id) for s in journal.set_asides()] == [("a", None)]
        assert [(r.document_id, r.calls) for r in journal.ledger()] == [("a", 1)]
        with pytest.raises(UsageError, match="no job to resume"):
            journal.job_book.to_resume()
        journal.close()


def test_several_processes_may_make_the_same_journal_at_once(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from dynagrag.journal.workspace_journal import"
        " Journal\n"
        "sys.stdin.read(); j = Journal(Path(sys.argv[1])); j.record_call('extract'); j.close()\n"
    )
    made = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in made:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    assert [process.communicate(timeout=60)[1] for process in made] == [b""] * 4
    journal = Journal(path)
    assert [r.calls for r in journal.ledger()] == [4]
    journal.close()


def test_exported_replies_are_imported_with_their_origin_and_uses(
    journal: Journal, tmp_path: Path
) -> None:
    journal.store_reply("k", REPLY, ["a"], model="qwen")
    journal.link_reply("k", "b")
    file = tmp_path / "replies.jsonl"
    assert journal.export_replies(file) == 1
    other = Journal(tmp_path / "other.db")
    assert other.import_replies(file) == 1
    origin = other.reply_origin("k")
    assert other.cached_reply("k") == REPLY
    assert origin is not None
    assert (origin.model, origin.is_imported, len(origin.date)) == ("qwen", True, 10)
    other.forget_documents(["a"])
    assert other.cached_reply("k") == REPLY
    other.forget_documents(["b"])
    assert other.cached_reply("k") is None
    other.close()


def test_an_import_leaves_own_replies_and_stores_nothing_of_a_bad_file(
    journal: Journal, tmp_path: Path
) -> None:
    journal.store_reply("k", REPLY, ["a"], model="theirs")
    file = tmp_path / "replies.jsonl"
    journal.export_replies(file)
    mine = Journal(tmp_path / "mine.db")
    mine.store_reply("k", ModelReply("mine", False, 1, 1, 0.1), ["a"], model="mine")
    mine.import_replies(file)
    kept = mine.cached_reply("k")
    assert kept is not None
    assert kept.text == "mine"
    file.write_text(file.read_text().replace('"k"', '"new"') + "{broken\n")
    with pytest.raises(StoreError, match="line 2"):
        mine.import_replies(file)
    assert mine.cached_reply("new") is None
    mine.close()


def test_a_newer_file_is_refused_untouched(path: Path, journal: Journal) -> None:
    journal.close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(NewerStoreError, match="update dynagrag"):
        Journal(path)
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone()[0] == 99
    db.close()


def test_a_full_disk_is_said_and_what_was_stored_stays(journal: Journal) -> None:
    journal.store_reply("k", REPLY, ["a"])
    journal._db.execute("PRAGMA max_page_count = 1")  # clipped to the present size
    with pytest.raises(StoreError, match="free some disk space"):
        journal.store_reply("big", ModelReply("x" * 1_000_000, False, 1, 1, 0.1), ["a"])
    assert journal.cached_reply("k") == REPLY


def test_a_locked_file_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_file, "_BUSY_TIMEOUT_S", 0.05)
    journal = Journal(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process"):
        journal.store_reply("k", REPLY, ["a"])
    other.close()
    journal.store_reply("k", REPLY, ["a"])
    journal.close()


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    file.write_bytes(b"this is not a database, it is a text that somebody put here" * 50)
    with pytest.raises(StoreError, match="damaged"):
        Journal(file)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="DYNAGRAG_HOME"):
        Journal(tmp_path / "file" / "workspace" / "journal.db")


def test_threads_may_share_it(journal: Journal) -> None:
    def work(number: int) -> None:
        for i in range(25):
            journal.store_reply(f"{number}-{i}", REPLY, [f"d{i}"])
            journal.record_call("extract", f"d{i}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(row.calls for row in journal.ledger()) == 200
    assert all(journal.cached_reply(f"{n}-{i}") for n in range(8) for i in range(25))


def test_a_killed_process_loses_no_stored_reply(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from dynagrag.journal.workspace_journal import"
        " Journal\n"
        "from dynagrag.core.protocols import ModelReply\n"
        "j = Journal(Path(sys.argv[1]))\n"
        "for i in range(100000):\n"
        "    j.store_reply(str(i), ModelReply('x', False, 1, 1, 0.1), ['d']);"
        " print(i, flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    stored = [line.strip() for line in said if line.endswith("\n")]
    journal = Journal(path)
    assert len(stored) >= 50
    assert all(journal.cached_reply(key) for key in stored)
    journal.close()


def test_sixty_replies_and_their_ledger_rows_cost_little(journal: Journal) -> None:
    numbers = iter(range(5 * 60))

    def sixty() -> None:
        for i in islice(numbers, 60):
            journal.store_reply(str(i), ModelReply("x" * 2000, False, 1, 1, 0.1), ["d"])
            journal.record_call("extract", "d")

    assert (
        min(timeit.repeat(sixty, number=1, repeat=5)) < 0.5
    )  # about 0.01 s on an idle machine; the best of five, as others run beside
