"""The embedded store's vectors, all of one embedder."""

from collections.abc import Iterable, Sequence

from dynagrag.core.schema import EmbedderIdentity, VectorKind, Vectors
from dynagrag.graph_store import rules
from dynagrag.graph_store.sqlite_store import workspace_state as states
from dynagrag.graph_store.sqlite_store.store_base import SqliteStoreBase
from dynagrag.graph_store.sqlite_store.vector_io import (
    keep_vectors,
    missing_vectors,
    put_vectors,
    read_vectors,
)


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

    def missing_vectors(self, kind: VectorKind, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of the ids that have no vector, in order, without doubles."""
        with self._connection.read() as sqlite:
            return missing_vectors(sqlite, kind, ids)

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""
        rules.check_record_kind(kind)
        with self._changing() as sqlite:
            num_gone = keep_vectors(sqlite, kind, ids)
            if num_gone:
                states.set_state(sqlite, scrub="due")
        return num_gone

    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors these are; None before the first."""
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
