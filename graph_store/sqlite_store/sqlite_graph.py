"""The embedded store's derived view: the graph and its merges, written in one transaction, and
bounded looks into it.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import (
    Consolidation,
    Graph,
    LabelMerge,
    Neighbourhood,
    Overview,
    Passage,
    Records,
    VectorKind,
)
from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.hops import HopEdge, deadline, walk_hops
from dynagrag.graph_store.sqlite_store import sqlite_rows as rows
from dynagrag.graph_store.sqlite_store import sqlite_state as states
from dynagrag.graph_store.sqlite_store.sqlite_base import SqliteStoreBase
from dynagrag.graph_store.sqlite_store.sqlite_vector_io import (
    keep_vectors,
    put_vectors,
    read_vectors,
)

_WORD = re.compile("\\w+|[\u2600-\u27bf\U0001f000-\U0001faff]")
"""Letters and digits, or one emoji: what Neo4j's full-text index takes for a word, too."""
_VECTORS_A_STEP = 2_000
_RELATIONS_OF = (
    "SELECT * FROM (SELECT id, head, tail, weight FROM relations WHERE {end} = ?1 ORDER BY weight"
    " DESC, id LIMIT ?2)"
)
_HOP = (
    f"{_RELATIONS_OF.format(end='head')} UNION {_RELATIONS_OF.format(end='tail')} ORDER BY weight"
    " DESC, id LIMIT ?2"
)
"""Both ends of a relation are indexed by weight, so a hub costs no more than the limit."""


