"""A workspace's snapshot for questions, read from its store in one go."""

from collections.abc import Mapping, Sequence

import numpy as np

from dynagrag.core.protocols import GraphStore, VectorStore
from dynagrag.core.schema import Mention, RelationRecord, Snapshot, Turn, VectorKind, Vectors
from dynagrag.graph_store.derived.embedded_texts import mention_text, record_text, text_id
from dynagrag.retrieval.bridge.fact_arrays import read_facts
from dynagrag.retrieval.filters import without_deleted


def read_snapshot(store: GraphStore) -> Snapshot:
    """The snapshot of the store's version; passages that have no vector yet are left out."""
    version = store.version()
    passages = store.passages()
    turns: dict[str, list[Turn]] = {}
    for turn in store.turns():
        turns.setdefault(turn.document_id, []).append(turn)
    embedded = set(store.vector_ids(VectorKind.PASSAGE))
    passages = tuple(p for p in passages if p.id in embedded)
    documents = {d.id: d for d in store.documents()}
    records = {r.id: r for r in store.relation_records()}
    mentions, graph = store.mentions(), store.graph()
    summary_rows, summary_vectors = _summaries(store, mentions, records)
    snapshot = Snapshot(
        workspace=store.workspace,
        version=version,
        documents=documents,
        turns={document: tuple(own) for document, own in turns.items()},
        passages=passages,
        passage_vectors=store.vectors(VectorKind.PASSAGE, [p.id for p in passages]),
        records=records,
        graph=graph,
        summary_rows=summary_rows,
        summary_vectors=summary_vectors,
        facts=read_facts(store, mentions, records.values(), documents, passages, graph),
    )
    return without_deleted(snapshot, store)


def _summaries(
    store: VectorStore, mentions: Sequence[Mention], records: Mapping[str, RelationRecord]
) -> tuple[dict[str, int], Vectors]:
    """The row of each summary's vector, and the vectors; a summary of two names has the vector of
    the first.
    """
    vectors: list[Vectors] = []
    rows: dict[str, int] = {}
    # Backwards, so that the first name's text comes last, and stays.
    of_mentions = {m.summary: text_id(mention_text(m)) for m in reversed(mentions) if m.summary}
    newest_first = reversed(list(records.values()))
    of_records = {r.summary: text_id(record_text(r)) for r in newest_first if r.summary}
    for kind, ids in ((VectorKind.MENTION, of_mentions), (VectorKind.RECORD, of_records)):
        embedded = set(store.vector_ids(kind))
        new = [summary for summary, id_ in ids.items() if id_ in embedded and summary not in rows]
        rows |= {summary: row for row, summary in enumerate(new, start=len(rows))}
        vectors.append(store.vectors(kind, [ids[summary] for summary in new]))
    return rows, np.concatenate([v for v in vectors if len(v)] or vectors[:1])
