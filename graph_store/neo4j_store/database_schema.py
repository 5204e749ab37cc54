"""The Neo4j store's schema: numbered migrations, the constraints and indexes that must be ONLINE,
and the vector indexes, one per label and dimension.

Migrations are recorded in one (:DynagragSchema) node and shared by all workspaces of a database.
Vector indexes belong to a dimension; for a first load they are made after it (several times
faster), which the workspace's node records as `vector_index: 'deferred'`.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from dynagrag.core.errors import NewerStoreError, StoreError
from dynagrag.core.schema import EmbedderIdentity, Finding
from dynagrag.graph_store.neo4j_store.cypher import labels, schema_statements, vector_statements
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.rules import REPAIR

_LOG = logging.getLogger(__name__)
_AWAIT_S = 300
_MAX_DIMENSION = 4096
"""Of Neo4j's vector indexes."""
_UNIQUE = ("Workspace", *labels.RECORD_LABELS, *labels.DERIVED_LABELS, "Vector", "RELATES")
_PAGED = (*labels.RECORD_LABELS, *labels.DERIVED_LABELS, "RELATES")

MIGRATIONS: tuple[tuple[LiteralString, ...], ...] = (
    (
        *(schema_statements.uid_constraint(label) for label in _UNIQUE),
        *(schema_statements.workspace_index(label) for label in _PAGED),
        schema_statements.EXTRACTION_INDEX,
        schema_statements.RECORD_INDEX,
        schema_statements.VECTOR_INDEX,
        schema_statements.FULL_TEXT_INDEX,
    ),
)
"""Migration i+1 brings a database of version i to version i+1. Every statement may be run twice.
Never change one that was released.
"""


