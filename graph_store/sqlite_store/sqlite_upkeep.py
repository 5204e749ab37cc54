"""Looking after the embedded store: its health and its end."""

from dynagrag.core.schema import Finding
from dynagrag.graph_store.sqlite_store import sqlite_health as health
from dynagrag.graph_store.sqlite_store import sqlite_rows as rows
from dynagrag.graph_store.sqlite_store import sqlite_state as states
from dynagrag.graph_store.sqlite_store.sqlite_base import SqliteStoreBase


class SqliteStoreUpkeep(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.StoreUpkeep`."""

    def address(self) -> str:
        """The store's address for people."""
        return f"embedded (SQLite), {self._path}"

    def exists(self) -> bool:
        """The file is the workspace."""
        return True

    def health(self) -> tuple[Finding, ...]:
        """Checks version, file, indexes and records; changes nothing."""
        with self._connection.read() as sqlite:
            return tuple(health.find(sqlite))

    def repair(self) -> tuple[str, ...]:
        """Makes missing indexes, deletes orphaned rows; what was done."""
        with self._changing_records() as sqlite:
            return tuple(health.mend(sqlite))

    def wipe(self) -> None:
        """Rewrites the file without what was deleted, if that is due."""
        self._scrub()

    def clear(self) -> None:
        """Deletes the workspace: every row goes, and the file is rewritten. What is put next makes
        a new one.
        """
        with self._connection.write() as sqlite:
            for table in (*rows.COLUMNS, "extractions", "vectors", "meta"):
                sqlite.execute(f"DELETE FROM {table}")
            states.set_state(sqlite, scrub="due")
        self._scrub()
        self._claim()

    def close(self) -> None:
        """Wipes what was deleted, if that is still due, and releases the file. Closing twice is
        fine.
        """
        if not self._is_closed:
            self._scrub()
            self._connection.close()
            self._is_closed = True
