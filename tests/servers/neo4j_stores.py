"""What tests of the Neo4j store put into it: small documents, and graphs of entities k1, k2, ..."""

from collections.abc import Callable, Sequence

import numpy as np
from neo4j_server import GivenServer, Neo4jServer

from dynagrag.core.schema import (
    Consolidation,
    Document,
    EmbedderIdentity,
    Entity,
    Graph,
    Passage,
    Records,
    Relation,
    Turn,
)
from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

AnyServer = Neo4jServer | GivenServer
OpenStore = Callable[..., Neo4jStore]
EMBEDDER = EmbedderIdentity("fake", 4)


def document(
    store: Neo4jStore | SqliteStore, number: int
) -> tuple[Document, list[Turn], list[Passage]]:
    """A document of one turn and one passage."""
    text = f"Words of document {number}."
    made = Document(
        f"{store.workspace}-{number}",
        store.workspace,
        f"t{number}",
        f"/t{number}",
        f"s{number}",
        text,
    )
    turn = Turn(f"{made.id}-t", made.id, 0, 0, len(text))
    return made, [turn], [Passage(f"{made.id}-p", made.id, 0, 0, len(text), 0, 0)]


def graph_of(
    store: Neo4jStore | SqliteStore,
    weights: dict[int, int],
    relations: Sequence[Relation] = (),
    dimension: int = 4,
) -> Graph:
    """Entities k1, k2, ... of these weights with equal vectors; `dimension` 0: without."""
    ws = store.workspace
    entities = tuple(
        Entity(f"{ws}-e{i:06}", f"k{i}", f"K{i}", "", (f"k{i}",), (), "thing", w, ())
        for i, w in weights.items()
    )
    vectors = np.ones((len(entities), dimension), dtype=np.float32)
    return Graph(
        entities,
        tuple(relations),
        vectors,
        np.ones((len(relations), dimension), dtype=np.float32),
        ((),) * len(entities),
    )


def write(store: Neo4jStore | SqliteStore, graph: Graph, records: Records | None = None) -> None:
    """Makes it the derived view."""
    store.write_graph(graph, Consolidation(), records or store.records())
