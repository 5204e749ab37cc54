"""A schema that is not whole is refused and mended; and what the statements make of it."""

import importlib
import itertools
import pkgutil
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from neo4j import Driver
from neo4j_server import Neo4jServer
from neo4j_stores import EMBEDDER, OpenStore, document, graph_of, write

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.graph_store.neo4j_store import cypher, database_schema
from dynagrag.graph_store.neo4j_store.cypher import (
    labels,
    row_statements,
    schema_statements,
    workspace_statements,
)
from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore

pytestmark = pytest.mark.neo4j


def _parts_of_the_schema(
    driver: Driver,
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Indexes and constraints of a workspace of 4 dimensions: (DROP statement, name, what a finding
    says of it).
    """
    constraints = driver.execute_query(schema_statements.SHOW_CONSTRAINTS).records
    indexes = driver.execute_query(schema_statements.SHOW_INDEXES).records
    backing = {row["name"] for row in constraints}
    dropped_indexes = [
        (
            f"DROP INDEX {row['name']}",
            row["name"],
            f"{row['labelsOrTypes'][0]}({', '.join(row['properties'])})",
        )
        for row in indexes
        if row["type"] != "LOOKUP"
        and row["name"] not in backing
        and (row["type"] != "VECTOR" or row["name"].endswith("_vec_4"))
    ]
    return dropped_indexes, [
        (f"DROP CONSTRAINT {row['name']}", row["name"], str(row["labelsOrTypes"][0]))
        for row in constraints
    ]


def test_without_any_one_constraint_or_index_writing_is_refused_reading_works_and_repair_mends_it(
    open_store: OpenStore, own_neo4j: Neo4jServer, driver: Driver
) -> None:
    """One part goes, which is enough; then the others of its kind: each is named."""
    first = open_store()
    first.set_embedder(EMBEDDER)
    first.put_document(*document(first, 0))
    write(first, graph_of(first, {1: 1, 2: 1}))
    parts = _parts_of_the_schema(driver)
    assert sum(len(some) for some in parts) >= len(database_schema.MIGRATIONS[0]) + 2
    for number, some in enumerate(parts):
        gone: list[str] = []
        for going in (some[:1], some[1:]):
            for drop, _, _ in going:
                driver.execute_query(drop)
            gone += [said for _, _, said in going]
            store = open_store()
            with pytest.raises(StoreError, match=r"doctor --repair") as refused:
                store.put_document(*document(store, 1 + number))
            wrong = [
                f.finding for f in store.health() if not f.is_ok and "doctor --repair" in f.remedy
            ]
            assert [
                said
                for said in gone
                if said not in str(refused.value) or said not in " ".join(wrong)
            ] == []
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
    """Makes an index fail, by a node whose value is too long for it; node and index go after the
    test.
    """
    made: list[tuple[str, str]] = []

    def make(create: str, name: str) -> None:
        driver.execute_query(f"DROP INDEX {name} IF EXISTS")
        label = "Entity" if name.startswith("dynagrag_entity") else "Other"
        values = {"ws": "x" * 10_000, "uid": "too-long", "note": "x" * 10_000}
        driver.execute_query(f"CREATE (n:{label}:TooLong) SET n = $values", values=values)
        driver.execute_query(create)
        made.append((create, name))
        end = time.monotonic() + 30
        while (
            driver.execute_query(
                "SHOW INDEXES YIELD name, state WHERE name = $name", name=name
            ).records[0]["state"]
            != "FAILED"
        ):
            assert time.monotonic() < end
            time.sleep(0.05)

    yield make
    driver.execute_query("MATCH (n:TooLong) DETACH DELETE n")
    for create, name in made:
        driver.execute_query(f"DROP INDEX {name} IF EXISTS")
        if name.startswith("dynagrag_"):
            driver.execute_query(create)


def test_a_failed_index_is_refused_by_name_and_made_anew_by_repair(
    open_store: OpenStore,
    own_neo4j: Neo4jServer,
    driver: Driver,
    failed_index: Callable[[str, str], None],
) -> None:
    open_store().put_document(*document(open_store(), 0))
    failed_index(schema_statements.workspace_index("Entity"), "dynagrag_entity_ws")
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


# -------------------------------------------------------------------------------------------- plans

WHOLE_DATABASE = {"FOREIGN_NODES 0", "SCHEMA_VERSION 0", "SET_SCHEMA_VERSION 0"}
"""A sample for people, and a label of one node."""


def _statements() -> Iterator[tuple[str, str]]:
    modules = [
        importlib.import_module(f"{cypher.__name__}.{module.name}")
        for module in pkgutil.iter_modules(cypher.__path__)
    ]
    for name, value in (item for module in modules for item in vars(module).items()):
        found = (
            [value] if isinstance(value, str) else _texts(value) if isinstance(value, tuple) else []
        )
        yield from (
            (f"{name} {i}", text)
            for i, text in enumerate(found)
            if re.match(r"\s*(MATCH|UNWIND|MERGE|CALL|CYPHER)\b", text)
        )
    for label in (*labels.RECORD_LABELS, *labels.DERIVED_LABELS, "RELATES"):
        yield f"signatures {label}", row_statements.signatures(label)
        yield f"fetch {label}", row_statements.fetch(label)
    for label in labels.NODE_LABELS:
        yield f"clear {label}", workspace_statements.clear(label)
    for label in ("Turn", "Passage", "Extraction", "Mention", "RelationRecord"):
        yield f"of_document {label}", row_statements.of_document(label)


def test_no_statement_reads_all_nodes_of_a_label(open_store: OpenStore, driver: Driver) -> None:
    store = open_store()
    store.put_document(*document(store, 1))
    scanning = []
    for name, statement in _statements():
        parameters = dict.fromkeys(re.findall(r"\$(\w+)", statement))
        plan = driver.execute_query(f"EXPLAIN {statement}", parameters).summary.plan
        operators = list(_operators(plan))
        scanning += [
            name
            for o in operators
            if o.startswith(("NodeByLabelScan", "AllNodesScan", "DirectedAllRelationshipsScan"))
        ]
    assert set(scanning) <= WHOLE_DATABASE


def _texts(values: Sequence[Any]) -> list[str]:
    """The texts of nested tuples."""
    return [
        t
        for v in values
        for t in ([v] if isinstance(v, str) else _texts(v) if isinstance(v, tuple) else [])
    ]


def _operators(plan: Any) -> Iterator[str]:
    yield str(plan["operatorType"])
    for child in plan.get("children", []):
        yield from _operators(child)
