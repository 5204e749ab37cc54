"""Neo4j's derived view: the graph and its merges, written in batches and read as of one moment,
and bounded looks into it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import (
    Consolidation,
    Graph,
    Neighbourhood,
    Overview,
    Passage,
    Records,
    VectorKind,
)
from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.hops import HopEdge, deadline, too_slow, walk_hops
from dynagrag.graph_store.neo4j_store import neo4j_rows as rows
from dynagrag.graph_store.neo4j_store import neo4j_state as states
from dynagrag.graph_store.neo4j_store.cache import RowCache
from dynagrag.graph_store.neo4j_store.cypher import graph_statements, row_statements
from dynagrag.graph_store.neo4j_store.database_schema import check_embedder_fits
from dynagrag.graph_store.neo4j_store.graph_writer import GraphWriter
from dynagrag.graph_store.neo4j_store.lease import Neo4jLease
from dynagrag.graph_store.neo4j_store.neo4j_base import Neo4jStoreBase
from dynagrag.graph_store.neo4j_store.neo4j_state import State
from dynagrag.graph_store.neo4j_store.one_transaction import OneTransaction

_MAX_READS = 5
_REPLACE_S = 3600.0
"""Of the transaction that replaces all vectors."""


class Neo4jDerivedGraph(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.DerivedGraph`."""

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it
        was derived from.

        Several transactions; until the last one the view is marked as not current.
        """
        state = self._state()
        if len(graph.entities):
            rules.check_dimension(self._ws, states.embedder(state), graph.entity_vectors)
        write_mark = states.new_mark()
        guard = partial(states.check_writing, workspace=self._ws, turn=write_mark)
        writer = GraphWriter(
            self._connection, self._ws, self._cache, states.dimension(state), guard=guard
        )
        steps = writer.plan(graph, consolidation, records)
        if steps or state.get("writing") or state.get("derived_of") != records.version:
            if not self._write(
                lambda tx, now: states.begin_writing(
                    tx, self._ws, now, state, write_mark, is_new=bool(steps)
                )
            ):
                # Somebody wrote since the first plan: now nobody else does.
                steps = writer.plan(graph, consolidation, records)
            for step in steps:
                step()
            counts = (
                {"num_entities": len(graph.entities), "num_relations": len(graph.relations)}
                if steps
                else {}
            )
            self._write(
                lambda tx, now: states.end_writing(
                    tx, self._ws, now, write_mark, records.version, counts
                )
            )
            # Read for its effect: the local copy drops rows that the view no longer holds, words of
            # a document that was replaced.
            self.graph()
        if graph.entities and state.get("vector_index") == "deferred":
            self._schema.make_vector_indexes(states.dimension(state))
            self._write(lambda tx, _: states.set_state(tx, self._ws, vector_index="made"))

    def replace_vectors(self, staged: GraphStore, records: Records) -> bool:
        """Takes the embedder, all vectors, the merges and the graph of another store that holds the
        same records, in one transaction, which the server must have the memory for. False, and
        nothing is written, where the records have changed since.
        """
        embedder, graph, consolidation = staged.embedder(), staged.graph(), staged.consolidation()
        assert embedder is not None
        check_embedder_fits(embedder)
        vectors = {
            kind: (ids, staged.vectors(kind, ids))
            for kind in rules.RECORD_KINDS
            for ids in (staged.vector_ids(kind),)
        }

        def work(tx: Any, state: State) -> bool:
            if states.mark(state, "records") != records.version:
                return False
            for kind, (ids, own) in vectors.items():
                self._vectors.replace(kind, ids, own, tx, state)
            aside = RowCache(None, "not committed yet")
            writer = GraphWriter(OneTransaction(tx), self._ws, aside, embedder.dimension, 1)
            for step in writer.plan(graph, consolidation, records):
                step()
            states.set_state(
                tx,
                self._ws,
                embedder_name=embedder.name,
                embedder_dimension=embedder.dimension,
                vector_index="deferred",
                derived_of=records.version,
                writing=None,
                vectors=states.new_mark(),
                graph=states.new_mark(),
                num_entities=len(graph.entities),
                num_relations=len(graph.relations),
            )
            return True

        if not self._write(work, timeout_s=_REPLACE_S):
            return False
        self._schema.make_vector_indexes(embedder.dimension)
        self._write(lambda tx, _: states.set_state(tx, self._ws, vector_index="made"))
        self.graph()  # as at the end of `write_graph`
        return True

    def graph(self) -> Graph:
        """The derived view as last written; empty before. Where others write again and again
        meanwhile, the last read.
        """
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
            relations = tuple(
                r
                for r in map(rows.relation, self._rows("RELATES"))
                if r.head in there and r.tail in there
            )
            return Graph(
                entities=tuple(entity for entity, _ in entities),
                relations=relations,
                entity_vectors=self._read_vectors(VectorKind.ENTITY, [e.id for e, _ in entities]),
                relation_vectors=self._read_vectors(
                    VectorKind.RELATION, [r.id for r in relations if r.is_stated]
                ),
                entity_passages=tuple(passages for _, passages in entities),
            )

    def consolidation(self) -> Consolidation:
        """The merges as last written."""
        merges = sorted(self._rows("Merge"), key=lambda row: int(row[1]))
        labels = sorted(self._rows("LabelMerge"), key=lambda row: int(row[1]))
        return Consolidation(
            tuple(rows.merge(row) for row in merges), tuple(rows.label_merge(row) for row in labels)
        )

    def digest(self) -> str:
        """Hash of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail
        key, weight, support).
        """
        entities = [rows.entity(row)[0] for row in self._rows("Entity")]
        keys = {e.id: e.key for e in entities}
        relations = [rows.relation(row) for row in self._rows("RELATES")]
        return digest_rows(
            [(e.key, e.sense, e.type, e.weight) for e in entities],
            [
                (keys[r.head], r.label, keys[r.tail], r.weight, r.support)
                for r in relations
                if r.head in keys and r.tail in keys
            ],
        )

    def is_derived_current(self) -> bool:
        """Whether the derived view is that of the records as they are."""
        state = self._state()
        return bool(state) and state["derived_of"] == state["records"]

    @contextmanager
    def lease(self, holder: str, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
        """Holds the right to derive the workspace's graph, renewed while it is held; a holder that
        died loses it after half a minute.
        """
        self._ready()
        with Neo4jLease(self._connection, self._ws, holder).hold(wait_s, on_wait):
            yield

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
        """Up to `num_hops` hops around an entity, one bounded statement per hop, all in one
        transaction. Unknown id: StoreError.
        """
        check_time = deadline(timeout_s)

        def work(tx: Any) -> Neighbourhood:
            has_more = False

            def expand(frontier: list[str], limit: int) -> tuple[list[HopEdge], bool]:
                nonlocal has_more
                values = {
                    "frontier": frontier,
                    "ws": self._ws,
                    "min_weight": min_weight,
                    "fan_out": fan_out,
                    "limit": limit,
                }
                edges = [HopEdge(*row.values()) for row in tx.run(graph_statements.HOP, values)]
                if not has_more:  # else it is known that something is left out
                    has_more = (
                        tx.run(graph_statements.LARGEST_DEGREE, frontier=frontier).single(
                            strict=True
                        )["degree"]
                        or 0
                    ) > fan_out
                return edges, has_more

            walked = walk_hops(
                entity_id,
                expand,
                num_hops=num_hops,
                max_relations=max_relations,
                check_time=check_time,
            )
            # An entity or relation of the walk may have gone since.
            nodes = {
                row["row"][0]: rows.entity(row["row"])[0]
                for row in tx.run(graph_statements.ENTITIES, uids=list(walked.hops), ws=self._ws)
            }
            found = tx.run(row_statements.fetch("RELATES"), uids=list(walked.relation_ids))
            relations = {row["uid"]: rows.relation(row["row"]) for row in found}
            ordered = sorted(
                (i for i in walked.hops if i in nodes), key=lambda i: (walked.hops[i], i)
            )
            kept = [relations[i] for i in walked.relation_ids if i in relations]
            kept = [r for r in kept if r.head in nodes and r.tail in nodes]
            return Neighbourhood(tuple(nodes[i] for i in ordered), tuple(kept), walked.is_cut)

        try:
            made = self._connection.look(work, timeout_s)
        except StoreError as err:
            if "TransactionTimedOut" in str(getattr(err.__cause__, "code", "")):
                raise too_slow(timeout_s) from err
            raise
        if entity_id not in {e.id for e in made.entities}:
            raise rules.no_entity(entity_id)
        return made

    def overview(self, max_entities: int = 5000, max_relations: int = 20_000) -> Overview:
        """The heaviest entities, the heaviest relations between them, and counts of the whole
        graph; from the local copy of its rows.

        A relation whose end has gone since is left out.
        """
        with self._at(self._read_state()):
            entity_rows, relation_rows = self._rows("Entity"), self._rows("RELATES")
        entities = sorted(
            (rows.entity(row) for row in entity_rows), key=lambda e: (-e[0].weight, e[0].id)
        )
        degrees = {entity.id: 0 for entity, _ in entities}
        relations = [
            r for r in map(rows.relation, relation_rows) if r.head in degrees and r.tail in degrees
        ]
        for relation in relations:
            for end in {relation.head, relation.tail}:
                degrees[end] += 1
        top = entities[:max_entities]
        ids = {entity.id for entity, _ in top}
        among = sorted(
            (r for r in relations if r.head in ids and r.tail in ids),
            key=lambda r: (-r.weight, r.id),
        )
        return Overview(
            entities=tuple(entity for entity, _ in top),
            degrees=tuple(degrees[entity.id] for entity, _ in top),
            entity_passages=tuple(passages for _, passages in top),
            relations=tuple(among[:max_relations]),
            num_relations=len(relations),
            degree_counts=dict(Counter(degrees.values())),
            weight_counts=dict(Counter(entity.weight for entity, _ in entities)),
            type_counts=dict(Counter(entity.type for entity, _ in entities)),
        )

    def passages_of(self, entity_id: str) -> tuple[Passage, ...]:
        """The passages that hold an entity, by (document id, index). Unknown id: StoreError."""
        found = self._connection.read(row_statements.passages_of(), uid=entity_id, ws=self._ws)
        if not found:
            raise rules.no_entity(entity_id)
        passages = [rows.passage(row) for row in found[0]["rows"]]
        return tuple(sorted(passages, key=lambda p: (p.document_id, p.index)))

    def search_entities(self, text: str, limit: int = 20) -> tuple[tuple[str, float], ...]:
        """Entities whose name, aliases or summaries hold words of the text: (id, score of the
        full-text index), best first.
        """
        # any of the words, each quoted so that nothing in it is an operator
        words = " OR ".join(
            '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in text.split()
        )
        if not words or not self._schema.version():
            return ()
        found = self._connection.read(
            graph_statements.SEARCH_NAMES, words=words, ws=self._ws, limit=limit
        )
        ordered = sorted(found, key=lambda row: (-row["score"], -row["weight"], row["uid"]))
        return tuple((row["uid"], float(row["score"])) for row in ordered)