def check_embedder_fits(embedder: EmbedderIdentity) -> None:
    """StoreError where the indexes can't hold an embedder's vectors."""
    if embedder.dimension > _MAX_DIMENSION:
        raise StoreError(
            f"{embedder.name} gives {embedder.dimension:,} numbers a vector, and Neo4j's indexes"
            f" hold {_MAX_DIMENSION:,}; keep this workspace in SQLite (--store sqlite), or take"
            " another embedder"
        )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An index or constraint by the labels and properties it is on."""

    what: str
    on: str
    properties: tuple[str, ...]
    name: str = ""


_CONSTRAINTS = tuple(_Wanted("constraint", label, ("uid",)) for label in _UNIQUE)
_INDEXES = (
    *(_Wanted("RANGE", label, ("ws", "uid"), f"dynagrag_{label.lower()}_ws") for label in _PAGED),
    _Wanted("RANGE", "Extraction", ("document", "start"), "dynagrag_extraction_document"),
    _Wanted("RANGE", "RelationRecord", ("relation_uid",), "dynagrag_record_relation"),
    _Wanted("RANGE", "Vector", ("ws", "kind", "id"), "dynagrag_vector_id"),
    _Wanted("FULLTEXT", "Entity", ("name", "aliases", "summaries"), "entity_names"),
)


class Neo4jSchema:
    """Checks and makes the schema of one database."""

    def __init__(self, connection: Neo4jConnection) -> None:
        self._connection = connection
        self.has_vector_filter = connection.version_number >= (2026, 1)

    def version(self) -> int:
        """How many migrations were applied; 0 for a database that dynagrag has not written to."""
        rows = self._connection.read(schema_statements.SCHEMA_VERSION)
        return int(rows[0]["version"]) if rows else 0

    def check_not_newer(self) -> int:
        """The version. NewerStoreError where a newer dynagrag migrated the database."""
        version = self.version()
        if version > len(MIGRATIONS):
            raise NewerStoreError(
                f"the database at {self._connection.address} was written by a newer dynagrag"
                f" (schema version {version}, this one knows {len(MIGRATIONS)}); update dynagrag"
            )
        return version

    def prepare(self, dimension: int | None, is_deferred: bool) -> None:
        """Makes the schema in a new database, migrates an older one, and refuses one that is not
        whole.

        Raises:
            NewerStoreError: A newer dynagrag migrated it.
            StoreError: A constraint or index is missing, failed, or can't be made beside another
            program's.
        """
        version = self.check_not_newer()
        if version < len(MIGRATIONS):
            for migration in MIGRATIONS[version:]:
                for statement in migration:
                    self._connection.schema(statement)
            self._await_indexes()
        wrong = [
            f for f in self.findings(dimension, is_deferred) if not f.is_ok and f.what != "schema"
        ]
        if wrong:
            raise StoreError(
                f"Neo4j at {self._connection.address}: {wrong[0].what}: {wrong[0].finding};"
                f" {wrong[0].remedy}"
            )
        if version < len(MIGRATIONS):  # last: what could not be made is tried again by the next one
            names = [f"migration {i + 1}" for i in range(len(MIGRATIONS))]
            self._connection.schema(
                schema_statements.SET_SCHEMA_VERSION, version=len(MIGRATIONS), names=names
            )
            _LOG.info(
                "schema of %s: migrated from version %d to %d",
                self._connection.address,
                version,
                len(MIGRATIONS),
            )

    def findings(self, dimension: int | None, is_deferred: bool) -> list[Finding]:
        """Version, constraints and indexes; of vector indexes those of the dimension, unless their
        making is deferred.
        """
        version = self.version()
        is_current = version == len(MIGRATIONS)
        found = [
            Finding(
                "schema",
                is_current,
                f"version {version} of {len(MIGRATIONS)}",
                "the next ingest makes it",
            ),
        ]
        rows = self._connection.read(schema_statements.SHOW_INDEXES)
        found.append(self._constraints(rows))
        wanted = list(_INDEXES)
        if dimension is not None and not is_deferred:
            wanted += [
                _Wanted(
                    "VECTOR",
                    label,
                    (vector_statements.vector_property(dimension),),
                    vector_statements.vector_index_name(label, dimension),
                )
                for label in ("Passage", "Entity")
            ]
        found.append(_indexes(rows, wanted))
        if dimension is not None and is_deferred:
            found.append(
                Finding(
                    "vector indexes", True, "not made yet: the first ingest makes them at its end"
                )
            )
        return found

    def _constraints(self, indexes: list[Mapping[str, Any]]) -> Finding:
        there = {
            (str(row["labelsOrTypes"][0]), tuple(row["properties"]))
            for row in self._connection.read(schema_statements.SHOW_CONSTRAINTS)
            if "UNIQUENESS" in str(row["type"]) and row["labelsOrTypes"]
        }
        missing = [w.on for w in _CONSTRAINTS if (w.on, w.properties) not in there]
        others = [
            str(r["name"])
            for r in indexes
            if r["labelsOrTypes"]
            and r["labelsOrTypes"][0] in missing
            and r["properties"] == ["uid"]
        ]
        if others:
            finding = (
                f"uniqueness of uid on {', '.join(missing)} can't be made: another program's index"
                f" {others[0]} is in the way"
            )
            return Finding(
                "constraints", False, finding, "drop that index, or use a database of its own"
            )
        finding = (
            "all there" if not missing else f"missing: uniqueness of uid on {', '.join(missing)}"
        )
        return Finding("constraints", not missing, finding, REPAIR)

    def repair(self, dimension: int | None) -> list[str]:
        """Makes what is missing, and makes anew what failed; what was done."""
        self.check_not_newer()
        done = []
        rows = self._connection.read(schema_statements.SHOW_INDEXES)
        for row in rows:
            if str(row["state"]) == "FAILED" and _is_ours(row):
                self._connection.schema(schema_statements.drop_index(str(row["name"])))
                done.append(f"dropped the failed index {row['name']}")
        before = self._names()
        for migration in MIGRATIONS:
            for statement in migration:
                self._connection.schema(statement)
        self._connection.schema(
            schema_statements.SET_SCHEMA_VERSION,
            version=len(MIGRATIONS),
            names=[f"migration {i + 1}" for i in range(len(MIGRATIONS))],
        )
        if dimension is not None:
            self.make_vector_indexes(dimension)
        self._await_indexes()
        done.extend(f"made {name}" for name in sorted(self._names() - before))
        return done

    def make_vector_indexes(self, dimension: int) -> None:
        """Makes the vector indexes of a dimension, if they are not there; the server fills them in
        the background.
        """
        for label in ("Passage", "Entity"):
            self._connection.schema(
                schema_statements.vector_index(label, dimension, self.has_vector_filter)
            )

    def _await_indexes(self) -> None:
        """Until ours are filled, the vector indexes aside; another program's, which may have
        failed, are not waited for.
        """
        end = time.monotonic() + _AWAIT_S
        while any(
            row["state"] == "POPULATING" and row["type"] != "VECTOR" and _is_ours(row)
            for row in self._connection.read(schema_statements.SHOW_INDEXES)
        ):
            if time.monotonic() > end:
                raise StoreError(
                    f"Neo4j at {self._connection.address} is still filling indexes after {_AWAIT_S}"
                    " s; try again later"
                )
            time.sleep(0.1)

    def _names(self) -> set[str]:
        return {str(row["name"]) for row in self._connection.read(schema_statements.SHOW_INDEXES)}


def _indexes(rows: list[Mapping[str, Any]], wanted: list[_Wanted]) -> Finding:
    there = {(str(r["type"]), str((r["labelsOrTypes"] or [""])[0]), _indexed(r)): r for r in rows}
    names = {str(r["name"]) for r in rows}
    trouble = []
    for want in wanted:
        row = there.get((want.what, want.on, want.properties))
        name = f"{want.what.lower()} index {want.name} on {want.on}({', '.join(want.properties)})"
        if row is None and want.name in names:
            trouble.append(
                f"{name} can't be made: another index has its name; drop that one, or use a"
                " database of its own"
            )
        elif row is None:
            trouble.append(f"{name} is missing")
        elif row["state"] == "FAILED":
            trouble.append(f"{name} failed: {str(row['failureMessage']).splitlines()[0][:160]}")
        elif row["state"] != "ONLINE" and want.what != "VECTOR":
            trouble.append(
                f"{name} is {row['state']} ({float(row['populationPercent'] or 0):.0f} %)"
            )
    filling = [
        r for r in rows if r["type"] == "VECTOR" and r["state"] == "POPULATING" and _is_ours(r)
    ]
    note = "".join(
        f"; {r['name']} is being filled ({float(r['populationPercent'] or 0):.0f} %)"
        for r in filling
    )
    return Finding("indexes", not trouble, "; ".join(trouble) or f"all ONLINE{note}", REPAIR)


def _indexed(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The properties that an index is on; a vector index of 2026.x lists its filters behind the
    vector.
    """
    properties = tuple(row["properties"] or ())
    return properties[:1] if row["type"] == "VECTOR" else properties


def _is_ours(row: Mapping[str, Any]) -> bool:
    name = str(row["name"])
    return name.startswith(("dynagrag_", "entity_names", "entity_vec_", "passage_vec_"))
