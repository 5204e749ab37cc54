"""Throughput of the graph stores: 100,000 entities with 384-float vectors and 300,000 relations,
then bounded hops next to a big hub.

    python benchmarks/store.py sqlite              the embedded store
    python benchmarks/store.py 5                   a Neo4j 5.26 (tests/servers/neo4j_jars.py)
    python benchmarks/store.py 2026                a Neo4j 2026.x
    python benchmarks/store.py bolt://HOST:7687    a running server (NEO4J_PASSWORD); its
                                                   workspace is deleted

Prints one line a measurement; `--out FILE` appends them to a file. Ends are skewed: node i has
about 1/sqrt(i) of the relations.
"""

import argparse
import multiprocessing
import os
import platform
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
from result_lines import ResultLines

from dynagrag.core.ids import content_id
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import (
    Consolidation,
    EmbedderIdentity,
    Entity,
    Graph,
    Relation,
    VectorKind,
    Vectors,
)
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store.cache import RowCache
from dynagrag.graph_store.neo4j_store.cypher import schema_statements
from dynagrag.graph_store.neo4j_store.graph_writer import (
    GraphWriter,
    relation_props,
    vector_signature,
)
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

WORKSPACE = "benchmark-store"
DIMENSION = 384
_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "tests" / "servers"))  # the server that the tests start


def make_graph(num_entities: int, num_relations: int, hub_degree: int, seed: int = 0) -> Graph:
    """Entities e0.., skewed random relations, and (with `hub_degree`) one hub with that many edges
    of its own.
    """
    rng = np.random.default_rng(seed)
    ids = [content_id("entity", WORKSPACE, f"e{i}", "") for i in range(num_entities)]
    entities = [
        Entity(
            ids[i],
            f"e{i}",
            f"Entity {i}",
            "",
            (f"e{i}",),
            (),
            "thing",
            1,
            (f"what was said of {i}",),
        )
        for i in range(num_entities)
    ]
    ends = (num_entities * rng.random((num_relations, 2)) ** 2).astype(np.int64)
    entity_vectors = rng.standard_normal((num_entities, DIMENSION)).astype(np.float32)
    weights = np.concatenate(
        (rng.integers(1, 20, size=num_relations), rng.integers(1, 20, size=hub_degree))
    )
    pairs = [(int(a), int(b)) for a, b in ends]
    pairs += [(0, int(i)) for i in range(1, hub_degree + 1)]
    made: dict[str, Relation] = {}
    for number, (a, b) in enumerate(pairs):
        label = f"label {number % 50}" if number < num_relations else "hub"
        if a != b:
            id_ = content_id("relation", ids[a], label, ids[b])
            made[id_] = Relation(
                id_,
                ids[a],
                ids[b],
                label,
                int(weights[number]),
                1,
                (f"summary {number}",),
                (f"record {number}",),
            )
    order = sorted(range(num_entities), key=lambda i: ids[i])
    relations = tuple(made[i] for i in sorted(made))
    return Graph(
        entities=tuple(entities[i] for i in order),
        relations=relations,
        entity_vectors=entity_vectors,
        relation_vectors=_vectors_of(relations),
        entity_passages=tuple(() for _ in entities),
    )


def _vectors_of(relations: Sequence[Relation]) -> Vectors:
    """The same relation has the same vector in every graph."""
    seeds = np.array([int(r.id[:12], 16) for r in relations], dtype=np.float64) / 16.0**12
    return np.sin(np.outer(1000.0 * seeds, np.arange(1, DIMENSION + 1))).astype(np.float32)


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# ---------------------------------------------------------------------------- Neo4j, batch by batch


def relation_rows(graph: Graph, has_vectors: bool, part: slice) -> list[dict[str, object]]:
    """Relations as the writer takes them; without vectors, `vec` stays out."""
    made = []
    for relation, vector in zip(graph.relations[part], graph.relation_vectors[part], strict=True):
        row = rows.relation_row(relation)
        data = vector.tobytes() if has_vectors else b""
        vec_sig = vector_signature(data)
        sent = relation_props(relation, row, WORKSPACE, rows.signature(row, vec_sig), data, vec_sig)
        if not has_vectors:
            del sent["props"]["vec"], sent["props"]["vec_sig"]
        made.append(sent)
    return made


