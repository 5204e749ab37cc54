"""The server's version, constraints and indexes."""

from typing import LiteralString

from dynagrag.graph_store.neo4j_store.cypher.labels import check_label, fixed
from dynagrag.graph_store.neo4j_store.cypher.vector_statements import (
    vector_index_name,
    vector_property,
)

COMPONENTS = (
    "CALL dbms.components() YIELD name, versions, edition RETURN versions[0] AS version, edition"
)
SHOW_INDEXES = (
    "SHOW INDEXES YIELD name, type, state, populationPercent, entityType, labelsOrTypes,"
    " properties, failureMessage RETURN name, type, state, populationPercent, entityType,"
    " labelsOrTypes, properties, failureMessage"
)
SHOW_CONSTRAINTS = (
    "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN name, type, labelsOrTypes,"
    " properties"
)
SCHEMA_VERSION = "MATCH (s:DynagragSchema {uid: 'schema'}) RETURN s.version AS version"
SET_SCHEMA_VERSION = (
    "MERGE (s:DynagragSchema {uid: 'schema'}) SET s.version = $version, s.migrated = $names"
)
EXTRACTION_INDEX = (
    "CREATE INDEX dynagrag_extraction_document IF NOT EXISTS FOR (n:Extraction) ON (n.document,"
    " n.start)"
)
RECORD_INDEX = (
    "CREATE INDEX dynagrag_record_relation IF NOT EXISTS FOR (n:RelationRecord) ON (n.relation_uid)"
)
VECTOR_INDEX = (
    "CREATE INDEX dynagrag_vector_id IF NOT EXISTS FOR (n:Vector) ON (n.ws, n.kind, n.id)"
)
FULL_TEXT_INDEX = (
    "CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases,"
    " n.summaries]"
)


def uid_constraint(label: str) -> LiteralString:
    """Ids are unique within a label, which makes MERGE safe among several writers."""
    check_label(label)
    if label == "RELATES":
        return (
            "CREATE CONSTRAINT dynagrag_relates_uid IF NOT EXISTS FOR ()-[r:RELATES]-() REQUIRE"
            " r.uid IS UNIQUE"
        )
    return fixed(
        f"CREATE CONSTRAINT dynagrag_{label.lower()}_uid IF NOT EXISTS FOR (n:{label}) REQUIRE"
        " n.uid IS UNIQUE"
    )


def workspace_index(label: str) -> LiteralString:
    """Paging a workspace's nodes in order of their ids."""
    check_label(label)
    if label == "RELATES":
        return (
            "CREATE INDEX dynagrag_relates_ws IF NOT EXISTS FOR ()-[r:RELATES]-() ON (r.ws, r.uid)"
        )
    return fixed(
        f"CREATE INDEX dynagrag_{label.lower()}_ws IF NOT EXISTS FOR (n:{label}) ON (n.ws, n.uid)"
    )


def vector_index(label: str, dimension: int, has_filter: bool) -> LiteralString:
    """The vector index of a label and dimension; with `has_filter` (2026.01 and later) the
    workspace is a filter of it.
    """
    check_label(label)
    extra = "WITH [n.ws] " if has_filter else ""
    head = "CYPHER 25 " if has_filter else ""
    return fixed(
        f"{head}CREATE VECTOR INDEX {vector_index_name(label, dimension)} IF NOT EXISTS FOR"
        f" (n:{label}) ON (n.{vector_property(dimension)}) {extra}OPTIONS {{indexConfig:"
        f" {{`vector.dimensions`: {int(dimension)}, `vector.similarity_function`: 'cosine'}}}}"
    )


def drop_index(name: str) -> LiteralString:
    """An index of ours that failed, or that is made anew."""
    if not all(c.isascii() and (c.isalnum() or c == "_") for c in name):
        raise AssertionError(f"{name!r} is no index of ours")
    return fixed(f"DROP INDEX {name} IF EXISTS")
