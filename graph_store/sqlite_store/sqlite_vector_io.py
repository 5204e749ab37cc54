"""Vectors in the embedded store: little-endian float32 blobs by (kind, id), read into one
contiguous array.
"""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from dynagrag.core.schema import VectorKind, Vectors
from dynagrag.graph_store.rules import check_none_missing
from dynagrag.graph_store.sqlite_store.sqlite_rows import IDS_AT_ONCE

_SCAN_SHARE = 0.25
"""Asked for more than this share of a kind, one scan of all of it beats look-ups by id."""
_PUT = (
    "INSERT INTO vectors (kind, id, vector) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET"
    " vector = excluded.vector WHERE vectors.vector IS NOT excluded.vector"
)

_PUT_OF_PASSAGE = _PUT.replace(
    "VALUES (?, ?, ?)", "SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?2)"
)
"""A passage that was deleted meanwhile must not leave its vector."""


def put_vectors(
    sqlite: sqlite3.Connection, kind: VectorKind, ids: Sequence[str], vectors: Vectors
) -> None:
    """Stores or replaces vectors (n, d); an equal one counts as no change. A passage that isn't
    there is passed over.
    """
    data = np.ascontiguousarray(vectors, dtype="<f4")
    put = _PUT_OF_PASSAGE if kind is VectorKind.PASSAGE else _PUT
    sqlite.executemany(
        put, ((kind.value, id_, row.tobytes()) for id_, row in zip(ids, data, strict=True))
    )


def read_vectors(
    sqlite: sqlite3.Connection, kind: VectorKind, ids: Sequence[str], dimension: int
) -> Vectors:
    """(n, d) float32 in the order asked. A missing id: StoreError."""
    unique = list(dict.fromkeys(ids))
    if not unique:
        return np.zeros((0, dimension), dtype=np.float32)
    blobs: dict[str, bytes] = {}
    num_stored = int(
        sqlite.execute("SELECT count(*) FROM vectors WHERE kind = ?", (kind.value,)).fetchone()[0]
    )
    if len(unique) >= _SCAN_SHARE * num_stored:
        blobs = dict(sqlite.execute("SELECT id, vector FROM vectors WHERE kind = ?", (kind.value,)))
    else:
        for start in range(0, len(unique), IDS_AT_ONCE):
            some = unique[start : start + IDS_AT_ONCE]
            marks = ", ".join("?" * len(some))
            blobs.update(
                sqlite.execute(
                    f"SELECT id, vector FROM vectors WHERE kind = ? AND id IN ({marks})",
                    (kind.value, *some),
                )
            )
    check_none_missing(kind, unique, blobs)
    return (
        np.frombuffer(b"".join([blobs[id_] for id_ in ids]), dtype="<f4")
        .reshape(len(ids), -1)
        .astype(np.float32)
    )


def keep_vectors(sqlite: sqlite3.Connection, kind: VectorKind, ids: Iterable[str]) -> int:
    """Deletes the kind's vectors whose id is not among these; how many."""
    keep = set(ids)
    gone = [
        (kind.value, id_)
        for (id_,) in sqlite.execute("SELECT id FROM vectors WHERE kind = ?", (kind.value,))
        if id_ not in keep
    ]
    sqlite.executemany("DELETE FROM vectors WHERE kind = ? AND id = ?", gone)
    return len(gone)
