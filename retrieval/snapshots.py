"""A workspace's snapshot for questions, read from its store in one go."""

from collections.abc import Mapping

import numpy as np

from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.protocols import GraphStore, VectorStore
from dynagrag.core.schema import RelationRecord, Snapshot, VectorKind, Vectors
from dynagrag.graph_store.derived.embedded_texts import record_text, text_id
from dynagrag.retrieval.bridge.fact_arrays import read_facts
from dynagrag.retrieval.corpus_words import turns_by_document
from dynagrag.retrieval.filters import without_deleted
from dynagrag.retrieval.kept_texts import MentionedTexts, stamp_of, texts_of_summaries


def read_snapshot(store: GraphStore, files: KeptArrays | None = None) -> Snapshot:
    """The snapshot of the store's version; passages that have no vector yet are left out. `files`:
    where what takes long is kept for the next process.
    """
    version = store.version()
    passages = store.passages()
    turns = turns_by_document(store)
    embedded = set(store.vector_ids(VectorKind.PASSAGE))
    passages = tuple(p for p in passages if p.id in embedded)
    documents = {d.id: d for d in store.documents()}
    records = {r.id: r for r in store.relation_records()}
    graph = store.graph()
    stamp = stamp_of(version, passages, graph) if files else ""
    mentioned = MentionedTexts.kept(files, store, stamp) if files else None
    if mentioned is None:
        mentions = store.mentions()
        mentioned = MentionedTexts(
            read_facts(store, mentions, records.values(), documents, passages, graph),
            texts_of_summaries(mentions),
        )
        if files:
            mentioned.keep(files, stamp)
    summary_rows, summary_vectors = _summaries(store, mentioned.summaries, records)
    snapshot = Snapshot(
        workspace=store.workspace,
        version=version,
        documents=documents,
        turns=turns,
        passages=passages,
        passage_vectors=store.vectors(VectorKind.PASSAGE, [p.id for p in passages]),
        records=records,
        graph=graph,
        summary_rows=summary_rows,
        summary_vectors=summary_vectors,
        facts=mentioned.facts,
    )
    return without_deleted(snapshot, store)


def _summaries(
    store: VectorStore, of_mentions: Mapping[str, str], records: Mapping[str, RelationRecord]
) -> tuple[dict[str, int], Vectors]:
    """The row of each summary's vector, and the vectors; a summary of two names has the vector of
    the first.
    """
    vectors: list[Vectors] = []
    rows: dict[str, int] = {}
    newest_first = reversed(list(records.values()))
    of_records = {r.summary: text_id(record_text(r)) for r in newest_first if r.summary}
    for kind, ids in ((VectorKind.MENTION, of_mentions), (VectorKind.RECORD, of_records)):
        embedded = set(store.vector_ids(kind))
        new = [summary for summary, id_ in ids.items() if id_ in embedded and summary not in rows]
        rows |= {summary: row for row, summary in enumerate(new, start=len(rows))}
        vectors.append(store.vectors(kind, [ids[summary] for summary in new]))
    return rows, np.concatenate([v for v in vectors if len(v)] or vectors[:1])
