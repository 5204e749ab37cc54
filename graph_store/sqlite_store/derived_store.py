"""The embedded store's derived view: the graph and its merges, written in one transaction."""

import sqlite3
from collections.abc import Sequence

from dynagrag.core.schema import Consolidation, Graph, LabelMerge, Records, VectorKind
from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.sqlite_store import rows
from dynagrag.graph_store.sqlite_store import workspace_state as states
from dynagrag.graph_store.sqlite_store.store_base import SqliteStoreBase
from dynagrag.graph_store.sqlite_store.vector_io import keep_vectors, put_vectors, read_vectors


class SqliteDerivedStore(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.DerivedStore`."""

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it
        was derived from.
        """
        with self._connection.write() as sqlite:
            with states.counted(sqlite, "version"):
                self._write_graph(sqlite, graph, consolidation)
            states.set_state(sqlite, derived_of=records.version)
        self._scrub()

    @staticmethod
    def _write_graph(
        sqlite: sqlite3.Connection, graph: Graph, consolidation: Consolidation
    ) -> None:
        tables = {
            "entities": [
                rows.entity_row(e, p)
                for e, p in zip(graph.entities, graph.entity_passages, strict=True)
            ],
            "relations": [rows.relation_row(r) for r in graph.relations],
            "merges": [rows.merge_row(m, i) for i, m in enumerate(consolidation.merges)],
            "label_merges": [
                (m.label, i, m.canonical, int(m.inverted), m.rule)
                for i, m in enumerate(consolidation.labels)
            ],
        }
        for table, wanted in tables.items():
            _make_equal(sqlite, table, wanted)
        for kind, ids, vectors in (
            (VectorKind.ENTITY, [e.id for e in graph.entities], graph.entity_vectors),
            (
                VectorKind.RELATION,
                [r.id for r in graph.relations if r.is_stated],
                graph.relation_vectors,
            ),
        ):
            keep_vectors(sqlite, kind, ids)
            if ids:
                rules.check_dimension(
                    states.value(sqlite, "workspace"), states.embedder(sqlite), vectors
                )
                put_vectors(sqlite, kind, ids, vectors)

    def graph(self) -> Graph:
        """The derived view as last written; empty before."""
        with self._connection.read() as sqlite:
            entities = [
                rows.entity(row) for row in sqlite.execute(rows.select("entities", "ORDER BY id"))
            ]
            relations = tuple(
                rows.relation(row)
                for row in sqlite.execute(rows.select("relations", "ORDER BY id"))
            )
            dimension = states.dimension(sqlite)
            return Graph(
                entities=tuple(entity for entity, _ in entities),
                relations=relations,
                entity_vectors=read_vectors(
                    sqlite, VectorKind.ENTITY, [entity.id for entity, _ in entities], dimension
                ),
                relation_vectors=read_vectors(
                    sqlite, VectorKind.RELATION, [r.id for r in relations if r.is_stated], dimension
                ),
                entity_passages=tuple(passages for _, passages in entities),
            )

    def consolidation(self) -> Consolidation:
        """The merges as last written."""
        with self._connection.read() as sqlite:
            merges = tuple(
                rows.merge(row)
                for row in sqlite.execute(rows.select("merges", "ORDER BY position"))
            )
            labels = sqlite.execute(rows.select("label_merges", "ORDER BY position"))
            return Consolidation(
                merges,
                tuple(
                    LabelMerge(label, to, bool(inverted), rule)
                    for label, _, to, inverted, rule in labels
                ),
            )

    def digest(self) -> str:
        """Hash of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail
        key, weight, support).
        """
        with self._connection.read() as sqlite:
            entities = sqlite.execute("SELECT key, sense, type, weight FROM entities").fetchall()
            relations = sqlite.execute(
                "SELECT h.key, r.label, t.key, r.weight, r.support FROM relations r "
                "JOIN entities h ON h.id = r.head JOIN entities t ON t.id = r.tail"
            ).fetchall()
        return digest_rows(entities, relations)

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another
        store.
        """
        with self._connection.read() as sqlite:
            return f"{states.value(sqlite, 'store')}-{states.value(sqlite, 'version') or 0}"

    def is_derived_current(self) -> bool:
        """Whether the derived view was written after the last change of the records."""
        with self._connection.read() as sqlite:
            return states.value(sqlite, "derived_of") == (states.value(sqlite, "records") or "0")


def _make_equal(sqlite: sqlite3.Connection, table: str, wanted: Sequence[rows.Row]) -> None:
    """Deletes, updates and inserts rows until the table holds exactly these."""
    found = {row[0]: row for row in sqlite.execute(rows.select(table))}
    changed = [row for row in wanted if found.get(row[0]) != row]
    gone = found.keys() - {row[0] for row in wanted}
    sqlite.executemany(f"DELETE FROM {table} WHERE id = ?", [(id_,) for id_ in sorted(gone)])
    sqlite.executemany(rows.upsert(table), changed)
