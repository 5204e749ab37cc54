"""The embedded store: one workspace in one SQLite file (storage spec, section 2). Implements `dynagrag.protocols.GraphStore`.

Every statement is fixed text; values are parameters. Every change of records, vectors or the derived view counts `meta.version` up in the
same transaction, and what changes nothing leaves it alone. After a deletion the file is rewritten once the graph is derived again.
"""

import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dynagrag.errors import StoreError
from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.sqlite_store import browse, health, rows
from dynagrag.graph_store.sqlite_store.connection import Connection
from dynagrag.graph_store.sqlite_store.vectors import keep_vectors, missing_vectors, put_vectors, read_vectors
from dynagrag.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.schema import (
    Consolidation,
    Document,
    Edit,
    EmbedderIdentity,
    Finding,
    Graph,
    LabelMerge,
    Mention,
    Neighbourhood,
    Overview,
    Passage,
    Records,
    RelationRecord,
    Turn,
    Vector,
    VectorKind,
    Vectors,
)

_BY_DOCUMENT = "JOIN documents ON documents.id = document_id {where} ORDER BY documents.title, documents.id, idx"


class SqliteStore:
    """A workspace's records and graph in a file. Thread-safe; another process may read while this one writes.

    Raises:
        StoreError: The file cannot be opened, is damaged, or holds another workspace.
        NewerStoreError: A newer version of dynagrag wrote it.
    """

    def __init__(self, path: Path, workspace: str) -> None:
        self._path = path
        self._workspace = workspace
        self._connection = Connection(path)
        self._is_closed = False
        try:
            self._claim()
        except BaseException:
            self._connection.close()
            raise

    def _claim(self) -> None:
        """Writes the workspace's name into a new file, and refuses another workspace's: ids are hashes of the name."""
        with self._connection.read() as sqlite:
            found = _meta(sqlite, "workspace")
        if found == "":
            with self._connection.write() as sqlite:
                values = {"workspace": self._workspace, "store": secrets.token_hex(4)}  # a store made anew has versions of its own
                sqlite.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", values.items())
                found = _meta(sqlite, "workspace")
        if found != self._workspace:
            raise StoreError(f"store {self._path} holds workspace {found!r}, not {self._workspace!r}; open it under its own name")

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self._workspace

    # records

    def put_document(self, document: Document, turns: Sequence[Turn], passages: Sequence[Passage]) -> None:
        """Stores a document whole, or replaces its turns and passages (the vectors of passages that go, go with them)."""
        rules.check_document(self._workspace, document)
        with self._records() as sqlite:
            sqlite.execute(rows.upsert("documents"), rows.document_row(document))
            gone = _stale(sqlite, "SELECT id FROM passages WHERE document_id = ?", document.id, {p.id for p in passages})
            sqlite.executemany("DELETE FROM passages WHERE id = ?", gone)
            sqlite.executemany("DELETE FROM vectors WHERE kind = ? AND id = ?", [(VectorKind.PASSAGE.value, id_) for (id_,) in gone])
            gone = _stale(sqlite, "SELECT id FROM turns WHERE document_id = ?", document.id, {t.id for t in turns})
            sqlite.executemany("DELETE FROM turns WHERE id = ?", gone)
            spans = {(p.start, p.end) for p in passages}
            found = sqlite.execute("SELECT id, start, stop FROM extractions WHERE document_id = ? AND is_split", (document.id,))
            stale = [(id_,) for id_, start, stop in found.fetchall() if (start, stop) not in spans]
            sqlite.executemany("DELETE FROM extractions WHERE id = ?", stale)  # speakers heard in passages that are no more
            sqlite.executemany(rows.upsert("turns"), [rows.turn_row(t) for t in turns])
            sqlite.executemany(rows.upsert("passages"), [rows.passage_row(p) for p in passages])

    def put_extractions(self, extractions: Sequence[Extraction]) -> None:
        """Replaces the live extraction of each chunk span and of every span that overlaps it; `split` and the rest don't see each other."""
        with self._records() as sqlite:
            for extraction in extractions:
                self._put_extraction(sqlite, extraction)

    def _put_extraction(self, sqlite: sqlite3.Connection, extraction: Extraction) -> None:
        is_split = extraction.extractor == SPLIT_EXTRACTOR
        place = (extraction.document_id, int(is_split), extraction.start, extraction.end)
        if not is_split:
            sqlite.execute(
                "DELETE FROM extractions WHERE document_id = ?1 AND is_split = 0 AND start < ?3 AND stop > ?2 "
                "AND NOT (start = ?2 AND stop = ?3)",
                (extraction.document_id, extraction.start, extraction.end),
            )
        found = sqlite.execute(
            "SELECT id, extractor FROM extractions WHERE document_id = ? AND is_split = ? AND start = ? AND stop = ?", place
        ).fetchone()
        if found is None:
            try:
                cursor = sqlite.execute(
                    "INSERT INTO extractions (document_id, is_split, start, stop, extractor) VALUES (?, ?, ?, ?, ?)",
                    (*place, extraction.extractor),
                )
            except sqlite3.IntegrityError as err:
                raise StoreError(f"document {extraction.document_id} is not stored; put it before its extractions") from err
            number = int(cursor.lastrowid or 0)
        else:
            number = int(found[0])
            if found[1] != extraction.extractor:
                sqlite.execute("UPDATE extractions SET extractor = ? WHERE id = ?", (extraction.extractor, number))
            gone = _stale(sqlite, "SELECT id FROM mentions WHERE extraction = ?", number, {m.id for m in extraction.mentions})
            sqlite.executemany("DELETE FROM mentions WHERE id = ?", gone)
            gone = _stale(sqlite, "SELECT id FROM relation_records WHERE extraction = ?", number, {r.id for r in extraction.relations})
            sqlite.executemany("DELETE FROM relation_records WHERE id = ?", gone)
        sqlite.executemany(rows.upsert("mentions"), [rows.mention_row(m, number) for m in extraction.mentions])
        sqlite.executemany(rows.upsert("relation_records"), [rows.record_row(r, number) for r in extraction.relations])

    def drop_extractions(self, document_id: str, keep_spans: Iterable[tuple[int, int]], extractor: str) -> int:
        """Drops a document's live extractions (but `split`) whose span or extractor is not among those given; how many."""
        keep = set(keep_spans)
        with self._records() as sqlite:
            found = sqlite.execute(
                "SELECT id, start, stop, extractor FROM extractions WHERE document_id = ? AND NOT is_split", (document_id,)
            )
            gone = [(id_,) for id_, start, stop, name in found if name != extractor or (start, stop) not in keep]
            sqlite.executemany("DELETE FROM extractions WHERE id = ?", gone)
            if gone:
                _set_meta(sqlite, scrub="due")
        return len(gone)

    def delete_document(self, document_id: str) -> None:
        """Deletes a document, every record of it and its passages' vectors. Unknown id: StoreError.

        Mention and record vectors go with `keep_vectors`, the graph with `write_graph`, which then wipes the file's free space.
        """
        with self._records() as sqlite:
            sqlite.execute(
                "DELETE FROM vectors WHERE kind = ? AND id IN (SELECT id FROM passages WHERE document_id = ?)",
                (VectorKind.PASSAGE.value, document_id),
            )
            if not sqlite.execute("DELETE FROM documents WHERE id = ?", (document_id,)).rowcount:
                raise rules.no_document(self._workspace, document_id)
            _set_meta(sqlite, scrub="due")

    def documents(self) -> tuple[Document, ...]:
        """All documents, by title then id."""
        with self._connection.read() as sqlite:
            return tuple(rows.document(row, self._workspace) for row in sqlite.execute(rows.select("documents", "ORDER BY title, id")))

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
            return sqlite.execute(rows.select(table, _BY_DOCUMENT.format(where=where)), parameters).fetchall()

    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, by id."""
        with self._connection.read() as sqlite:
            return tuple(rows.mention(row) for row in sqlite.execute(rows.select("mentions", "ORDER BY id")))

    def relation_records(self) -> tuple[RelationRecord, ...]:
        """All relation records, by id."""
        with self._connection.read() as sqlite:
            return tuple(rows.record(row) for row in sqlite.execute(rows.select("relation_records", "ORDER BY id")))

    def extractions(self, document_id: str) -> tuple[Extraction, ...]:
        """The document's live extractions with their records, `split` and empty ones included, by (start, end, extractor)."""
        with self._connection.read() as sqlite:
            found = sqlite.execute(
                "SELECT id, start, stop, extractor FROM extractions WHERE document_id = ? ORDER BY start, stop, extractor", (document_id,)
            ).fetchall()
            mentions: dict[int, list[Mention]] = {number: [] for number, *_ in found}
            records: dict[int, list[RelationRecord]] = {number: [] for number, *_ in found}
            for row in sqlite.execute(rows.select("mentions", "WHERE document_id = ? ORDER BY id"), (document_id,)):
                mentions[row[1]].append(rows.mention(row))
            for row in sqlite.execute(rows.select("relation_records", "WHERE document_id = ? ORDER BY id"), (document_id,)):
                records[row[1]].append(rows.record(row))
            return tuple(
                Extraction(document_id, start, stop, extractor, tuple(mentions[number]), tuple(records[number]))
                for number, start, stop, extractor in found
            )

    def live_spans(self, document_id: str) -> dict[tuple[int, int], str]:
        """Chunk span -> extractor of the document's live extractions, `split` left out, in order of span."""
        with self._connection.read() as sqlite:
            found = sqlite.execute(
                "SELECT start, stop, extractor FROM extractions WHERE document_id = ? AND NOT is_split ORDER BY start, stop", (document_id,)
            )
            return {(start, stop): extractor for start, stop, extractor in found}

    def num_chunks(self) -> int:
        """How many chunks have a live extraction."""
        with self._connection.read() as sqlite:
            return int(sqlite.execute("SELECT count(*) FROM extractions WHERE NOT is_split").fetchone()[0])

    def put_edit(self, edit: Edit) -> None:
        """Stores a person's correction."""
        with self._records() as sqlite:
            sqlite.execute(rows.upsert("edits"), rows.edit_row(edit))

    def edits(self) -> tuple[Edit, ...]:
        """All edits in order of time, then id."""
        with self._connection.read() as sqlite:
            return tuple(rows.edit(row) for row in sqlite.execute(rows.select("edits", "ORDER BY at, id")))

    def records(self) -> Records:
        """All records as they were at one moment: one transaction reads them."""
        with self._connection.read() as sqlite:
            version = _meta(sqlite, "records") or "0"
            return Records(version, self.documents(), self.passages(), self.mentions(), self.relation_records(), self.edits())

    # vectors

    def put_vectors(self, kind: VectorKind, ids: Sequence[str], vectors: Vectors) -> None:
        """Stores or replaces vectors (n, d). EmbedderMismatchError for another dimension than the embedder's, StoreError for NaN."""
        with self._changes() as sqlite:
            rules.check_vectors(self._workspace, _embedder(sqlite), kind, ids, vectors)
            put_vectors(sqlite, kind, ids, vectors)

    def vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked. A missing id: StoreError."""
        with self._connection.read() as sqlite:
            return read_vectors(sqlite, kind, ids, _dimension(sqlite))

    def vector_ids(self, kind: VectorKind) -> tuple[str, ...]:
        """The ids that have a vector, sorted."""
        with self._connection.read() as sqlite:
            return tuple(str(id_) for (id_,) in sqlite.execute("SELECT id FROM vectors WHERE kind = ? ORDER BY id", (kind.value,)))

    def missing_vectors(self, kind: VectorKind, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of the ids that have no vector, in order, without doubles."""
        with self._connection.read() as sqlite:
            return missing_vectors(sqlite, kind, ids)

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""
        rules.check_record_kind(kind)
        with self._changes() as sqlite:
            num_gone = keep_vectors(sqlite, kind, ids)
            if num_gone:
                _set_meta(sqlite, scrub="due")
        return num_gone

    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors these are; None before the first."""
        with self._connection.read() as sqlite:
            return _embedder(sqlite)

    def set_embedder(self, identity: EmbedderIdentity) -> None:
        """Fixes the embedder. Another name or dimension than the stored: EmbedderMismatchError, nothing written."""
        with self._changes() as sqlite:
            found = _embedder(sqlite)
            rules.check_embedder(self._workspace, found, identity)
            if found is None:
                _set_meta(sqlite, embedder_name=identity.name, embedder_dimension=str(identity.dimension))

    # derived

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it was derived from."""
        with self._connection.write() as sqlite:
            with _counted(sqlite, "version"):
                self._write_graph(sqlite, graph, consolidation)
            _set_meta(sqlite, derived_of=records.version)
        self._scrub()

    @staticmethod
    def _write_graph(sqlite: sqlite3.Connection, graph: Graph, consolidation: Consolidation) -> None:
        tables = {
            "entities": [rows.entity_row(e, p) for e, p in zip(graph.entities, graph.entity_passages, strict=True)],
            "relations": [rows.relation_row(r) for r in graph.relations],
            "merges": [rows.merge_row(m, i) for i, m in enumerate(consolidation.merges)],
            "label_merges": [(m.label, i, m.canonical, int(m.inverted), m.rule) for i, m in enumerate(consolidation.labels)],
        }
        for table, wanted in tables.items():
            _make_equal(sqlite, table, wanted)
        for kind, ids, vectors in (
            (VectorKind.ENTITY, [e.id for e in graph.entities], graph.entity_vectors),
            (VectorKind.RELATION, [r.id for r in graph.relations], graph.relation_vectors),
        ):
            keep_vectors(sqlite, kind, ids)
            if ids:
                rules.check_dimension(_meta(sqlite, "workspace"), _embedder(sqlite), vectors)
                put_vectors(sqlite, kind, ids, vectors)

    def graph(self) -> Graph:
        """The derived view as last written; empty before."""
        with self._connection.read() as sqlite:
            entities = [rows.entity(row) for row in sqlite.execute(rows.select("entities", "ORDER BY id"))]
            relations = tuple(rows.relation(row) for row in sqlite.execute(rows.select("relations", "ORDER BY id")))
            dimension = _dimension(sqlite)
            return Graph(
                entities=tuple(entity for entity, _ in entities),
                relations=relations,
                entity_vectors=read_vectors(sqlite, VectorKind.ENTITY, [entity.id for entity, _ in entities], dimension),
                relation_vectors=read_vectors(sqlite, VectorKind.RELATION, [r.id for r in relations], dimension),
                entity_passages=tuple(passages for _, passages in entities),
            )

    def consolidation(self) -> Consolidation:
        """The merges as last written."""
        with self._connection.read() as sqlite:
            merges = tuple(rows.merge(row) for row in sqlite.execute(rows.select("merges", "ORDER BY position")))
            labels = sqlite.execute(rows.select("label_merges", "ORDER BY position"))
            return Consolidation(merges, tuple(LabelMerge(label, to, bool(inverted), rule) for label, _, to, inverted, rule in labels))

    def digest(self) -> str:
        """Hash of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail key, weight, support)."""
        with self._connection.read() as sqlite:
            entities = sqlite.execute("SELECT key, sense, type, weight FROM entities").fetchall()
            relations = sqlite.execute(
                "SELECT h.key, r.label, t.key, r.weight, r.support FROM relations r "
                "JOIN entities h ON h.id = r.head JOIN entities t ON t.id = r.tail"
            ).fetchall()
        return digest_rows(entities, relations)

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another store."""
        with self._connection.read() as sqlite:
            return f"{_meta(sqlite, 'store')}-{_meta(sqlite, 'version') or 0}"

    def is_derived_current(self) -> bool:
        """Whether the derived view was written after the last change of the records."""
        with self._connection.read() as sqlite:
            return _meta(sqlite, "derived_of") == (_meta(sqlite, "records") or "0")

    # looking at the graph

    def neighbourhood(
        self,
        entity_id: str,
        *,
        num_hops: int = 1,
        fan_out: int = 25,
        max_relations: int = 200,
        min_weight: int = 1,
        timeout_s: float = 10.0,
    ) -> Neighbourhood:
        """Up to `num_hops` hops around an entity, bounded. Unknown id: StoreError."""
        with self._connection.read() as sqlite:
            return browse.neighbourhood(
                sqlite,
                entity_id,
                num_hops=num_hops,
                fan_out=fan_out,
                max_relations=max_relations,
                min_weight=min_weight,
                timeout_s=timeout_s,
            )

    def overview(self, max_entities: int = 5000, max_relations: int = 20_000) -> Overview:
        """The heaviest entities, the heaviest relations between them, and counts of the whole graph."""
        with self._connection.read() as sqlite:
            return browse.overview(sqlite, max_entities, max_relations)

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        with self._connection.read() as sqlite:
            return browse.records_of(sqlite, list(ids))

    def search_entities(self, text: str, limit: int = 20) -> tuple[tuple[str, float], ...]:
        """Entities whose name, aliases or summaries hold words of the text: (id, score 0 to 1), best first."""
        with self._connection.read() as sqlite:
            return browse.search_entities(sqlite, text, limit)

    def nearest(self, kind: VectorKind, vector: Vector, limit: int = 10) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine, exact; ties by id."""
        with self._connection.read() as sqlite:
            rules.check_search(self._workspace, _embedder(sqlite), kind, vector)
            return browse.nearest(sqlite, kind, vector, limit)

    # looking after it

    def address(self) -> str:
        """Where it is, for people."""
        return f"embedded (SQLite), {self._path}"

    def exists(self) -> bool:
        """The file is the workspace."""
        return True

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nothing is gained: what is asked for is in the file."""
        yield

    @contextmanager
    def lease(self, holder: str, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """The file lies in the workspace's folder, whose lock the caller has: nothing else is needed."""
        yield

    def health(self) -> tuple[Finding, ...]:
        """Checks version, file, indexes and records; changes nothing."""
        with self._connection.read() as sqlite:
            return tuple(health.find(sqlite))

    def repair(self) -> tuple[str, ...]:
        """Makes missing indexes, deletes orphaned rows; what was done."""
        with self._records() as sqlite:
            return tuple(health.mend(sqlite))

    def note(self, name: str) -> str:
        """A note kept with the workspace; "" for none."""
        with self._connection.read() as sqlite:
            return _meta(sqlite, f"note:{name}")

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note."""
        with self._connection.write() as sqlite:
            _set_meta(sqlite, **{f"note:{name}": value})

    def clear(self) -> None:
        """Deletes the workspace: every row goes, and the file is rewritten. What is put next makes a new one."""
        with self._connection.write() as sqlite:
            for table in (*rows.COLUMNS, "extractions", "vectors", "meta"):
                sqlite.execute(f"DELETE FROM {table}")
            _set_meta(sqlite, scrub="due")
        self._scrub()
        self._claim()

    def close(self) -> None:
        """Wipes what was deleted, if that is still due, and releases the file. Closing twice is fine."""
        if not self._is_closed:
            self._scrub()
            self._connection.close()
            self._is_closed = True

    def _scrub(self) -> None:
        with self._connection.read() as sqlite:
            is_due = _meta(sqlite, "scrub") == "due"
        if is_due and self._connection.scrub():
            with self._connection.write() as sqlite:
                _set_meta(sqlite, scrub="")

    @contextmanager
    def _changes(self) -> Iterator[sqlite3.Connection]:
        """A transaction that counts the version up if it changed anything."""
        with self._connection.write() as sqlite, _counted(sqlite, "version"):
            yield sqlite

    @contextmanager
    def _records(self) -> Iterator[sqlite3.Connection]:
        """A change of the records: the derived view is out of date if it changed anything."""
        with self._changes() as sqlite, _counted(sqlite, "records"):
            yield sqlite


@contextmanager
def _counted(sqlite: sqlite3.Connection, counter: str) -> Iterator[None]:
    """Counts a number in `meta` up if rows changed inside."""
    before = sqlite.total_changes
    yield
    if sqlite.total_changes != before:
        _set_meta(sqlite, **{counter: str(int(_meta(sqlite, counter) or 0) + 1)})


def _meta(sqlite: sqlite3.Connection, name: str) -> str:
    row = sqlite.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def _set_meta(sqlite: sqlite3.Connection, **values: str) -> None:
    sqlite.executemany("INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", values.items())


def _embedder(sqlite: sqlite3.Connection) -> EmbedderIdentity | None:
    name = _meta(sqlite, "embedder_name")
    return EmbedderIdentity(name, _dimension(sqlite)) if name else None


def _dimension(sqlite: sqlite3.Connection) -> int:
    return int(_meta(sqlite, "embedder_dimension") or 0)


def _stale(sqlite: sqlite3.Connection, query: str, parameter: str | int, wanted: set[str]) -> list[tuple[str]]:
    return [(id_,) for (id_,) in sqlite.execute(query, (parameter,)) if id_ not in wanted]


def _make_equal(sqlite: sqlite3.Connection, table: str, wanted: Sequence[rows.Row]) -> None:
    """Deletes, updates and inserts rows until the table holds exactly these."""
    found = {row[0]: row for row in sqlite.execute(rows.select(table))}
    changed = [row for row in wanted if found.get(row[0]) != row]
    gone = found.keys() - {row[0] for row in wanted}
    sqlite.executemany(f"DELETE FROM {table} WHERE id = ?", [(id_,) for id_ in sorted(gone)])
    sqlite.executemany(rows.upsert(table), changed)
