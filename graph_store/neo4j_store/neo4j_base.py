"""Base of all parts of the Neo4j store: the connection, the workspace's state, transactions under
its lock, the local copy.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from dynagrag.core.schema import VectorKind, Vectors
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store import neo4j_state as states
from dynagrag.graph_store.neo4j_store.cache import RowCache, packed, unpacked
from dynagrag.graph_store.neo4j_store.cypher import labels, row_statements, workspace_statements
from dynagrag.graph_store.neo4j_store.database_schema import Neo4jSchema
from dynagrag.graph_store.neo4j_store.graph_writer import read_pages
from dynagrag.graph_store.neo4j_store.neo4j_connection import QUERY_S, Neo4jConnection
from dynagrag.graph_store.neo4j_store.neo4j_state import State
from dynagrag.graph_store.neo4j_store.neo4j_vector_io import Neo4jVectors

T = TypeVar("T")


class Neo4jStoreBase:
    """One workspace of a database.

    The workspace's node holds three marks, each a new random text when records, vectors or the
    derived view change. Reads go through a local copy that is refreshed by what changed under those
    marks; writes go to the server at once, and lock the workspace's node first.
    """

    def __init__(
        self,
        address: str,
        workspace: str,
        *,
        username: str,
        password: str,
        database: str,
        cache: Path | None = None,
    ) -> None:
        self._ws = workspace
        self._connection = Neo4jConnection(
            address, username=username, password=password, database=database
        )
        try:
            self._schema = Neo4jSchema(self._connection)
            self._schema.check_not_newer()
            self._cache = RowCache(cache, f"{self._connection.address} {database} {workspace}")
        except BaseException:
            self._connection.close()
            raise
        self._vectors = Neo4jVectors(self._connection, workspace, self._cache)
        self._texts: dict[str, str] = {}
        """Of documents whose chunks are being extracted: their quotes are shown on the records."""
        self._held = _ThreadState()
        self._is_ready = False
        self._is_closed = False

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self._ws

    def _state(self) -> State:
        """The workspace's node's properties, inside `reading` as they were at the beginning."""
        return self._read_state() if self._held.state is None else self._held.state

    def _read_state(self) -> State:
        found = self._connection.read(workspace_statements.WORKSPACE, ws=self._ws)
        return found[0]["state"] if found else {}

    @contextmanager
    def _at(self, state: State) -> Iterator[None]:
        """Inside, this thread's reads go by these marks."""
        outer, self._held.state = self._held.state, state
        try:
            yield
        finally:
            # None where it was dropped by a write.
            self._held.state = outer if self._held.state is state else None

    def _lock(self, tx: Any) -> State:
        """Locks the workspace's node until the transaction ends, and makes it where there is
        none.
        """
        state: State = tx.run(workspace_statements.LOCK, ws=self._ws).single(strict=True)["state"]
        return state

    def _ready(self) -> None:
        """Before the first write: the schema is made in a new database, and must be whole in
        another.
        """
        if not self._is_ready:
            state = self._read_state()
            self._schema.prepare(
                states.dimension(state) or None, state.get("vector_index") != "made"
            )
            self._is_ready = True

    def _change(self, mark: str, work: Callable[[Any, State], T]) -> T:
        """One transaction under the workspace's lock; the mark is made anew if `work` gives
        something true.
        """

        def marked(tx: Any, state: State) -> T:
            result = work(tx, state)
            if result:
                states.set_state(tx, self._ws, **{mark: states.new_mark()})
            return result

        return self._write(marked)

    def _write(self, work: Callable[[Any, State], T], timeout_s: float = QUERY_S) -> T:
        """One transaction under the workspace's lock."""
        self._ready()
        self._held.state = None  # what this thread writes, it reads
        return self._connection.write(lambda tx: work(tx, self._lock(tx)), timeout_s)

    def _rows(self, label: str) -> list[rows.Row]:
        """All rows of a label, by uid (edits and merges: in any order). As of the state's mark, or
        later.
        """
        stamp = states.mark(self._state(), "records" if label in labels.RECORD_LABELS else "graph")
        bodies = self._cache.read(
            label, stamp, lambda: self._signatures(label), lambda uids: self._fetch(label, uids)
        )
        return unpacked(bodies)

    def _read_vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked, through the local copy."""
        state = self._state()
        return self._vectors.read(kind, ids, states.dimension(state), states.stamp(state, kind))

    def _signatures(self, label: str) -> Iterable[tuple[str, str]]:
        pages = read_pages(self._connection, row_statements.signatures(label), ws=self._ws)
        return ((uid, sig or "") for uid, sig in pages)

    def _fetch(self, label: str, uids: list[str]) -> Iterator[tuple[str, str, bytes]]:
        for row in self._connection.read(row_statements.fetch(label), uids=uids):
            yield row["uid"], row["sig"] or "", packed(row["row"])


class _ThreadState(threading.local):
    """A thread's copy of the workspace's node, while it may go by that."""

    state: State | None = None
