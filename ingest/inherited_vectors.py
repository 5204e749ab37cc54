"""A file that changed keeps the vectors of what it still says."""

from collections.abc import Iterable

from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Document, VectorKind
from dynagrag.graph_store.derived.embedded_texts import passage_text


def inherit_vectors(store: GraphStore, old: Iterable[Document], new: Iterable[Document]) -> None:
    """Gives passages of new documents the vectors of old ones' passages with the same text, as far
    as they have none: mentions, records and labels have theirs by text anyway.
    """
    old = tuple(old)
    embedded = set(store.vector_ids(VectorKind.PASSAGE)) if old else set()
    held = {
        passage_text(document, passage): passage.id
        for document in old
        for passage in store.passages(document.id)
        if passage.id in embedded
    }
    heirs = {
        passage.id: held[text]
        for document in (new if held else ())
        for passage in store.passages(document.id)
        if passage.id not in embedded and (text := passage_text(document, passage)) in held
    }
    if heirs:
        vectors = store.vectors(VectorKind.PASSAGE, tuple(heirs.values()))
        store.put_vectors(VectorKind.PASSAGE, tuple(heirs), vectors)
