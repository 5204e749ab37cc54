"""Homonyms: one name that stands for two things. A person states in which documents a key stands
for the other one (an Edit of kind sense).

Records stay as they were extracted; where they are read, the key of those documents is replaced by
one of its own, "mercury (the planet)", which no name can have. Embedded texts keep the name as it
was spoken.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dynagrag.core.schema import Document, Edit, EditKind, Mention, RelationRecord
from dynagrag.graph_store.derived.canonical import effective_edits, scoped_keys

Senses = Mapping[tuple[str, str], str]
"""(document id, key) -> the key that it stands for there."""


def documents_text(uris: Iterable[str]) -> str:
    """The documents of a sense edit, as its `what` has them. By uri, so that a new version of a
    file has the sense of the old.
    """
    return json.dumps(sorted(set(uris)), ensure_ascii=False)


def documents_of(edit: Edit) -> tuple[str, ...]:
    """The uris of a sense edit; none where its `what` doesn't read back."""
    try:
        uris = json.loads(edit.what)
    except ValueError:
        return ()
    return tuple(u for u in uris if isinstance(u, str)) if isinstance(uris, list) else ()


def read_senses(edits: Iterable[Edit], documents: Mapping[str, Document]) -> Senses:
    """The senses that hold among these documents; of two edits of the same key and document the
    later holds.
    """
    stated = [e for e in effective_edits(edits) if e.kind is EditKind.SENSE]
    if not stated:
        return {}
    by_uri: dict[str, list[str]] = {}
    for document in documents.values():
        by_uri.setdefault(document.uri, []).append(document.id)
    senses: dict[tuple[str, str], str] = {}
    for edit in stated:
        scoped = dict(zip(edit.keys, scoped_keys(edit), strict=True))
        for uri in documents_of(edit):
            for id_ in by_uri.get(uri, ()):
                senses.update({(id_, key): other for key, other in scoped.items()})
    return senses


def mentions_in_senses(mentions: Sequence[Mention], senses: Senses) -> list[Mention]:
    """The mentions under the keys that they stand for. Applied twice it changes nothing more."""
    if not senses:
        return list(mentions)
    return [
        replace(m, key=senses[m.document_id, m.key]) if (m.document_id, m.key) in senses else m
        for m in mentions
    ]


def records_in_senses(records: Iterable[RelationRecord], senses: Senses) -> list[RelationRecord]:
    """The relation records likewise."""
    if not senses:
        return list(records)
    changed = []
    for record in records:
        head = senses.get((record.document_id, record.head), record.head)
        tail = senses.get((record.document_id, record.tail), record.tail)
        is_same = (head, tail) == (record.head, record.tail)
        changed.append(record if is_same else replace(record, head=head, tail=tail))
    return changed
