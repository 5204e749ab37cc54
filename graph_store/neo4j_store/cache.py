"""A local copy of one workspace's rows and vectors, refreshed by what changed: the server is asked
for (uid, signature) pairs, and then only for rows whose signature is new. It is a cache: a damaged
file is thrown away. Deleted rows are overwritten in the file.
"""

import json
import logging
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dynagrag.core.errors import StoreError
from dynagrag.core.files.private_files import touch

_LOG = logging.getLogger(__name__)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS rows (
    label TEXT NOT NULL, uid TEXT NOT NULL, sig TEXT NOT NULL, body BLOB NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (label, uid));
CREATE TABLE IF NOT EXISTS stamps (label TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
"""
_FORMAT = 2
_BUSY_TIMEOUT_S = 30.0
_FETCH_AT_ONCE = 2_000
_MAX_TURNS = 20
_SIGNS_OF_DAMAGE = ("malformed", "not a database", "encrypted")

Signatures = Iterable[tuple[str, str]]
Fetch = Callable[[list[str]], Iterable[tuple[str, str, bytes]]]
"""uids in, (uid, signature, body) out; what has gone meanwhile is left out."""


class _DamagedError(Exception):
    """The file doesn't hold what was written to it."""


class RowCache:
    """See the module. `label` is whatever names a kind of row. Thread-safe; several processes may
    share a file.
    """

    def __init__(self, path: Path | None, owner: str) -> None:
        """`owner` names the workspace and server that the rows are of: a file of another owner is
        emptied.
        """
        self._path = path
        self._owner = owner
        self._lock = threading.RLock()
        self._sqlite = self._open()

    def read(
        self, label: str, stamp: str, signatures: Callable[[], Signatures], fetch: Fetch
    ) -> dict[str, bytes]:
        """The label's bodies by uid, in order of uid, as the server had them at `stamp`; the server
        is asked only if they are not here.
        """
        for _ in range(_MAX_TURNS):
            try:
                found = self._read(label, stamp)
            except (UnicodeDecodeError, _DamagedError) as err:
                _LOG.info("the local copy %s is damaged (%s) and fetched anew", self._path, err)
                self.clear()
                continue
            if found is not None:
                return found
            try:
                self._refresh(label, stamp, signatures(), fetch)
            except _DamagedError as err:
                _LOG.info("the local copy %s was damaged (%s) and is made anew", self._path, err)
        raise StoreError(
            f"other processes change the local copy {self._path} all the time; run the command"
            " again"
        )

    def _read(self, label: str, stamp: str) -> dict[str, bytes] | None:
        with self._transaction() as sqlite:
            row = sqlite.execute("SELECT stamp FROM stamps WHERE label = ?", (label,)).fetchone()
            if row is None or row[0] != stamp:
                return None
            found = sqlite.execute(
                "SELECT uid, body, checksum FROM rows WHERE label = ? ORDER BY uid", (label,)
            ).fetchall()
        for _, body, checksum in found:
            if not isinstance(body, bytes) or zlib.crc32(body) != checksum:
                raise _DamagedError("a row isn't what was written")
        return {uid: body for uid, body, _ in found}

    def _refresh(self, label: str, stamp: str, signatures: Signatures, fetch: Fetch) -> None:
        """Fetches new and changed rows. Another process may refresh the same file to a later moment
        meanwhile: the stamp is only set where the rows are those of `signatures`, else taken away.
        """
        with self._transaction() as sqlite:
            before = dict(
                sqlite.execute("SELECT uid, sig FROM rows WHERE label = ?", (label,)).fetchall()
            )
        wanted = dict(signatures)
        new = [uid for uid, sig in wanted.items() if before.get(uid) != sig]
        for start in range(0, len(new), _FETCH_AT_ONCE):
            self.put(label, fetch(new[start : start + _FETCH_AT_ONCE]))
        with self._transaction() as sqlite:
            sqlite.executemany(
                "DELETE FROM rows WHERE label = ? AND uid = ?",
                [(label, uid) for uid in before if uid not in wanted],
            )
            there = dict(
                sqlite.execute("SELECT uid, sig FROM rows WHERE label = ?", (label,)).fetchall()
            )
            sqlite.execute("DELETE FROM stamps WHERE label = ?", (label,))
            # Else rows came, went or changed while they were fetched: the caller tries again.
            if there == wanted:
                sqlite.execute("INSERT INTO stamps VALUES (?, ?)", (label, stamp))

    def put(self, label: str, rows: Iterable[tuple[str, str, bytes]]) -> None:
        """Stores rows that were fetched, or that were just written to the server; the label's
        signatures are compared at its next read.
        """
        values = [(label, uid, sig, body, zlib.crc32(body)) for uid, sig, body in rows]
        with self._transaction() as sqlite:
            sqlite.execute("DELETE FROM stamps WHERE label = ?", (label,))
            sqlite.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", values)

    def clear(self) -> None:
        """Forgets everything."""
        with self._transaction() as sqlite:
            sqlite.execute("DELETE FROM rows")
            sqlite.execute("DELETE FROM stamps WHERE label <> 'owner'")

    def labels(self) -> set[str]:
        """The labels of which rows are here."""
        with self._transaction() as sqlite:
            return {str(label) for (label,) in sqlite.execute("SELECT DISTINCT label FROM rows")}

    def scrub(self) -> None:
        """Rewrites the file, so that no deleted row is left in free space. Another process may be
        in the way; a warning says so then.
        """
        with self._lock:
            try:
                self._sqlite.execute("VACUUM")
            except sqlite3.OperationalError as err:
                _LOG.warning(
                    "%s: deleted text is not yet wiped from the local copy (%s); the next deletion"
                    " does it",
                    self._path,
                    err,
                )

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._sqlite.close()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._prepared()
        except sqlite3.DatabaseError as err:
            is_damaged = any(sign in str(err) for sign in _SIGNS_OF_DAMAGE)
            if self._path is None or not is_damaged:
                raise StoreError(
                    f"the local copy {self._path} of the workspace cannot be opened ({err}); free"
                    " some disk space, or end other processes"
                ) from err
            _LOG.info("the local copy %s is damaged (%s) and made anew", self._path, err)
            self._path.unlink(missing_ok=True)
            return self._prepared()

    def _prepared(self) -> sqlite3.Connection:
        place: str | Path = ":memory:" if self._path is None else self._path
        if self._path is not None:
            with suppress(OSError):  # SQLite then says what is wrong with it
                touch(self._path)
        sqlite = sqlite3.connect(
            place, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            sqlite.execute("PRAGMA secure_delete = ON")
            # Lost with the power at worst, and then made anew.
            sqlite.execute("PRAGMA synchronous = OFF")
            sqlite.executescript(_SCHEMA)
            owner = f"{_FORMAT} {self._owner}"
            sqlite.execute("BEGIN IMMEDIATE")
            found = sqlite.execute("SELECT stamp FROM stamps WHERE label = 'owner'").fetchone()
            if found is None or found[0] != owner:
                sqlite.execute("DELETE FROM rows")
                sqlite.execute("DELETE FROM stamps")
                sqlite.execute("INSERT INTO stamps VALUES ('owner', ?)", (owner,))
            sqlite.execute("COMMIT")
        except BaseException:
            sqlite.close()
            raise
        return sqlite

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._sqlite.execute("BEGIN IMMEDIATE")
                try:
                    yield self._sqlite
                    self._sqlite.execute("COMMIT")
                except BaseException:
                    self._sqlite.rollback()
                    raise
            except sqlite3.DatabaseError as err:
                if any(sign in str(err) for sign in _SIGNS_OF_DAMAGE) and self._path is not None:
                    self._sqlite.close()
                    self._path.unlink(missing_ok=True)
                    self._sqlite = self._prepared()
                    raise _DamagedError(str(err)) from err
                remedy = (
                    "free some disk space" if "full" in str(err) else "delete it, it is made anew"
                )
                raise StoreError(
                    f"the local copy {self._path or 'in memory'} of the workspace cannot be used"
                    f" ({err}); {remedy}"
                ) from err


def packed(row: Sequence[Any]) -> bytes:
    """A row as bytes."""
    return json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def unpacked(bodies: Mapping[str, bytes]) -> list[list[Any]]:
    """All rows, in one parse."""
    return json.loads(b"[" + b",".join(bodies.values()) + b"]") if bodies else []
