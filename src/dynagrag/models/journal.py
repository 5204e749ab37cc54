"""A workspace's own local SQLite: cached replies, the ledger of calls, the set-aside list, verdicts and jobs.

It lies beside the workspace whatever store holds the graph. WAL with synchronous=NORMAL: what a method has stored survives the death of
the process. Cached texts are JSON with a checksum; an entry that does not read back is a miss.

Forgetting. A reply belongs to uses: one use is the set of documents whose text one prompt held. Deleting a document ends every use that
names it, and an entry goes with its last use. So a reply to one chunk that two documents share lives until the second goes, and a reply
that drew on two documents goes with either. A reply that names no document goes with any deletion, since nobody knows what it holds.
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from dynagrag.errors import NewerStoreError, StoreError
from dynagrag.ids import content_id
from dynagrag.protocols import ModelReply

_BUSY_TIMEOUT_S = 15.0

_MIGRATIONS = (
    """
    CREATE TABLE replies (key TEXT PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL, model TEXT NOT NULL, date TEXT NOT NULL,
                          is_imported INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE reply_uses (key TEXT NOT NULL REFERENCES replies(key) ON DELETE CASCADE, use TEXT NOT NULL, document_id TEXT NOT NULL,
                             PRIMARY KEY (key, use, document_id)) WITHOUT ROWID;
    CREATE INDEX reply_uses_document ON reply_uses(document_id);
    CREATE TABLE verdicts (key TEXT PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE verdict_documents (key TEXT NOT NULL REFERENCES verdicts(key) ON DELETE CASCADE, document_id TEXT NOT NULL,
                                    PRIMARY KEY (key, document_id)) WITHOUT ROWID;
    CREATE INDEX verdict_documents_document ON verdict_documents(document_id);
    CREATE TABLE ledger (id INTEGER PRIMARY KEY, at TEXT NOT NULL, stage TEXT NOT NULL, document_id TEXT, prompt_tokens INTEGER NOT NULL,
                         completion_tokens INTEGER NOT NULL, seconds REAL NOT NULL, is_cached INTEGER NOT NULL);
    CREATE TABLE set_asides (document_id TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, reason TEXT NOT NULL,
                             at TEXT NOT NULL, PRIMARY KEY (document_id, start, "end")) WITHOUT ROWID;
    CREATE TABLE jobs (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, detail TEXT NOT NULL, status TEXT NOT NULL, started_at TEXT NOT NULL,
                       finished_at TEXT);
    """,
)


class _StoredReply(BaseModel):
    """A ModelReply as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    is_cut_off: bool
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class _ExportedReply(_StoredReply):
    """One line of an export: a reply, its key, whose documents it names (one list a use), and which model gave it when."""

    key: str
    uses: list[list[str]]
    model: str
    date: str


@dataclass(frozen=True, slots=True)
class ReplyOrigin:
    """Which model gave a cached reply, and on which day. `is_imported`: it came from a file of replies, not from a run here."""

    model: str
    date: str
    is_imported: bool


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What one stage spent on one document (None: on no single one). `calls` leaves cached replies out; they are in `cached`."""

    stage: str
    document_id: str | None
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SetAside:
    """A chunk that yielded nothing, and why."""

    document_id: str
    start: int
    end: int
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a command on the workspace. `status` is "running" until it ended; a killed one stays so."""

    id: int
    kind: str
    detail: str
    status: str
    started_at: str
    finished_at: str | None


class Journal:
    """See the module. Thread-safe; several processes may use one file.

    Every method raises StoreError with the remedy when the file is locked, unreadable, or its disk is full.
    """

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises NewerStoreError where a newer dynagrag wrote it, nothing changed."""
        self.path = path
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise StoreError(f"cannot make the folder {path.parent}: {err.strerror}; choose another with DYNAGRAG_HOME") from err
        with self._translated():
            # Autocommit: each transaction is opened in so many words, below.
            self._db = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
        try:
            with self._translated():
                self._migrate()
        except BaseException:
            self._db.close()
            raise

    # replies

    def cached_reply(self, key: str) -> ModelReply | None:
        """The stored reply, or None where there is none or it does not read back."""
        row = self._one("SELECT body, checksum FROM replies WHERE key = ?", key)
        body = _checked(key, row)
        if body is None:
            return None
        try:
            stored = _StoredReply.model_validate_json(body)
        except ValidationError:
            return None
        return ModelReply(**stored.model_dump())

    def store_reply(self, key: str, reply: ModelReply, documents: Sequence[str] = (), *, model: str = "") -> None:
        """Stores or replaces a reply; `documents` are those whose text its one prompt held (one use)."""
        self._put_reply(key, reply, [documents] if documents else [], ReplyOrigin(model, _now()[:10], is_imported=False))

    def link_reply(self, key: str, document: str) -> None:
        """Adds a use by one document; a key that is not stored is left alone."""
        with self._write() as db:
            db.execute(
                "INSERT OR IGNORE INTO reply_uses SELECT key, ?, ? FROM replies WHERE key = ?", (content_id(document), document, key)
            )

    def reply_origin(self, key: str) -> ReplyOrigin | None:
        """Who gave the stored reply, or None."""
        row = self._one("SELECT model, date, is_imported FROM replies WHERE key = ?", key)
        return ReplyOrigin(str(row[0]), str(row[1]), bool(row[2])) if row else None

    def export_replies(self, path: Path) -> int:
        """Writes every readable reply as a line of JSON, sorted by key; how many."""
        lines = []
        for (key,) in self._all("SELECT key FROM replies ORDER BY key"):
            reply, origin = self.cached_reply(key), self.reply_origin(key)
            if reply is None or origin is None:
                continue
            exported = _ExportedReply(
                key=key, uses=self._uses(key), model=origin.model, date=origin.date, **{f: getattr(reply, f) for f in reply.__slots__}
            )
            lines.append(json.dumps(exported.model_dump(), sort_keys=True))
        try:
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        except OSError as err:
            raise StoreError(f"cannot write {path}: {err.strerror}; choose another file") from err
        return len(lines)

    def import_replies(self, path: Path) -> int:
        """Stores the replies of an export, marked as imported; how many lines it held. A key that is stored already is left as it is.

        Raises StoreError naming the line that is not a reply; nothing is stored then.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as err:
            raise StoreError(f"cannot read the replies in {path}: {err}") from err
        replies = []
        for number, line in enumerate(lines, start=1):
            try:
                replies.append(_ExportedReply.model_validate_json(line))
            except ValidationError as err:
                raise StoreError(f"{path}, line {number}: not an exported reply; export the file again") from err
        with self._write():
            for reply in replies:
                if self.cached_reply(reply.key) is None:
                    stored = ModelReply(**reply.model_dump(exclude={"key", "uses", "model", "date"}))
                    self._put_reply(reply.key, stored, reply.uses, ReplyOrigin(reply.model, reply.date, is_imported=True))
        return len(replies)

    # ledger

    def record_call(
        self,
        stage: str,
        document_id: str | None = None,
        *,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        seconds: float = 0.0,
        is_cached: bool = False,
    ) -> None:
        """Adds a row to the ledger. A cached reply's tokens and seconds are what it cost when it was made."""
        with self._write() as db:
            db.execute(
                "INSERT INTO ledger (at, stage, document_id, prompt_tokens, completion_tokens, seconds, is_cached) VALUES (?,?,?,?,?,?,?)",
                (_now(), stage, document_id, prompt_tokens, completion_tokens, seconds, int(is_cached)),
            )

    def ledger(self) -> tuple[LedgerRow, ...]:
        """What was spent, by stage and document; tokens and seconds of real calls only."""
        rows = self._all(
            "SELECT stage, document_id, SUM(1 - is_cached), SUM(is_cached), SUM((1 - is_cached) * prompt_tokens),"
            " SUM((1 - is_cached) * completion_tokens), SUM((1 - is_cached) * seconds) FROM ledger"
            " GROUP BY stage, document_id ORDER BY stage, document_id"
        )
        return tuple(LedgerRow(*row) for row in rows)

    # set-aside list

    def set_aside(self, document_id: str, start: int, end: int, reason: str) -> None:
        """Notes that a chunk yielded nothing; a second note on the same chunk replaces the first."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO set_asides VALUES (?,?,?,?,?)", (document_id, start, end, _storable(reason), _now()))

    def clear_set_aside(self, document_id: str, start: int, end: int) -> None:
        """Takes notes off that lie within the span: it was extracted after all."""
        with self._write() as db:
            db.execute('DELETE FROM set_asides WHERE document_id = ? AND start >= ? AND "end" <= ?', (document_id, start, end))

    def set_asides(self) -> tuple[SetAside, ...]:
        """All notes, by document and place."""
        return tuple(SetAside(*row) for row in self._all("SELECT * FROM set_asides ORDER BY document_id, start"))

    # verdicts

    def verdict(self, key: str) -> str | None:
        """The stored verdict, or None where there is none or it does not read back."""
        return _checked(key, self._one("SELECT body, checksum FROM verdicts WHERE key = ?", key))

    def store_verdict(self, key: str, text: str, documents: Sequence[str] = ()) -> None:
        """Stores or replaces a verdict. It goes with the last of the documents it names, or by `keep_verdicts`."""
        body = _storable(text)
        with self._write() as db:
            db.execute(
                "INSERT INTO verdicts VALUES (?,?,?) ON CONFLICT (key) DO UPDATE SET body = excluded.body, checksum = excluded.checksum",
                (key, body, _checksum(key, body)),
            )
            db.executemany("INSERT OR IGNORE INTO verdict_documents VALUES (?,?)", [(key, d) for d in documents])

    def keep_verdicts(self, keys: Iterable[str]) -> int:
        """Drops every verdict but these, so that none speaks of what the graph no longer holds; how many were dropped."""
        kept = set(keys)
        dropped = [(key,) for (key,) in self._all("SELECT key FROM verdicts") if key not in kept]
        with self._write() as db:
            db.executemany("DELETE FROM verdicts WHERE key = ?", dropped)
        return len(dropped)

    # jobs

    def start_job(self, kind: str, detail: str = "") -> int:
        """Notes that a job began; its id."""
        with self._write() as db:
            cursor = db.execute(
                "INSERT INTO jobs (kind, detail, status, started_at) VALUES (?,?,'running',?)", (kind, _storable(detail), _now())
            )
            return int(cursor.lastrowid or 0)

    def finish_job(self, job_id: int, status: str, detail: str | None = None) -> None:
        """Notes how a job ended; None keeps its detail."""
        with self._write() as db:
            db.execute(
                "UPDATE jobs SET status = ?, detail = coalesce(?, detail), finished_at = ? WHERE id = ?",
                (status, None if detail is None else _storable(detail), _now(), job_id),
            )

    def jobs(self) -> tuple[Job, ...]:
        """All jobs, oldest first."""
        return tuple(Job(*row) for row in self._all("SELECT * FROM jobs ORDER BY id"))

    # forgetting

    def forget_documents(self, document_ids: Iterable[str]) -> int:
        """Drops what deleted documents leave: see the module. Ledger rows stay, without the document. How many cached entries went."""
        ids = [(d,) for d in dict.fromkeys(document_ids)]
        if not ids:
            return 0
        with self._write() as db:
            before = self._num_entries()
            db.executemany("DELETE FROM reply_uses WHERE (key, use) IN (SELECT key, use FROM reply_uses WHERE document_id = ?)", ids)
            db.execute("DELETE FROM replies WHERE key NOT IN (SELECT key FROM reply_uses)")
            db.executemany("DELETE FROM verdict_documents WHERE document_id = ?", ids)
            db.execute("DELETE FROM verdicts WHERE key NOT IN (SELECT key FROM verdict_documents)")
            db.executemany("DELETE FROM set_asides WHERE document_id = ?", ids)
            db.executemany("UPDATE ledger SET document_id = NULL WHERE document_id = ?", ids)
            gone = before - self._num_entries()
        with self._lock, self._translated():
            # The log still holds the old pages; a reader in another process may keep it, then the next deletion or close does it.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return gone

    def close(self) -> None:
        """Releases the file."""
        with self._lock:
            self._db.close()

    # inside

    def _migrate(self) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")
        version = self._version()
        if version > len(_MIGRATIONS):
            raise NewerStoreError(
                f"{self.path} was written by a newer dynagrag (its version {version}, known {len(_MIGRATIONS)}); update dynagrag"
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA secure_delete = ON")  # a forgotten text leaves no bytes behind
        if version == len(_MIGRATIONS):
            return
        with self._write() as db:
            for script in _MIGRATIONS[self._version() :]:  # read again: another process may have been faster
                for statement in filter(None, map(str.strip, script.split(";"))):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _put_reply(self, key: str, reply: ModelReply, uses: Sequence[Sequence[str]], origin: ReplyOrigin) -> None:
        fields = {f: getattr(reply, f) for f in reply.__slots__}
        # ASCII escapes, because SQLite holds no lone surrogates.
        body = json.dumps(_StoredReply(**fields).model_dump(), sort_keys=True)
        with self._write() as db:
            db.execute(
                "INSERT INTO replies VALUES (?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET body = excluded.body,"
                " checksum = excluded.checksum, model = excluded.model, date = excluded.date, is_imported = excluded.is_imported",
                (key, body, _checksum(key, body), origin.model, origin.date, int(origin.is_imported)),
            )
            rows = [(key, content_id(*sorted(set(use))), document) for use in uses for document in use]
            db.executemany("INSERT OR IGNORE INTO reply_uses VALUES (?,?,?)", rows)

    def _uses(self, key: str) -> list[list[str]]:
        uses: dict[str, list[str]] = {}
        for use, document in self._all("SELECT use, document_id FROM reply_uses WHERE key = ? ORDER BY use, document_id", key):
            uses.setdefault(use, []).append(document)
        return list(uses.values())

    def _num_entries(self) -> int:
        return int(self._all("SELECT (SELECT count(*) FROM replies) + (SELECT count(*) FROM verdicts)")[0][0])

    def _one(self, statement: str, *values: str) -> tuple[Any, ...] | None:
        rows = self._all(statement, *values)
        return rows[0] if rows else None

    def _all(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        with self._lock, self._translated():
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
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
            raise StoreError(f"{self.path}: {err}; {_remedy(str(err))}") from err


def _remedy(message: str) -> str:
    if "full" in message or "disk I/O" in message:
        return "free some disk space and run it again, nothing that was stored is lost"
    if "locked" in message or "busy" in message:
        return "another process is using this workspace: wait for it or end it, then run it again"
    if "readonly" in message or "unable to open" in message or "not authorized" in message:
        return "make the file writable for you, or choose another folder with DYNAGRAG_HOME"
    if "not a database" in message or "malformed" in message:
        return "the file is damaged: move it away; cached replies are then asked for again"
    return "run it again, and move the file away if it happens again; cached replies are then asked for again"


def _checksum(key: str, body: str) -> str:
    return hashlib.sha256(f"{key}\n{body}".encode()).hexdigest()


def _checked(key: str, row: tuple[Any, ...] | None) -> str | None:
    """The body of a row (body, checksum), if it is text and whole."""
    if row is None or not isinstance(row[0], str) or row[1] != _checksum(key, row[0]):
        return None
    return row[0]


def _storable(text: str) -> str:
    """Without lone surrogates, which SQLite refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
