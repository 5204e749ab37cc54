"""Looking after a workspace in Neo4j: its health and its end."""

from typing import Any, LiteralString

from dynagrag.core.schema import Finding
from dynagrag.graph_store.neo4j_store import neo4j_health as health
from dynagrag.graph_store.neo4j_store import neo4j_state as states
from dynagrag.graph_store.neo4j_store.cypher import labels, row_statements, workspace_statements
from dynagrag.graph_store.neo4j_store.neo4j_base import Neo4jStoreBase
from dynagrag.graph_store.neo4j_store.neo4j_state import State

_CLEAR_AT_ONCE = 5_000


class Neo4jStoreUpkeep(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.StoreUpkeep`."""

    def address(self) -> str:
        """The store's address for people, without user and password."""
        c = self._connection
        return f"{c.address} (Neo4j {c.version} {c.edition}, database {c.database})"

    def exists(self) -> bool:
        """Whether the workspace is in the database."""
        return bool(self._state())

    def health(self) -> tuple[Finding, ...]:
        """Checks the server, the schema, and the records of this workspace; changes nothing."""
        found = health.find(self._connection, self._schema, self._ws, self._state())
        return (Finding("store", True, self.address()), *found)

    def repair(self) -> tuple[str, ...]:
        """Makes missing or failed constraints and indexes, deletes orphaned records; what was
        done.
        """
        state = self._state()
        is_made = state.get("vector_index") == "made"
        done = self._schema.repair(states.dimension(state) if is_made else None)
        num = 0

        def work(tx: Any, _: State) -> bool:
            nonlocal num
            deleted = [
                int(tx.run(query, ws=self._ws).single(strict=True)["num"])
                for query in workspace_statements.DELETE_ORPHANS
            ]
            num = max(num, sum(deleted))
            return num > 0

        if not state:
            return tuple(done)
        self._change("records", work)
        # Rows that somebody changed by hand since are written again with the rest.
        for label in ("RELATES", *labels.DERIVED_LABELS):
            self._drain(row_statements.forget_signatures(label))
        self._write(lambda tx, _: states.set_state(tx, self._ws, derived_of=""))
        self._cache.clear()
        return (*done, f"deleted {num} orphaned records") if num else tuple(done)

    def wipe(self) -> None:
        """Brings the local copy up to date, and rewrites its file without the rows that have
        gone.
        """
        with self._at(self._state()):
            for label in self._cache.labels().intersection(("RELATES", *labels.NODE_LABELS)):
                self._rows(label)
        self._cache.scrub()

    def clear(self) -> None:
        """Deletes the workspace from the database, in batches; its own node goes last."""
        for label in ("RELATES", *reversed(labels.NODE_LABELS)):
            self._drain(workspace_statements.clear(label))
        self._cache.clear()
        self._held.state = None
        self._is_ready = False

    def _drain(self, statement: LiteralString) -> None:
        """Sends a statement that takes some at a time until it finds none."""

        def some(tx: Any) -> int:
            return int(
                tx.run(statement, ws=self._ws, limit=_CLEAR_AT_ONCE).single(strict=True)["num"]
            )

        while self._connection.write(some):
            continue

    def close(self) -> None:
        """Closes the driver and the local copy. Closing twice is fine."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.close()
            self._cache.close()
