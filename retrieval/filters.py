"""Filters by document, speaker and time: a smaller snapshot, whose entities, weights, relations and
evidence come from the records inside alone. A passage that reaches over the bounds is cut to its
longest run of turns inside; it keeps its id.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
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
    cuts = [(row, view.cut(passage)) for row, passage in enumerate(snapshot.passages)]
    rows = [row for row, cut in cuts if cut is not None]
    passages = [cut for _, cut in cuts if cut is not None]
    kept = {p.id for p in passages}
    mentions = [m for m in (view.mention(m, kept) for m in store.mentions()) if m is not None]
    records = [r for r in snapshot.records.values() if view.holds_record(r)]
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

    def cut(self, passage: Passage) -> Passage | None:
        """The passage's longest run of turns inside, or None."""
        own = self.turns.get(passage.document_id, {})
        inside = [i for i in range(passage.first_turn, passage.last_turn + 1) if i in own]
        # Turns that follow each other have the same difference to their place among those inside.
        places = enumerate(inside)
        runs = [[i for _, i in run] for _, run in groupby(places, key=lambda row: row[1] - row[0])]
        if not runs:
            return None
        best = max(runs, key=lambda run: own[run[-1]].end - own[run[0]].start)
        start, end = max(passage.start, own[best[0]].start), min(passage.end, own[best[-1]].end)
        if start >= end:
            return None
        return replace(passage, start=start, end=end, first_turn=best[0], last_turn=best[-1])

    def mention(self, mention: Mention, passages: Collection[str]) -> Mention | None:
        """The mention with its passages inside, or None. By speaker or time, its name must be said
        in a turn inside.
        """
        if mention.document_id not in self.turns:
            return None
        if self.is_by_turn and not self._is_said(mention):
            return None
        inside = tuple(p for p in mention.passage_ids if p in passages)
        return replace(mention, passage_ids=inside) if inside else None

    def _is_said(self, mention: Mention) -> bool:
        """Whether a turn inside holds words of the mention's chunk, and its name, or is its
        speaker's.
        """
        own = self.turns[mention.document_id].values()
        text = self.snapshot.documents[mention.document_id].text
        spans = [(max(t.start, mention.chunk_start), min(t.end, mention.chunk_end)) for t in own]
        words = [text[start:end] for start, end in spans if start < end]
        if mention.kind is not MentionKind.SAID:
            is_speaker = any(turn.speaker and turn.speaker == mention.name for turn in own)
            return is_speaker and bool(words)
        name = _BLANKS.sub(" ", mention.name).casefold()
        return any(name in _BLANKS.sub(" ", some).casefold() for some in words)

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
