"""Transactions that change records in Neo4j. Each compares signatures first, writes only rows that
differ, and returns whether any did.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.core.schema import Document, Edit, Passage, Turn
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store.cypher import record_statements

if TYPE_CHECKING:
    from neo4j import Transaction

_ROWS_AT_ONCE = 2_000
Written = tuple[str, str, str, rows.Row]
"""(label, uid, signature, row) of a node that was written."""


@dataclass(frozen=True, slots=True)
class RecordChange:
    """The effect of a transaction: whether anything changed, and the rows that were written."""

    is_change: bool
    written: tuple[Written, ...] = ()

    def __bool__(self) -> bool:
        return self.is_change


def put_document(
    tx: "Transaction",
    workspace: str,
    document: Document,
    turns: Sequence[Turn],
    passages: Sequence[Passage],
) -> RecordChange:
    """Stores a document, or replaces its turns and passages; speakers heard in passages that go, go
    with them.
    """
    row = rows.document_row(document)
    sig = rows.signature(row)
    found = tx.run(record_statements.SIGNATURE_OF_DOCUMENT, document=document.id).single()
    is_new = found is None
    parts = {
        r["uid"]: r["sig"]
        for r in tx.run(record_statements.SIGNATURES_OF_PARTS, document=document.id)
    }
    turn_rows = [_node("Turn", workspace, rows.turn_row(t), {"name": t.speaker}) for t in turns]
    captions = rows.passage_captions(passages, document, turns)
    passage_rows = [
        _node("Passage", workspace, rows.passage_row(p), captions[p.id]) for p in passages
    ]
    wanted = {node["uid"] for node in (*turn_rows, *passage_rows)}
    new_turns = [node for node in turn_rows if parts.get(node["uid"]) != node["props"]["sig"]]
    new_passages = [node for node in passage_rows if parts.get(node["uid"]) != node["props"]["sig"]]
    stale = [uid for uid in parts if uid not in wanted]
    spans = {(p.start, p.end) for p in passages}
    splits = [
        x["uid"]
        for x in _extractions(tx, workspace, document.id)
        if x["extractor"] == SPLIT_EXTRACTOR and (x["start"], x["stop"]) not in spans
    ]
    is_changed = is_new or (found is not None and found["sig"] != sig)
    if not (is_changed or new_turns or new_passages or stale or splits):
        return RecordChange(False)
    if is_changed:
        props = {
            **rows.properties("Document", row),
            "name": document.title,
            "ws": workspace,
            "sig": sig,
        }
        tx.run(record_statements.PUT_DOCUMENT, uid=document.id, props=props)
    _each(tx, record_statements.DELETE_EXTRACTIONS, "uids", splits)
    _each(tx, record_statements.DELETE_TURNS, "uids", stale)
    _each(tx, record_statements.DELETE_PASSAGES, "uids", stale)
    _each(tx, record_statements.PUT_TURNS, "rows", new_turns, document=document.id)
    _each(tx, record_statements.PUT_PASSAGES, "rows", new_passages, document=document.id)
    if new_passages or stale:
        ordered = [p.id for p in sorted(passages, key=lambda p: p.index)]
        tx.run(record_statements.UNCHAIN_PASSAGES, document=document.id)
        _each(
            tx,
            record_statements.CHAIN_PASSAGES,
            "pairs",
            [list(pair) for pair in itertools.pairwise(ordered)],
        )
        if not is_new:
            tx.run(record_statements.RELINK_MENTIONS, document=document.id)
            tx.run(record_statements.RELINK_RELATION_RECORDS, document=document.id)
    return RecordChange(True, (*_written("Turn", new_turns), *_written("Passage", new_passages)))


def put_extractions(
    tx: "Transaction", workspace: str, extractions: Sequence[Extraction], texts: dict[str, str]
) -> RecordChange:
    """Replaces live extractions, in the order given where they overlap each other. `texts`: of
    documents already read, added to.
    """
    ids = list({e.document_id for e in extractions})
    known = {
        r["uid"]: r["text"]
        for r in tx.run(
            record_statements.KNOWN_DOCUMENTS,
            ws=workspace,
            uids=ids,
            known=[i for i in ids if i in texts],
        )
    }
    texts.update((uid, text) for uid, text in known.items() if text is not None)
    for extraction in extractions:
        if extraction.document_id not in known:
            raise StoreError(
                f"document {extraction.document_id} is not stored; put it before its extractions"
            )
    groups = [[e] for e in extractions] if _overlap(extractions) else [list(extractions)]
    made = [_put_apart(tx, workspace, group, texts) for group in groups]
    return RecordChange(any(made), tuple(row for change in made for row in change.written))


def _put_apart(
    tx: "Transaction", workspace: str, extractions: Sequence[Extraction], texts: Mapping[str, str]
) -> RecordChange:
    """Puts extractions none of which overlaps another."""
    nodes = [
        _node("Extraction", workspace, rows.extraction_row(e), {"name": e.extractor})
        for e in extractions
    ]
    uids = [node["uid"] for node in nodes]
    places = [
        {"document": e.document_id, "start": e.start, "stop": e.end}
        for e in extractions
        if e.extractor != SPLIT_EXTRACTOR
    ]
    stale: list[str] = []
    if places:
        overlapping = [r["uid"] for r in tx.run(record_statements.OVERLAPPING, rows=places)]
        stale = [uid for uid in overlapping if uid not in set(uids)]
    there = {r["uid"]: r["sig"] for r in tx.run(record_statements.EXISTING_EXTRACTIONS, uids=uids)}
    records = (
        {
            r["uid"]: (r["sig"], r["is_mention"])
            for r in tx.run(record_statements.RECORDS_OF_EXTRACTIONS, uids=list(there))
        }
        if there
        else {}
    )
    mentions = [
        {**_node("Mention", workspace, rows.mention_row(m), {"name": m.name}), "extraction": uid}
        for uid, e in zip(uids, extractions, strict=True)
        for m in e.mentions
    ]
    relations = [
        {
            **_node(
                "RelationRecord",
                workspace,
                rows.record_row(r),
                rows.record_caption(r, texts[r.document_id]),
            ),
            "extraction": uid,
        }
        for uid, e in zip(uids, extractions, strict=True)
        for r in e.relations
    ]
    wanted = {node["uid"] for node in (*mentions, *relations)}
    new_nodes = [node for node in nodes if there.get(node["uid"]) != node["props"]["sig"]]
    new_mentions = [n for n in mentions if records.get(n["uid"], ("",))[0] != n["props"]["sig"]]
    new_relations = [n for n in relations if records.get(n["uid"], ("",))[0] != n["props"]["sig"]]
    gone = {uid: is_mention for uid, (_, is_mention) in records.items() if uid not in wanted}
    if not (stale or new_nodes or new_mentions or new_relations or gone):
        return RecordChange(False)
    _each(tx, record_statements.DELETE_EXTRACTIONS, "uids", stale)
    gone_mentions = [uid for uid, is_mention in gone.items() if is_mention]
    gone_relations = [uid for uid, is_mention in gone.items() if not is_mention]
    _each(tx, record_statements.DELETE_MENTIONS, "uids", gone_mentions)
    _each(tx, record_statements.DELETE_RELATION_RECORDS, "uids", gone_relations)
    _each(tx, record_statements.PUT_EXTRACTIONS, "rows", new_nodes)
    _each(tx, record_statements.PUT_MENTIONS, "rows", new_mentions)
    _each(tx, record_statements.PUT_RELATION_RECORDS, "rows", new_relations)
    return RecordChange(
        True, (*_written("Mention", new_mentions), *_written("RelationRecord", new_relations))
    )


def drop_extractions(
    tx: "Transaction",
    workspace: str,
    document_id: str,
    keep_spans: Iterable[tuple[int, int]],
    extractor: str,
) -> int:
    """Drops live extractions of another span or extractor; how many."""
    keep = set(keep_spans)
    gone = [
        x["uid"]
        for x in _extractions(tx, workspace, document_id)
        if x["extractor"] != SPLIT_EXTRACTOR
        and (x["extractor"] != extractor or (x["start"], x["stop"]) not in keep)
    ]
    _each(tx, record_statements.DELETE_EXTRACTIONS, "uids", gone)
    return len(gone)


def delete_document(tx: "Transaction", workspace: str, document_id: str) -> bool:
    """Deletes a document with all its parts and records; whether it was there."""
    row = tx.run(record_statements.DELETE_DOCUMENT, ws=workspace, document=document_id).single(
        strict=True
    )
    return bool(row["num"])


def put_edit(tx: "Transaction", workspace: str, edit: Edit) -> bool:
    """Stores a person's correction."""
    row = rows.edit_row(edit)
    uid, sig = rows.scoped_uid(workspace, "Edit", edit.id), rows.signature(row)
    found = tx.run(record_statements.SIGNATURE_OF_EDIT, uid=uid).single()
    if found is not None and found["sig"] == sig:
        return False
    tx.run(
        record_statements.PUT_EDIT,
        uid=uid,
        props={**rows.properties("Edit", row), "id": edit.id, "ws": workspace, "sig": sig},
    )
    return True


