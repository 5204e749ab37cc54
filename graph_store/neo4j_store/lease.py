"""The right to derive a workspace's graph, over all machines that share the server: a mark with an
end on the workspace's node, renewed while it is held. A holder that died loses it after half a
minute.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.graph_store.neo4j_store.cypher import workspace_statements
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection

_LOG = logging.getLogger(__name__)
_LEASE_S = 30.0
_POLL_S = 0.5


class Neo4jLease:
    """One workspace's lease, for one holder (a machine's folder of the workspace)."""

    def __init__(self, connection: Neo4jConnection, workspace: str, holder: str) -> None:
        self._connection = connection
        self._ws = workspace
        self._holder = holder

    @contextmanager
    def hold(self, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """Waits for another holder, saying so once, and renews until the end. WorkspaceError after
        `wait_s`.
        """
        end, has_said = time.monotonic() + wait_s, False
        while not self._take():
            if not has_said:
                on_wait(f"another machine is deriving the graph of workspace {self._ws!r}; waiting")
                has_said = True
            if time.monotonic() > end:
                raise WorkspaceError(
                    f"another machine has been deriving the graph of workspace {self._ws!r} for"
                    f" {wait_s:.0f} s; run the command again later"
                )
            time.sleep(_POLL_S)
        is_done = threading.Event()
        renewal = threading.Thread(
            target=self._renew, args=(is_done,), name="neo4j-lease", daemon=True
        )
        renewal.start()
        try:
            yield
        finally:
            is_done.set()
            # The connection may be closed next, which isn't safe while another thread writes to it.
            renewal.join()
            try:
                self._connection.write(
                    lambda tx: tx.run(
                        workspace_statements.END_LEASE, ws=self._ws, holder=self._holder
                    ).consume()
                )
            except StoreError as err:
                _LOG.info("the lease on workspace %s ends by itself: %s", self._ws, err)

    def _take(self) -> bool:
        def work(tx: Any) -> bool:
            tx.run(workspace_statements.LOCK, ws=self._ws).consume()
            row = tx.run(
                workspace_statements.TAKE_LEASE,
                ws=self._ws,
                holder=self._holder,
                milliseconds=int(_LEASE_S * 1000),
            ).single(strict=True)
            return bool(row["is_free"])

        return self._connection.write(work)

    def _renew(self, is_done: threading.Event) -> None:
        while not is_done.wait(_LEASE_S / 3):
            try:
                if not self._take():
                    _LOG.warning(
                        "another machine took over deriving the graph of workspace %s: this one was"
                        " away too long",
                        self._ws,
                    )
                    return
            except StoreError as err:
                _LOG.info("the lease on workspace %s could not be renewed: %s", self._ws, err)
