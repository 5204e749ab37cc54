"""Filters by document, speaker and time: a smaller snapshot, whose entities, weights, relations and
evidence come from the records inside alone. Of a passage that reaches over the bounds each run of
turns inside is a passage of its own, with the vector of the whole.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, groupby

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
_MAX_NAMED = 20
"""Speakers that an error names, the nearest first."""
_MIN_ID_DIGITS = 8
"""How long an id's beginning must be to name a document."""
_BLANKS = re.compile(r"\s+")


def apply_filters(snapshot: Snapshot, store: GraphStore, filters: Filters) -> Snapshot:
    """The part of a snapshot inside the filters; the snapshot itself when there are none.

    Raises UsageError when a document or speaker is named that the workspace doesn't have.
    """
    if filters.is_empty:
        return snapshot
    view = FilteredTurns.of(snapshot, filters)
    parts = {passage.id: view.parts(passage) for passage in snapshot.passages}
    rows = [row for row, p in enumerate(snapshot.passages) for _ in parts[p.id]]
    # Numbered anew: parts of one passage have places of their own in its document.
    inside = chain.from_iterable(parts[p.id] for p in snapshot.passages)
    by_document = groupby(inside, key=lambda part: part.document_id)
    passages = [replace(p, index=i) for _, own in by_document for i, p in enumerate(own)]
    mentions = [m for m in (view.mention(m, parts) for m in store.mentions()) if m is not None]
    records = [view.placed(r, parts) for r in snapshot.records.values() if view.holds_record(r)]
    documents = {i: d for i, d in snapshot.documents.items() if i in view.turns}
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
    record_ids = chain.from_iterable(r.record_ids for r in snapshot.graph.relations)
    held = chain.from_iterable(snapshot.graph.entity_passages)
    if snapshot.records.keys() >= set(record_ids) and passages >= set(held):
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
class FilteredTurns:
    """A snapshot's turns inside its filters, by document and index; a document without any is left
    out. `is_by_turn`: whether turns are chosen by speaker or time.
    """

    snapshot: Snapshot
    turns: Mapping[str, Mapping[int, Turn]]
    is_by_turn: bool

    @classmethod
    def of(cls, snapshot: Snapshot, filters: Filters) -> "FilteredTurns":
        """The turns inside these filters. UsageError for an unknown document or speaker."""
        named = [_named_documents(snapshot, name) for name in filters.documents]
        documents = list(chain.from_iterable(named)) if named else list(snapshot.documents)
        labels = (_speaker_labels(name, snapshot) for name in filters.speakers)
        speakers = set[str]().union(*labels)
        view: dict[str, dict[int, Turn]] = {}
        for document in documents:
            for turn in snapshot.turns.get(document, ()):
                is_speaker = not speakers or (turn.speaker or "").casefold() in speakers
                if is_speaker and _is_in_time(turn, filters):
                    view.setdefault(document, {})[turn.index] = turn
        is_timed = filters.start_s is not None or filters.end_s is not None
        return cls(snapshot, view, bool(speakers) or is_timed)

    def parts(self, passage: Passage) -> tuple[Passage, ...]:
        """Each run of the passage's turns inside, in order; the passage itself where all are.

        The id of a part: that of its passage and the number of its first turn.
        """
        own = self.turns.get(passage.document_id, {})
        inside = [i for i in range(passage.first_turn, passage.last_turn + 1) if i in own]
        # Turns that follow each other have the same difference to their place among those inside.
        places = enumerate(inside)
        runs = [[i for _, i in run] for _, run in groupby(places, key=lambda row: row[1] - row[0])]
        parts = []
        for first, last in ((run[0], run[-1]) for run in runs):
            start, end = max(passage.start, own[first].start), min(passage.end, own[last].end)
            if (start, end) == (passage.start, passage.end):
                return (passage,)
            if self.snapshot.text(passage.document_id, start, max(start, end)).strip():
                id_ = f"{passage.id}:{first}"
                parts.append(Passage(id_, passage.document_id, 0, start, end, first, last))
        return tuple(parts)

    def mention(self, mention: Mention, parts: Mapping[str, Sequence[Passage]]) -> Mention | None:
        """The mention with its passages inside, or None. By speaker or time, its name must be said
        in each. `parts`: by the passage that they are of.
        """
        own = chain.from_iterable(parts.get(id_, ()) for id_ in mention.passage_ids)
        ids = tuple(p.id for p in own if not self.is_by_turn or self._is_in(mention, p))
        return replace(mention, passage_ids=ids) if ids else None

    def _is_in(self, mention: Mention, part: Passage) -> bool:
        """Whether a part of a passage holds words of the mention's chunk, and its name, or is its
        speaker's.
        """
        start, end = max(part.start, mention.chunk_start), min(part.end, mention.chunk_end)
        words = _BLANKS.sub(" ", self.snapshot.text(part.document_id, start, max(start, end)))
        if mention.kind is MentionKind.SAID:
            return _BLANKS.sub(" ", mention.name).casefold() in words.casefold()
        own = self.turns[part.document_id]
        turns = (own.get(index) for index in range(part.first_turn, part.last_turn + 1))
        names = (" ".join((turn.speaker or "").split()) for turn in turns if turn is not None)
        return bool(words) and mention.name in names

    def placed(
        self, record: RelationRecord, parts: Mapping[str, Sequence[Passage]]
    ) -> RelationRecord:
        """The record with the part of its passage that holds the turn in which its quote begins."""
        own = parts.get(record.passage_id, ())
        held = (p.id for p in own if p.first_turn <= record.turn_index <= p.last_turn)
        return replace(record, passage_id=next(held, record.passage_id))

    def holds_record(self, record: RelationRecord) -> bool:
        """Whether every turn of the record's quote is inside."""
        own = self.turns.get(record.document_id)
        if own is None:
            return False
        turns = self.snapshot.turns.get(record.document_id, ())
        last = record.turn_index
        while last + 1 < len(turns) and turns[last + 1].start < record.quote_end:
            last += 1
        return all(index in own for index in range(record.turn_index, last + 1))


