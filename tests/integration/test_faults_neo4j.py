"""Storage spec, section 4, what is Neo4j's: a reply that is lost after COMMIT (R5), writers at one hub (R6), a schema that is not whole
(R7), a server that goes away (R12), a hub of many relations (R13), and what two processes could do to each other.
"""

import itertools
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cutting_proxy import CuttingProxy
from neo4j import Driver, GraphDatabase
from neo4j_server import GivenServer, Neo4jServer

from dynagrag.errors import StoreError, WorkspaceError
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes_server import OpenAIStubServer
from dynagrag.graph_store import cypher, neo4j_schema
from dynagrag.graph_store.neo4j_cache import RowCache
from dynagrag.graph_store.neo4j_graph import GraphWriter
from dynagrag.graph_store.neo4j_store import Neo4jStore
from dynagrag.graph_store.sqlite_store import SqliteStore
from dynagrag.schema import (
    Consolidation,
    Document,
    EmbedderIdentity,
    Entity,
    Graph,
    Passage,
    Records,
    Relation,
    Turn,
    VectorKind,
)
from dynagrag.workspace import Workspace

pytestmark = pytest.mark.neo4j
AnyServer = Neo4jServer | GivenServer
OpenSpace = Callable[..., Workspace]
OpenStore = Callable[..., Neo4jStore]
EMBEDDER = EmbedderIdentity("fake", 4)


@pytest.fixture
def open_store(neo4j_server: AnyServer, neo4j_workspace: str) -> Iterator[OpenStore]:
    """The store of the test's workspace, or of one beside it, opened anew; workspaces are cleared after the test."""
    opened: list[Neo4jStore] = []

    def make(suffix: str = "", address: str | None = None, cache: Path | None = None) -> Neo4jStore:
        who = {"username": neo4j_server.username, "password": neo4j_server.password, "database": neo4j_server.database}
        opened.append(Neo4jStore(address or neo4j_server.address, neo4j_workspace + suffix, cache=cache, **who))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
    for workspace in {store.workspace for store in opened}:
        last = make(workspace.removeprefix(neo4j_workspace))
        last.clear()
        last.close()


@pytest.fixture
def driver(neo4j_server: AnyServer) -> Iterator[Driver]:
    """A plain driver, as another program has one."""
    with GraphDatabase.driver(neo4j_server.address, auth=(neo4j_server.username, neo4j_server.password)) as made:
        yield made


def document(store: Neo4jStore | SqliteStore, number: int) -> tuple[Document, list[Turn], list[Passage]]:
    """A document of one turn and one passage."""
    text = f"Words of document {number}."
    made = Document(f"{store.workspace}-{number}", store.workspace, f"t{number}", f"/t{number}", f"s{number}", text)
    turn = Turn(f"{made.id}-t", made.id, 0, 0, len(text))
    return made, [turn], [Passage(f"{made.id}-p", made.id, 0, 0, len(text), 0, 0)]


# --------------------------------------------------------------------------------------------------------------------- R5


class UnluckyProxy(CuttingProxy):
    """Cuts after commits at random, but never after two in a row, since that would look like a server that is gone."""

    def __init__(self, address: str, seed: int, max_cuts: int) -> None:
        self._rng = random.Random(seed)
        self._was_cut = False
        self._max_cuts = max_cuts
        super().__init__(address)

    def takes_cut(self) -> bool:
        """Whether this commit's connection is cut."""
        super().takes_cut()
        with self._lock:
            self._was_cut = not self._was_cut and self.num_cuts < self._max_cuts and self._rng.random() < 0.7
            return self._was_cut


def test_replies_that_are_lost_after_commit_change_neither_weights_nor_records(
    open_space: OpenSpace,
    corpus: Any,
    neo4j_server: AnyServer,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
    cutting_proxy: CuttingProxy,
    tmp_path: Path,
) -> None:
    point_at_neo4j(neo4j_server)
    paths = corpus.many(2, num_turns=12)
    whole = open_space(neo4j_workspace, at=tmp_path / "whole", store="sqlite")
    whole.ingest(paths)
    with UnluckyProxy(neo4j_server.address, seed=4, max_cuts=20) as proxy:
        space = open_space(neo4j_workspace, store=proxy.address)
        space.ingest(paths)
        assert (proxy.num_cuts, proxy.num_commits > 40) == (20, True)
        space.close()
    space = open_space(neo4j_workspace, at=tmp_path / "other", store=neo4j_server.address)
    try:
        assert space.store.is_derived_current()
        assert space.stats() == whole.stats()
        assert space.graph().relations == whole.graph().relations
        assert space.store.records().mentions == whole.store.records().mentions
    finally:
        space.store.clear()


