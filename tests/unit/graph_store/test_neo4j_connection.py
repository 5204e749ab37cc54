"""What a connection tries again, what it gives up at once, and that a server that stalls is one of
the latter; no real server is needed.
"""

from collections.abc import Iterator

import pytest
from bolt_stub import BoltStub

from dynagrag.core.errors import StoreError
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection

DEADLOCK = ("Neo.TransientError.Transaction.DeadlockDetected", "locked")
LOGIN = {"username": "neo4j", "password": "unread", "database": "neo4j"}


@pytest.fixture
def stub() -> Iterator[BoltStub]:
    with BoltStub() as made:
        yield made


@pytest.fixture
def connection(stub: BoltStub) -> Iterator[Neo4jConnection]:
    made = Neo4jConnection(stub.address, **LOGIN)
    stub.num_queries = 0
    yield made
    made.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("Database.DatabaseUnavailable", "'neo4j' is not available now; start it"),
        ("General.OutOfMemoryError", "ran out of memory"),
    ],
)
def test_what_passes_by_itself_never_is_not_tried_again(
    stub: BoltStub, connection: Neo4jConnection, code: str, words: str
) -> None:
    """The server calls both passing, and so they would be tried for minutes."""
    stub.failure = (f"Neo.TransientError.{code}", "all went wrong")
    with pytest.raises(StoreError, match=words):
        connection.read("RETURN 1")
    with pytest.raises(StoreError, match=words):
        connection.write(lambda tx: tx.run("RETURN 1").consume())
    assert stub.num_queries == 2


def test_a_deadlock_is_tried_again_as_a_whole_until_it_works(
    stub: BoltStub, connection: Neo4jConnection
) -> None:
    num_turns = 0

    def work(tx: object) -> int:
        nonlocal num_turns
        num_turns += 1
        stub.failure = DEADLOCK if num_turns < 4 else None
        tx.run("RETURN 1").consume()  # type: ignore[attr-defined]
        return num_turns

    assert connection.write(work) == 4
    assert stub.num_queries == 4


def test_a_deadlock_that_never_ends_is_given_up_with_the_remedy(
    stub: BoltStub, connection: Neo4jConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.graph_store.neo4j_store.neo4j_connection._MAX_REPLAYS", 3)
    stub.failure = DEADLOCK
    with pytest.raises(StoreError, match="other writers kept it locked; run the command again"):
        connection.read("RETURN 1")
    assert stub.num_queries == 3
