"""Bounded looks into the embedded store's derived view: hops around an entity, search by words, nearest vectors."""

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from dynagrag.errors import StoreError
from dynagrag.graph_store.hops import Edge, walk_hops
from dynagrag.graph_store.rules import by_cosine, no_entity
from dynagrag.graph_store.sqlite_store import rows
from dynagrag.schema import Neighbourhood, Overview, RelationRecord, Vector, VectorKind

_ROWS_A_STEP = 2_000
_WORD = re.compile("\\w+|[\u2600-\u27bf\U0001f000-\U0001faff]")
"""Letters and digits, or one emoji: what Neo4j's full-text index takes for a word, too."""
_IDS_AT_ONCE = 500


def neighbourhood(
    sqlite: sqlite3.Connection,
    entity_id: str,
    *,
    num_hops: int,
    fan_out: int,
    max_relations: int,
    min_weight: int,
    timeout_s: float,
) -> Neighbourhood:
    """See `GraphBrowser.neighbourhood`. Both ends of a relation are indexed by weight, so a hub costs no more than `fan_out`."""
    half = "SELECT * FROM (SELECT id, head, tail, weight FROM relations WHERE {end} = ?1 ORDER BY weight DESC, id LIMIT ?2)"
    query = f"{half.format(end='head')} UNION {half.format(end='tail')} ORDER BY weight DESC, id LIMIT ?2"

    def expand(frontier: list[str], limit: int) -> tuple[list[Edge], bool]:
        found: dict[str, Edge] = {}
        has_more = False
        for node in frontier:
            edges = [Edge(*row) for row in sqlite.execute(query, (node, fan_out + 1))]
            has_more = has_more or len(edges) > fan_out
            found.update((edge.id, edge) for edge in edges[:fan_out] if edge.weight >= min_weight)
        return sorted(found.values(), key=lambda e: e.order)[:limit], has_more

    walked = walk_hops(entity_id, expand, num_hops=num_hops, max_relations=max_relations, check_time=_deadline(timeout_s))
    entities = {row[0]: rows.entity(row)[0] for row in _by_id(sqlite, "entities", list(walked.hops))}
    if entity_id not in entities:
        raise no_entity(entity_id)
    relations = {row[0]: rows.relation(row) for row in _by_id(sqlite, "relations", list(walked.relation_ids))}
    ordered = sorted(walked.hops, key=lambda i: (walked.hops[i], i))
    return Neighbourhood(tuple(entities[i] for i in ordered), tuple(relations[i] for i in walked.relation_ids), walked.is_cut)


def overview(sqlite: sqlite3.Connection, max_entities: int, max_relations: int) -> Overview:
    """See `GraphBrowser.overview`."""
    heaviest = "ORDER BY weight DESC, id LIMIT ?1"
    found = [rows.entity(row) for row in sqlite.execute(rows.select("entities", heaviest), (max_entities,))]
    top = f"WITH top AS MATERIALIZED (SELECT id FROM entities {heaviest}) "
    among = rows.select("relations", "WHERE head IN top AND tail IN top ORDER BY weight DESC, id LIMIT ?2")
    ends = "SELECT head AS node FROM relations UNION ALL SELECT tail FROM relations WHERE tail <> head"
    degrees = dict(sqlite.execute(f"SELECT node, count(*) FROM ({ends}) GROUP BY node").fetchall())
    weights = dict(sqlite.execute("SELECT weight, count(*) FROM entities GROUP BY weight").fetchall())
    counts = Counter(degrees.values())
    without = sum(weights.values()) - len(degrees)
    return Overview(
        entities=tuple(entity for entity, _ in found),
        degrees=tuple(degrees.get(entity.id, 0) for entity, _ in found),
        entity_passages=tuple(passages for _, passages in found),
        relations=tuple(rows.relation(row) for row in sqlite.execute(top + among, (max_entities, max_relations))),
        num_relations=sqlite.execute("SELECT count(*) FROM relations").fetchone()[0],
        degree_counts=dict(counts | Counter({0: without})),
        weight_counts=weights,
        type_counts=dict(sqlite.execute("SELECT type, count(*) FROM entities GROUP BY type").fetchall()),
    )


def records_of(sqlite: sqlite3.Connection, ids: list[str]) -> tuple[RelationRecord, ...]:
    """See `GraphBrowser.records_of`."""
    found = {row[0]: rows.record(row) for row in _by_id(sqlite, "relation_records", ids)}
    return tuple(found[i] for i in dict.fromkeys(ids) if i in found)


def _by_id(sqlite: sqlite3.Connection, table: str, ids: list[str]) -> list[rows.Row]:
    found: list[rows.Row] = []
    for start in range(0, len(ids), _IDS_AT_ONCE):
        some = ids[start : start + _IDS_AT_ONCE]
        found += sqlite.execute(rows.select(table, f"WHERE id IN ({', '.join('?' * len(some))})"), some).fetchall()
    return found


def _deadline(timeout_s: float) -> Callable[[], None]:
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise StoreError(f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a smaller fan-out")

    return check


def search_entities(sqlite: sqlite3.Connection, text: str, limit: int) -> tuple[tuple[str, float], ...]:
    """Share of the words that occur in name, aliases or summaries; a word of the name counts twice. Ties by (weight desc, id)."""
    words = [parts for word in dict.fromkeys(text.split()) if (parts := _parts(word))]
    if not words:
        return ()
    scored: list[tuple[float, int, str]] = []
    for id_, name, key, aliases, summaries, weight in sqlite.execute("SELECT id, name, key, aliases, summaries, weight FROM entities"):
        names = _parts(f"{name} {key}")
        every = names | _parts(f"{rows.joined(aliases)} {rows.joined(summaries)}")
        score = sum(2.0 if word <= names else 1.0 if word <= every else 0.0 for word in words) / (2 * len(words))
        if score:
            scored.append((-score, -weight, id_))
    return tuple((id_, -score) for score, _, id_ in sorted(scored)[:limit])


def _parts(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def nearest(sqlite: sqlite3.Connection, kind: VectorKind, vector: Vector, limit: int) -> tuple[tuple[str, float], ...]:
    """Exact, in steps of bounded memory. A row without length is at cosine 0."""
    best: tuple[tuple[str, float], ...] = ()
    cursor = sqlite.execute("SELECT id, vector FROM vectors WHERE kind = ?", (kind.value,))
    while some := cursor.fetchmany(_ROWS_A_STEP):
        array = np.frombuffer(b"".join(blob for _, blob in some), dtype="<f4").reshape(len(some), -1)
        found = (*best, *by_cosine([str(id_) for id_, _ in some], array, vector, limit))
        best = tuple(sorted(found, key=lambda item: (-item[1], item[0])))[:limit]
    return best
