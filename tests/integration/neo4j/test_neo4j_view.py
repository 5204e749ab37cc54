"""What a person's hand did to the derived view in Neo4j is found by `health` and mended by a repair
and a derivation.
"""

from collections.abc import Callable, Iterator

import neo4j
import numpy as np
import pytest
from neo4j_server import Neo4jServer

from dynagrag import load_settings, open_workspace
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.ingest_job import IngestOptions

pytestmark = pytest.mark.neo4j
Hand = Callable[[str], None]


@pytest.fixture
def space(
    neo4j_server: Neo4jServer,
    neo4j_workspace: str,
    corpus: "object",
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Workspace]:
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    settings = load_settings(store=neo4j_server.address)
    with open_workspace(
        neo4j_workspace, settings=settings, chat_model=FakeChat(), embedder=FakeEmbedder()
    ) as made:
        made.ingest(corpus.many(2, num_turns=6), IngestOptions())  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def hand(neo4j_server: Neo4jServer, space: Workspace) -> Iterator[Hand]:
    """Sends a statement of somebody else's to the workspace ($ws)."""
    with neo4j.GraphDatabase.driver(
        neo4j_server.address, auth=(neo4j_server.username, neo4j_server.password)
    ) as driver:

        def send(statement: str) -> None:
            driver.execute_query(statement, ws=space.name)  # type: ignore[arg-type]

        yield send


@pytest.mark.parametrize(
    "statement",
    [
        "MATCH (e:Entity {ws: $ws}) WITH e LIMIT 2 DETACH DELETE e",
        "MATCH (:Entity {ws: $ws})-[r:RELATES]->() WITH r LIMIT 1 DELETE r",
        "MATCH (:Entity {ws: $ws})-[r:RELATES]->() WITH r LIMIT 1 SET r.weight = 99",
    ],
    ids=["entities deleted", "a relation deleted", "a weight changed"],
)
def test_what_a_hand_did_to_the_view_is_mended(
    space: Workspace, hand: Hand, statement: str
) -> None:
    before, digest = space.graph(), space.store.digest()
    hand(statement)
    if "DELETE" in statement:
        assert [f.what for f in space.store.health() if not f.is_ok] == ["view"]
    space.store.repair()
    with space.parts.writing():
        space.parts.deriver(None).rederive()
    after = space.graph()
    assert (after.entities, after.relations, space.store.digest()) == (
        before.entities,
        before.relations,
        digest,
    )
    assert np.array_equal(after.relation_vectors, before.relation_vectors)
    assert all(f.is_ok for f in space.store.health())