class SqliteDerivedGraph(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.DerivedGraph`."""

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it
        was derived from.
        """
        with self._connection.write() as sqlite:
            with states.counted(sqlite, "version"):
                self._write_graph(sqlite, graph, consolidation)
            states.set_state(sqlite, derived_of=records.version)
        self._scrub()

    def replace_vectors(self, staged: GraphStore, records: Records) -> bool:
        """Takes the embedder, all vectors, the merges and the graph of another store that holds the
        same records, in one transaction. False, and nothing is written, where the records have
        changed since.
        """
        embedder, graph, consolidation = staged.embedder(), staged.graph(), staged.consolidation()
        assert embedder is not None
        with self._connection.write() as sqlite:
            if (states.value(sqlite, "records") or "0") != records.version:
                return False
            with states.counted(sqlite, "version"):
                sqlite.execute("DELETE FROM vectors")
                states.set_state(
                    sqlite, embedder_name=embedder.name, embedder_dimension=str(embedder.dimension)
                )
                for kind in rules.RECORD_KINDS:
                    ids = staged.vector_ids(kind)
                    for start in range(0, len(ids), _VECTORS_A_STEP):
                        some = ids[start : start + _VECTORS_A_STEP]
                        put_vectors(sqlite, kind, some, staged.vectors(kind, some))
                self._write_graph(sqlite, graph, consolidation)
            states.set_state(sqlite, derived_of=records.version, scrub="due")
        self._scrub()
        return True

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
            # Until the table holds exactly these rows.
            found = {row[0]: row for row in sqlite.execute(rows.select(table))}
            changed = [row for row in wanted if found.get(row[0]) != row]
            gone = found.keys() - {row[0] for row in wanted}
            sqlite.executemany(
                f"DELETE FROM {table} WHERE id = ?", [(id_,) for id_ in sorted(gone)]
            )
            sqlite.executemany(rows.upsert(table), changed)
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

    def is_derived_current(self) -> bool:
        """Whether the derived view was written after the last change of the records."""
        with self._connection.read() as sqlite:
            return states.value(sqlite, "derived_of") == (states.value(sqlite, "records") or "0")

    @contextmanager
    def lease(self, holder: str, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """The file lies in the workspace's folder, whose lock the caller has: nothing else is
        needed.
        """
        yield

    def neighbourhood(
        self,
        entity_id: str,
        *,
        num_hops: int = 1,
        fan_out: int = 25,
        max_relations: int = 200,
        min_weight: int = 1,
        timeout_s: float = 10.0,
    ) -> Neighbourhood:
        """Up to `num_hops` hops around an entity, bounded. Unknown id: StoreError."""
        with self._connection.read() as sqlite:

            def expand(frontier: list[str], limit: int) -> tuple[list[HopEdge], bool]:
                found: dict[str, HopEdge] = {}
                has_more = False
                for node in frontier:
                    edges = [HopEdge(*row) for row in sqlite.execute(_HOP, (node, fan_out + 1))]
                    has_more = has_more or len(edges) > fan_out
                    found.update(
                        (edge.id, edge) for edge in edges[:fan_out] if edge.weight >= min_weight
                    )
                return sorted(found.values(), key=lambda e: e.order)[:limit], has_more

            walked = walk_hops(
                entity_id,
                expand,
                num_hops=num_hops,
                max_relations=max_relations,
                check_time=deadline(timeout_s),
            )
            entities = {
                row[0]: rows.entity(row)[0]
                for row in rows.by_id(sqlite, "entities", list(walked.hops))
            }
            if entity_id not in entities:
                raise rules.no_entity(entity_id)
            relations = {
                row[0]: rows.relation(row)
                for row in rows.by_id(sqlite, "relations", list(walked.relation_ids))
            }
        ordered = sorted(walked.hops, key=lambda i: (walked.hops[i], i))
        return Neighbourhood(
            tuple(entities[i] for i in ordered),
            tuple(relations[i] for i in walked.relation_ids),
            walked.is_cut,
        )

    def overview(self, max_entities: int = 5000, max_relations: int = 20_000) -> Overview:
        """The heaviest entities, the heaviest relations between them, and counts of the whole
        graph.
        """
        heaviest = "ORDER BY weight DESC, id LIMIT ?1"
        top = f"WITH top AS MATERIALIZED (SELECT id FROM entities {heaviest}) "
        among = rows.select(
            "relations", "WHERE head IN top AND tail IN top ORDER BY weight DESC, id LIMIT ?2"
        )
        ends = (
            "SELECT head AS node FROM relations UNION ALL SELECT tail FROM relations WHERE tail <>"
            " head"
        )
        with self._connection.read() as sqlite:
            found = [
                rows.entity(row)
                for row in sqlite.execute(rows.select("entities", heaviest), (max_entities,))
            ]
            degrees = dict(
                sqlite.execute(f"SELECT node, count(*) FROM ({ends}) GROUP BY node").fetchall()
            )
            weights = dict(
                sqlite.execute("SELECT weight, count(*) FROM entities GROUP BY weight").fetchall()
            )
            without = sum(weights.values()) - len(degrees)
            return Overview(
                entities=tuple(entity for entity, _ in found),
                degrees=tuple(degrees.get(entity.id, 0) for entity, _ in found),
                entity_passages=tuple(passages for _, passages in found),
                relations=tuple(
                    rows.relation(row)
                    for row in sqlite.execute(top + among, (max_entities, max_relations))
                ),
                num_relations=sqlite.execute("SELECT count(*) FROM relations").fetchone()[0],
                degree_counts=dict(Counter(degrees.values()) | Counter({0: without})),
                weight_counts=weights,
                type_counts=dict(
                    sqlite.execute("SELECT type, count(*) FROM entities GROUP BY type").fetchall()
                ),
            )

    def passages_of(self, entity_id: str) -> tuple[Passage, ...]:
        """The passages that hold an entity, by (document id, index). Unknown id: StoreError."""
        with self._connection.read() as sqlite:
            found = rows.by_id(sqlite, "entities", [entity_id])
            if not found:
                raise rules.no_entity(entity_id)
            _, held = rows.entity(found[0])
            passages = [rows.passage(row) for row in rows.by_id(sqlite, "passages", list(held))]
        return tuple(sorted(passages, key=lambda p: (p.document_id, p.index)))

    def search_entities(self, text: str, limit: int = 20) -> tuple[tuple[str, float], ...]:
        """Entities by the share of the words that occur in name, aliases or summaries (0 to 1): a
        word of the name counts twice. Best first, ties by (weight desc, id).
        """
        words = [parts for word in dict.fromkeys(text.split()) if (parts := _parts(word))]
        if not words:
            return ()
        scored: list[tuple[float, int, str]] = []
        with self._connection.read() as sqlite:
            found = sqlite.execute("SELECT id, name, key, aliases, summaries, weight FROM entities")
            for id_, name, key, aliases, summaries, weight in found:
                names = _parts(f"{name} {key}")
                every = names | _parts(f"{rows.joined(aliases)} {rows.joined(summaries)}")
                score = sum(
                    2.0 if word <= names else 1.0 if word <= every else 0.0 for word in words
                ) / (2 * len(words))
                if score:
                    scored.append((-score, -weight, id_))
        return tuple((id_, -score) for score, _, id_ in sorted(scored)[:limit])


def _parts(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
