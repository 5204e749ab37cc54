"""One SQLite file behind a lock: opening, transactions, and SQLite's errors said in our words."""

import json
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dynagrag.core.errors import StoreError
from dynagrag.core.files.private_files import make_database_file
from dynagrag.core.files.read_only import read_only_remedy
from dynagrag.core.files.write_ahead_log import use_write_ahead_log
from dynagrag.graph_store.sqlite_store.migrations import migrate

_log = logging.getLogger(__name__)

_BUSY_TIMEOUT_S = 30.0
_REMEDIES = (
    (
        "database or disk is full",
        (
            "the disk is full; free some space and run the command again (what was stored before"
            " stays)"
        ),
    ),
    ("readonly", "it cannot be written; check the permissions of the file and its folder"),
    (
        "locked",
        (
            f"another process has been writing to it for {_BUSY_TIMEOUT_S:.0f} s; wait for it to"
            " end and try again"
        ),
    ),
    (
        "unable to open",
        "it cannot be opened; check that its folder exists and may be read and written",
    ),
    ("not a database", "it is not a dynagrag store; move it away, or name another workspace"),
    ("malformed", "the file is damaged; restore it from a copy, or move it away and ingest again"),
    (
        "disk i/o",
        (
            "the disk could not read or write it; free some space or check the disk, then try again"
            " (what was stored before stays)"
        ),
    ),
)


class Connection:
    """Autocommit connection in WAL mode. `read` and `write` are transactions; one at a time in a
    process, one writer over all processes.
    """

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises StoreError and NewerStoreError."""
        self._where = str(path)
        self._lock = threading.RLock()
        make_database_file(path)
        with self._translated():
            self._sqlite = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        try:
            with self._translated():
                self._sqlite.execute("PRAGMA foreign_keys = ON")
                self._sqlite.execute("PRAGMA secure_delete = ON")
                self._sqlite.execute("PRAGMA synchronous = NORMAL")
                migrate(self._sqlite, self._where)
                use_write_ahead_log(self._sqlite, _BUSY_TIMEOUT_S)
        except BaseException:
            self._sqlite.close()
            raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view for several SELECTs."""
        with self._transaction("BEGIN") as sqlite:
            yield sqlite

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, whatever is raised inside."""
        with self._transaction("BEGIN IMMEDIATE") as sqlite:
            yield sqlite

    def scrub(self) -> bool:
        """Rewrites the file so that nothing deleted is left in free space or in the log; whether
        that was possible now.

        `secure_delete` blanks what is deleted, but copies that SQLite made when it moved rows
        between pages may survive it.
        """
        with self._lock, self._translated():
            self._sqlite.execute("PRAGMA busy_timeout = 2000")
            try:
                self._sqlite.execute("VACUUM")
                is_busy = self._sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.OperationalError as err:
                _log.warning(
                    "%s: deleted text is not yet wiped from the file (%s); tried again at the next"
                    " write",
                    self._where,
                    err,
                )
                return False
            finally:
                self._sqlite.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")
            return not is_busy

    def close(self) -> None:
        """Closes the file; the last one to close it folds the log in. Closing twice is fine."""
        with self._lock, self._translated():
            self._sqlite.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            if self._sqlite.in_transaction:  # a part of the caller's
                yield self._sqlite
                return
            self._sqlite.execute(begin)
            try:
                yield self._sqlite
                self._sqlite.execute("COMMIT")
            except BaseException:
                self._sqlite.rollback()  # nothing where SQLite has done it itself
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except json.JSONDecodeError as err:
            raise StoreError(
                f"store {self._where}: a row can't be read ({err}); the file was damaged or"
                " altered: restore it from a backup, or move it away and ingest again"
            ) from err
        except sqlite3.ProgrammingError as err:
            if "closed" not in str(err):
                raise
            raise StoreError(f"store {self._where} is closed; open the workspace again") from err
        except sqlite3.Error as err:
            text = str(err).lower()
            remedy = next(
                (remedy for sign, remedy in _REMEDIES if sign in text), f"SQLite says: {err}"
            )
            if "unable to open" in text or "readonly" in text:
                remedy = read_only_remedy(Path(self._where)) or remedy
            raise StoreError(f"store {self._where}: {remedy}") from err
        except UnicodeEncodeError as err:
            code = f"U+{ord(err.object[err.start]):04X}"
            raise StoreError(
                f"store {self._where}: text with a lone surrogate ({code}) cannot be stored; mend"
                " the source"
            ) from err