def drop_edits(tx: "Transaction", workspace: str, ids: Iterable[str]) -> int:
    """Deletes edits; how many were there."""
    uids = [rows.scoped_uid(workspace, "Edit", id_) for id_ in ids]
    return int(tx.run(record_statements.DELETE_EDITS, uids=uids).single(strict=True)["num"])


def _node(label: str, workspace: str, row: rows.Row, caption: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the statements take it; the caption is part of the signature, since it may change
    alone.
    """
    shown = (json.dumps(caption, sort_keys=True),) if caption else ()
    sig = rows.signature(row, *shown)
    props = {**caption, **rows.properties(label, row), "ws": workspace, "sig": sig}
    return {"uid": row[0], "props": props}


def _written(label: str, nodes: Iterable[Mapping[str, Any]]) -> list[Written]:
    """The rows that a transaction wrote, for the local copy."""
    return [
        (
            label,
            node["uid"],
            node["props"]["sig"],
            [node["uid"], *(node["props"][c] for c in rows.COLUMNS[label][1:])],
        )
        for node in nodes
    ]


def _extractions(tx: "Transaction", workspace: str, document_id: str) -> list[Mapping[str, Any]]:
    return [
        dict(r)
        for r in tx.run(record_statements.EXTRACTIONS_OF, document=document_id, ws=workspace)
    ]


def _overlap(extractions: Sequence[Extraction]) -> bool:
    """Whether any two of them, the splitter's aside, overlap, or two of the splitter's have one
    span.
    """
    ordered = sorted(
        (e.document_id, e.extractor == SPLIT_EXTRACTOR, e.start, e.end) for e in extractions
    )
    for one, following in itertools.pairwise(ordered):
        _, is_split, _, stop = one
        if one[:2] == following[:2] and (
            one == following or (not is_split and following[2] < stop)
        ):
            return True
    return False


def _each(
    tx: "Transaction", statement: LiteralString, name: str, values: Sequence[Any], **more: Any
) -> None:
    for some in batches(values, _ROWS_AT_ONCE):
        tx.run(statement, {name: some, **more}).consume()


def batches(values: Sequence[Any], size: int) -> Iterator[list[Any]]:
    """Consecutive lists of at most `size`."""
    for start in range(0, len(values), size):
        yield list(values[start : start + size])