def write_share(
    address: str,
    password: str,
    graph: Graph,
    part: slice,
    number: int,
    num_writers: int,
    has_vectors: bool,
    gate: "multiprocessing.Barrier",
) -> None:
    """One of several writing processes: every so-manieth relation, so that all of them meet at the
    same nodes.
    """
    connection = Neo4jConnection(address, username="neo4j", password=password, database="neo4j")
    writer = GraphWriter(
        connection, WORKSPACE, RowCache(None, "benchmark"), DIMENSION, num_writers=1
    )
    share = relation_rows(graph, has_vectors, part)[number::num_writers]
    gate.wait()
    writer.put_relations(share, is_cached=False)
    connection.close()


def write_relations(
    address: str, password: str, graph: Graph, part: slice, num_writers: int, has_vectors: bool
) -> float:
    """Seconds until all writers are done, connecting and preparing left out."""
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(num_writers + 1)
    shares = [
        context.Process(
            target=write_share,
            args=(address, password, graph, part, i, num_writers, has_vectors, gate),
        )
        for i in range(num_writers)
    ]
    for process in shares:
        process.start()
    gate.wait()
    start = time.perf_counter()
    for process in shares:
        process.join()
        if process.exitcode:
            raise SystemExit(f"a writer ended with {process.exitcode}")
    return time.perf_counter() - start


def run_neo4j(address: str, password: str, graph: Graph, hub: Graph, results: ResultLines) -> None:
    """All rows of one server."""
    folder = Path(tempfile.mkdtemp())
    store = Neo4jStore(
        address,
        WORKSPACE,
        username="neo4j",
        password=password,
        database="neo4j",
        cache=folder / "cache.sqlite",
    )
    connection = Neo4jConnection(address, username="neo4j", password=password, database="neo4j")
    results.line(f"# {store.address().split(' ', 1)[1]}, {machine()}")
    try:
        store.clear()
        store.set_embedder(EmbedderIdentity("random", DIMENSION))
        only_entities = Graph(
            graph.entities,
            (),
            graph.entity_vectors,
            graph.relation_vectors[:0],
            graph.entity_passages,
        )
        writer = GraphWriter(connection, WORKSPACE, RowCache(None, "benchmark"), DIMENSION)
        planned, _ = writer.plan_entities(only_entities)
        seconds = timed(lambda: writer.put_entities(planned))
        results.rate("first load: entities with vectors, index made after", len(planned), seconds)
        third = len(graph.relations) // 3
        for number, (num_writers, has_vectors) in enumerate(((1, False), (4, False), (4, True))):
            part = slice(number * third, (number + 1) * third)
            seconds = write_relations(address, password, graph, part, num_writers, has_vectors)
            what = (
                f"relations {'with vectors as bytes' if has_vectors else 'without vectors'},"
                f" {num_writers} writer processes"
            )
            results.rate(what, third, seconds)
        num = connection.read(
            "MATCH ()-[r:RELATES]->() WHERE r.ws = $ws RETURN count(r) AS num, count(DISTINCT"
            " r.uid) AS unique",
            ws=WORKSPACE,
        )
        results.line(
            f"after 4 writers: {num[0]['num']:,} relations, {num[0]['unique']:,} unique ids, no"
            " error"
        )
        whole(store, hub, results)
        seconds = timed(lambda: await_vector_index(connection))
        results.line(f"{'vector indexes filled in the background after':<58} {seconds:7.1f} s more")
        browse(store, hub, results)
    finally:
        store.clear()
        connection.close()
        store.close()
        shutil.rmtree(folder, ignore_errors=True)


def await_vector_index(connection: Neo4jConnection) -> None:
    """Until no vector index is being filled."""
    while any(
        row["state"] == "POPULATING" for row in connection.read(schema_statements.SHOW_INDEXES)
    ):
        time.sleep(0.5)


# ---------------------------------------------------------------------------------------- any store


def whole(store: GraphStore, hub: Graph, results: ResultLines) -> None:
    """The graph with its hub as an ingest writes it, the same again, and read back for
    questions.
    """
    seconds = timed(lambda: store.write_graph(hub, Consolidation(), store.records()))
    results.rate(
        "write_graph: the hub, and what lacks its vector or its list", len(hub.relations), seconds
    )
    seconds = timed(lambda: store.write_graph(hub, Consolidation(), store.records()))
    results.rate("write_graph again: nothing differs", len(hub.relations), seconds)
    seconds = timed(store.graph)
    results.rate(
        "graph() with all vectors, from the local copy",
        len(hub.entities) + len(hub.relations),
        seconds,
    )
    results.line(f"{'digest()':<58} {timed(store.digest):7.1f} s")


