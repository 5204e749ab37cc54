"""Base of all parts of the embedded store: its file, the transactions, and the counters that tell
whether anything changed.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dynagrag.core.errors import StoreError
from dynagrag.graph_store.sqlite_store import sqlite_state as states
from dynagrag.graph_store.sqlite_store.sqlite_connection import Connection


class SqliteStoreBase:
    """A workspace's file. Changes of records, vectors or the derived view count `version` up in the
    same transaction; those of records count `records` up, too. What changes nothing counts nothing.
    """

    def __init__(self, path: Path, workspace: str) -> None:
        self._path = path
        self._workspace = workspace
        self._connection = Connection(path)
        self._is_closed = False
        try:
            self._claim()
        except BaseException:
            self._connection.close()
            raise

    def _claim(self) -> None:
        """Writes the workspace's name into a new file, and refuses another workspace's: ids are
        hashes of the name.
        """
        with self._connection.read() as sqlite:
            found = states.value(sqlite, "workspace")
        if found == "":
            with self._connection.write() as sqlite:
                # A store made anew has versions of its own.
                values = {"workspace": self._workspace, "store": secrets.token_hex(4)}
                sqlite.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", values.items())
                found = states.value(sqlite, "workspace")
        if found != self._workspace:
            raise StoreError(
                f"store {self._path} holds workspace {found!r}, not {self._workspace!r}; open it"
                " under its own name"
            )

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self._workspace

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that counts `version` up if it changed anything."""
        with self._connection.write() as sqlite, states.counted(sqlite, "version"):
            yield sqlite

    @contextmanager
    def _changing_records(self) -> Iterator[sqlite3.Connection]:
        """A change of the records: the derived view is out of date if it changed anything."""
        with self._changing() as sqlite, states.counted(sqlite, "records"):
            yield sqlite

    def _scrub(self) -> None:
        """Wipes what was deleted from the file, if that is due."""
        with self._connection.read() as sqlite:
            is_due = states.value(sqlite, "scrub") == "due"
        if is_due and self._connection.scrub():
            with self._connection.write() as sqlite:
                states.set_state(sqlite, scrub="")
