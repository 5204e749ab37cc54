"""The stores of the contract: those without a server, and each Neo4j server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph_stores import EMBEDDER, LOCAL, SERVERS, MakeStore, W, open_neo4j

from dynagrag.core.protocols import GraphStore


@pytest.fixture(params=[*LOCAL, *SERVERS])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    make = (
        LOCAL[request.param](tmp_path)
        if request.param in LOCAL
        else open_neo4j(request.getfixturevalue(request.param))
    )
    opened: list[GraphStore] = []

    def made(workspace: str) -> GraphStore:
        store = make(workspace)
        if workspace not in {s.workspace for s in opened}:
            store.clear()  # a server may hold what a test before left there
        opened.append(store)
        return store

    yield made
    for store in opened:
        store.close()
    for workspace in {s.workspace for s in opened}:
        last = make(workspace)
        last.clear()
        last.close()


@pytest.fixture
def store(make_store: MakeStore) -> GraphStore:
    made = make_store(W)
    made.set_embedder(EMBEDDER)
    return made