def test_a_deletion_whose_reply_was_lost_is_a_deletion(open_store: OpenStore, cutting_proxy: CuttingProxy) -> None:
    store = open_store(address=cutting_proxy.address)
    store.put_document(*document(store, 1))
    store.put_document(*document(store, 2))
    cutting_proxy.cut_after_commit()
    store.delete_document(document(store, 1)[0].id)
    assert cutting_proxy.num_cuts == 1
    assert [d.title for d in store.documents()] == ["t2"]
    with pytest.raises(StoreError, match="no document"):
        store.delete_document(document(store, 1)[0].id)


# --------------------------------------------------------------------------------------------------------------------- R6

HUB_WRITER = """
import json, random, sys
from dynagrag.graph_store.neo4j_cache import RowCache
from dynagrag.graph_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.neo4j_graph import GraphWriter, relation_props
from dynagrag.graph_store.neo4j_rows import relation_row, signature
from dynagrag.schema import Relation

given = json.loads(sys.argv[1])
ws, hubs, seed = given["ws"], given["hubs"], given["seed"]
rng = random.Random(seed)
pairs = [(a, b) for a in range(hubs) for b in range(hubs) if a != b]
writer = GraphWriter(Neo4jConnection(**given["server"]), ws, RowCache(None, ws), 0)
for _ in range(given["batches"]):
    rows = []
    for head, tail in rng.sample(pairs, 3):
        relation = Relation(f"{ws}-{head}-{tail}", f"{ws}-{head}", f"{ws}-{tail}", "knows", 7, 1, (), ())
        row = relation_row(relation)
        rows.append(relation_props(relation, row, ws, signature(row), b"", ""))
    writer.put_relations(rows)
"""


