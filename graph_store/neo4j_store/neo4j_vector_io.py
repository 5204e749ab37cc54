"""Vectors in Neo4j: passages and entities hold theirs as native, indexed properties, relations as
float32 bytes; the others have nodes of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynagrag.core.schema import Vector, VectorKind, Vectors
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store.cache import RowCache
from dynagrag.graph_store.neo4j_store.cypher import vector_statements
from dynagrag.graph_store.neo4j_store.graph_writer import read_pages, vector_signature
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.neo4j_store.one_transaction import OneTransaction
from dynagrag.graph_store.rules import by_cosine, check_none_missing

if TYPE_CHECKING:
    from neo4j import Transaction

_AT_ONCE = 2_000
_MIN_REACH = 100
_REACH_FACTOR = 10
"""Without a filter in the index (before 2026.01) this many times `limit` are asked for, so that
other workspaces don't crowd one out.
"""

_LABELS = {VectorKind.PASSAGE: "Passage", VectorKind.ENTITY: "Entity"}
_PAGES = {
    VectorKind.PASSAGE: vector_statements.SIGNATURES_OF_PASSAGE_VECTORS,
    VectorKind.ENTITY: vector_statements.SIGNATURES_OF_ENTITY_VECTORS,
    VectorKind.RELATION: vector_statements.SIGNATURES_OF_RELATION_VECTORS,
}


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A vector on its way: float32 little-endian bytes and their signature."""

    id: str
    sig: str
    data: bytes