def browse(store: GraphStore, hub: Graph, results: ResultLines) -> None:
    """Bounded hops, search, nearest."""
    rng = np.random.default_rng(1)
    centre = next(e for e in hub.entities if e.key == "e0")
    picked = [hub.entities[int(i)] for i in rng.integers(0, len(hub.entities), size=200)]
    num_at_hub = sum(centre.id in (r.head, r.tail) for r in hub.relations)
    for num_hops in (1, 2, 3):
        times = [
            1000 * timed(partial(store.neighbourhood, e.id, num_hops=num_hops)) for e in picked
        ]
        results.line(percentiles(f"k={num_hops} hops, 200 random entities, ms", times))
    times = [1000 * timed(lambda: store.neighbourhood(centre.id, num_hops=3)) for _ in range(50)]
    results.line(percentiles(f"k=3 hops from the hub ({num_at_hub:,} edges), ms", times))
    times = [1000 * timed(partial(store.search_entities, f"entity {i}", 10)) for i in range(30)]
    results.line(percentiles("search_entities, ms", times))
    queries = rng.standard_normal((30, DIMENSION)).astype(np.float32)
    times = [1000 * timed(partial(store.nearest, VectorKind.ENTITY, q, 10)) for q in queries]
    results.line(percentiles("nearest 10 of all entities, ms", times))


def percentiles(what: str, values: Sequence[float]) -> str:
    """p50, p95 and the worst."""
    ordered = sorted(values)
    return (
        f"{what:<58} p50 {statistics.median(ordered):7.1f}  p95"
        f" {ordered[int(0.95 * len(ordered))]:7.1f}  max {ordered[-1]:7.1f}"
    )


def run_sqlite(graph: Graph, hub: Graph, results: ResultLines) -> None:
    """The embedded store's rows."""
    folder = Path(tempfile.mkdtemp())
    store = SqliteStore(folder / "graph.sqlite", WORKSPACE)
    results.line(f"# embedded store (SQLite), {machine()}")
    try:
        store.set_embedder(EmbedderIdentity("random", DIMENSION))
        only_entities = Graph(
            graph.entities,
            (),
            graph.entity_vectors,
            graph.relation_vectors[:0],
            graph.entity_passages,
        )
        seconds = timed(lambda: store.write_graph(only_entities, Consolidation(), store.records()))
        results.rate("first load: entities with vectors", len(graph.entities), seconds)
        seconds = timed(lambda: store.write_graph(graph, Consolidation(), store.records()))
        results.rate("relations with vectors as bytes", len(graph.relations), seconds)
        whole(store, hub, results)
        browse(store, hub, results)
    finally:
        store.close()
        shutil.rmtree(folder, ignore_errors=True)


def machine() -> str:
    """Where this was measured."""
    return (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()},"
        f" {time.strftime('%Y-%m-%d')}"
    )


def servers(what: str, stack: ExitStack) -> Iterator[tuple[str, str]]:
    """(address, password) of the server asked for."""
    if "://" in what:
        yield what, os.environ.get("NEO4J_PASSWORD", "")
        return
    from neo4j_jars import NEO4J_5, NEO4J_2026, cache_folder, install
    from neo4j_server import Neo4jServer

    release = {"5": NEO4J_5, "2026": NEO4J_2026}[what]
    server = stack.enter_context(
        Neo4jServer(
            install(release, cache_folder(os.environ), os.environ),
            os.environ,
            heap="2g",
            page_cache="1g",
        )
    )
    yield server.address, server.password


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", help="sqlite, 5, 2026, or an address")
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=300_000)
    parser.add_argument(
        "--hub",
        type=int,
        default=99_999,
        help="edges of the hub, at most the number of entities less one",
    )
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    options = parser.parse_args()
    results = ResultLines(options.out)
    hub_degree = min(options.hub, options.entities - 1)
    graph = make_graph(options.entities, options.relations, 0)
    hub = make_graph(options.entities, options.relations, hub_degree)
    with ExitStack() as stack:
        if options.store == "sqlite":
            run_sqlite(graph, hub, results)
        else:
            for address, password in servers(options.store, stack):
                run_neo4j(address, password, graph, hub, results)
    results.line(
        "peak memory of this process:"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB"
    )


if __name__ == "__main__":
    main()
