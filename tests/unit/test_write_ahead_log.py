"""Turning on SQLite's write-ahead log while others have the file open."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dynagrag.core.files import write_ahead_log
from dynagrag.core.files.write_ahead_log import use_write_ahead_log


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to `a.sqlite` that is in the middle of reading."""
    with closing(
        sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None, check_same_thread=False)
    ) as reader:
        reader.execute("CREATE TABLE t (x)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM t").fetchall()
        yield reader


def test_it_waits_for_one_who_reads_though_sqlite_itself_does_not(
    reader: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def let_go(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            reader.execute("COMMIT")

    monkeypatch.setattr(write_ahead_log.time, "sleep", let_go)
    with closing(sqlite3.connect(tmp_path / "a.sqlite", timeout=0)) as other:
        use_write_ahead_log(other, wait_s=60)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert len(waits) == 3


def test_it_gives_up_in_the_end(reader: sqlite3.Connection, tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "a.sqlite", timeout=0)) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        use_write_ahead_log(other, wait_s=0.05)


def test_what_is_wrong_with_the_file_itself_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log.time, "sleep", lambda _: pytest.fail("tried again"))
    (tmp_path / "a.sqlite").write_bytes(b"no database, " * 100)
    with (
        closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection,
        pytest.raises(sqlite3.DatabaseError, match="not a database"),
    ):
        use_write_ahead_log(connection, wait_s=600)