def run_together(script: str, arguments: Sequence[dict[str, Any]], timeout_s: float = 240) -> None:
    """A process for each of the arguments, all at once; the first complaint fails the test."""
    started = [
        subprocess.Popen([sys.executable, "-c", script, json.dumps(a)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for a in arguments
    ]
    try:
        for process in started:
            out, err = process.communicate(timeout=timeout_s)
            assert (process.returncode, err) == (0, ""), out + err
    finally:
        for process in started:
            process.kill()
            process.communicate()


def test_four_writers_at_twenty_hubs_lose_nothing_and_double_nothing(
    open_store: OpenStore, neo4j_server: AnyServer, driver: Driver
) -> None:
    store, num_hubs = open_store(), 20
    store.put_document(*document(store, 1))  # makes the schema
    ws = store.workspace
    hubs = [{"uid": f"{ws}-{i}", "ws": ws} for i in range(num_hubs)]
    driver.execute_query("UNWIND $hubs AS hub CREATE (n:Entity {uid: hub.uid, ws: hub.ws})", hubs=hubs)
    server = {"address": neo4j_server.address, "username": "neo4j", "password": neo4j_server.password, "database": "neo4j"}
    run_together(HUB_WRITER, [{"ws": ws, "hubs": num_hubs, "batches": 500, "seed": i, "server": server} for i in range(4)])
    query = "MATCH (:Entity {ws: $ws})-[r:RELATES]->() RETURN count(r) AS num, count(DISTINCT r.uid) AS unique, max(r.weight) AS weight"
    row = driver.execute_query(query, ws=ws).records[0]
    assert row["num"] == row["unique"] == num_hubs * (num_hubs - 1)
    assert row["weight"] == 7


# --------------------------------------------------------------------------------------------------------------------- R7


def _parts_of_the_schema(driver: Driver) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Indexes and constraints of a workspace of 4 dimensions: (DROP statement, name, what a finding says of it)."""
    constraints = driver.execute_query(cypher.SHOW_CONSTRAINTS).records
    indexes = driver.execute_query(cypher.SHOW_INDEXES).records
    backing = {row["name"] for row in constraints}
    dropped_indexes = [
        (f"DROP INDEX {row['name']}", row["name"], f"{row['labelsOrTypes'][0]}({', '.join(row['properties'])})")
        for row in indexes
        if row["type"] != "LOOKUP" and row["name"] not in backing and (row["type"] != "VECTOR" or row["name"].endswith("_vec_4"))
    ]
    return dropped_indexes, [(f"DROP CONSTRAINT {row['name']}", row["name"], str(row["labelsOrTypes"][0])) for row in constraints]


def test_without_any_one_constraint_or_index_writing_is_refused_reading_works_and_repair_mends_it(
    open_store: OpenStore, own_neo4j: Neo4jServer, driver: Driver
) -> None:
    first = open_store()
    first.set_embedder(EMBEDDER)
    first.put_document(*document(first, 0))
    write(first, graph_of(first, {1: 1, 2: 1}))
    parts = _parts_of_the_schema(driver)
    assert sum(len(some) for some in parts) >= len(neo4j_schema.MIGRATIONS[0]) + 2
    for number, some in enumerate(parts):
        for drop, name, said in some:
            driver.execute_query(drop)
            store = open_store()
            with pytest.raises(StoreError, match=r"doctor --repair") as refused:
                store.put_document(*document(store, 1 + number))
            assert said in str(refused.value), name
            assert any(said in f.finding and not f.is_ok and f.is_repairable for f in store.health()), name
            store.close()
        store = open_store()
        assert len(store.documents()) == 1 + number
        assert {e.key for e in store.graph().entities} == {"k1", "k2"}
        done = store.repair()
        assert all(any(name in line for line in done) for _, name, _ in some), done
        assert all(f.is_ok for f in store.health())
        store.put_document(*document(store, 1 + number))


@pytest.fixture
def failed_index(driver: Driver) -> Iterator[Callable[[str, str], None]]:
    """Makes an index fail, by a node whose value is too long for it; node and index go after the test."""
    made: list[tuple[str, str]] = []

    def make(create: str, name: str) -> None:
        driver.execute_query(f"DROP INDEX {name} IF EXISTS")
        label = "Entity" if name.startswith("dynagrag_entity") else "Other"
        values = {"ws": "x" * 10_000, "uid": "too-long", "note": "x" * 10_000}
        driver.execute_query(f"CREATE (n:{label}:TooLong) SET n = $values", values=values)
        driver.execute_query(create)
        made.append((create, name))
        end = time.monotonic() + 30
        while driver.execute_query("SHOW INDEXES YIELD name, state WHERE name = $name", name=name).records[0]["state"] != "FAILED":
            assert time.monotonic() < end
            time.sleep(0.05)

    yield make
    driver.execute_query("MATCH (n:TooLong) DETACH DELETE n")
    for create, name in made:
        driver.execute_query(f"DROP INDEX {name} IF EXISTS")
        if name.startswith("dynagrag_"):
            driver.execute_query(create)


def test_a_failed_index_is_refused_by_name_and_made_anew_by_repair(
    open_store: OpenStore, own_neo4j: Neo4jServer, driver: Driver, failed_index: Callable[[str, str], None]
) -> None:
    open_store().put_document(*document(open_store(), 0))
    failed_index(cypher.workspace_index("Entity"), "dynagrag_entity_ws")
    store = open_store()
    with pytest.raises(StoreError, match=r"Entity\(ws, uid\) failed: .*doctor --repair"):
        store.put_document(*document(store, 1))
    assert [d.title for d in store.documents()] == ["t0"]
    driver.execute_query("MATCH (n:TooLong) DETACH DELETE n")
    done = store.repair()
    assert any("dropped the failed index dynagrag_entity_ws" in line for line in done)
    assert all(f.is_ok for f in store.health())
    store.put_document(*document(store, 1))


def test_the_failed_index_of_another_program_is_its_own_affair(
    open_store: OpenStore, own_neo4j: Neo4jServer, failed_index: Callable[[str, str], None]
) -> None:
    failed_index("CREATE INDEX others_index FOR (n:Other) ON (n.note)", "others_index")
    store = open_store()
    store.put_document(*document(store, 1))
    assert all(f.is_ok for f in store.health())
    assert not any("others_index" in line for line in store.repair())


def test_a_vector_index_that_was_put_off_is_no_fault_until_it_was_made(
    open_store: OpenStore, own_neo4j: Neo4jServer, driver: Driver
) -> None:
    store = open_store()
    store.set_embedder(EmbedderIdentity("fake", 5))
    store.put_document(*document(store, 1))
    assert all(f.is_ok for f in store.health())
    again = open_store()
    again.put_document(*document(again, 2))
    write(again, graph_of(again, {1: 1}, dimension=5))
    assert all(f.is_ok for f in again.health())
    driver.execute_query("DROP INDEX entity_vec_5")
    assert [f.what for f in open_store().health() if not f.is_ok] == ["indexes"]
    with pytest.raises(StoreError, match=r"vector index.* on Entity\(embedding_5\) is missing"):
        open_store().put_document(*document(again, 3))
    assert any("entity_vec_5" in line for line in open_store().repair())


def test_several_processes_that_meet_an_empty_database_make_one_schema(
    own_neo4j: Neo4jServer, open_store: OpenStore, driver: Driver
) -> None:
    open_store().put_document(*document(open_store(), 0))
    for drop, _, _ in itertools.chain(*_parts_of_the_schema(driver)):
        driver.execute_query(drop)
    driver.execute_query("MATCH (n:DynagragSchema) DELETE n")
    stores = [open_store(f"-{i}") for i in range(4)]
    errors: list[Exception] = []

    def put(store: Neo4jStore) -> None:
        try:
            store.put_document(*document(store, 1))
        except Exception as err:  # noqa: BLE001 a thread's error is told in the test's own
            errors.append(err)

    threads = [threading.Thread(target=put, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert all(f.is_ok for store in stores for f in store.health())
    assert [len(store.documents()) for store in stores] == [1] * 4


# -------------------------------------------------------------------------------------------------------------------- R12


class Trigger:
    """Does something once: when the models were asked so often, or when a text is asked for."""

    def __init__(self, act: Callable[[], None], calls: int | None = None, text: str | None = None) -> None:
        self._act, self._calls, self._text = act, calls, text
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.acted_at: float | None = None
        self.is_armed = True

    def server(self) -> OpenAIStubServer:
        """A model server that has it."""
        trigger = self

        class Watched(FakeEmbedder):
            def embed_documents(self, texts: Any) -> Any:
                trigger.meet(None, " ".join(texts))
                return super().embed_documents(texts)

        def rule(prompt: Any, schema: Any) -> str:
            trigger.meet(next(self._numbers), "")
            return simple_reply(prompt, schema)

        return OpenAIStubServer(FakeChat(rule), Watched())

    def meet(self, number: int | None, text: str) -> None:
        """A call came in."""
        with self._lock:
            is_now = (number is not None and number == self._calls) or (self._text is not None and self._text in text)
            if is_now and self.is_armed and self.acted_at is None:
                self.acted_at = time.monotonic()
                self._act()


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch, key: str) -> Callable[[OpenAIStubServer], None]:
    """Points the environment at a model server."""

    def point(server: OpenAIStubServer) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", key)
        monkeypatch.setenv("DYNAGRAG_LLM", "openai:fake")
        monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:fake")
        monkeypatch.setenv("DYNAGRAG_MAX_CONCURRENCY", "4")

    return point


def _complaint_within(process: "subprocess.Popen[str]", trigger: Trigger, limit_s: float = 10.0) -> str:
    """The one line that a command ends with, soon after its server went away."""
    out, err = process.communicate(timeout=60)
    assert trigger.acted_at is not None, "nothing happened: " + out + err
    took_s = time.monotonic() - trigger.acted_at
    assert (process.returncode, "Traceback" in out + err) == (1, False), out + err
    assert len(err.splitlines()) == 1, err
    assert took_s < limit_s, f"{took_s:.1f} s: {err}"
    return err


GONE = "cannot be reached, or went away"


def test_an_ingest_whose_server_dies_says_so_at_once_and_goes_on_when_it_is_back(
    own_neo4j: Neo4jServer,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
    models: Callable[[OpenAIStubServer], None],
    corpus: Any,
    start: Any,
    cli: Any,
    open_space: OpenSpace,
    tmp_path: Path,
) -> None:
    paths = corpus.many(4, num_turns=40)
    whole = open_space(neo4j_workspace, at=tmp_path / "whole", store="sqlite")
    whole.ingest(paths)
    point_at_neo4j(own_neo4j, own_neo4j.address)
    trigger = Trigger(own_neo4j.kill, calls=12)
    question = Trigger(own_neo4j.stop, text="Who works at Acme Works?")
    with trigger.server() as server, question.server() as other:
        models(server)
        said = _complaint_within(start("ingest", *paths, "-w", neo4j_workspace), trigger)
        assert GONE in said
        assert own_neo4j.password not in said
        own_neo4j.start()
        server.reset()
        resumed = cli("ingest", *paths, "-w", neo4j_workspace)
        assert resumed.code == 0, resumed
        assert cli("graph", "stats", "-w", neo4j_workspace, "--json").json["digest"] == whole.stats().digest
        models(other)
        said = _complaint_within(start("ask", "Who works at Acme Works?", "-w", neo4j_workspace), question)
        assert GONE in said


@pytest.mark.parametrize("stage", ["embed", "judge"])
def test_a_server_that_is_gone_while_the_graph_is_derived_is_told_within_ten_seconds_too(
    cutting_proxy: CuttingProxy,
    neo4j_server: AnyServer,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
    models: Callable[[OpenAIStubServer], None],
    corpus: Any,
    start: Any,
    cli: Any,
    stage: str,
) -> None:
    """The right to derive is held then, and its end is tried to be told to the server as well."""
    paths = corpus.many(1, num_turns=12)
    point_at_neo4j(neo4j_server, cutting_proxy.address)
    trigger = Trigger(cutting_proxy.refuse, **{"text": ": "} if stage == "embed" else {"calls": 2})  # type: ignore[arg-type]
    with trigger.server() as server:
        models(server)
        said = _complaint_within(start("ingest", *paths, "-w", neo4j_workspace), trigger)
        assert GONE in said
        cutting_proxy.accept()
        resumed = cli("ingest", *paths, "-w", neo4j_workspace)
        assert resumed.code == 0, resumed


# -------------------------------------------------------------------------------------------------------------------- R13


def graph_of(store: Neo4jStore | SqliteStore, weights: dict[int, int], relations: Sequence[Relation] = (), dimension: int = 4) -> Graph:
    """Entities k1, k2, ... of these weights with equal vectors; `dimension` 0: without."""
    ws = store.workspace
    entities = tuple(Entity(f"{ws}-e{i:06}", f"k{i}", f"K{i}", "", (f"k{i}",), (), "thing", w, ()) for i, w in weights.items())
    vectors = np.ones((len(entities), dimension), dtype=np.float32)
    return Graph(entities, tuple(relations), vectors, np.ones((len(relations), dimension), dtype=np.float32), ((),) * len(entities))


def write(store: Neo4jStore | SqliteStore, graph: Graph, records: Records | None = None) -> None:
    """Makes it the derived view."""
    store.write_graph(graph, Consolidation(), records or store.records())


def test_a_look_at_a_hub_of_many_relations_is_bounded_and_the_same_every_time(open_store: OpenStore, tmp_path: Path) -> None:
    num, server = 20_000, open_store()
    embedded = SqliteStore(tmp_path / "graph.sqlite", server.workspace)
    ids = [f"{server.workspace}-e{i:06}" for i in range(num + 1)]
    relations = [Relation(f"{server.workspace}-r{i:06}", ids[0], ids[i], "knows", 1 + i * 7919 % 50, 1, (), ()) for i in range(1, num + 1)]
    empty = graph_of(server, dict.fromkeys(range(num + 1), 1), relations, dimension=0)
    server.put_document(*document(server, 1))
    for step in GraphWriter(server._connection, server.workspace, RowCache(None, "hub"), 4).plan(empty, Consolidation(), server.records()):
        step()  # without vectors: they take three quarters of the time and are not looked at here
    embedded.set_embedder(EMBEDDER)
    write(embedded, graph_of(server, dict.fromkeys(range(num + 1), 1), relations))
    bounds: list[dict[str, int]] = [
        {},
        {"fan_out": 200, "max_relations": 200},
        {"num_hops": 3, "fan_out": 50, "max_relations": 40},
        {"fan_out": 300, "max_relations": 250},
        {"fan_out": 30, "min_weight": 50},
        {"fan_out": 10, "min_weight": 51},
    ]
    for bound in bounds:
        started = time.monotonic()
        found = server.neighbourhood(ids[0], **bound)  # type: ignore[arg-type]
        assert time.monotonic() - started < 5
        assert len(found.relations) <= min(bound.get("max_relations", 200), bound.get("fan_out", 25))
        assert found == server.neighbourhood(ids[0], **bound), bound  # type: ignore[arg-type]
        assert found == embedded.neighbourhood(ids[0], **bound), bound  # type: ignore[arg-type]
        assert found.is_cut
    leaf = server.neighbourhood(ids[5], num_hops=2, fan_out=20)
    assert leaf == embedded.neighbourhood(ids[5], num_hops=2, fan_out=20)
    embedded.close()


# ---------------------------------------------------------------------------------------------------------- each other


def test_two_processes_that_refresh_one_local_copy_never_read_a_half(tmp_path: Path) -> None:
    one, other = RowCache(tmp_path / "cache.sqlite", "o"), RowCache(tmp_path / "cache.sqlite", "o")
    rows = {"a": "1"}
    read: list[dict[str, bytes]] = []

    def fetch(uids: list[str]) -> list[tuple[str, str, bytes]]:
        return [(uid, rows[uid], f"{uid}{rows[uid]}".encode()) for uid in uids if uid in rows]

    def slow_fetch(uids: list[str]) -> list[tuple[str, str, bytes]]:
        if rows == {"a": "1"}:
            rows.update(a="2", b="1")
            read.append(other.read("L", "later", lambda: rows.items(), fetch))
        return fetch(uids)

    def signatures() -> list[tuple[str, str]]:
        if len(rows) == 2:  # the second turn, after which all would be well again
            read.append(other.read("L", "later", lambda: rows.items(), fetch))
        return list(rows.items())

    try:
        assert one.read("L", "now", signatures, slow_fetch) == {"a": b"a2", "b": b"b1"}
        assert read == [{"a": b"a2", "b": b"b1"}] * 2
    finally:
        one.close()
        other.close()


def test_a_damaged_local_copy_is_made_anew(open_store: OpenStore, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    store = open_store(cache=path)
    store.put_document(*document(store, 1))
    assert len(store.documents()) == 1
    store.close()
    path.write_bytes(b"junk" * 2000)
    again = open_store(cache=path)
    assert [d.title for d in again.documents()] == ["t1"]


def test_a_local_copy_that_cannot_be_opened_is_one_line(open_store: OpenStore, tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").mkdir()
    with pytest.raises(StoreError, match=re.escape("cache.sqlite")):
        open_store(cache=tmp_path / "cache.sqlite")


def test_what_was_cleared_elsewhere_is_not_read_from_the_local_copy(open_store: OpenStore, tmp_path: Path) -> None:
    here, elsewhere = open_store(cache=tmp_path / "a.sqlite"), open_store(cache=tmp_path / "b.sqlite")
    here.set_embedder(EMBEDDER)
    here.put_document(*document(here, 1))
    write(here, graph_of(here, {1: 1, 2: 2}))
    assert len(here.graph().entities) == 2
    elsewhere.clear()
    assert (here.documents(), here.graph().entities, here.exists()) == ((), (), False)
    elsewhere.put_document(*document(elsewhere, 2))
    assert [d.title for d in here.documents()] == ["t2"]
    assert here.graph().entities == ()


@pytest.mark.parametrize("kind", ["sqlite", "neo4j"])
def test_the_vector_of_a_passage_that_went_is_passed_over(open_store: OpenStore, tmp_path: Path, kind: str) -> None:
    server = open_store()
    store = server if kind == "neo4j" else SqliteStore(tmp_path / "graph.sqlite", server.workspace)
    store.set_embedder(EMBEDDER)
    made = document(store, 1)
    store.put_document(*made)
    store.put_vectors(VectorKind.PASSAGE, [made[2][0].id], np.ones((1, 4), dtype=np.float32))
    assert store.vector_ids(VectorKind.PASSAGE) == (made[2][0].id,)
    store.put_vectors(VectorKind.PASSAGE, ["gone"], np.ones((1, 4), dtype=np.float32))
    there = store.vector_ids(VectorKind.PASSAGE)
    if kind == "sqlite":
        store.close()
    assert there == (made[2][0].id,)


def test_a_writer_that_was_overtaken_does_not_pass_its_mixture_off_as_current(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder of the right to derive that stood still for longer than it lasts (Ctrl-Z, a closed laptop) goes on beside the next one."""
    slow, quick = open_store(), open_store()
    slow.set_embedder(EMBEDDER)
    slow.put_document(*document(slow, 1))
    old = slow.records()
    slow.put_document(*document(slow, 2))
    new = slow.records()
    put_entities, has_met = GraphWriter.put_entities, []

    def overtaken(writer: GraphWriter, *args: Any) -> None:
        if not has_met:
            has_met.append(True)
            write(quick, graph_of(quick, {1: 1, 3: 1}), old)
        put_entities(writer, *args)

    monkeypatch.setattr(GraphWriter, "put_entities", overtaken)
    with pytest.raises(StoreError, match="another machine took over"):
        write(slow, graph_of(slow, {1: 2, 2: 2}), new)
    assert not slow.is_derived_current()
    write(slow, graph_of(slow, {1: 2, 2: 2}), new)
    assert slow.is_derived_current()
    assert [(e.key, e.weight) for e in slow.graph().entities] == [("k1", 2), ("k2", 2)]


def test_the_right_to_derive_is_held_by_one_and_lost_by_the_dead(open_store: OpenStore, driver: Driver) -> None:
    one, other = open_store(), open_store()
    waits: list[str] = []
    with one.lease("one", 1, waits.append):
        assert waits == []
        with pytest.raises(WorkspaceError, match="another machine"), other.lease("other", 0.6, waits.append):
            pass
        assert len(waits) == 1
        with one.lease("one", 1, waits.append):  # the same folder, whose own lock the caller has
            pass
    with other.lease("other", 0.1, waits.append):
        pass
    driver.execute_query("MATCH (w:Workspace {uid: $ws}) SET w.lease_holder = 'dead', w.lease_until = timestamp() - 1", ws=one.workspace)
    with other.lease("other", 0.1, waits.append):
        pass
    assert len(waits) == 1


# --------------------------------------------------------------------------------------------------------------- plans

WHOLE_DATABASE = {"FOREIGN_NODES 0", "SCHEMA_VERSION 0", "SET_SCHEMA_VERSION 0"}
"""A sample for people, and a label of one node."""


def _statements() -> Iterator[tuple[str, str]]:
    for name, value in vars(cypher).items():
        found = [value] if isinstance(value, str) else _texts(value) if isinstance(value, tuple) else []
        yield from ((f"{name} {i}", text) for i, text in enumerate(found) if re.match(r"\s*(MATCH|UNWIND|MERGE|CALL|CYPHER)\b", text))
    for label in (*cypher.RECORD_LABELS, *cypher.DERIVED_LABELS, "RELATES"):
        yield f"signatures {label}", cypher.signatures(label)
        yield f"fetch {label}", cypher.fetch(label)
    for label in cypher.NODE_LABELS:
        yield f"clear {label}", cypher.clear(label)
    for label in ("Turn", "Passage", "Extraction", "Mention", "RelationRecord"):
        yield f"of_document {label}", cypher.of_document(label)


def test_no_statement_reads_all_nodes_of_a_label(open_store: OpenStore, driver: Driver) -> None:
    store = open_store()
    store.put_document(*document(store, 1))
    scanning = []
    for name, statement in _statements():
        parameters = dict.fromkeys(re.findall(r"\$(\w+)", statement))
        plan = driver.execute_query(f"EXPLAIN {statement}", parameters).summary.plan
        operators = list(_operators(plan))
        scanning += [name for o in operators if o.startswith(("NodeByLabelScan", "AllNodesScan", "DirectedAllRelationshipsScan"))]
    assert set(scanning) <= WHOLE_DATABASE


def _texts(values: Sequence[Any]) -> list[str]:
    """The texts of nested tuples."""
    return [t for v in values for t in ([v] if isinstance(v, str) else _texts(v) if isinstance(v, tuple) else [])]


def _operators(plan: Any) -> Iterator[str]:
    yield str(plan["operatorType"])
    for child in plan.get("children", []):
        yield from _operators(child)
