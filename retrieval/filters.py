"""Filters by document, speaker and time: a smaller snapshot, whose entities, weights, relations and
evidence come from the records inside alone. A passage that reaches over the bounds is cut to its
longest run of turns inside; it keeps its id.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import (
    Consolidation,
    Document,
    Filters,
    Graph,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
    Snapshot,
    Turn,
    VectorKind,
)
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.retrieval.bridge.fact_arrays import read_facts, stored_table
from dynagrag.retrieval.named_speakers import NamedSpeakers

FILTERED = "+filtered"
"""At the end of a filtered snapshot's version."""
_MAX_TOLD = 20
"""Speakers that an error names, the nearest first."""


def apply_filters(snapshot: Snapshot, store: GraphStore, filters: Filters) -> Snapshot:
    """The part of a snapshot inside the filters; the snapshot itself when there are none.

    Raises UsageError when a document or speaker is named that the workspace doesn't have.
    """
    if filters.is_empty:
        return snapshot
    inside = _Inside.of(snapshot, filters)
    passages, rows = [], []
    for row, passage in enumerate(snapshot.passages):
        cut = inside.cut(passage)
        if cut is not None:
            passages.append(cut)
            rows.append(row)
    kept = {p.id for p in passages}
    mentions = [m for m in (inside.mention(m, kept) for m in store.mentions()) if m is not None]
    records = [r for r in snapshot.records.values() if inside.holds_record(r)]
    documents = {i: d for i, d in snapshot.documents.items() if i in inside.turns}
    graph = derived_as_stored(
        store, mentions, records, documents, len(passages), store.consolidation()
    )
    return replace(
        snapshot,
        documents=documents,
        turns={i: t for i, t in snapshot.turns.items() if i in documents},
        passages=tuple(passages),
        passage_vectors=snapshot.passage_vectors[np.array(rows, dtype=np.int64)],
        records={r.id: r for r in records},
        graph=graph,
        facts=read_facts(store, mentions, records, documents, passages, graph),
        version=snapshot.version + FILTERED,
    )


def without_deleted(snapshot: Snapshot, store: GraphStore) -> Snapshot:
    """The snapshot with a graph of the records there are, where a deletion was cut short before the
    stored graph was derived again.
    """
    if store.is_derived_current():
        return snapshot
    passages = {p.id for p in store.passages()}
    is_whole = all(i in snapshot.records for r in snapshot.graph.relations for i in r.record_ids)
    if is_whole and all(i in passages for ids in snapshot.graph.entity_passages for i in ids):
        return snapshot
    mentions, records = store.mentions(), tuple(snapshot.records.values())
    graph = derived_as_stored(
        store, mentions, records, snapshot.documents, len(passages), store.consolidation()
    )
    return replace(
        snapshot,
        graph=graph,
        facts=read_facts(store, mentions, records, snapshot.documents, snapshot.passages, graph),
    )


def derived_as_stored(
    store: GraphStore,
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord],
    documents: Mapping[str, Document],
    num_passages: int,
    consolidation: Consolidation,
) -> Graph:
    """The graph of these records by the stored vectors, with zeros where there are none."""
    return derive(
        store.workspace,
        mentions,
        records,
        documents=documents,
        num_passages=num_passages,
        consolidation=consolidation,
        edits=store.edits(),
        mention_vectors=stored_table(store, VectorKind.MENTION, mention_texts(mentions)),
        record_vectors=stored_table(store, VectorKind.RECORD, record_texts(records)),
    )


