"""Writing the derived view to Neo4j in bounded batches, each its own transaction: new and changed
rows, the links, then the deletion of stale rows.

A kill in between leaves a view that is marked as not current; writing again completes it, since
signatures tell what is already there.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, LiteralString

import numpy as np

from dynagrag.core.schema import Consolidation, Graph, Records, Relation, Vectors
from dynagrag.graph_store.derived.live_mentions import live_mentions
from dynagrag.graph_store.derived.senses import mentions_in_senses, read_senses
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store.cache import RowCache, packed
from dynagrag.graph_store.neo4j_store.cypher import (
    graph_statements,
    row_statements,
    vector_statements,
)
from dynagrag.graph_store.neo4j_store.one_transaction import Transactions
from dynagrag.graph_store.neo4j_store.record_changes import batches

HUB_DEGREE = 100
"""A node of more relations than this keeps a list of its heaviest, so that a look at it needn't
sort them all.
"""
MAX_STRONGEST = 100
_PAGE = 20_000
_ENTITIES_AT_ONCE = 2_000
_RELATIONS_AT_ONCE = 2_000
_LINKS_AT_ONCE = 5_000
ENTITY_VECTORS, RELATION_VECTORS = "vectors of entity", "vectors of relation"

Statement = LiteralString
Rows = list[dict[str, Any]]
Guard = Callable[[Any], None]


class GraphWriter:
    """Writes one workspace's derived view."""

    def __init__(
        self,
        connection: Transactions,
        workspace: str,
        cache: RowCache,
        dimension: int,
        num_writers: int = 2,
        guard: Guard = lambda tx: None,
    ) -> None:
        """`guard` is called at the end of each batch's transaction and raises where the batch must
        not be kept.
        """
        self._connection = connection
        self._ws = workspace
        self._cache = cache
        self._dimension = dimension
        self._num_writers = num_writers
        self._guard = guard

    def plan(
        self, graph: Graph, consolidation: Consolidation, records: Records
    ) -> list[Callable[[], None]]:
        """The steps that make the view equal to this one; none where it is equal already."""
        entities, stale_entities = self.plan_entities(graph)
        relations, stale_relations = self._relations(graph)
        merges, stale_merges = self._scoped(
            "Merge", [rows.merge_row(m, i) for i, m in enumerate(consolidation.merges)]
        )
        labels, stale_labels = self._scoped(
            "LabelMerge", [rows.label_merge_row(m, i) for i, m in enumerate(consolidation.labels)]
        )
        mention_links, record_links = self._links(graph, records)
        steps: list[tuple[int, Callable[[], None]]] = [
            (len(entities), lambda: self.put_entities(entities)),
            (len(relations), lambda: self.put_relations(relations)),
            (
                len(mention_links),
                lambda: self._send(graph_statements.LINK_MENTIONS, mention_links, _LINKS_AT_ONCE),
            ),
            (
                len(record_links),
                lambda: self._send(graph_statements.LINK_RECORDS, record_links, _LINKS_AT_ONCE),
            ),
            (
                len(stale_relations),
                lambda: self._delete(graph_statements.DELETE_RELATIONS, stale_relations),
            ),
            (
                len(stale_entities),
                lambda: self._delete(graph_statements.DELETE_ENTITIES, stale_entities),
            ),
            (
                len(merges),
                lambda: self._send(graph_statements.PUT_MERGES, merges, _ENTITIES_AT_ONCE),
            ),
            (len(stale_merges), lambda: self._delete(graph_statements.DELETE_MERGES, stale_merges)),
            (
                len(labels),
                lambda: self._send(graph_statements.PUT_LABEL_MERGES, labels, _ENTITIES_AT_ONCE),
            ),
            (
                len(stale_labels),
                lambda: self._delete(graph_statements.DELETE_LABEL_MERGES, stale_labels),
            ),
        ]
        return [step for num, step in steps if num]

    # entities and relations

    def plan_entities(self, graph: Graph) -> tuple[Rows, list[str]]:
        """The entities that are new or differ, and the ids of those that are to go."""
        there = dict(self.pages(row_statements.signatures("Entity")))
        strongest = strongest_relations(graph.relations)
        vectors = _as_bytes(graph.entity_vectors, len(graph.entities))
        changed: Rows = []
        for entity, passages, vector in zip(
            graph.entities, graph.entity_passages, vectors, strict=True
        ):
            row = rows.entity_row(entity, passages)
            strong = strongest.get(entity.id)
            vec_sig = vector_signature(vector)
            sig = rows.signature(row, vec_sig, *(strong or ()))
            if there.get(entity.id) != sig:
                props = {
                    **rows.properties("Entity", row),
                    "strongest": strong,
                    "ws": self._ws,
                    "sig": sig,
                }
                changed.append(
                    {
                        "uid": entity.id,
                        "props": props,
                        "row": row,
                        "vector": vector,
                        "vec_sig": vec_sig,
                    }
                )
        wanted = {e.id for e in graph.entities}
        return changed, [uid for uid in there if uid not in wanted]

    def put_entities(self, entities: Rows) -> None:
        """Entities with their vectors, a batch a transaction."""
        put_vectors = vector_statements.put_node_vectors("Entity", self._dimension)

        def one(batch: Rows) -> None:
            sent = [{"uid": e["uid"], "props": e["props"]} for e in batch]
            vectors = [
                {
                    "uid": e["uid"],
                    "sig": e["vec_sig"],
                    "vector": np.frombuffer(e["vector"], dtype="<f4").tolist(),
                }
                for e in batch
                if e["vector"]
            ]

            def work(tx: Any) -> None:
                tx.run(graph_statements.PUT_ENTITIES, rows=sent).consume()
                if vectors:
                    tx.run(put_vectors, rows=vectors).consume()

            self._commit(work)
            self._cache.put(
                "Entity", ((e["uid"], e["props"]["sig"], packed(e["row"])) for e in batch)
            )
            self._cache.put(ENTITY_VECTORS, ((e["uid"], e["vec_sig"], e["vector"]) for e in batch))

        self._in_parallel(one, entities, _ENTITIES_AT_ONCE)

    def _relations(self, graph: Graph) -> tuple[Rows, list[str]]:
        there = dict(self.pages(row_statements.signatures("RELATES")))
        vectors = iter(_as_bytes(graph.relation_vectors, sum(r.is_stated for r in graph.relations)))
        changed: Rows = []
        for relation in graph.relations:
            row = rows.relation_row(relation)
            vector = next(vectors) if relation.is_stated else b""
            vec_sig = vector_signature(vector)
            sig = rows.signature(row, vec_sig)
            if there.get(relation.id) != sig:
                changed.append(relation_props(relation, row, self._ws, sig, vector, vec_sig))
        wanted = {r.id for r in graph.relations}
        # Neighbours in one batch: fewer waits for each other's locks.
        changed.sort(key=lambda r: (str(r["head"]), str(r["tail"])))
        return changed, [uid for uid in there if uid not in wanted]

    def put_relations(self, relations: Rows, is_cached: bool = True) -> None:
        """Relations with their vectors as bytes, a batch a transaction; `is_cached`: the local copy
        is kept up as well.
        """

        def one(batch: Rows) -> None:
            sent = [{k: r[k] for k in ("uid", "head", "tail", "props")} for r in batch]
            self._commit(lambda tx: tx.run(graph_statements.PUT_RELATIONS, rows=sent).consume())
            if not is_cached:
                return
            self._cache.put(
                "RELATES", ((r["uid"], r["props"]["sig"], packed(r["row"])) for r in batch)
            )
            self._cache.put(
                RELATION_VECTORS,
                (
                    (r["uid"], r["props"]["vec_sig"], r["props"]["vec"])
                    for r in batch
                    if r["props"]["vec"]
                ),
            )

        self._in_parallel(one, relations, _RELATIONS_AT_ONCE)

    # merges

    def _scoped(self, label: str, wanted: Sequence[rows.Row]) -> tuple[Rows, list[str]]:
        there = dict(self.pages(row_statements.signatures(label)))
        by_uid = {rows.scoped_uid(self._ws, label, row[0]): row for row in wanted}
        name = rows.COLUMNS[label].index("canonical")
        changed = [
            {
                "uid": uid,
                "props": {
                    **rows.properties(label, row),
                    "id": row[0],
                    "name": row[name],
                    "ws": self._ws,
                    "sig": rows.signature(row),
                },
            }
            for uid, row in by_uid.items()
            if there.get(uid) != rows.signature(row)
        ]
        return changed, [uid for uid in there if uid not in by_uid]

    # links from records to the view

    def _links(self, graph: Graph, records: Records) -> tuple[Rows, Rows]:
        """Mentions that count belong to their entity, relation records to their relation; only
        links that differ.
        """
        of_key = {key: entity.id for entity in graph.entities for key in entity.keys}
        unique = {m.id: m for m in records.mentions if m.key}
        live = live_mentions(list(unique.values()), len(records.passages))
        meant = mentions_in_senses(
            list(unique.values()), read_senses(records.edits, {d.id: d for d in records.documents})
        )
        entity_of = {m.id: of_key.get(m.key) for m in meant if m.id in live}
        relation_of = {
            record: relation.id for relation in graph.relations for record in relation.record_ids
        }
        mention_links = [
            {"uid": uid, "to": entity_of.get(uid)}
            for uid, now in self.pages(graph_statements.LINKS_OF_MENTIONS)
            if now != entity_of.get(uid)
        ]
        record_links = [
            {"uid": uid, "to": relation_of.get(uid)}
            for uid, now in self.pages(graph_statements.LINKS_OF_RECORDS)
            if now != relation_of.get(uid)
        ]
        return mention_links, record_links

    # sending

    def pages(self, statement: Statement, **parameters: Any) -> Iterator[tuple[str, Any]]:
        """(uid, sig) of all pages of a statement that is ordered by uid."""
        return read_pages(self._connection, statement, ws=self._ws, **parameters)

    def _send(self, statement: Statement, values: Rows, size: int) -> None:
        def one(batch: Rows) -> None:
            self._commit(lambda tx: tx.run(statement, rows=batch).consume())

        self._in_parallel(one, values, size)

    def _delete(self, statement: Statement, uids: list[str]) -> None:
        def one(batch: list[str]) -> None:
            self._commit(lambda tx: tx.run(statement, uids=batch).consume())

        for batch in batches(uids, _ENTITIES_AT_ONCE):
            one(batch)

    def _commit(self, work: Callable[[Any], object]) -> None:
        """A batch as a transaction of its own."""

        def guarded(tx: Any) -> None:
            work(tx)
            self._guard(tx)

        self._connection.write(guarded)

    def _in_parallel(self, one: Callable[[Rows], None], values: Rows, size: int) -> None:
        """All batches, a few at once: one is packed while the server writes another."""
        if len(values) <= size:
            one(values)
            return
        with ThreadPoolExecutor(self._num_writers, thread_name_prefix="neo4j-writer") as pool:
            for done in pool.map(one, batches(values, size)):
                del done


