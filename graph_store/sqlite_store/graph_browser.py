"""Bounded looks into the embedded store's derived view: hops around an entity, search by words,
nearest vectors.
"""

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Neighbourhood, Overview, RelationRecord, Vector, VectorKind
from dynagrag.graph_store import rules
from dynagrag.graph_store.hops import Edge, walk_hops
from dynagrag.graph_store.sqlite_store import rows
from dynagrag.graph_store.sqlite_store import workspace_state as states
from dynagrag.graph_store.sqlite_store.store_base import SqliteStoreBase

_ROWS_A_STEP = 2_000
_WORD = re.compile("\\w+|[\u2600-\u27bf\U0001f000-\U0001faff]")
"""Letters and digits, or one emoji: what Neo4j's full-text index takes for a word, too."""
_IDS_AT_ONCE = 500
_RELATIONS_OF = (
    "SELECT * FROM (SELECT id, head, tail, weight FROM relations WHERE {end} = ?1 ORDER BY weight"
    " DESC, id LIMIT ?2)"
)
_HOP = (
    f"{_RELATIONS_OF.format(end='head')} UNION {_RELATIONS_OF.format(end='tail')} ORDER BY weight"
    " DESC, id LIMIT ?2"
)
"""Both ends of a relation are indexed by weight, so a hub costs no more than the limit."""


class SqliteGraphBrowser(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.GraphBrowser`."""

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

            def expand(frontier: list[str], limit: int) -> tuple[list[Edge], bool]:
                found: dict[str, Edge] = {}
                has_more = False
                for node in frontier:
                    edges = [Edge(*row) for row in sqlite.execute(_HOP, (node, fan_out + 1))]
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
                check_time=_deadline(timeout_s),
            )
            entities = {
                row[0]: rows.entity(row)[0] for row in _by_id(sqlite, "entities", list(walked.hops))
            }
            if entity_id not in entities:
                raise rules.no_entity(entity_id)
            relations = {
                row[0]: rows.relation(row)
                for row in _by_id(sqlite, "relations", list(walked.relation_ids))
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

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        with self._connection.read() as sqlite:
            found = {row[0]: rows.record(row) for row in _by_id(sqlite, "relation_records", wanted)}
        return tuple(found[i] for i in wanted if i in found)

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

    def nearest(
        self, kind: VectorKind, vector: Vector, limit: int = 10
    ) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine, exact, in steps of bounded memory; ties by id. A row
        without length is at cosine 0.
        """
        best: tuple[tuple[str, float], ...] = ()
        with self._connection.read() as sqlite:
            rules.check_search(self._workspace, states.embedder(sqlite), kind, vector)
            cursor = sqlite.execute("SELECT id, vector FROM vectors WHERE kind = ?", (kind.value,))
            while some := cursor.fetchmany(_ROWS_A_STEP):
                array = np.frombuffer(b"".join(blob for _, blob in some), dtype="<f4").reshape(
                    len(some), -1
                )
                found = (
                    *best,
                    *rules.by_cosine([str(id_) for id_, _ in some], array, vector, limit),
                )
                best = tuple(sorted(found, key=lambda item: (-item[1], item[0])))[:limit]
        return best


def _by_id(sqlite: sqlite3.Connection, table: str, ids: list[str]) -> list[rows.Row]:
    found: list[rows.Row] = []
    for start in range(0, len(ids), _IDS_AT_ONCE):
        some = ids[start : start + _IDS_AT_ONCE]
        found += sqlite.execute(
            rows.select(table, f"WHERE id IN ({', '.join('?' * len(some))})"), some
        ).fetchall()
    return found


def _deadline(timeout_s: float) -> Callable[[], None]:
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise StoreError(
                f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a"
                " smaller fan-out"
            )

    return check


def _parts(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
