"""Bounded looks into the embedded store's derived view: hops around an entity, search by words, nearest vectors."""

import sqlite3
import time
from collections.abc import Callable

import numpy as np

from dynagrag.errors import StoreError
from dynagrag.graph_store import sqlite_rows as rows
from dynagrag.graph_store.hops import walk_hops
from dynagrag.schema import Neighbourhood, Relation, Vector, VectorKind

_ROWS_A_STEP = 2_000
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
    columns = ", ".join(rows.COLUMNS["relations"])
    half = f"SELECT * FROM (SELECT {columns} FROM relations WHERE {{end}} = ?1 AND weight >= ?2 ORDER BY weight DESC, id LIMIT ?3)"
    query = f"{half.format(end='head')} UNION {half.format(end='tail')} ORDER BY weight DESC, id LIMIT ?3"

    def expand(frontier: list[str]) -> list[Relation]:
        return [rows.relation(row) for node in frontier for row in sqlite.execute(query, (node, min_weight, fan_out + 1))]

    found = walk_hops(entity_id, expand, num_hops=num_hops, fan_out=fan_out, max_relations=max_relations, deadline=_deadline(timeout_s))
    entities = {}
    for start in range(0, len(found.hops), _IDS_AT_ONCE):
        some = list(found.hops)[start : start + _IDS_AT_ONCE]
        marks = ", ".join("?" * len(some))
        for row in sqlite.execute(rows.select("entities", f"WHERE id IN ({marks})"), some):
            entities[str(row[0])] = rows.entity(row)[0]
    if entity_id not in entities:
        raise StoreError(f"there is no entity {entity_id!r} in the graph; `dynagrag graph show` lists the heaviest")
    ordered = tuple(entities[i] for i in sorted(found.hops, key=lambda i: (found.hops[i], i)))
    return Neighbourhood(ordered, found.relations, found.is_cut)


def _deadline(timeout_s: float) -> Callable[[], None]:
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise StoreError(f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a smaller fan-out")

    return check


def search_entities(sqlite: sqlite3.Connection, text: str, limit: int) -> tuple[tuple[str, float], ...]:
    """Share of the words that occur in name, aliases or summaries; a word of the name counts twice. Ties by (weight desc, id)."""
    words = list(dict.fromkeys(text.casefold().split()))
    if not words:
        return ()
    scored: list[tuple[float, int, str]] = []
    for id_, name, key, aliases, summaries, weight in sqlite.execute("SELECT id, name, key, aliases, summaries, weight FROM entities"):
        names, rest = f"{name} {key}".casefold(), f"{rows.joined(aliases)} {rows.joined(summaries)}".casefold()
        score = sum(2.0 if word in names else 1.0 if word in rest else 0.0 for word in words) / (2 * len(words))
        if score:
            scored.append((-score, -weight, id_))
    return tuple((id_, -score) for score, _, id_ in sorted(scored)[:limit])


def nearest(sqlite: sqlite3.Connection, kind: VectorKind, vector: Vector, limit: int) -> tuple[tuple[str, float], ...]:
    """Exact, in steps of bounded memory. A row without length is at cosine 0."""
    best: list[tuple[float, str]] = []
    query = vector / (np.linalg.norm(vector) or 1.0)
    cursor = sqlite.execute("SELECT id, vector FROM vectors WHERE kind = ?", (kind.value,))
    while some := cursor.fetchmany(_ROWS_A_STEP):
        array = np.frombuffer(b"".join(blob for _, blob in some), dtype="<f4").reshape(len(some), -1)
        lengths = np.linalg.norm(array, axis=1)
        cosines = (array @ query) / np.where(lengths > 0, lengths, 1.0)
        best = sorted([*best, *((-float(c), str(id_)) for c, (id_, _) in zip(cosines, some, strict=True))])[:limit]
    return tuple((id_, -cosine) for cosine, id_ in best)