def relation_props(
    relation: Relation, row: rows.Row, ws: str, sig: str, vector: bytes, vec_sig: str
) -> dict[str, Any]:
    """A relation as `GraphWriter.put_relations` takes it; its ends are the nodes. Without a vector
    it loses the one it may have had.
    """
    props = {k: v for k, v in rows.properties("RELATES", row).items() if k not in ("head", "tail")}
    props |= {"ws": ws, "sig": sig, "vec": vector or None, "vec_sig": vec_sig if vector else None}
    return {
        "uid": relation.id,
        "head": relation.head,
        "tail": relation.tail,
        "row": row,
        "props": props,
    }


def read_pages(
    connection: Transactions, statement: Statement, **parameters: Any
) -> Iterator[tuple[str, Any]]:
    """(uid, sig) of all pages of a statement that is ordered by uid."""
    after = ""
    while True:
        page = connection.read(statement, after=after, limit=_PAGE, **parameters)
        yield from ((row["uid"], row["sig"]) for row in page)
        if len(page) < _PAGE:
            return
        after = page[-1]["uid"]


def strongest_relations(relations: Sequence[Relation]) -> Mapping[str, list[str]]:
    """Of each node with more than HUB_DEGREE relations the ids of its heaviest, by (weight desc,
    id).
    """
    degree: dict[str, int] = defaultdict(int)
    for relation in relations:
        degree[relation.head] += 1
        degree[relation.tail] += relation.tail != relation.head
    of_hub: dict[str, list[Relation]] = {
        node: [] for node, num in degree.items() if num > HUB_DEGREE
    }
    for relation in relations:
        for end in {relation.head, relation.tail}:
            if end in of_hub:
                of_hub[end].append(relation)
    return {
        node: [r.id for r in sorted(some, key=lambda r: (-r.weight, r.id))[:MAX_STRONGEST]]
        for node, some in of_hub.items()
    }


def vector_signature(vector: bytes) -> str:
    """24 hex digits of a vector's bytes."""
    return hashlib.blake2b(vector, digest_size=12).hexdigest()


def _as_bytes(vectors: Vectors, num: int) -> list[bytes]:
    if vectors.size == 0:
        return [b""] * num
    return [row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4")]
