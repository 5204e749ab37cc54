"""The renewal of a lease, which must not outlive it: the connection is closed then."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from dynagrag.graph_store.neo4j_store import lease
from dynagrag.graph_store.neo4j_store.lease import Neo4jLease


class SlowConnection:
    """Its second write, a renewal, takes its time."""

    def __init__(self) -> None:
        self.num_writes = 0
        self.is_renewing = threading.Event()

    def write(self, work: Callable[[Any], object]) -> bool:
        self.num_writes += 1
        if self.num_writes == 2:
            self.is_renewing.set()
            time.sleep(0.1)
        return True


def test_a_lease_ends_after_its_last_renewal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_LEASE_S", 0.03)
    connection = SlowConnection()
    with Neo4jLease(connection, "w", "here").hold(1.0, print):  # type: ignore[arg-type]
        assert connection.is_renewing.wait(60)
    assert "neo4j-lease" not in [thread.name for thread in threading.enumerate()]
