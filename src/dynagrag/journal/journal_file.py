"""The file of a workspace's journal: opening, numbered migrations, transactions, and SQLite's
errors said in our words.

WAL with synchronous=NORMAL: what a transaction has stored survives the death of the process.
"""

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dynagrag.core.errors import NewerStoreError, StoreError
from dynagrag.core.files.private_files import make_database_file
from dynagrag.core.files.read_only import read_only_remedy
from dynagrag.core.files.write_ahead_log import use_write_ahead_log

_LOG = logging.getLogger(__name__)
_BUSY_TIMEOUT_S = 15.0
_SCRUB_TIMEOUT_MS = 2000

MIGRATIONS = (
    """
    CREATE TABLE replies (
        key TEXT PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL, model TEXT NOT NULL,
        date TEXT NOT NULL, is_imported INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE reply_uses (
        key TEXT NOT NULL REFERENCES replies(key) ON DELETE CASCADE, use TEXT NOT NULL,
        document_id TEXT NOT NULL, PRIMARY KEY (key, use, document_id)
    ) WITHOUT ROWID;
    CREATE INDEX reply_uses_document ON reply_uses(document_id);
    CREATE TABLE verdicts (
        key TEXT PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE verdict_documents (
        key TEXT NOT NULL REFERENCES verdicts(key) ON DELETE CASCADE, document_id TEXT NOT NULL,
        PRIMARY KEY (key, document_id)
    ) WITHOUT ROWID;
    CREATE INDEX verdict_documents_document ON verdict_documents(document_id);
    CREATE TABLE ledger (
        id INTEGER PRIMARY KEY, at TEXT NOT NULL, stage TEXT NOT NULL, document_id TEXT,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
        seconds REAL NOT NULL, is_cached INTEGER NOT NULL
    );
    CREATE TABLE set_asides (
        document_id TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        reason TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (document_id, start, "end")
    ) WITHOUT ROWID;
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, detail TEXT NOT NULL, status TEXT NOT NULL,
        started_at TEXT NOT NULL, finished_at TEXT
    );
    """,
    """
    ALTER TABLE jobs ADD COLUMN request TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE jobs ADD COLUMN stage TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN total INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE jobs ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN reason TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN is_cancelled INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE job_documents (
        job_id INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, document_id TEXT NOT NULL,
        PRIMARY KEY (job_id, document_id)
    ) WITHOUT ROWID;
    ALTER TABLE set_asides ADD COLUMN job_id INTEGER;
    """,
    """
    CREATE TABLE job_files (
        job_id INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, number INTEGER NOT NULL,
        name TEXT NOT NULL, document_id TEXT NOT NULL, chunks INTEGER NOT NULL,
        done INTEGER NOT NULL DEFAULT 0, aside INTEGER NOT NULL DEFAULT 0,
        reason TEXT NOT NULL DEFAULT '', PRIMARY KEY (job_id, number)
    ) WITHOUT ROWID;
    CREATE INDEX job_files_document ON job_files(document_id);
    """,
)
"""Migration i+1 brings a file of version i to version i+1. Never change one that was released; add
the next.
"""


class JournalFile:
    """An open journal. Thread-safe; several processes may use one file.

    Every method raises StoreError with the remedy when the file is locked, unreadable, or its disk
    is full.
    """

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises NewerStoreError where a newer dynagrag wrote it,
        nothing changed.
        """
        self.path = path
        self._lock = threading.RLock()
        make_database_file(path)
        with self._translated():
            # Autocommit: each transaction is opened in so many words, below.
            self._db = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        try:
            with self._translated():
                self._migrate()
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Releases the file."""
        with self._lock:
            self._db.close()

    def scrub(self) -> None:
        """Rewrites the file, and folds the log into it, so that nothing deleted is left in free
        space.

        `secure_delete` blanks what is deleted, but copies that SQLite made when it moved rows
        between pages may survive it. Another process may be in the way; then it is said in a
        warning, and the next call does it.
        """
        with self._lock, self._translated():
            self._db.execute(f"PRAGMA busy_timeout = {_SCRUB_TIMEOUT_MS}")
            try:
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except sqlite3.OperationalError as err:
                _LOG.warning(
                    "%s: deleted text is not yet wiped from the file (%s); the next deletion"
                    " does it",
                    self.path,
                    err,
                )
            finally:
                self._db.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")

    def _migrate(self) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")
        # In this order: another process that makes the file now gives it tables and number at once.
        has_tables = self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
        version = self._version()
        if has_tables and not version:
            raise StoreError(
                f"{self.path} is another program's database; move it, or the link to it, away"
            )
        if version > len(MIGRATIONS):
            raise NewerStoreError(
                f"{self.path} was written by a newer dynagrag (its version {version}, known"
                f" {len(MIGRATIONS)}); update dynagrag"
            )
        use_write_ahead_log(self._db, _BUSY_TIMEOUT_S)
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA secure_delete = ON")  # a forgotten text leaves no bytes behind
        if version == len(MIGRATIONS):
            return
        with self.write() as db:
            for script in MIGRATIONS[
                self._version() :
            ]:  # read again: another process may have been faster
                for statement in filter(None, map(str.strip, script.split(";"))):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def row(self, statement: str, *values: str | int) -> tuple[Any, ...] | None:
        """The first row of a SELECT, or None."""
        rows = self.rows(statement, *values)
        return rows[0] if rows else None

    def rows(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        """All rows of a SELECT."""
        with self._lock, self._translated():
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction; inside another, a part of it."""
        with self._lock, self._translated():
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            with self._db:  # commits, or rolls back on any exception
                yield self._db

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as err:
            raise StoreError(f"{self.path}: {err}; {_remedy(str(err), self.path)}") from err


def _remedy(message: str, path: Path) -> str:
    if "full" in message or "disk I/O" in message:
        return "free some disk space and run it again, nothing that was stored is lost"
    if "locked" in message or "busy" in message:
        return "another process is using this workspace: wait for it or end it, then run it again"
    if "readonly" in message or "unable to open" in message or "not authorized" in message:
        return (
            read_only_remedy(path)
            or "make the file writable for you, or choose another folder with DYNAGRAG_HOME"
        )
    if "not a database" in message or "malformed" in message:
        return "the file is damaged: move it away; cached replies are then asked for again"
    return (
        "run it again, and move the file away if it happens again; cached replies are then asked"
        " for again"
    )


def checksum(key: str, body: str) -> str:
    """Checksum of a cached text under its key."""
    return hashlib.sha256(f"{key}\n{body}".encode()).hexdigest()


def checked(key: str, row: tuple[Any, ...] | None) -> str | None:
    """The body of a row (body, checksum), if it is text and whole."""
    if row is None or not isinstance(row[0], str) or row[1] != checksum(key, row[0]):
        return None
    return row[0]


def storable(text: str) -> str:
    """Without lone surrogates, which SQLite refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def now() -> str:
    """The time as the journal has it: UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