def _is_in_time(turn: Turn, filters: Filters) -> bool:
    """Whether a turn begins within the time; one without a time is in no bounds."""
    if filters.start_s is None and filters.end_s is None:
        return True
    start = -math.inf if filters.start_s is None else filters.start_s
    end = math.inf if filters.end_s is None else filters.end_s
    return turn.start_s is not None and start <= turn.start_s < end


def _speaker_labels(name: str, snapshot: Snapshot) -> set[str]:
    """Labels, case-folded: the one of that name, the one that holds it, or those of whom it means:
    "Justice Kagan".
    """
    named = NamedSpeakers(snapshot)
    wanted = name.strip().casefold()
    folded = {label.casefold() for label in named.labels}
    holding = {label for label in folded if wanted and wanted in label}
    if wanted in folded:
        return {wanted}
    if len(holding) == 1:
        return holding
    if meant := named.meant_by(name if any(map(str.isupper, name)) else name.title()):
        return {label.casefold() for label in meant}

    def distance(label: str) -> tuple[bool, float, str]:
        """Those that hold the name first, then by their word that is most like it."""
        parts = (label.casefold(), *label.casefold().split())
        likeness = max(SequenceMatcher(None, wanted, part).ratio() for part in parts)
        return label.casefold() not in holding, -likeness, label

    nearest = sorted(named.labels, key=distance)
    more = f" and {len(nearest) - _MAX_NAMED} more" if len(nearest) > _MAX_NAMED else ""
    names = "; ".join(nearest[:_MAX_NAMED]) or "none"
    raise UsageError(
        f"{len(holding) or 'no'} speakers match {name!r} in workspace {snapshot.workspace!r};"
        f" known: {names}{more}"
    )


def _named_documents(snapshot: Snapshot, name: str) -> list[str]:
    """Ids of the documents of this id, path or title; else of the end of a path or the beginning of
    an id; else of the one whose title or file's name holds these words.
    """
    documents = snapshot.documents.values()
    titled = name.casefold()
    found = [d for d in documents if name in (d.id, d.uri) or titled == d.title.casefold()]
    if not found:
        begun = [d.id for d in documents if len(name) >= _MIN_ID_DIGITS and d.id.startswith(name)]
        found = [d for d in documents if d.uri.endswith("/" + name) or d.id in begun]
    part = name.strip().casefold()
    if not found and part:
        shown = {d.id: f"{d.title}\n{d.uri.rpartition('/')[2]}".casefold() for d in documents}
        found = [d for d in documents if part in shown[d.id]]
        if len(found) > 1:
            titles = ", ".join(repr(d.title) for d in found[:10])
            raise UsageError(
                f"{name!r} is a part of {len(found)} documents' titles in workspace"
                f" {snapshot.workspace!r}: {titles}"
            )
    if not found:
        titles = ", ".join(repr(d.title) for d in list(documents)[:10])
        raise UsageError(
            f"no document {name!r} in workspace {snapshot.workspace!r}; known titles:"
            f" {titles or 'none'}"
        )
    return [d.id for d in found]
