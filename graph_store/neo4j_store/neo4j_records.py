"""Neo4j's records: documents, turns, passages, extractions, edits and notes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from dynagrag.core.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.core.schema import Document, Edit, Mention, Passage, Records, RelationRecord, Turn
from dynagrag.graph_store import rules
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store import neo4j_state as states
from dynagrag.graph_store.neo4j_store import record_changes as changes
from dynagrag.graph_store.neo4j_store.cache import packed
from dynagrag.graph_store.neo4j_store.cypher import record_statements, row_statements
from dynagrag.graph_store.neo4j_store.neo4j_base import Neo4jStoreBase
from dynagrag.graph_store.neo4j_store.neo4j_state import State

_MAX_READS = 5
_MAX_TEXTS = 20
Placed = TypeVar("Placed", Turn, Passage)


class Neo4jRecordStore(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.RecordStore`."""

    def put_document(
        self, document: Document, turns: Sequence[Turn], passages: Sequence[Passage]
    ) -> None:
        """Stores a document whole, or replaces its turns and passages (the vectors of passages that
        go, go with them).
        """
        rules.check_document(self._ws, document)
        self._remember(
            self._change(
                "records",
                lambda tx, _: changes.put_document(tx, self._ws, document, turns, passages),
            )
        )

    def put_extractions(self, extractions: Sequence[Extraction]) -> None:
        """Replaces the live extraction of each chunk span and of every span that overlaps it;
        `split` and the rest don't see each other.
        """
        if extractions:
            if len(self._texts) > _MAX_TEXTS:
                self._texts.clear()
            self._remember(
                self._change(
                    "records",
                    lambda tx, _: changes.put_extractions(tx, self._ws, extractions, self._texts),
                )
            )

    def _remember(self, change: changes.RecordChange) -> None:
        """What was just written needn't be fetched back."""
        by_label: dict[str, list[changes.Written]] = {}
        for written in change.written:
            by_label.setdefault(written[0], []).append(written)
        for label, rows_of_label in by_label.items():
            self._cache.put(label, ((uid, sig, packed(row)) for _, uid, sig, row in rows_of_label))

    def drop_extractions(
        self, document_id: str, keep_spans: Iterable[tuple[int, int]], extractor: str
    ) -> int:
        """Drops a document's live extractions (but `split`) whose span or extractor is not among
        those given; how many.
        """
        keep, num = list(keep_spans), 0

        def work(tx: Any, _: State) -> bool:
            nonlocal num
            num = max(
                num, changes.drop_extractions(tx, self._ws, document_id, keep, extractor)
            )  # a replay finds them gone
            return num > 0

        self._change("records", work)
        return num

    def delete_document(self, document_id: str) -> None:
        """Deletes a document, every record of it and its passages' vectors. Unknown id:
        StoreError.
        """
        was_there = False

        def work(tx: Any, _: State) -> bool:
            nonlocal was_there
            was_there = (
                changes.delete_document(tx, self._ws, document_id) or was_there
            )  # a replay finds it gone
            return was_there

        if not self._state() or not self._change("records", work):
            raise rules.no_document(self._ws, document_id)

    def documents(self) -> tuple[Document, ...]:
        """All documents, by title then id."""
        made = (rows.document(row, self._ws) for row in self._rows("Document"))
        return tuple(sorted(made, key=lambda d: (d.title, d.id)))

    def turns(self, document_id: str | None = None) -> tuple[Turn, ...]:
        """Turns in order, of one document or all (by title, then id)."""
        found = self._rows("Turn") if document_id is None else self._rows_of("Turn", document_id)
        return self._in_order([rows.turn(row) for row in found], document_id)

    def passages(self, document_id: str | None = None) -> tuple[Passage, ...]:
        """Passages by document (title, id), then index."""
        found = (
            self._rows("Passage") if document_id is None else self._rows_of("Passage", document_id)
        )
        return self._in_order([rows.passage(row) for row in found], document_id)

    def _in_order(self, items: list[Placed], document_id: str | None) -> tuple[Placed, ...]:
        if document_id is not None:
            return tuple(sorted(items, key=lambda i: i.index))
        return _by_document(items, self.documents())

    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, by id."""
        return tuple(rows.mention(row) for row in self._rows("Mention"))

    def relation_records(self) -> tuple[RelationRecord, ...]:
        """All relation records, by id."""
        return tuple(rows.record(row) for row in self._rows("RelationRecord"))

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        found = {
            row["uid"]: rows.record(row["row"])
            for row in self._connection.read(row_statements.records_of(), uids=wanted, ws=self._ws)
        }
        return tuple(found[i] for i in wanted if i in found)

    def extractions(self, document_id: str) -> tuple[Extraction, ...]:
        """The document's live extractions with their records, `split` and empty ones included, by
        (start, end, extractor).
        """
        mentions: dict[str, list[Mention]] = {}
        records: dict[str, list[RelationRecord]] = {}
        for row in self._connection.read(
            row_statements.of_document("Mention"), document=document_id, ws=self._ws
        ):
            mentions.setdefault(row["extraction"], []).append(rows.mention(row["row"]))
        for row in self._connection.read(
            row_statements.of_document("RelationRecord"), document=document_id, ws=self._ws
        ):
            records.setdefault(row["extraction"], []).append(rows.record(row["row"]))
        made = [
            Extraction(
                *(document, start, stop, extractor),
                mentions=tuple(sorted(mentions.get(uid, []), key=lambda m: m.id)),
                relations=tuple(sorted(records.get(uid, []), key=lambda r: r.id)),
            )
            for uid, document, start, stop, extractor in self._rows_of("Extraction", document_id)
        ]
        return tuple(sorted(made, key=lambda e: (e.start, e.end, e.extractor)))

    def live_spans(self, document_id: str) -> dict[tuple[int, int], str]:
        """Chunk span -> extractor of the document's live extractions, `split` left out, in order of
        span.
        """
        found = self._connection.read(
            record_statements.EXTRACTIONS_OF, document=document_id, ws=self._ws
        )
        spans = {
            (x["start"], x["stop"]): x["extractor"]
            for x in found
            if x["extractor"] != SPLIT_EXTRACTOR
        }
        return dict(sorted(spans.items()))

    def num_chunks(self) -> int:
        """How many chunks have a live extraction."""
        return int(self._connection.read(record_statements.NUM_CHUNKS, ws=self._ws)[0]["num"])

    def put_edit(self, edit: Edit) -> None:
        """Stores a person's correction."""
        self._change("records", lambda tx, _: changes.put_edit(tx, self._ws, edit))

    def edits(self) -> tuple[Edit, ...]:
        """All edits in order of time, then id."""
        return tuple(
            sorted((rows.edit(row) for row in self._rows("Edit")), key=lambda e: (e.at, e.id))
        )

    def drop_edits(self, ids: Iterable[str]) -> int:
        """Deletes edits; how many were there."""
        gone, num = list(ids), 0

        def work(tx: Any, _: State) -> bool:
            nonlocal num
            num = max(num, changes.drop_edits(tx, self._ws, gone))  # a replay finds them gone
            return num > 0

        if gone:
            self._change("records", work)
        return num

    def records(self, step: Callable[[], None] = lambda: None) -> Records:
        """All records as they were at one moment: read again if something came in between, in the
        end with the writers held off.
        """
        for _ in range(_MAX_READS):
            made = self._records_at(self._read_state(), step)
            if states.mark(self._read_state(), "records") == made.version:
                return made
        return self._connection.write(lambda tx: self._records_at(self._lock(tx), step))

    def _records_at(self, state: State, step: Callable[[], None]) -> Records:
        with self._at(state):
            documents = self.documents()
            step()
            passages = _by_document([rows.passage(row) for row in self._rows("Passage")], documents)
            step()
            mentions = self.mentions()
            step()
            version = states.mark(state, "records")
            return Records(
                version, documents, passages, mentions, self.relation_records(), self.edits()
            )

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another
        store.
        """
        state = self._state()
        marks = ("token", "records", "vectors", "graph")
        return "-".join(state[mark][:8] for mark in marks) if state else "none"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Inside, this thread asks once for the workspace's marks, unless it writes. What is here
        under them is then read from here.
        """
        with self._at(self._state()):
            yield

    def note(self, name: str) -> str:
        """A note kept with the workspace; "" for none."""
        return str(self._state().get(f"note_{name}") or "")

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note."""
        self._write(lambda tx, _: states.set_state(tx, self._ws, **{f"note_{name}": value or None}))

    def _rows_of(self, label: str, document_id: str) -> list[rows.Row]:
        return [
            row["row"]
            for row in self._connection.read(
                row_statements.of_document(label), document=document_id, ws=self._ws
            )
        ]


def _by_document(items: Iterable[Placed], documents: Iterable[Document]) -> tuple[Placed, ...]:
    place = {d.id: i for i, d in enumerate(documents)}
    return tuple(
        sorted(
            (i for i in items if i.document_id in place),
            key=lambda i: (place[i.document_id], i.index),
        )
    )
