"""The proxy for faults does what it says, so that the tests that stand on it mean something."""

import threading
import time
from collections.abc import Iterator

import pytest
from cutting_proxy import CuttingProxy
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import IncompleteCommit, ServiceUnavailable
from neo4j_server import GivenServer, Neo4jServer

pytestmark = pytest.mark.neo4j

CREATE = (
    "UNWIND $numbers AS number CREATE (n:ProxyTest {ws: $ws, number: number}) RETURN n.number AS"
    " number"
)
COUNT = "MATCH (n:ProxyTest {ws: $ws}) RETURN count(n) AS number"


@pytest.fixture
def through(
    cutting_proxy: CuttingProxy, neo4j_server: Neo4jServer | GivenServer
) -> Iterator[Driver]:
    auth = (neo4j_server.username, neo4j_server.password)
    with GraphDatabase.driver(
        cutting_proxy.address, auth=auth, max_transaction_retry_time=0, connection_timeout=3
    ) as driver:
        yield driver


@pytest.fixture
def direct(neo4j_server: Neo4jServer | GivenServer) -> Iterator[Driver]:
    with GraphDatabase.driver(
        neo4j_server.address, auth=(neo4j_server.username, neo4j_server.password)
    ) as driver:
        yield driver


def count(driver: Driver, workspace: str) -> int:
    return int(driver.execute_query(COUNT, ws=workspace).records[0]["number"])


def create(driver: Driver, workspace: str, num_nodes: int = 3) -> list[int]:
    return [
        r["number"]
        for r in driver.execute_query(CREATE, ws=workspace, numbers=list(range(num_nodes))).records
    ]


def test_everything_passes_also_messages_of_many_chunks(
    through: Driver, cutting_proxy: CuttingProxy, neo4j_workspace: str
) -> None:
    assert create(through, neo4j_workspace, 30_000) == list(range(30_000))
    assert count(through, neo4j_workspace) == 30_000
    assert (cutting_proxy.num_commits, cutting_proxy.num_cuts) == (2, 0)


def test_a_cut_after_commit_is_an_error_to_the_client_though_the_data_is_there(
    through: Driver, direct: Driver, cutting_proxy: CuttingProxy, neo4j_workspace: str
) -> None:
    cutting_proxy.cut_after_commit()
    with pytest.raises(IncompleteCommit) as caught:
        create(through, neo4j_workspace)
    assert not caught.value.is_retryable()
    assert cutting_proxy.num_cuts == 1
    assert count(direct, neo4j_workspace) == 3
    create(through, neo4j_workspace)
    assert count(direct, neo4j_workspace) == 6
    assert cutting_proxy.num_cuts == 1


def test_a_refused_connection_is_unavailable_until_it_is_accepted_again(
    through: Driver, cutting_proxy: CuttingProxy, neo4j_workspace: str
) -> None:
    create(through, neo4j_workspace)
    cutting_proxy.refuse()
    with pytest.raises(ServiceUnavailable):
        count(through, neo4j_workspace)
    cutting_proxy.accept()
    assert count(through, neo4j_workspace) == 3


def test_a_stalled_connection_goes_on_where_it_was(
    through: Driver, cutting_proxy: CuttingProxy, neo4j_workspace: str
) -> None:
    count(through, neo4j_workspace)
    cutting_proxy.stall()
    timer = threading.Timer(0.5, cutting_proxy.resume)
    timer.start()
    start = time.monotonic()
    assert create(through, neo4j_workspace) == [0, 1, 2]
    assert time.monotonic() - start >= 0.45
    timer.join()
