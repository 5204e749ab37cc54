"""What the embedded store's table `meta` says of its workspace: its name, its embedder, and the
counters of its changes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from dynagrag.core.schema import EmbedderIdentity


def value(sqlite: sqlite3.Connection, name: str) -> str:
    """The value kept under a name; "" for none."""
    row = sqlite.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def set_state(sqlite: sqlite3.Connection, **values: str) -> None:
    """Keeps values by their names."""
    sqlite.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        values.items(),
    )


def embedder(sqlite: sqlite3.Connection) -> EmbedderIdentity | None:
    """The embedder of the workspace's vectors; None before the first."""
    name = value(sqlite, "embedder_name")
    return EmbedderIdentity(name, dimension(sqlite)) if name else None


def dimension(sqlite: sqlite3.Connection) -> int:
    """The dimension of its vectors; 0 before the first."""
    return int(value(sqlite, "embedder_dimension") or 0)


@contextmanager
def counted(sqlite: sqlite3.Connection, counter: str) -> Iterator[None]:
    """Counts a number in `meta` up if rows changed inside."""
    before = sqlite.total_changes
    yield
    if sqlite.total_changes != before:
        set_state(sqlite, **{counter: str(int(value(sqlite, counter) or 0) + 1)})
