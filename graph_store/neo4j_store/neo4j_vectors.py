"""Neo4j's vectors, all of one embedder."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from dynagrag.core.schema import EmbedderIdentity, Vector, VectorKind, Vectors
from dynagrag.graph_store import rules
from dynagrag.graph_store.neo4j_store import neo4j_state as states
from dynagrag.graph_store.neo4j_store import record_changes as changes
from dynagrag.graph_store.neo4j_store.database_schema import check_embedder_fits
from dynagrag.graph_store.neo4j_store.neo4j_base import Neo4jStoreBase
from dynagrag.graph_store.neo4j_store.neo4j_state import State

_DROPPED_AT_ONCE = 5_000


class Neo4jVectorStore(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.VectorStore`."""

    def put_vectors(self, kind: VectorKind, ids: Sequence[str], vectors: Vectors) -> None:
        """Stores or replaces vectors (n, d). EmbedderMismatchError for another dimension than the
        embedder's, StoreError for NaN.
        """
        rules.check_vectors(self._ws, self.embedder(), kind, ids, vectors)
        for batch in self._vectors.batches(ids, vectors):
            self._vectors.remember(
                kind, self._change("vectors", partial(self._vectors.put, kind, batch))
            )

    def vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked. A missing id: StoreError."""
        return self._read_vectors(kind, ids)

    def vector_ids(self, kind: VectorKind) -> tuple[str, ...]:
        """The ids that have a vector, sorted."""
        state = self._state()
        return tuple(self._vectors.ids(kind, states.dimension(state), states.stamp(state, kind)))

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""
        rules.check_record_kind(kind)
        keep = set(ids)
        gone = [id_ for id_ in self.vector_ids(kind) if id_ not in keep]
        for batch in changes.batches(gone, _DROPPED_AT_ONCE):
            self._change("vectors", partial(self._vectors.drop, kind, batch))
        return len(gone)

    def embedder(self) -> EmbedderIdentity | None:
        """The embedder of the vectors; None before the first."""
        return states.embedder(self._state())

    def set_embedder(self, identity: EmbedderIdentity) -> None:
        """Fixes the embedder. Another name or dimension than the stored: EmbedderMismatchError,
        nothing written.
        """

        check_embedder_fits(identity)

        def work(tx: Any, state: State) -> bool:
            found = states.embedder(state)
            rules.check_embedder(self._ws, found, identity)
            if found is None:
                fixed = {
                    "embedder_name": identity.name,
                    "embedder_dimension": identity.dimension,
                    "vector_index": "deferred",
                }
                states.set_state(tx, self._ws, **fixed)
            return found is None

        if self.embedder() != identity:
            self._change("vectors", work)

    def nearest(
        self, kind: VectorKind, vector: Vector, limit: int = 10
    ) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine, from the server's vector index; exact from the local copy
        where the index has too few of them.
        """
        state = self._state()
        rules.check_search(self._ws, states.embedder(state), kind, vector)
        if not state.get("embedder_dimension"):
            return ()
        if state.get("vector_index") == "made":
            found = self._vectors.nearest(
                kind,
                vector,
                limit,
                states.dimension(state),
                has_filter=self._schema.has_vector_filter,
            )
            if len(found) == limit:
                return found
        return self._vectors.nearest_exactly(
            kind, vector, limit, states.dimension(state), states.stamp(state, kind)
        )
