"""Looking after the embedded store: its health, its notes, its end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dynagrag.core.schema import Finding
from dynagrag.graph_store.sqlite_store import health, rows
from dynagrag.graph_store.sqlite_store import workspace_state as states
from dynagrag.graph_store.sqlite_store.store_base import SqliteStoreBase


class SqliteStoreKeeper(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.StoreKeeper`."""

    def address(self) -> str:
        """Where it is, for people."""
        return f"embedded (SQLite), {self._path}"

    def exists(self) -> bool:
        """The file is the workspace."""
        return True

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nothing is gained: what is asked for is in the file."""
        yield

    @contextmanager
    def lease(self, holder: str, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """The file lies in the workspace's folder, whose lock the caller has: nothing else is
        needed.
        """
        yield

    def health(self) -> tuple[Finding, ...]:
        """Checks version, file, indexes and records; changes nothing."""
        with self._connection.read() as sqlite:
            return tuple(health.find(sqlite))

    def repair(self) -> tuple[str, ...]:
        """Makes missing indexes, deletes orphaned rows; what was done."""
        with self._changing_records() as sqlite:
            return tuple(health.mend(sqlite))

    def note(self, name: str) -> str:
        """A note kept with the workspace; "" for none."""
        with self._connection.read() as sqlite:
            return states.value(sqlite, f"note:{name}")

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note."""
        with self._connection.write() as sqlite:
            states.set_state(sqlite, **{f"note:{name}": value})

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
