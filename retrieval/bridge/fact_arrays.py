"""Facts as arrays over a snapshot's passages and entities."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.protocols import GraphStore, VectorStore
from dynagrag.core.schema import (
    Document,
    Facts,
    Graph,
    Mention,
    Passage,
    RelationRecord,
    VectorKind,
    Vectors,
)
from dynagrag.graph_store.derived.canonical import canonical_keys
from dynagrag.graph_store.derived.embedded_texts import mention_texts, text_id
from dynagrag.graph_store.derived.fact_texts import CorpusFacts, Fact, counted_facts
from dynagrag.graph_store.derived.two_step_mean import VectorTable, group_means, key_vectors

Ints = NDArray[np.int64]


def read_facts(
    store: GraphStore,
    mentions: Iterable[Mention],
    records: Iterable[RelationRecord],
    documents: Mapping[str, Document],
    passages: Sequence[Passage],
    graph: Graph,
) -> Facts:
    """The facts of these records. One whose text has no vector (an ingest that was killed) is left
    out.
    """
    return facts_of(
        counted_facts(mentions, records, documents, len(passages), store.edits()),
        store,
        passages,
        graph,
    )


def facts_of(
    corpus: CorpusFacts,
    store: GraphStore,
    passages: Sequence[Passage],
    graph: Graph,
    *,
    has_vectors: bool = True,
) -> Facts:
    """As arrays. Names that were merged are one entity, and words that were merged are one word.
    `has_vectors` False: without the facts' vectors.
    """
    entity_of = {key: i for i, entity in enumerate(graph.entities) for key in entity.keys}
    words = _Words.of(corpus.words, entity_of, store)
    entity_of |= {key: len(graph.entities) + i for key, i in words.number.items()}
    row_of = {passage.id: row for row, passage in enumerate(passages)}
    there = [fact for fact in corpus.facts if fact.passage_id in row_of]
    ids = [text_id(fact.text) for fact in there]
    stored_ids = set(store.vector_ids(VectorKind.RECORD))
    kept = [(fact, id_) for fact, id_ in zip(there, ids, strict=True) if id_ in stored_ids]
    facts: list[Fact] = [fact for fact, _ in kept]
    ptr, entities = _lists([_entities(fact.keys, entity_of) for fact in facts])
    held_ptr, held = _lists([_entities(corpus.keys.get(p.id, ()), entity_of) for p in passages])
    subjects = [entity_of.get(corpus.subjects.get(p.document_id, ""), -1) for p in passages]
    return Facts(
        texts=tuple(fact.text for fact in facts),
        passage_rows=np.array([row_of[fact.passage_id] for fact in facts], dtype=np.int64),
        ptr=ptr,
        entities=entities,
        vectors=store.vectors(VectorKind.RECORD, [id_ for _, id_ in kept] if has_vectors else ()),
        held_ptr=held_ptr,
        held=held,
        subjects=np.array(subjects, dtype=np.int64),
        words=words.names,
        word_vectors=words.vectors,
        starts=np.array([fact.start for fact in facts], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True)
class _Words:
    """Plain words that link passages: key -> number, and by number the name and the two-step mean
    (w, d).
    """

    number: Mapping[str, int]
    names: tuple[str, ...]
    vectors: Vectors

    @classmethod
    def of(
        cls, mentions: Sequence[Mention], entity_of: Mapping[str, int], store: GraphStore
    ) -> "_Words":
        """Of the keys that are no entity. A word whose text has no vector yet has one of zeros."""
        counts = Counter(m.key for m in mentions if m.key not in entity_of)
        if not counts:
            return cls({}, (), store.vectors(VectorKind.MENTION, ()))
        canon = canonical_keys(counts, store.consolidation(), store.edits())
        names = tuple(sorted(set(canon.of.values())))
        place = {name: i for i, name in enumerate(names)}
        number = {key: place[canon.of[key]] for key in counts}
        own = [m for m in mentions if m.key in number]
        by_key = key_vectors(own, stored_table(store, VectorKind.MENTION, mention_texts(own)))
        keys = sorted(number)
        groups = np.array([number[key] for key in keys], dtype=np.int64)
        return cls(number, names, group_means(by_key.array, by_key.find(keys), groups, len(names)))


def stored_table(store: VectorStore, kind: VectorKind, texts: Iterable[str]) -> VectorTable:
    """The stored vectors of these ids, zeros where there are none: candidates that count only in a
    part, and what a killed ingest left.
    """
    ids = tuple(texts)
    stored_ids = set(store.vector_ids(kind))
    there = [row for row, id_ in enumerate(ids) if id_ in stored_ids]
    stored = store.vectors(kind, [ids[row] for row in there])
    vectors = np.zeros((len(ids), stored.shape[1]), dtype=np.float32)
    vectors[there] = stored
    return VectorTable.of(ids, vectors)


def _entities(keys: Iterable[str], entity_of: Mapping[str, int]) -> list[int]:
    return sorted({entity_of[key] for key in keys if key in entity_of})


def _lists(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Lists as (pointers, all values)."""
    ptr = np.concatenate(([0], np.cumsum([len(some) for some in lists]))).astype(np.int64)
    return ptr, np.array([value for some in lists for value in some], dtype=np.int64)
