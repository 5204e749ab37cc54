"""The nouns as rows of the embedded store, and back. Column orders are those of the SELECTs here; a
tuple is a JSON array.
"""

import json
import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from dynagrag.core.schema import (
    Document,
    Edit,
    EditKind,
    Entity,
    Flag,
    Mention,
    MentionKind,
    Merge,
    Passage,
    Relation,
    RelationRecord,
    Turn,
)

Row = tuple[Any, ...]
IDS_AT_ONCE = 500
"""How many ids one statement takes as parameters."""

COLUMNS: dict[str, tuple[str, ...]] = {
    "documents": ("id", "title", "uri", "sha256", "text", "meta"),
    "turns": ("id", "document_id", "idx", "start", "stop", "speaker", "start_s", "end_s"),
    "passages": ("id", "document_id", "idx", "start", "stop", "first_turn", "last_turn"),
    "mentions": (
        *(
            "id",
            "extraction",
            "document_id",
            "chunk_start",
            "chunk_end",
            "passage_ids",
            "name",
            "key",
            "type",
            "summary",
            "kind",
        ),
        *("extractor", "flags"),
    ),
    "relation_records": (
        *(
            "id",
            "extraction",
            "document_id",
            "chunk_start",
            "chunk_end",
            "passage_id",
            "head",
            "tail",
            "label",
            "summary",
            "quote_start",
        ),
        *("quote_end", "turn_index", "extractor"),
    ),
    "edits": ("id", "kind", "keys", "name", "what", "by", "at"),
    "merges": ("id", "position", "members", "canonical", "rule", "saw"),
    "label_merges": ("id", "position", "canonical", "inverted", "rule"),
    "entities": (
        "id",
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
    "relations": ("id", "head", "tail", "label", "weight", "support", "summaries", "record_ids"),
}


def upsert(table: str) -> str:
    """Inserts a row, or replaces the one with its id if any column differs; an equal row counts as
    no change.
    """
    columns = COLUMNS[table]
    rest = columns[1:]
    ours, theirs = ", ".join(f"{table}.{c}" for c in rest), ", ".join(f"excluded.{c}" for c in rest)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) ON"
        f" CONFLICT (id) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in rest)} WHERE"
        f" ({ours}) IS NOT ({theirs})"
    )


def select(table: str, rest: str = "") -> str:
    """All of a table's columns."""
    return f"SELECT {', '.join(f'{table}.{c}' for c in COLUMNS[table])} FROM {table} {rest}"


def packed(texts: Sequence[str]) -> str:
    """A tuple of texts as JSON."""
    return json.dumps(list(texts), ensure_ascii=False)


def unpacked(text: str) -> tuple[str, ...]:
    """And back."""
    if text == "[]":
        return ()
    if text.count('"') == 2 and "\\" not in text:
        return (text[2:-2],)  # one text: most tuples are
    return tuple(json.loads(text))


@cache
def _kind_and_flags(kind: str, flags: str) -> tuple[MentionKind, tuple[Flag, ...]]:
    """There are a few dozen pairs."""
    return MentionKind(kind), tuple(map(Flag, unpacked(flags)))


def joined(text: str) -> str:
    """A packed tuple's texts in one line, for search."""
    return " ".join(unpacked(text))


def document_row(d: Document) -> Row:
    """The workspace is the file's."""
    return (
        d.id,
        d.title,
        d.uri,
        d.sha256,
        d.text,
        json.dumps(dict(d.meta), ensure_ascii=False, sort_keys=True),
    )


def document(row: Row, workspace: str) -> Document:
    """And back."""
    id_, title, uri, sha256, text, meta = row
    return Document(id_, workspace, title, uri, sha256, text, json.loads(meta))


def turn_row(t: Turn) -> Row:
    """A turn."""
    return (t.id, t.document_id, t.index, t.start, t.end, t.speaker, t.start_s, t.end_s)


def turn(row: Row) -> Turn:
    """And back."""
    return Turn(*row)


