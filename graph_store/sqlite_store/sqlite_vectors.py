"""The embedded store's vectors, all of one embedder."""

from collections.abc import Iterable, Sequence

import numpy as np

from dynagrag.core.schema import EmbedderIdentity, Vector, VectorKind, Vectors
from dynagrag.graph_store import rules
from dynagrag.graph_store.sqlite_store import sqlite_state as states
from dynagrag.graph_store.sqlite_store.sqlite_base import SqliteStoreBase
from dynagrag.graph_store.sqlite_store.sqlite_vector_io import (
    keep_vectors,
    put_vectors,
    read_vectors,
)

_ROWS_A_STEP = 2_000


class SqliteVectorStore(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.VectorStore`."""

    def put_vectors(self, kind: VectorKind, ids: Sequence[str], vectors: Vectors) -> None:
        """Stores or replaces vectors (n, d). EmbedderMismatchError for another dimension than the
        embedder's, StoreError for NaN.
        """
        with self._changing() as sqlite:
            rules.check_vectors(self._workspace, states.embedder(sqlite), kind, ids, vectors)
            put_vectors(sqlite, kind, ids, vectors)

    def vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked. A missing id: StoreError."""
        with self._connection.read() as sqlite:
            return read_vectors(sqlite, kind, ids, states.dimension(sqlite))

    def vector_ids(self, kind: VectorKind) -> tuple[str, ...]:
        """The ids that have a vector, sorted."""
        with self._connection.read() as sqlite:
            return tuple(
                str(id_)
                for (id_,) in sqlite.execute(
                    "SELECT id FROM vectors WHERE kind = ? ORDER BY id", (kind.value,)
                )
            )

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""
        rules.check_record_kind(kind)
        with self._changing() as sqlite:
            num_gone = keep_vectors(sqlite, kind, ids)
            if num_gone:
                states.set_state(sqlite, scrub="due")
        return num_gone

    def embedder(self) -> EmbedderIdentity | None:
        """The embedder of the vectors; None before the first."""
        with self._connection.read() as sqlite:
            return states.embedder(sqlite)

    def set_embedder(self, identity: EmbedderIdentity) -> None:
        """Fixes the embedder. Another name or dimension than the stored: EmbedderMismatchError,
        nothing written.
        """
        with self._changing() as sqlite:
            found = states.embedder(sqlite)
            rules.check_embedder(self._workspace, found, identity)
            if found is None:
                states.set_state(
                    sqlite, embedder_name=identity.name, embedder_dimension=str(identity.dimension)
                )

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
