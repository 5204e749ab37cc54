"""The graph made again without any model, for whoever must take deleted facts out of it and may
have none at hand.
"""

from collections.abc import Sequence
from dataclasses import replace

from dynagrag.core.errors import DynaGragError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Consolidation, EmbedderIdentity, Records, Vector, Vectors
from dynagrag.graph_store.derived.canonical import label_key
from dynagrag.graph_store.derived.senses import mentions_in_senses, read_senses
from dynagrag.ingest.consolidate.verdicts import VerdictStore
from dynagrag.ingest.graph_deriver import Deriver
from dynagrag.retrieval.filters import derived_as_stored


class _EmbedderNeededError(DynaGragError):
    """A vector is missing."""


class _NoEmbedder:
    """Stands where no embedder is at hand."""

    @property
    def identity(self) -> EmbedderIdentity:
        raise _EmbedderNeededError

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise _EmbedderNeededError

    def embed_query(self, text: str) -> Vector:
        raise _EmbedderNeededError


def derive_without_models(store: GraphStore, verdicts: VerdictStore) -> None:
    """Makes the graph of the records by rules and kept verdicts. Where vectors are missing, as
    after a killed ingest, it is that of the vectors and merges there are, and counts as out of
    date: whoever has an embedder next derives it again. The workspace is held.
    """
    try:
        Deriver(store, _NoEmbedder(), verdicts).rederive()
    except _EmbedderNeededError:
        if store.embedder() is None:  # so no graph was ever written
            return
        stored = store.records()
        documents = {d.id: d for d in stored.documents}
        consolidation = _live(store.consolidation(), stored)
        graph = derived_as_stored(
            store, stored.mentions, stored.relations, documents, len(stored.passages), consolidation
        )
        store.write_graph(graph, consolidation, replace(stored, version="out of date"))


def _live(consolidation: Consolidation, stored: Records) -> Consolidation:
    """The merges of names and labels that are still there, without what was seen when they were
    made: it may quote what has gone.
    """
    meant = mentions_in_senses(
        stored.mentions, read_senses(stored.edits, {d.id: d for d in stored.documents})
    )
    keys = {mention.key for mention in (*stored.mentions, *meant)}
    labels = {label_key(record.label) for record in stored.relations} | {
        record.label for record in stored.relations
    }
    return Consolidation(
        tuple(
            replace(merge, saw="")
            for merge in consolidation.merges
            if keys.issuperset(merge.members)
        ),
        tuple(merge for merge in consolidation.labels if {merge.label, merge.canonical} <= labels),
    )