def passage_row(p: Passage) -> Row:
    """A passage."""
    return (p.id, p.document_id, p.index, p.start, p.end, p.first_turn, p.last_turn)


def passage(row: Row) -> Passage:
    """And back."""
    return Passage(*row)


def mention_row(m: Mention, extraction: int) -> Row:
    """A mention of the extraction with this row number."""
    place = (m.id, extraction, m.document_id, m.chunk_start, m.chunk_end, packed(m.passage_ids))
    return (
        *place,
        m.name,
        m.key,
        m.type,
        m.summary,
        m.kind.value,
        m.extractor,
        packed([f.value for f in m.flags]),
    )


def mention(row: Row) -> Mention:
    """And back."""
    id_, _, document_id, start, end, passages, name, key, type_, summary, kind, extractor, flags = (
        row
    )
    own_kind, own_flags = _kind_and_flags(kind, flags)
    return Mention(
        id_,
        document_id,
        start,
        end,
        unpacked(passages),
        name,
        key,
        type_,
        summary,
        own_kind,
        extractor,
        own_flags,
    )


def record_row(r: RelationRecord, extraction: int) -> Row:
    """A relation record of the extraction with this row number."""
    place = (r.id, extraction, r.document_id, r.chunk_start, r.chunk_end, r.passage_id)
    return (
        *place,
        r.head,
        r.tail,
        r.label,
        r.summary,
        r.quote_start,
        r.quote_end,
        r.turn_index,
        r.extractor,
    )


def record(row: Row) -> RelationRecord:
    """And back."""
    return RelationRecord(row[0], *row[2:])


def edit_row(e: Edit) -> Row:
    """An edit."""
    return (e.id, e.kind.value, packed(e.keys), e.name, e.what, e.by, e.at)


def edit(row: Row) -> Edit:
    """And back."""
    id_, kind, keys, name, what, by, at = row
    return Edit(id_, EditKind(kind), unpacked(keys), name, what, by, at)


def merge_row(m: Merge, position: int) -> Row:
    """A merge in its place."""
    return (m.id, position, packed(m.members), m.canonical, m.rule, m.saw)


def merge(row: Row) -> Merge:
    """And back."""
    id_, _, members, canonical, rule, saw = row
    return Merge(id_, unpacked(members), canonical, rule, saw)


def entity_row(e: Entity, passages: Sequence[str]) -> Row:
    """An entity with the passages that hold it."""
    names = (e.id, e.key, e.name, e.sense, packed(e.keys), packed(e.aliases))
    return (*names, e.type, e.weight, packed(e.summaries), int(e.is_speaker), packed(passages))


def entity(row: Row) -> tuple[Entity, tuple[str, ...]]:
    """And back."""
    id_, key, name, sense, keys, aliases, type_, weight, summaries, is_speaker, passages = row
    made = Entity(
        id_,
        key,
        name,
        sense,
        unpacked(keys),
        unpacked(aliases),
        type_,
        weight,
        unpacked(summaries),
        bool(is_speaker),
    )
    return made, unpacked(passages)


def relation_row(r: Relation) -> Row:
    """A relation."""
    return (
        r.id,
        r.head,
        r.tail,
        r.label,
        r.weight,
        r.support,
        packed(r.summaries),
        packed(r.record_ids),
    )


def relation(row: Row) -> Relation:
    """And back."""
    id_, head, tail, label, weight, support, summaries, record_ids = row
    return Relation(
        id_, head, tail, label, weight, support, unpacked(summaries), unpacked(record_ids)
    )


def by_id(sqlite: sqlite3.Connection, table: str, ids: list[str]) -> list[Row]:
    """The rows of these ids that are there, in any order."""
    found: list[Row] = []
    for start in range(0, len(ids), IDS_AT_ONCE):
        some = ids[start : start + IDS_AT_ONCE]
        found += sqlite.execute(
            select(table, f"WHERE id IN ({', '.join('?' * len(some))})"), some
        ).fetchall()
    return found
