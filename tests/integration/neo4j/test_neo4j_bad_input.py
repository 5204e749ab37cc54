"""What a user can get wrong about a Neo4j server, and what else lives in it: a line with the
remedy, nothing lost, no password told.
"""

import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bolt_stub import BoltStub
from neo4j import Driver, GraphDatabase
from neo4j_server import Neo4jServer, delete_workspaces

from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.graph_store.neo4j_store.cypher import schema_statements
from dynagrag.workspace.facade import Workspace

PASSWORD = "pw-CANARY'\"%20 @:/\\#?`ö€"
CANARY = "CANARY"
Cli = Callable[..., Any]


@pytest.fixture
def transcript(corpus: Any) -> Path:
    path: Path = corpus.write(
        "a.vtt",
        [("Leo", "Ada Byron works at Acme Works."), ("Ines", "Acme Works acquired Delta Labs.")],
    )
    return path


def _complaint(cli: Cli, transcript: Path, code: int, *more: str, workspace: str = "w") -> str:
    """The one line that an ingest ends with."""
    said: str = cli("ingest", transcript, "-w", workspace, *more).complaint(code)
    return said


@pytest.fixture
def known_server(server: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIStubServer:
    """A model server, and a password of Neo4j that must appear nowhere."""
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    return server


# ---------------------------------------------------------------------------- no server, no address


@pytest.mark.parametrize(
    ("address", "code", "words"),
    [
        (
            "bolt://127.0.0.1:1",
            1,
            ("bolt://127.0.0.1:1", "cannot be reached", "check that it runs"),
        ),
        ("bolt://[::1]:1", 1, ("bolt://[::1]:1", "cannot be reached")),
        ("neo4j://127.0.0.1:1", 1, ("neo4j://127.0.0.1:1", "cannot be reached")),
        ("bolt://localhost:notaport", 2, ("bolt://HOST:7687",)),
        ("bolt://localhost:99999", 2, ("bolt://HOST:7687",)),
        ("bolt://[::1", 2, ("bolt://HOST:7687",)),
        ("bolt://", 2, ("names no host",)),
        ("bolt:///path", 2, ("names no host",)),
        (f"bolt://neo4j:{CANARY}@127.0.0.1:1", 2, ("NEO4J_PASSWORD",)),
        (f"neo4j+s://{CANARY}@127.0.0.1:1", 2, ("NEO4J_PASSWORD",)),
        (f"neo4j:{CANARY}@127.0.0.1:1", 2, ("sqlite", "bolt://")),
        (f"http://neo4j:{CANARY}@127.0.0.1:7474", 2, ("sqlite", "bolt://")),
        ("redis://127.0.0.1", 2, ("sqlite", "bolt://")),
        (f"bolt://127.0.0.1:1/?password={CANARY}", 2, ("bolt://HOST:7687",)),
    ],
)
def test_an_address_that_leads_nowhere_is_one_line_with_the_remedy(
    known_server: OpenAIStubServer,
    cli: Cli,
    transcript: Path,
    home: Path,
    address: str,
    code: int,
    words: tuple[str, ...],
) -> None:
    said = _complaint(cli, transcript, code, "--store", address)
    assert all(word in said for word in words), said
    assert CANARY not in said
    assert known_server.counts.chat_calls == 0
    assert not list(home.rglob("store")), "an address that failed was remembered"


def test_an_older_server_is_refused_with_what_is_needed(
    known_server: OpenAIStubServer, cli: Cli, transcript: Path
) -> None:
    for version in ("4.4.41", "5.25.1"):
        with BoltStub(version) as stub:
            said = _complaint(cli, transcript, 1, "--store", stub.address)
        assert version in said
        assert "5.26 or later" in said
        assert "sqlite" in said


@pytest.mark.parametrize(
    "handshake", [b"\0\0\0\0", b"\0\0\3\4", b"\0\0\4\4"], ids=["no common version", "4.3", "4.4"]
)
def test_a_server_that_is_too_old_to_talk_to_is_called_so(
    known_server: OpenAIStubServer, cli: Cli, transcript: Path, handshake: bytes
) -> None:
    with BoltStub(handshake=handshake) as stub:
        said = _complaint(cli, transcript, 1, "--store", stub.address)
    assert "5.26" in said
    assert "50N42" not in said


def test_a_server_that_takes_the_connection_and_never_speaks_is_given_up(
    known_server: OpenAIStubServer, cli: Cli, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the time that a connection may take; the driver's own limits would be a minute and
    more.
    """
    limits: list[float] = []
    connect = GraphDatabase.driver

    def quicker(*args: Any, **options: Any) -> Driver:
        limits.extend(
            options[name] for name in ("connection_timeout", "connection_acquisition_timeout")
        )
        return connect(
            *args, **options | {"connection_timeout": 0.3, "connection_acquisition_timeout": 0.6}
        )

    monkeypatch.setattr(GraphDatabase, "driver", quicker)
    with BoltStub(handshake=None) as stub:
        assert "cannot be reached" in _complaint(cli, transcript, 1, "--store", stub.address)
    assert max(limits) <= 6


def test_a_web_server_at_the_address_is_no_traceback(
    known_server: OpenAIStubServer, cli: Cli, transcript: Path
) -> None:
    with BoltStub(handshake=b"HTTP/1.1 400 Bad Request\r\n\r\n") as stub:
        assert "check that it runs and that the address is right" in _complaint(
            cli, transcript, 1, "--store", stub.address
        )


@pytest.mark.parametrize(
    ("code", "message", "words"),
    [
        (
            "Neo.ClientError.Security.Forbidden",
            "Create index is not allowed for user 'guest'.",
            ("lacks a privilege", "constraints"),
        ),
        (
            "Neo.ClientError.Security.Unauthorized",
            "unauthorized",
            ("NEO4J_USERNAME", "NEO4J_PASSWORD"),
        ),
        ("Neo.ClientError.Security.CredentialsExpired", "expired", ("must be changed",)),
        ("Neo.ClientError.Security.AuthenticationRateLimit", "too many", ("locked for a while",)),
        ("Neo.ClientError.Database.DatabaseNotFound", "no such database", ("NEO4J_DATABASE",)),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "read only", ("read-only",)),
        ("Neo.ClientError.Transaction.TransactionTimedOut", "timed out", ("took too long",)),
        (
            "Neo.ClientError.Schema.ConstraintCreationFailed",
            "both Node(1) and Node(2)",
            ("database of its own",),
        ),
        ("Neo.TransientError.General.OutOfMemoryError", "heap", ("heap.max_size",)),
        (
            "Neo.TransientError.Database.DatabaseUnavailable",
            "offline",
            ("is not available now", "start it"),
        ),
        ("Neo.ClientError.Statement.SomethingNew", "all went wrong", ("all went wrong",)),
    ],
)
def test_what_the_server_refuses_is_said_with_the_remedy(
    known_server: OpenAIStubServer,
    cli: Cli,
    transcript: Path,
    code: str,
    message: str,
    words: tuple[str, ...],
) -> None:
    with BoltStub(failure=(code, message)) as stub:
        said = _complaint(cli, transcript, 1, "--store", stub.address)
    assert all(word in said for word in words), said


def test_without_the_driver_the_extra_is_named(
    known_server: OpenAIStubServer, cli: Cli, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "neo4j", None)
    assert "pip install 'dynagrag[neo4j]'" in _complaint(
        cli, transcript, 1, "--store", "bolt://127.0.0.1:1"
    )


# ------------------------------------------------------------------------------ users and passwords


@pytest.fixture
def new_user(
    own_neo4j: Neo4jServer, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """Makes a user of the server with the hard password and points the environment at both."""
    names: list[str] = []

    def make(name: str, must_change: bool = False) -> None:
        change = "REQUIRED" if must_change else "NOT REQUIRED"
        driver.execute_query(
            f"CREATE USER {name} SET PASSWORD $password CHANGE {change}",
            password=PASSWORD,
            database_="system",
        )  # type: ignore[arg-type]
        names.append(name)
        monkeypatch.setenv("NEO4J_USERNAME", name)
        monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
        monkeypatch.setenv("DYNAGRAG_STORE", own_neo4j.address)

    yield make
    for name in names:
        driver.execute_query(f"DROP USER {name}", database_="system")  # type: ignore[arg-type]


@pytest.mark.neo4j
def test_any_password_works_and_is_found_nowhere_whatever_happens(
    known_server: OpenAIStubServer,
    new_user: Callable[..., None],
    cli: Cli,
    transcript: Path,
    home: Path,
    neo4j_workspace: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    new_user("canarian")
    for name in (
        "",
        "neo4j.io",
        "neo4j.pool",
        "dynagrag",
    ):  # the command line quiets "neo4j" itself
        caplog.set_level(logging.DEBUG, logger=name)
    results = [
        cli("ingest", transcript, "-w", neo4j_workspace, "--verbose"),
        cli("ask", "Who works at Acme Works?", "-w", neo4j_workspace, "--json"),
        cli("doctor", "-w", neo4j_workspace, "--json"),
        cli("jobs", "list", "-w", neo4j_workspace, "--json"),
    ]
    assert [r.code for r in results] == [0] * 4, results
    monkeypatch.setenv("NEO4J_DATABASE", "nowhere")
    lost = cli("graph", "stats", "-w", neo4j_workspace)
    assert "no database 'nowhere'" in lost.complaint(1)
    monkeypatch.setenv("NEO4J_DATABASE", "neo4j")
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD + "wrong")
    refused = [cli("graph", "stats", "-w", neo4j_workspace) for _ in range(4)]
    assert "NEO4J_PASSWORD" in refused[0].complaint(1)
    assert "canarian" in refused[0].err
    assert "locked for a while" in refused[3].complaint(1)
    for result in (*results, *refused, lost):
        assert CANARY not in result.out + result.err
    assert any(record.name.startswith("neo4j") for record in caplog.records)
    assert CANARY not in caplog.text
    assert CANARY not in repr([record.args for record in caplog.records])
    for file in home.rglob("*"):
        assert CANARY.encode() not in (file.read_bytes() if file.is_file() else b""), file


@pytest.mark.neo4j
def test_a_password_that_must_be_changed_first_is_said(
    known_server: OpenAIStubServer, new_user: Callable[..., None], cli: Cli, transcript: Path
) -> None:
    new_user("novice", must_change=True)
    said = _complaint(cli, transcript, 1)
    assert "'novice' must be changed" in said
    assert CANARY not in said


# ------------------------------------------------------------------------------------- others' data

THEIRS = """
CREATE (a:Entity {name: 'Ada Byron', email: 'ada@example.org'})
       -[:RELATES {since: 1843}]->(:Entity {name: 'Theirs', weight: 'heavy'})
CREATE (a)-[:PART_OF]->(:Document {title: 'Their document', text: 'Ada Byron works at Acme Works.'})
CREATE (:Passage {id: 1})-[:NEXT]->(:Passage {id: 2})
CREATE (:Turn), (:Mention {uid: 17}), (:Vector {x: [1.0, 2.0]}), (:Edit {by: 'them'}), (:Merge),
       (:Customer:Entity {key: 'acme works'})
CREATE (:Workspace {name: 'theirs'})-[:OWNS]->
       (:Extraction {id: 'e'})<-[:FROM]-(:RelationRecord {n: 5})
"""
DUMP = """
MATCH (n) WHERE n.ws IS NULL AND NOT n:DynagragSchema
OPTIONAL MATCH (n)-[r]->(m)
RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS n, type(r) AS type,
       properties(r) AS r, elementId(m) AS to
ORDER BY id, type, to
"""


@pytest.fixture
def theirs(own_neo4j: Neo4jServer, driver: Driver) -> Iterator[None]:
    """Another program's data under our labels, and no workspace; it goes after the test, with its
    constraints.
    """
    delete_workspaces(own_neo4j, "")
    driver.execute_query("MATCH (n) WHERE n.ws IS NULL AND NOT n:DynagragSchema DETACH DELETE n")
    driver.execute_query(THEIRS)
    yield
    driver.execute_query("MATCH (n) WHERE n.ws IS NULL AND NOT n:DynagragSchema DETACH DELETE n")
    for row in driver.execute_query(
        "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'theirs'"
    ).records:
        driver.execute_query(f"DROP CONSTRAINT {row['name']}")  # type: ignore[arg-type]
    driver.execute_query(schema_statements.uid_constraint("Document"))


@pytest.mark.neo4j
@pytest.mark.usefixtures("theirs", "server")
def test_the_data_of_another_program_under_our_labels_is_left_as_it_was(
    own_neo4j: Neo4jServer,
    driver: Driver,
    cli: Cli,
    transcript: Path,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
    open_space: Callable[..., Workspace],
    corpus: Any,
) -> None:
    def dump() -> list[Any]:
        return [dict(row) for row in driver.execute_query(DUMP).records]

    before = dump()
    assert len(before) >= 15
    point_at_neo4j(own_neo4j, own_neo4j.address)
    other = corpus.write("b.vtt", [("Leo", "Grace Hopper works at Acme Works.")])
    assert cli("ingest", transcript, other, "-w", neo4j_workspace).code == 0
    alone = open_space(
        neo4j_workspace, at=corpus.folder / "alone", store="sqlite", embedder=FakeEmbedder()
    )
    alone.ingest([transcript, other])
    stats = cli("graph", "stats", "-w", neo4j_workspace, "--json").json
    assert stats["digest"] == alone.stats().digest
    health = cli("doctor", "-w", neo4j_workspace)
    assert health.code == 0, health
    assert "Entity" in health.out
    assert cli("doctor", "-w", neo4j_workspace, "--repair").code == 0
    asked = cli("ask", "Who works at Acme Works?", "-w", neo4j_workspace)
    assert "example.org" not in asked.out
    assert cli("delete", "a", "-w", neo4j_workspace, "--yes").code == 0
    assert dump() == before
    with open_space(neo4j_workspace, embedder=FakeEmbedder()) as space:
        space.store.clear()
    assert dump() == before
    assert not driver.execute_query(
        "MATCH (n) WHERE n.ws = $ws RETURN n", ws=neo4j_workspace
    ).records


@pytest.mark.neo4j
@pytest.mark.usefixtures("theirs", "server")
def test_a_constraint_of_another_program_that_is_in_the_way_is_named_and_nothing_is_lost(
    own_neo4j: Neo4jServer,
    driver: Driver,
    cli: Cli,
    transcript: Path,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
) -> None:
    driver.execute_query("CREATE CONSTRAINT theirs_name FOR (e:Entity) REQUIRE e.name IS UNIQUE")
    point_at_neo4j(own_neo4j, own_neo4j.address)
    said = _complaint(cli, transcript, 1, workspace=neo4j_workspace)
    assert "constraint" in said
    assert "another program" in said
    driver.execute_query("DROP CONSTRAINT theirs_name")
    resumed = cli("ingest", transcript, "-w", neo4j_workspace)
    assert resumed.code == 0, resumed
    assert "0 chunks to extract" in resumed.out
    assert cli("graph", "stats", "-w", neo4j_workspace, "--json").json["relations"] == 2


@pytest.mark.neo4j
@pytest.mark.usefixtures("theirs", "server")
@pytest.mark.parametrize("obstacle", ["data", "index"])
def test_what_keeps_our_schema_from_being_made_is_said(
    own_neo4j: Neo4jServer,
    driver: Driver,
    cli: Cli,
    transcript: Path,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
    obstacle: str,
) -> None:
    """As in a database that another program had first."""
    point_at_neo4j(own_neo4j, own_neo4j.address)
    driver.execute_query("DROP CONSTRAINT dynagrag_document_uid IF EXISTS")
    driver.execute_query("MATCH (s:DynagragSchema) DELETE s")
    if obstacle == "data":
        driver.execute_query("CREATE (:Document {uid: 1}), (:Document {uid: 1})")
    else:
        driver.execute_query("CREATE INDEX theirs_document FOR (n:Document) ON (n.uid)")
    try:
        said = _complaint(cli, transcript, 1, workspace=neo4j_workspace)
        assert re.search(r"database of its own|another program", said), said
        assert "Document" in said
    finally:
        driver.execute_query("MATCH (n:Document {uid: 1}) DELETE n")
        driver.execute_query("DROP INDEX theirs_document IF EXISTS")
    assert cli("ingest", transcript, "-w", neo4j_workspace).code == 0
    names = {
        row["name"] for row in driver.execute_query(schema_statements.SHOW_CONSTRAINTS).records
    }
    assert "dynagrag_document_uid" in names