@dataclass(frozen=True, slots=True)
class _Inside:
    """The turns inside the filters, by document and index."""

    turns: Mapping[str, Mapping[int, Turn]]
    all_turns: Mapping[str, Sequence[Turn]]
    texts: Mapping[str, Document]
    is_by_turn: bool

    @classmethod
    def of(cls, snapshot: Snapshot, filters: Filters) -> "_Inside":
        documents = _documents(snapshot, filters.documents)
        speakers = {label for name in filters.speakers for label in _speakers(name, snapshot)}
        turns = {}
        for document in documents:
            own = {
                t.index: t
                for t in snapshot.turns.get(document, ())
                if _is_inside(t, speakers, filters.start_s, filters.end_s)
            }
            if own:
                turns[document] = own
        is_by_turn = bool(speakers) or filters.start_s is not None or filters.end_s is not None
        return cls(turns, snapshot.turns, snapshot.documents, is_by_turn)

    def cut(self, passage: Passage) -> Passage | None:
        """The passage's longest run of turns inside, or None."""
        own = self.turns.get(passage.document_id)
        if own is None:
            return None
        runs: list[list[int]] = []
        for index in range(passage.first_turn, passage.last_turn + 1):
            if index in own:
                if runs and runs[-1][-1] == index - 1:
                    runs[-1].append(index)
                else:
                    runs.append([index])
        if not runs:
            return None
        best = max(runs, key=lambda run: own[run[-1]].end - own[run[0]].start)
        start, end = max(passage.start, own[best[0]].start), min(passage.end, own[best[-1]].end)
        return (
            replace(passage, start=start, end=end, first_turn=best[0], last_turn=best[-1])
            if start < end
            else None
        )

    def mention(self, mention: Mention, passages: set[str]) -> Mention | None:
        """The mention with its passages inside, or None. By speaker or time, its name must be said
        in a turn inside.
        """
        own = self.turns.get(mention.document_id)
        if own is None:
            return None
        if self.is_by_turn and not self._is_said(mention, own):
            return None
        inside = tuple(p for p in mention.passage_ids if p in passages)
        return replace(mention, passage_ids=inside) if inside else None

    def _is_said(self, mention: Mention, own: Mapping[int, Turn]) -> bool:
        text = self.texts[mention.document_id].text
        spans = [
            (max(t.start, mention.chunk_start), min(t.end, mention.chunk_end)) for t in own.values()
        ]
        spans = [(start, end) for start, end in spans if start < end]
        if mention.kind is not MentionKind.SAID:
            return any(t.speaker and t.speaker == mention.name for t in own.values()) and bool(
                spans
            )
        name = re.sub(r"\s+", " ", mention.name).casefold()
        return any(name in re.sub(r"\s+", " ", text[start:end]).casefold() for start, end in spans)

    def holds_record(self, record: RelationRecord) -> bool:
        """Whether every turn of the record's quote is inside."""
        own = self.turns.get(record.document_id)
        if own is None:
            return False
        turns = self.all_turns.get(record.document_id, ())
        last = record.turn_index
        while last + 1 < len(turns) and turns[last + 1].start < record.quote_end:
            last += 1
        return all(index in own for index in range(record.turn_index, last + 1))


def _speakers(name: str, snapshot: Snapshot) -> set[str]:
    """Labels, case-folded: the one of that name, the one that holds it, or those of whom it means:
    "Justice Kagan".
    """
    named = NamedSpeakers(snapshot)
    alike = {label.casefold() for label in named.labels}
    wanted = name.strip().casefold()
    holding = {label for label in alike if wanted and wanted in label}
    if wanted in alike or len(holding) == 1:
        return {wanted} if wanted in alike else holding
    if meant := named.meant_by(name if any(map(str.isupper, name)) else name.title()):
        return {label.casefold() for label in meant}
    nearest = sorted(
        named.labels,
        key=lambda label: (
            label.casefold() not in holding,
            -_likeness(wanted, label.casefold()),
            label,
        ),
    )
    more = f" and {len(nearest) - _MAX_TOLD} more" if len(nearest) > _MAX_TOLD else ""
    names = "; ".join(nearest[:_MAX_TOLD]) or "none"
    raise UsageError(
        f"{len(holding) or 'no'} speakers match {name!r} in workspace {snapshot.workspace!r};"
        f" known: {names}{more}"
    )


def _likeness(wanted: str, label: str) -> float:
    """Of a name and the word of a label that is most like it, 0 to 1."""
    return max(
        (SequenceMatcher(None, wanted, part).ratio() for part in (label, *label.split())),
        default=0.0,
    )


def _is_inside(turn: Turn, speakers: set[str], start_s: float | None, end_s: float | None) -> bool:
    if speakers and (turn.speaker is None or turn.speaker.casefold() not in speakers):
        return False
    if start_s is None and end_s is None:
        return True
    if turn.start_s is None:
        return False
    return (start_s is None or turn.start_s >= start_s) and (end_s is None or turn.start_s < end_s)


def _documents(snapshot: Snapshot, wanted: Sequence[str]) -> list[str]:
    if not wanted:
        return list(snapshot.documents)
    found: list[str] = []
    for name in wanted:
        ids = [
            i
            for i, d in snapshot.documents.items()
            if name in (i, d.uri) or name.casefold() == d.title.casefold()
        ]
        ids = ids or [
            i
            for i, d in snapshot.documents.items()
            if d.uri.endswith("/" + name) or (i.startswith(name) and len(name) >= 8)
        ]
        ids = ids or _only_like(snapshot, name)
        if not ids:
            titles = ", ".join(repr(d.title) for d in list(snapshot.documents.values())[:10])
            raise UsageError(
                f"no document {name!r} in workspace {snapshot.workspace!r}; known titles:"
                f" {titles or 'none'}"
            )
        found.extend(i for i in ids if i not in found)
    return found


def _only_like(snapshot: Snapshot, name: str) -> list[str]:
    """The one document whose title or file's name holds these words; none where no document
    does.
    """
    part = name.strip().casefold()
    like = [
        d
        for d in snapshot.documents.values()
        if part and part in f"{d.title}\n{d.uri.rpartition('/')[2]}".casefold()
    ]
    if len(like) > 1:
        titles = ", ".join(repr(d.title) for d in like[:10])
        raise UsageError(
            f"{name!r} is a part of {len(like)} documents' titles in workspace"
            f" {snapshot.workspace!r}: {titles}"
        )
    return [d.id for d in like]
