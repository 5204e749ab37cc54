"""Facts as arrays over a snapshot's passages and entities."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dynagrag.graph_store.derived.embedded_texts import text_id
from dynagrag.graph_store.derived.fact_texts import Fact, Said, counted_said
from dynagrag.protocols import GraphStore
from dynagrag.schema import Document, Facts, Graph, Mention, Passage, RelationRecord, VectorKind

Ints = NDArray[np.int64]


def read_facts(
    store: GraphStore,
    mentions: Iterable[Mention],
    records: Iterable[RelationRecord],
    documents: Mapping[str, Document],
    passages: Sequence[Passage],
    graph: Graph,
) -> Facts:
    """The facts of these records. One whose text has no vector (an ingest that was killed) is left out."""
    return facts_of(counted_said(mentions, records, documents, len(passages), store.edits()), store, passages, graph)


def facts_of(said: Said, store: GraphStore, passages: Sequence[Passage], graph: Graph) -> Facts:
    """As arrays. Names that were merged are one entity."""
    entity_of = {key: i for i, entity in enumerate(graph.entities) for key in entity.keys}
    row_of = {passage.id: row for row, passage in enumerate(passages)}
    there = [fact for fact in said.facts if fact.passage_id in row_of]
    ids = [text_id(fact.text) for fact in there]
    missing = set(store.missing_vectors(VectorKind.RECORD, ids))
    kept = [(fact, id_) for fact, id_ in zip(there, ids, strict=True) if id_ not in missing]
    facts: list[Fact] = [fact for fact, _ in kept]
    ptr, entities = _lists([_entities(fact.keys, entity_of) for fact in facts])
    held_ptr, held = _lists([_entities(said.keys.get(p.id, ()), entity_of) for p in passages])
    subjects = [entity_of.get(said.subjects.get(p.document_id, ""), -1) for p in passages]
    return Facts(
        texts=tuple(fact.text for fact in facts),
        passage_rows=np.array([row_of[fact.passage_id] for fact in facts], dtype=np.int64),
        ptr=ptr,
        entities=entities,
        vectors=store.vectors(VectorKind.RECORD, [id_ for _, id_ in kept]),
        held_ptr=held_ptr,
        held=held,
        subjects=np.array(subjects, dtype=np.int64),
    )


def _entities(keys: Iterable[str], entity_of: Mapping[str, int]) -> list[int]:
    return sorted({entity_of[key] for key in keys if key in entity_of})


def _lists(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists as (pointers, all values)."""
    ptr = np.concatenate(([0], np.cumsum([len(some) for some in lists]))).astype(np.int64)
    return ptr, np.array([value for some in lists for value in some], dtype=np.int64)
