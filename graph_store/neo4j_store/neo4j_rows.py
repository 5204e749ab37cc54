"""The nouns as rows of the Neo4j store, and back: a row is a list of plain values in the order of
`COLUMNS`, each a property of a node.

The first column is the id (`uid` on the node). A row's signature tells whether what is stored
differs, without reading it whole. Properties that only people read (a caption `name`, a passage's
words) are made from the nouns when they are written, and never read back.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from dynagrag.core.ids import content_id
from dynagrag.core.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.core.schema import (
    Document,
    Edit,
    EditKind,
    Entity,
    Flag,
    LabelMerge,
    Mention,
    MentionKind,
    Merge,
    Passage,
    Relation,
    RelationRecord,
    Turn,
)

Row = list[Any]
COLUMNS: dict[str, tuple[str, ...]] = {
    "Document": ("uid", "title", "uri", "sha256", "text", "meta"),
    "Turn": ("uid", "document", "idx", "start", "stop", "speaker", "start_s", "end_s"),
    "Passage": ("uid", "document", "idx", "start", "stop", "first_turn", "last_turn"),
    "Extraction": ("uid", "document", "start", "stop", "extractor"),
    "Mention": (
        *(
            "uid",
            "document",
            "chunk_start",
            "chunk_end",
            "passages",
            "surface",
            "key",
            "type",
            "summary",
            "kind",
        ),
        *("extractor", "flags"),
    ),
    "RelationRecord": (
        *(
            "uid",
            "document",
            "chunk_start",
            "chunk_end",
            "passage",
            "head",
            "tail",
            "label",
            "summary",
        ),
        *("quote_start", "quote_end", "turn", "extractor"),
    ),
    "Edit": ("uid", "kind", "keys", "name", "what", "by", "at"),
    "Merge": ("uid", "position", "members", "canonical", "rule", "saw"),
    "LabelMerge": ("uid", "position", "canonical", "inverted", "rule"),
    "Entity": (
        "uid",
        "key",
        "name",
        "sense",
        "keys",
        "aliases",
        "type",
        "weight",
        "summaries",
        "is_speaker",
        "passages",
    ),
    "RELATES": ("uid", "head", "tail", "label", "weight", "support", "summaries", "record_ids"),
}
"""Node label (RELATES: relationship type) -> its columns. A LabelMerge's uid is the label itself, a
Mention's `surface` its name.
"""


def signature(row: Sequence[Any], *more: str) -> str:
    """24 hex digits of a row's content."""
    data = json.dumps([row, more], ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def scoped_uid(workspace: str, label: str, id_: str) -> str:
    """The uid of what has an id that other workspaces may have too: edits and merges."""
    return content_id("neo4j", workspace, label, id_)


def properties(label: str, row: Row) -> dict[str, Any]:
    """A row as the node's properties; `uid` is left to the statement."""
    return dict(zip(COLUMNS[label][1:], row[1:], strict=True))


def document_row(d: Document) -> Row:
    """The workspace is the node's `ws`."""
    return [
        d.id,
        d.title,
        d.uri,
        d.sha256,
        d.text,
        json.dumps(dict(d.meta), ensure_ascii=False, sort_keys=True),
    ]


def document(row: Row, workspace: str) -> Document:
    """And back."""
    uid, title, uri, sha256, text, meta = row
    return Document(uid, workspace, title, uri, sha256, text, json.loads(meta))


def turn_row(t: Turn) -> Row:
    """A turn."""
    return [t.id, t.document_id, t.index, t.start, t.end, t.speaker, t.start_s, t.end_s]


def turn(row: Row) -> Turn:
    """And back."""
    return Turn(*row)


def passage_row(p: Passage) -> Row:
    """A passage."""
    return [p.id, p.document_id, p.index, p.start, p.end, p.first_turn, p.last_turn]


def passage(row: Row) -> Passage:
    """And back."""
    return Passage(*row)


def extraction_row(e: Extraction) -> Row:
    """An extraction's span; its id is that of the document, of the span, and of whether the
    splitter made it.
    """
    is_split = int(e.extractor == SPLIT_EXTRACTOR)
    return [
        content_id("extraction", e.document_id, is_split, e.start, e.end),
        e.document_id,
        e.start,
        e.end,
        e.extractor,
    ]


def mention_row(m: Mention) -> Row:
    """A mention."""
    place = [m.id, m.document_id, m.chunk_start, m.chunk_end, list(m.passage_ids)]
    return [
        *place,
        m.name,
        m.key,
        m.type,
        m.summary,
        m.kind.value,
        m.extractor,
        [f.value for f in m.flags],
    ]


def mention(row: Row) -> Mention:
    """And back."""
    uid, document_id, start, end, passages, name, key, type_, summary, kind, extractor, flags = row
    return Mention(
        *(
            uid,
            document_id,
            start,
            end,
            tuple(passages),
            name,
            key,
            type_,
            summary,
            MentionKind(kind),
            extractor,
        ),
        flags=tuple(Flag(f) for f in flags),
    )


def record_row(r: RelationRecord) -> Row:
    """A relation record."""
    place = [r.id, r.document_id, r.chunk_start, r.chunk_end, r.passage_id]
    return [
        *place,
        r.head,
        r.tail,
        r.label,
        r.summary,
        r.quote_start,
        r.quote_end,
        r.turn_index,
        r.extractor,
    ]


def record(row: Row) -> RelationRecord:
    """And back."""
    return RelationRecord(*row)


def edit_row(e: Edit) -> Row:
    """An edit, under its own id."""
    return [e.id, e.kind.value, list(e.keys), e.name, e.what, e.by, e.at]


def edit(row: Row) -> Edit:
    """And back."""
    uid, kind, keys, name, what, by, at = row
    return Edit(uid, EditKind(kind), tuple(keys), name, what, by, at)


def merge_row(m: Merge, position: int) -> Row:
    """A merge in its place."""
    return [m.id, position, list(m.members), m.canonical, m.rule, m.saw]


def merge(row: Row) -> Merge:
    """And back."""
    uid, _, members, canonical, rule, saw = row
    return Merge(uid, tuple(members), canonical, rule, saw)


def label_merge_row(m: LabelMerge, position: int) -> Row:
    """A merged label in its place."""
    return [m.label, position, m.canonical, m.inverted, m.rule]


def label_merge(row: Row) -> LabelMerge:
    """And back."""
    label, _, canonical, inverted, rule = row
    return LabelMerge(label, canonical, inverted, rule)


def entity_row(e: Entity, passages: Sequence[str]) -> Row:
    """An entity with the passages that hold it."""
    names = [e.id, e.key, e.name, e.sense, list(e.keys), list(e.aliases)]
    return [*names, e.type, e.weight, list(e.summaries), e.is_speaker, list(passages)]


def entity(row: Row) -> tuple[Entity, tuple[str, ...]]:
    """And back."""
    uid, key, name, sense, keys, aliases, type_, weight, summaries, is_speaker, passages = row
    made = Entity(
        uid,
        key,
        name,
        sense,
        tuple(keys),
        tuple(aliases),
        type_,
        weight,
        tuple(summaries),
        is_speaker,
    )
    return made, tuple(passages)


def relation_row(r: Relation) -> Row:
    """A relation."""
    return [
        r.id,
        r.head,
        r.tail,
        r.label,
        r.weight,
        r.support,
        list(r.summaries),
        list(r.record_ids),
    ]


def relation(row: Row) -> Relation:
    """And back."""
    uid, head, tail, label, weight, support, summaries, record_ids = row
    return Relation(uid, head, tail, label, weight, support, tuple(summaries), tuple(record_ids))


# ---------------------------------------------------------------------------- what only people read


def passage_captions(
    passages: Sequence[Passage], document: Document, turns: Sequence[Turn]
) -> dict[str, Mapping[str, Any]]:
    """The captions of passages for people in Neo4j Browser: the words, who begins it and when."""
    by_index = {t.index: t for t in turns}
    captions: dict[str, Mapping[str, Any]] = {}
    for p in passages:
        first = by_index.get(p.first_turn)
        speaker, start_s = (first.speaker, first.start_s) if first else (None, None)
        who = f"{speaker}, " if speaker else ""
        captions[p.id] = {
            "name": f"{who}{document.title} #{p.index + 1}",
            "text": document.text[p.start : p.end],
            "speaker": speaker,
            "start_s": start_s,
        }
    return captions


def record_caption(record: RelationRecord, text: str) -> Mapping[str, Any]:
    """The caption of a relation record for people: the triple, and the source's own words."""
    return {
        "name": f"{record.head} {record.label} {record.tail}",
        "quote": text[record.quote_start : record.quote_end],
    }