class Neo4jVectors:
    """One workspace's vectors, read through the local copy."""

    def __init__(self, connection: Neo4jConnection, workspace: str, cache: RowCache) -> None:
        self._connection = connection
        self._ws = workspace
        self._cache = cache

    def batches(self, ids: Sequence[str], vectors: Vectors) -> Iterator[list[StoredVector]]:
        """Vectors in batches that fit one transaction; of an id given twice the last counts."""
        data = np.ascontiguousarray(vectors, dtype="<f4")
        made = {id_: row.tobytes() for id_, row in zip(ids, data, strict=True)}
        stored = [StoredVector(id_, vector_signature(raw), raw) for id_, raw in made.items()]
        for start in range(0, len(stored), _AT_ONCE):
            yield stored[start : start + _AT_ONCE]

    def put(
        self,
        kind: VectorKind,
        batch: Sequence[StoredVector],
        tx: "Transaction",
        state: Mapping[str, Any],
    ) -> list[StoredVector]:
        """Stores those that differ, and gives them. A passage that isn't there any more is passed
        over.
        """
        ids = [v.id for v in batch]
        if kind is VectorKind.PASSAGE:
            there = {
                r["uid"]: r["sig"]
                for r in tx.run(
                    vector_statements.SOME_SIGNATURES_OF_PASSAGE_VECTORS, uids=ids, ws=self._ws
                )
            }
            new = [v for v in batch if v.id in there and there[v.id] != v.sig]
            if new:
                dimension = len(new[0].data) // 4
                sent = [
                    {
                        "uid": v.id,
                        "sig": v.sig,
                        "vector": np.frombuffer(v.data, dtype="<f4").tolist(),
                    }
                    for v in new
                ]
                tx.run(
                    vector_statements.put_node_vectors("Passage", dimension), rows=sent
                ).consume()
            return new
        there = {
            r["uid"]: r["sig"]
            for r in tx.run(
                vector_statements.SOME_SIGNATURES_OF_VECTORS, uids=ids, ws=self._ws, kind=kind.value
            )
        }
        new = [v for v in batch if there.get(v.id) != v.sig]
        if new:
            sent = [
                {"uid": self._uid(kind, v.id), "id": v.id, "sig": v.sig, "vector": v.data}
                for v in new
            ]
            tx.run(vector_statements.PUT_VECTORS, rows=sent, ws=self._ws, kind=kind.value).consume()
        return new

    def replace(
        self,
        kind: VectorKind,
        ids: Sequence[str],
        vectors: Vectors,
        tx: "Transaction",
        state: Mapping[str, Any],
    ) -> None:
        """Makes the kind's vectors these, which may have another dimension than before."""
        page = _PAGES.get(kind, vector_statements.SIGNATURES_OF_VECTORS)
        found = read_pages(OneTransaction(tx), page, ws=self._ws, kind=kind.value)
        wanted = set(ids)
        gone = [uid for uid, sig in found if sig and (kind in _LABELS or uid not in wanted)]
        for start in range(0, len(gone), _AT_ONCE):
            self.drop(kind, gone[start : start + _AT_ONCE], tx, state)
        for batch in self.batches(ids, vectors):
            self.put(kind, batch, tx, state)

    def remember(self, kind: VectorKind, batch: Sequence[StoredVector]) -> None:
        """Puts what was just written into the local copy, so that it isn't fetched back."""
        self._cache.put(_name(kind), ((v.id, v.sig, v.data) for v in batch))

    def drop(
        self, kind: VectorKind, ids: Sequence[str], tx: "Transaction", state: Mapping[str, Any]
    ) -> int:
        """Deletes vectors; how many were asked for."""
        if kind in _LABELS:
            tx.run(
                vector_statements.drop_node_vectors(
                    _LABELS[kind], int(state["embedder_dimension"])
                ),
                uids=list(ids),
            ).consume()
        else:
            tx.run(
                vector_statements.DELETE_VECTORS, uids=[self._uid(kind, id_) for id_ in ids]
            ).consume()
        return len(ids)

    def ids(self, kind: VectorKind, dimension: int, stamp: str) -> list[str]:
        """The ids that have a vector, sorted."""
        return list(self._bodies(kind, dimension, stamp))

    def read(self, kind: VectorKind, ids: Sequence[str], dimension: int, stamp: str) -> Vectors:
        """(n, d) float32 in the order asked. A missing id: StoreError."""
        if not ids:
            return np.zeros((0, dimension), dtype=np.float32)
        bodies = self._bodies(kind, dimension, stamp)
        check_none_missing(kind, ids, bodies)
        return (
            np.frombuffer(b"".join([bodies[id_] for id_ in ids]), dtype="<f4")
            .reshape(len(ids), -1)
            .astype(np.float32)
        )

    def nearest(
        self, kind: VectorKind, vector: Vector, limit: int, dimension: int, *, has_filter: bool
    ) -> tuple[tuple[str, float], ...]:
        """By the server's index, which is quantised: more than `limit` are asked for, and what it
        finds is scored exactly.
        """
        reach = max(_MIN_REACH, _REACH_FACTOR * limit)
        values: dict[str, Any] = {
            "vector": [float(x) for x in vector],
            "ws": self._ws,
            "limit": 2 * limit,
            "reach": reach,
        }
        found = self._connection.read(
            vector_statements.nearest_nodes(_LABELS[kind], dimension, has_filter), **values
        )
        fetched = {
            id_: data
            for id_, _, data in self._fetch(kind, [str(row["uid"]) for row in found], dimension)
        }
        ids = sorted(fetched)
        if not ids:
            return ()
        array = np.frombuffer(b"".join([fetched[id_] for id_ in ids]), dtype="<f4").reshape(
            len(ids), -1
        )
        return by_cosine(ids, array, vector, limit)

    def nearest_exactly(
        self, kind: VectorKind, vector: Vector, limit: int, dimension: int, stamp: str
    ) -> tuple[tuple[str, float], ...]:
        """Over all of the workspace; ties by id."""
        ids = self.ids(kind, dimension, stamp)
        if not ids:
            return ()
        array = self.read(kind, ids, dimension, stamp)
        return by_cosine(ids, array, vector, limit)

    def _bodies(self, kind: VectorKind, dimension: int, stamp: str) -> dict[str, bytes]:
        return self._cache.read(
            _name(kind),
            stamp,
            lambda: self._signatures(kind),
            lambda uids: self._fetch(kind, uids, dimension),
        )

    def _signatures(self, kind: VectorKind) -> Iterable[tuple[str, str]]:
        if kind in _PAGES:
            found = read_pages(self._connection, _PAGES[kind], ws=self._ws)
        else:
            found = read_pages(
                self._connection,
                vector_statements.SIGNATURES_OF_VECTORS,
                ws=self._ws,
                kind=kind.value,
            )
        return ((uid, sig) for uid, sig in found if sig)

    def _fetch(
        self, kind: VectorKind, uids: list[str], dimension: int
    ) -> Iterator[tuple[str, str, bytes]]:
        if kind in _LABELS:
            found = self._connection.read(
                vector_statements.fetch_node_vectors(_LABELS[kind], dimension), uids=uids
            )
        elif kind is VectorKind.RELATION:
            found = self._connection.read(vector_statements.FETCH_RELATION_VECTORS, uids=uids)
        else:
            found = self._connection.read(
                vector_statements.FETCH_VECTORS, uids=uids, ws=self._ws, kind=kind.value
            )
        for row in found:
            if row["vector"] is not None:
                data = (
                    bytes(row["vector"])
                    if kind not in _LABELS
                    else np.array(row["vector"], dtype="<f4").tobytes()
                )
                yield str(row["uid"]), vector_signature(data), data

    def _uid(self, kind: VectorKind, id_: str) -> str:
        return rows.scoped_uid(self._ws, f"vector {kind.value}", id_)


def _name(kind: VectorKind) -> str:
    return f"vectors of {kind.value}"
