"""Neo4j's derived view: the graph and its merges, written in batches and read as of one moment."""

from functools import partial

from dynagrag.core.schema import Consolidation, Graph, Records, VectorKind
from dynagrag.graph_store import rules
from dynagrag.graph_store.derived.graph_digest import digest_rows
from dynagrag.graph_store.neo4j_store import rows
from dynagrag.graph_store.neo4j_store import workspace_state as states
from dynagrag.graph_store.neo4j_store.graph_writer import GraphWriter
from dynagrag.graph_store.neo4j_store.store_base import Neo4jStoreBase
from dynagrag.graph_store.neo4j_store.workspace_state import State

_MAX_READS = 5


class Neo4jDerivedStore(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.DerivedStore`."""

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it
        was derived from.

        Several transactions; until the last one the view is marked as not current.
        """
        state = self._state()
        if len(graph.entities):
            rules.check_dimension(self._ws, states.embedder(state), graph.entity_vectors)
        turn = states.new_mark()
        guard = partial(states.check_writing, workspace=self._ws, turn=turn)
        writer = GraphWriter(
            self._connection, self._ws, self._cache, states.dimension(state), guard=guard
        )
        steps = writer.plan(graph, consolidation, records)
        if steps or state.get("writing") or state.get("derived_of") != records.version:
            if not self._write(
                lambda tx, now: states.begin_writing(
                    tx, self._ws, now, state, turn, is_new=bool(steps)
                )
            ):
                steps = writer.plan(
                    graph, consolidation, records
                )  # somebody wrote since the first one: now nobody else does
            for step in steps:
                step()
            counts = (
                {"num_entities": len(graph.entities), "num_relations": len(graph.relations)}
                if steps
                else {}
            )
            self._write(
                lambda tx, now: states.end_writing(tx, self._ws, now, turn, records.version, counts)
            )
            # the local copy lets go of what the view no longer holds: words of a document that was
            # replaced
            self.graph()
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

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change; never shared with another
        store.
        """
        state = self._state()
        return (
            f"{state['token'][:8]}-{state['records'][:8]}-{state['vectors'][:8]}-{state['graph'][:8]}"
            if state
            else "none"
        )

    def is_derived_current(self) -> bool:
        """Whether the derived view is that of the records as they are."""
        state = self._state()
        return bool(state) and state["derived_of"] == state["records"]
