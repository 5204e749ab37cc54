"""The Neo4j store: workspaces of one database, told apart by `ws` (storage spec, section 3). Implements `dynagrag.protocols.GraphStore`.

The workspace's node holds three marks, each a new random text when records, vectors or the derived view change. Reads go through a
local copy that is refreshed by what changed under those marks; writes go to the server at once, and lock the workspace's node first.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, LiteralString, TypeVar

from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.neo4j_store import browse, cypher, health, rows
from dynagrag.graph_store.neo4j_store import record_changes as changes
from dynagrag.graph_store.neo4j_store import workspace_state as states
from dynagrag.graph_store.neo4j_store.cache import RowCache, packed, unpacked
from dynagrag.graph_store.neo4j_store.connection import Neo4jConnection
from dynagrag.graph_store.neo4j_store.graph_writer import GraphWriter, read_pages
from dynagrag.graph_store.neo4j_store.lease import Neo4jLease
from dynagrag.graph_store.neo4j_store.schema import Neo4jSchema
from dynagrag.graph_store.neo4j_store.vectors import Neo4jVectors
from dynagrag.graph_store.neo4j_store.workspace_state import State
from dynagrag.protocols import SPLIT_EXTRACTOR, Extraction
from dynagrag.schema import (
    Consolidation,
    Document,
    Edit,
    EmbedderIdentity,
    Finding,
    Graph,
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

_MAX_READS = 5
_CLEAR_AT_ONCE = 5_000
_MAX_TEXTS = 20
T = TypeVar("T")
Placed = TypeVar("Placed", Turn, Passage)


class Neo4jStore:
    """One workspace of a Neo4j database. Thread-safe; any number of processes and machines may use one workspace.

    Raises:
        UsageError: The address holds a user or password.
        SettingsError: The driver isn't installed.
        StoreError: The server can't be reached, refuses the user, is too old, or has no such database.
    """

    def __init__(self, address: str, workspace: str, *, username: str, password: str, database: str, cache: Path | None = None) -> None:
        self._ws = workspace
        self._connection = Neo4jConnection(address, username=username, password=password, database=database)
        try:
            self._schema = Neo4jSchema(self._connection)
            self._schema.check_not_newer()
            self._cache = RowCache(cache, f"{self._connection.address} {database} {workspace}")
        except BaseException:
            self._connection.close()
            raise
        self._vectors = Neo4jVectors(self._connection, workspace, self._cache)
        self._texts: dict[str, str] = {}  # of documents whose chunks are being extracted: their quotes are shown on the records
        self._held = _Held()
        self._is_ready = False
        self._is_closed = False

    @property
    def workspace(self) -> str:
        """The workspace's name."""
        return self._ws

    # records

    def put_document(self, document: Document, turns: Sequence[Turn], passages: Sequence[Passage]) -> None:
        """Stores a document whole, or replaces its turns and passages (the vectors of passages that go, go with them)."""
        rules.check_document(self._ws, document)
        self._remember(self._change("records", lambda tx, _: changes.put_document(tx, self._ws, document, turns, passages)))

    def put_extractions(self, extractions: Sequence[Extraction]) -> None:
        """Replaces the live extraction of each chunk span and of every span that overlaps it; `split` and the rest don't see each other."""
        if extractions:
            if len(self._texts) > _MAX_TEXTS:
                self._texts.clear()
            self._remember(self._change("records", lambda tx, _: changes.put_extractions(tx, self._ws, extractions, self._texts)))

    def _remember(self, change: changes.Change) -> None:
        """What was just written needn't be fetched back."""
        by_label: dict[str, list[changes.Written]] = {}
        for written in change.written:
            by_label.setdefault(written[0], []).append(written)
        for label, rows_of_label in by_label.items():
            self._cache.put(label, ((uid, sig, packed(row)) for _, uid, sig, row in rows_of_label))

    def drop_extractions(self, document_id: str, keep_spans: Iterable[tuple[int, int]], extractor: str) -> int:
        """Drops a document's live extractions (but `split`) whose span or extractor is not among those given; how many."""
        keep, num = list(keep_spans), 0

        def work(tx: Any, _: State) -> bool:
            nonlocal num
            num = max(num, changes.drop_extractions(tx, self._ws, document_id, keep, extractor))  # a replay finds them gone
            return num > 0

        self._change("records", work)
        return num

    def delete_document(self, document_id: str) -> None:
        """Deletes a document, every record of it and its passages' vectors. Unknown id: StoreError."""
        was_there = False

        def work(tx: Any, _: State) -> bool:
            nonlocal was_there
            was_there = changes.delete_document(tx, self._ws, document_id) or was_there  # a replay finds it gone
            return was_there

        if not self.exists() or not self._change("records", work):
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
        found = self._rows("Passage") if document_id is None else self._rows_of("Passage", document_id)
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

    def extractions(self, document_id: str) -> tuple[Extraction, ...]:
        """The document's live extractions with their records, `split` and empty ones included, by (start, end, extractor)."""
        mentions: dict[str, list[Mention]] = {}
        records: dict[str, list[RelationRecord]] = {}
        for row in self._connection.read(cypher.of_document("Mention"), document=document_id, ws=self._ws):
            mentions.setdefault(row["extraction"], []).append(rows.mention(row["row"]))
        for row in self._connection.read(cypher.of_document("RelationRecord"), document=document_id, ws=self._ws):
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
        """Chunk span -> extractor of the document's live extractions, `split` left out, in order of span."""
        found = self._connection.read(cypher.EXTRACTIONS_OF, document=document_id, ws=self._ws)
        spans = {(x["start"], x["stop"]): x["extractor"] for x in found if x["extractor"] != SPLIT_EXTRACTOR}
        return dict(sorted(spans.items()))

    def num_chunks(self) -> int:
        """How many chunks have a live extraction."""
        return int(self._connection.read(cypher.NUM_CHUNKS, ws=self._ws)[0]["num"])

    def put_edit(self, edit: Edit) -> None:
        """Stores a person's correction."""
        self._change("records", lambda tx, _: changes.put_edit(tx, self._ws, edit))

    def edits(self) -> tuple[Edit, ...]:
        """All edits in order of time, then id."""
        return tuple(sorted((rows.edit(row) for row in self._rows("Edit")), key=lambda e: (e.at, e.id)))

    def records(self) -> Records:
        """All records as they were at one moment: read again if something came in between, in the end with the writers held off."""
        for _ in range(_MAX_READS):
            made = self._records_at(self._read_state())
            if states.mark(self._read_state(), "records") == made.version:
                return made
        return self._connection.write(lambda tx: self._records_at(self._lock(tx)))

    def _records_at(self, state: State) -> Records:
        with self._at(state):
            documents = self.documents()
            passages = _by_document([rows.passage(row) for row in self._rows("Passage")], documents)
            version = states.mark(state, "records")
            return Records(version, documents, passages, self.mentions(), self.relation_records(), self.edits())

    # vectors

    def put_vectors(self, kind: VectorKind, ids: Sequence[str], vectors: Vectors) -> None:
        """Stores or replaces vectors (n, d). EmbedderMismatchError for another dimension than the embedder's, StoreError for NaN."""
        rules.check_vectors(self._ws, self.embedder(), kind, ids, vectors)
        for batch in self._vectors.batches(ids, vectors):
            self._vectors.remember(kind, self._change("vectors", partial(self._vectors.put, kind, batch)))

    def vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked. A missing id: StoreError."""
        state = self._state()
        return self._vectors.read(kind, ids, states.dimension(state), states.stamp(state, kind))

    def vector_ids(self, kind: VectorKind) -> tuple[str, ...]:
        """The ids that have a vector, sorted."""
        state = self._state()
        return tuple(self._vectors.ids(kind, states.dimension(state), states.stamp(state, kind)))

    def missing_vectors(self, kind: VectorKind, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of the ids that have no vector, in order, without doubles."""
        return rules.missing_ids(ids, set(self.vector_ids(kind)))

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""
        rules.check_record_kind(kind)
        keep = set(ids)
        gone = [id_ for id_ in self.vector_ids(kind) if id_ not in keep]
        for batch in changes.batches(gone, _CLEAR_AT_ONCE):
            self._change("vectors", partial(self._vectors.drop, kind, batch))
        return len(gone)

    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors these are; None before the first."""
        return states.embedder(self._state())

    def set_embedder(self, identity: EmbedderIdentity) -> None:
        """Fixes the embedder. Another name or dimension than the stored: EmbedderMismatchError, nothing written."""

        def work(tx: Any, state: State) -> bool:
            found = states.embedder(state)
            rules.check_embedder(self._ws, found, identity)
            if found is None:
                fixed = {"embedder_name": identity.name, "embedder_dimension": identity.dimension, "vector_index": "deferred"}
                states.set_state(tx, self._ws, **fixed)
            return found is None

        if self.embedder() != identity:
            self._change("vectors", work)

    # derived

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it was derived from.

        Several transactions; until the last one the view is marked as not current.
        """
        state = self._state()
        if len(graph.entities):
            rules.check_dimension(self._ws, states.embedder(state), graph.entity_vectors)
        turn = states.new_mark()
        guard = partial(states.check_writing, workspace=self._ws, turn=turn)
        writer = GraphWriter(self._connection, self._ws, self._cache, states.dimension(state), guard=guard)
        steps = writer.plan(graph, consolidation, records)
        if steps or state.get("writing") or state.get("derived_of") != records.version:
            if not self._write(lambda tx, now: states.begin_writing(tx, self._ws, now, state, turn, is_new=bool(steps))):
                steps = writer.plan(graph, consolidation, records)  # somebody wrote since the first one: now nobody else does
            for step in steps:
                step()
            counts = {"num_entities": len(graph.entities), "num_relations": len(graph.relations)} if steps else {}
            self._write(lambda tx, now: states.end_writing(tx, self._ws, now, turn, records.version, counts))
        if graph.entities and state.get("vector_index") == "deferred":
            self._schema.make_vector_indexes(states.dimension(state))
            self._write(lambda tx, _: states.set_state(tx, self._ws, vector_index="made"))

    def graph(self) -> Graph:
        """The derived view as last written; empty before."""
        for _ in range(_MAX_READS):
            before = self._read_state()
            made = self._graph_at(before)
            if states.mark(self._read_state(), "graph") == states.mark(before, "graph"):
                return made
        return made

    def _graph_at(self, state: State) -> Graph:
        with self._at(state):
            entities = [rows.entity(row) for row in self._rows("Entity")]
            there = {entity.id for entity, _ in entities}
            relations = tuple(r for r in map(rows.relation, self._rows("RELATES")) if r.head in there and r.tail in there)
            return Graph(
                entities=tuple(entity for entity, _ in entities),
                relations=relations,
                entity_vectors=self.vectors(VectorKind.ENTITY, [e.id for e, _ in entities]),
                relation_vectors=self.vectors(VectorKind.RELATION, [r.id for r in relations]),
                entity_passages=tuple(passages for _, passages in entities),
            )

    def consolidation(self) -> Consolidation:
        """The merges as last written."""
        merges = sorted(self._rows("Merge"), key=lambda row: int(row[1]))
        labels = sorted(self._rows("LabelMerge"), key=lambda row: int(row[1]))
        return Consolidation(tuple(rows.merge(row) for row in merges), tuple(rows.label_merge(row) for row in labels))

    def digest(self) -> str:
        """Hash of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail key, weight, support)."""
        entities = [rows.entity(row)[0] for row in self._rows("Entity")]
        keys = {e.id: e.key for e in entities}
        relations = [rows.relation(row) for row in self._rows("RELATES")]
        return digest_rows(
            [(e.key, e.sense, e.type, e.weight) for e in entities],
            [(keys[r.head], r.label, keys[r.tail], r.weight, r.support) for r in relations if r.head in keys and r.tail in keys],
        )

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another store."""
        state = self._state()
        return f"{state['token'][:8]}-{state['records'][:8]}-{state['vectors'][:8]}-{state['graph'][:8]}" if state else "none"

    def is_derived_current(self) -> bool:
        """Whether the derived view is that of the records as they are."""
        state = self._state()
        return bool(state) and state["derived_of"] == state["records"]

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
        """Up to `num_hops` hops around an entity, bounded, a statement a hop. Unknown id: StoreError."""
        bounds = {"num_hops": num_hops, "fan_out": fan_out, "max_relations": max_relations, "min_weight": min_weight}
        return browse.neighbourhood(self._connection, self._ws, entity_id, timeout_s=timeout_s, **bounds)

    def overview(self, max_entities: int = 5000, max_relations: int = 20_000) -> Overview:
        """The heaviest entities, the heaviest relations between them, and counts of the whole graph; from the local copy of its rows."""
        state = self._read_state()
        with self._at(state):
            return browse.overview(self._rows("Entity"), self._rows("RELATES"), max_entities, max_relations)

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        return browse.records_of(self._connection, self._ws, list(ids))

    def search_entities(self, text: str, limit: int = 20) -> tuple[tuple[str, float], ...]:
        """Entities whose name, aliases or summaries hold words of the text: (id, score of the full-text index), best first."""
        return browse.search_entities(self._connection, self._ws, text, limit) if self._schema.version() else ()

    def nearest(self, kind: VectorKind, vector: Vector, limit: int = 10) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine, from the server's vector index; exact from the local copy where the index has too few of them."""
        state = self._state()
        rules.check_search(self._ws, states.embedder(state), kind, vector)
        if not state.get("embedder_dimension"):
            return ()
        if state.get("vector_index") == "made":
            found = self._vectors.nearest(kind, vector, limit, states.dimension(state), has_filter=self._schema.has_vector_filter)
            if len(found) == limit:
                return found
        return self._vectors.nearest_exactly(kind, vector, limit, states.dimension(state), states.stamp(state, kind))

    # looking after it

    def address(self) -> str:
        """Where it is, for people: no user, no password."""
        c = self._connection
        return f"{c.address} (Neo4j {c.version} {c.edition}, database {c.database})"

    def exists(self) -> bool:
        """Whether the workspace is in the database."""
        return bool(self._state())

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Inside, this thread asks once for the workspace's marks, unless it writes. What is here under them is then read from here."""
        with self._at(self._state()):
            yield

    @contextmanager
    def _at(self, state: State) -> Iterator[None]:
        """Inside, this thread's reads go by these marks."""
        outer, self._held.state = self._held.state, state
        try:
            yield
        finally:
            self._held.state = outer if self._held.state is state else None  # None: it was dropped by a write

    @contextmanager
    def lease(self, holder: str, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """Holds the right to derive the workspace's graph, renewed while it is held; a holder that died loses it after half a minute."""
        self._ready()
        with Neo4jLease(self._connection, self._ws, holder).hold(wait_s, on_wait):
            yield

    def health(self) -> tuple[Finding, ...]:
        """Checks the server, the schema, and the records of this workspace; changes nothing."""
        found = health.find(self._connection, self._schema, self._ws, self._state())
        return (Finding("store", True, self.address()), *found)

    def repair(self) -> tuple[str, ...]:
        """Makes missing or failed constraints and indexes, deletes orphaned records; what was done."""
        state = self._state()
        is_made = state.get("vector_index") == "made"
        done = self._schema.repair(states.dimension(state) if is_made else None)
        num = 0

        def work(tx: Any, _: State) -> bool:
            nonlocal num
            num = max(num, sum(int(tx.run(query, ws=self._ws).single(strict=True)["num"]) for query in cypher.DELETE_ORPHANS))
            return num > 0

        if not state:
            return tuple(done)
        self._change("records", work)
        for label in ("RELATES", *cypher.DERIVED_LABELS):  # what a hand has changed since is written again with the rest
            self._drain(cypher.forget_signatures(label))
        self._write(lambda tx, _: states.set_state(tx, self._ws, derived_of=""))
        self._cache.clear()
        return (*done, f"deleted {num} orphaned records") if num else tuple(done)

    def note(self, name: str) -> str:
        """A note kept with the workspace; "" for none."""
        return str(self._state().get(f"note_{name}") or "")

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note."""
        self._write(lambda tx, _: states.set_state(tx, self._ws, **{f"note_{name}": value or None}))

    def clear(self) -> None:
        """Deletes the workspace from the database, in batches; its own node goes last."""
        for label in ("RELATES", *reversed(cypher.NODE_LABELS)):
            self._drain(cypher.clear(label))
        self._cache.clear()
        self._held.state = None
        self._is_ready = False

    def _drain(self, statement: LiteralString) -> None:
        """Sends a statement that takes some at a time until it finds none."""

        def some(tx: Any) -> int:
            return int(tx.run(statement, ws=self._ws, limit=_CLEAR_AT_ONCE).single(strict=True)["num"])

        while self._connection.write(some):
            continue

    def close(self) -> None:
        """Closes the driver and the local copy. Closing twice is fine."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.close()
            self._cache.close()

    # inside

    def _state(self) -> State:
        """What the workspace's node says, inside `reading` as it was at the beginning."""
        return self._read_state() if self._held.state is None else self._held.state

    def _read_state(self) -> State:
        found = self._connection.read(cypher.WORKSPACE, ws=self._ws)
        return found[0]["state"] if found else {}

    def _lock(self, tx: Any) -> State:
        """Locks the workspace's node until the transaction ends, and makes it where there is none."""
        state: State = tx.run(cypher.LOCK, ws=self._ws).single(strict=True)["state"]
        return state

    def _ready(self) -> None:
        """Before the first write: the schema is made in a new database, and must be whole in another."""
        if not self._is_ready:
            state = self._read_state()
            self._schema.prepare(states.dimension(state) or None, state.get("vector_index") != "made")
            self._is_ready = True

    def _change(self, mark: str, work: Callable[[Any, State], T]) -> T:
        """One transaction under the workspace's lock; the mark is made anew if `work` gives something true."""

        def marked(tx: Any, state: State) -> T:
            result = work(tx, state)
            if result:
                states.set_state(tx, self._ws, **{mark: states.new_mark()})
            return result

        return self._write(marked)

    def _write(self, work: Callable[[Any, State], T]) -> T:
        """One transaction under the workspace's lock."""
        self._ready()
        self._held.state = None  # what this thread writes, it reads
        return self._connection.write(lambda tx: work(tx, self._lock(tx)))

    def _rows(self, label: str) -> list[rows.Row]:
        """All rows of a label, by uid (edits and merges: in any order). As of the state's mark, or later."""
        stamp = states.mark(self._state(), "records" if label in cypher.RECORD_LABELS else "graph")
        bodies = self._cache.read(label, stamp, lambda: self._signatures(label), lambda uids: self._fetch(label, uids))
        return unpacked(bodies)

    def _signatures(self, label: str) -> Iterable[tuple[str, str]]:
        return ((uid, sig or "") for uid, sig in read_pages(self._connection, cypher.signatures(label), ws=self._ws))

    def _fetch(self, label: str, uids: list[str]) -> Iterator[tuple[str, str, bytes]]:
        for row in self._connection.read(cypher.fetch(label), uids=uids):
            yield row["uid"], row["sig"] or "", packed(row["row"])

    def _rows_of(self, label: str, document_id: str) -> list[rows.Row]:
        return [row["row"] for row in self._connection.read(cypher.of_document(label), document=document_id, ws=self._ws)]


class _Held(threading.local):
    """What a thread was told of the workspace's node, while it may go by that."""

    state: State | None = None


def _by_document(items: Iterable[Placed], documents: Iterable[Document]) -> tuple[Placed, ...]:
    place = {d.id: i for i, d in enumerate(documents)}
    return tuple(sorted((i for i in items if i.document_id in place), key=lambda i: (place[i.document_id], i.index)))
