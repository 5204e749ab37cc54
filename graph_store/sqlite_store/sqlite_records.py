"""The embedded store's records: documents, turns, passages, extractions, edits and notes."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.core.schema import (
    Document,
    Edit,
    Mention,
    Passage,
    Records,
    RelationRecord,
    Turn,
    VectorKind,
)
from dynagrag.graph_store import rules
from dynagrag.graph_store.sqlite_store import sqlite_rows as rows
from dynagrag.graph_store.sqlite_store import sqlite_state as states
from dynagrag.graph_store.sqlite_store.sqlite_base import SqliteStoreBase
from dynagrag.graph_store.stepping import stepped

_BY_DOCUMENT = (
    "JOIN documents ON documents.id = document_id {where} ORDER BY documents.title,"
    " documents.id, idx"
)


class SqliteRecordStore(SqliteStoreBase):
    """Implements `dynagrag.core.protocols.RecordStore`."""

    def put_document(
        self, document: Document, turns: Sequence[Turn], passages: Sequence[Passage]
    ) -> None:
        """Stores a document whole, or replaces its turns and passages (the vectors of passages that
        go, go with them).
        """
        rules.check_document(self._workspace, document)
        with self._changing_records() as sqlite:
            sqlite.execute(rows.upsert("documents"), rows.document_row(document))
            gone = _stale(
                sqlite,
                "SELECT id FROM passages WHERE document_id = ?",
                document.id,
                {p.id for p in passages},
            )
            sqlite.executemany("DELETE FROM passages WHERE id = ?", gone)
            sqlite.executemany(
                "DELETE FROM vectors WHERE kind = ? AND id = ?",
                [(VectorKind.PASSAGE.value, id_) for (id_,) in gone],
            )
            gone = _stale(
                sqlite,
                "SELECT id FROM turns WHERE document_id = ?",
                document.id,
                {t.id for t in turns},
            )
            sqlite.executemany("DELETE FROM turns WHERE id = ?", gone)
            spans = {(p.start, p.end) for p in passages}
            found = sqlite.execute(
                "SELECT id, start, stop FROM extractions WHERE document_id = ? AND is_split",
                (document.id,),
            )
            stale = [(id_,) for id_, start, stop in found.fetchall() if (start, stop) not in spans]
            sqlite.executemany(
                "DELETE FROM extractions WHERE id = ?", stale
            )  # speakers heard in passages that are no more
            sqlite.executemany(rows.upsert("turns"), [rows.turn_row(t) for t in turns])
            sqlite.executemany(rows.upsert("passages"), [rows.passage_row(p) for p in passages])

    def put_extractions(self, extractions: Sequence[Extraction]) -> None:
        """Replaces the live extraction of each chunk span and of every span that overlaps it;
        `split` and the rest don't see each other.
        """
        with self._changing_records() as sqlite:
            for extraction in extractions:
                self._put_extraction(sqlite, extraction)

    def _put_extraction(self, sqlite: sqlite3.Connection, extraction: Extraction) -> None:
        is_split = extraction.extractor == SPLIT_EXTRACTOR
        place = (extraction.document_id, int(is_split), extraction.start, extraction.end)
        if not is_split:
            sqlite.execute(
                "DELETE FROM extractions WHERE document_id = ?1 AND is_split = 0 AND start < ?3 AND"
                " stop > ?2 AND NOT (start = ?2 AND stop = ?3)",
                (extraction.document_id, extraction.start, extraction.end),
            )
        found = sqlite.execute(
            "SELECT id, extractor FROM extractions WHERE document_id = ? AND is_split = ? AND start"
            " = ? AND stop = ?",
            place,
        ).fetchone()
        if found is None:
            try:
                cursor = sqlite.execute(
                    "INSERT INTO extractions (document_id, is_split, start, stop, extractor) VALUES"
                    " (?, ?, ?, ?, ?)",
                    (*place, extraction.extractor),
                )
            except sqlite3.IntegrityError as err:
                raise StoreError(
                    f"document {extraction.document_id} is not stored; put it before its"
                    " extractions"
                ) from err
            number = int(cursor.lastrowid or 0)
        else:
            number = int(found[0])
            if found[1] != extraction.extractor:
                sqlite.execute(
                    "UPDATE extractions SET extractor = ? WHERE id = ?",
                    (extraction.extractor, number),
                )
            gone = _stale(
                sqlite,
                "SELECT id FROM mentions WHERE extraction = ?",
                number,
                {m.id for m in extraction.mentions},
            )
            sqlite.executemany("DELETE FROM mentions WHERE id = ?", gone)
            gone = _stale(
                sqlite,
                "SELECT id FROM relation_records WHERE extraction = ?",
                number,
                {r.id for r in extraction.relations},
            )
            sqlite.executemany("DELETE FROM relation_records WHERE id = ?", gone)
        sqlite.executemany(
            rows.upsert("mentions"), [rows.mention_row(m, number) for m in extraction.mentions]
        )
        sqlite.executemany(
            rows.upsert("relation_records"),
            [rows.record_row(r, number) for r in extraction.relations],
        )

    def drop_extractions(
        self, document_id: str, keep_spans: Iterable[tuple[int, int]], extractor: str
    ) -> int:
        """Drops a document's live extractions (but `split`) whose span or extractor is not among
        those given; how many.
        """
        keep = set(keep_spans)
        with self._changing_records() as sqlite:
            found = sqlite.execute(
                "SELECT id, start, stop, extractor FROM extractions WHERE document_id = ? AND NOT"
                " is_split",
                (document_id,),
            )
            gone = [
                (id_,)
                for id_, start, stop, name in found
                if name != extractor or (start, stop) not in keep
            ]
            sqlite.executemany("DELETE FROM extractions WHERE id = ?", gone)
            if gone:
                states.set_state(sqlite, scrub="due")
        return len(gone)

    def delete_document(self, document_id: str) -> None:
        """Deletes a document, every record of it and its passages' vectors. Unknown id: StoreError.

        Mention and record vectors go with `keep_vectors`, the graph with `write_graph`, which then
        wipes the file's free space.
        """
        with self._changing_records() as sqlite:
            sqlite.execute(
                "DELETE FROM vectors WHERE kind = ? AND id IN (SELECT id FROM passages WHERE"
                " document_id = ?)",
                (VectorKind.PASSAGE.value, document_id),
            )
            if not sqlite.execute("DELETE FROM documents WHERE id = ?", (document_id,)).rowcount:
                raise rules.no_document(self._workspace, document_id)
            states.set_state(sqlite, scrub="due")

    def documents(self) -> tuple[Document, ...]:
        """All documents, by title then id."""
        with self._connection.read() as sqlite:
            return tuple(
                rows.document(row, self._workspace)
                for row in sqlite.execute(rows.select("documents", "ORDER BY title, id"))
            )

    def turns(self, document_id: str | None = None) -> tuple[Turn, ...]:
        """Turns in order, of one document or all (by title, then id)."""
        return tuple(rows.turn(row) for row in self._of_documents("turns", document_id))

    def passages(self, document_id: str | None = None) -> tuple[Passage, ...]:
        """Passages by document (title, id), then index."""
        return tuple(rows.passage(row) for row in self._of_documents("passages", document_id))

    def _of_documents(self, table: str, document_id: str | None) -> list[rows.Row]:
        where = "" if document_id is None else "WHERE document_id = ?"
        with self._connection.read() as sqlite:
            parameters = () if document_id is None else (document_id,)
            return sqlite.execute(
                rows.select(table, _BY_DOCUMENT.format(where=where)), parameters
            ).fetchall()

    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, by id."""
        with self._connection.read() as sqlite:
            return tuple(_mentions(sqlite))

    def relation_records(self) -> tuple[RelationRecord, ...]:
        """All relation records, by id."""
        with self._connection.read() as sqlite:
            return tuple(_relation_records(sqlite))

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        with self._connection.read() as sqlite:
            found = {
                row[0]: rows.record(row) for row in rows.by_id(sqlite, "relation_records", wanted)
            }
        return tuple(found[i] for i in wanted if i in found)

    def extractions(self, document_id: str) -> tuple[Extraction, ...]:
        """The document's live extractions with their records, `split` and empty ones included, by
        (start, end, extractor).
        """
        with self._connection.read() as sqlite:
            found = sqlite.execute(
                "SELECT id, start, stop, extractor FROM extractions WHERE document_id = ? ORDER BY"
                " start, stop, extractor",
                (document_id,),
            ).fetchall()
            mentions: dict[int, list[Mention]] = {number: [] for number, *_ in found}
            records: dict[int, list[RelationRecord]] = {number: [] for number, *_ in found}
            # by their extractions, which have an index, as document_id here has none
            of_document = (
                "WHERE extraction IN (SELECT id FROM extractions WHERE document_id = ?) ORDER BY id"
            )
            for row in sqlite.execute(rows.select("mentions", of_document), (document_id,)):
                mentions[row[1]].append(rows.mention(row))
            for row in sqlite.execute(rows.select("relation_records", of_document), (document_id,)):
                records[row[1]].append(rows.record(row))
            return tuple(
                Extraction(
                    document_id,
                    start,
                    stop,
                    extractor,
                    tuple(mentions[number]),
                    tuple(records[number]),
                )
                for number, start, stop, extractor in found
            )

    def live_spans(self, document_id: str) -> dict[tuple[int, int], str]:
        """Chunk span -> extractor of the document's live extractions, `split` left out, in order of
        span.
        """
        with self._connection.read() as sqlite:
            found = sqlite.execute(
                "SELECT start, stop, extractor FROM extractions WHERE document_id = ? AND NOT"
                " is_split ORDER BY start, stop",
                (document_id,),
            )
            return {(start, stop): extractor for start, stop, extractor in found}

    def num_chunks(self) -> int:
        """How many chunks have a live extraction."""
        with self._connection.read() as sqlite:
            return int(
                sqlite.execute("SELECT count(*) FROM extractions WHERE NOT is_split").fetchone()[0]
            )

    def put_edit(self, edit: Edit) -> None:
        """Stores a person's correction."""
        with self._changing_records() as sqlite:
            sqlite.execute(rows.upsert("edits"), rows.edit_row(edit))

    def edits(self) -> tuple[Edit, ...]:
        """All edits in order of time, then id."""
        with self._connection.read() as sqlite:
            return tuple(
                rows.edit(row) for row in sqlite.execute(rows.select("edits", "ORDER BY at, id"))
            )

    def drop_edits(self, ids: Iterable[str]) -> int:
        """Deletes edits; how many were there."""
        gone = [(id_,) for id_ in ids]
        with self._changing_records() as sqlite:
            num_gone = (
                sqlite.executemany("DELETE FROM edits WHERE id = ?", gone).rowcount if gone else 0
            )
            if num_gone:
                states.set_state(sqlite, scrub="due")
        return num_gone

    def records(self, step: Callable[[], None] = lambda: None) -> Records:
        """All records as they were at one moment: one transaction reads them."""
        with self._connection.read() as sqlite:
            version = states.value(sqlite, "records") or "0"
            # By rowid, then sorted here: the index of ids leads all over the table.
            found = sqlite.execute(rows.select("mentions"))
            mentions = sorted(stepped(map(rows.mention, found), step), key=attrgetter("id"))
            records = tuple(stepped(_relation_records(sqlite), step))
            return Records(
                version, self.documents(), self.passages(), tuple(mentions), records, self.edits()
            )

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another
        store.
        """
        with self._connection.read() as sqlite:
            return f"{states.value(sqlite, 'store')}-{states.value(sqlite, 'version') or 0}"

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nothing is gained: what is asked for is in the file."""
        yield

    def note(self, name: str) -> str:
        """A note kept with the workspace; "" for none."""
        with self._connection.read() as sqlite:
            return states.value(sqlite, f"note:{name}")

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note."""
        with self._connection.write() as sqlite:
            states.set_state(sqlite, **{f"note:{name}": value})


def _mentions(sqlite: sqlite3.Connection) -> Iterator[Mention]:
    return (rows.mention(row) for row in sqlite.execute(rows.select("mentions", "ORDER BY id")))


def _relation_records(sqlite: sqlite3.Connection) -> Iterator[RelationRecord]:
    return (
        rows.record(row) for row in sqlite.execute(rows.select("relation_records", "ORDER BY id"))
    )


def _stale(
    sqlite: sqlite3.Connection, query: str, parameter: str | int, wanted: set[str]
) -> list[tuple[str]]:
    return [(id_,) for (id_,) in sqlite.execute(query, (parameter,)) if id_ not in wanted]
