"""Bounded looks into Neo4j's derived view: hops around an entity, search by words, nearest
vectors.
"""

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Neighbourhood, Overview, RelationRecord, Vector, VectorKind
from dynagrag.graph_store import rules
from dynagrag.graph_store.hops import Edge, Hops, walk_hops
from dynagrag.graph_store.neo4j_store import rows
from dynagrag.graph_store.neo4j_store import workspace_state as states
from dynagrag.graph_store.neo4j_store.cypher import graph_statements, row_statements
from dynagrag.graph_store.neo4j_store.store_base import Neo4jStoreBase


class Neo4jGraphBrowser(Neo4jStoreBase):
    """Implements `dynagrag.core.protocols.GraphBrowser`."""

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
        """Up to `num_hops` hops around an entity, a bounded statement a hop, all in one
        transaction. Unknown id: StoreError.
        """
        end = time.monotonic() + timeout_s
        too_slow = StoreError(
            f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a smaller"
            " fan-out"
        )

        def check_time() -> None:
            if time.monotonic() > end:
                raise too_slow

        def work(tx: Any) -> Neighbourhood:
            has_more = False

            def expand(frontier: list[str], limit: int) -> tuple[list[Edge], bool]:
                nonlocal has_more
                values = {
                    "frontier": frontier,
                    "ws": self._ws,
                    "min_weight": min_weight,
                    "fan_out": fan_out,
                    "limit": limit,
                }
                edges = [Edge(*row.values()) for row in tx.run(graph_statements.HOP, values)]
                if not has_more:  # else it is known that something is left out
                    has_more = (
                        tx.run(graph_statements.LARGEST_DEGREE, frontier=frontier).single(
                            strict=True
                        )["degree"]
                        or 0
                    ) > fan_out
                return edges, has_more

            return self._walked(
                tx,
                walk_hops(
                    entity_id,
                    expand,
                    num_hops=num_hops,
                    max_relations=max_relations,
                    check_time=check_time,
                ),
            )

        try:
            made = self._connection.look(work, timeout_s)
        except StoreError as err:
            if "TransactionTimedOut" in str(getattr(err.__cause__, "code", "")):
                raise too_slow from err
            raise
        if entity_id not in {e.id for e in made.entities}:
            raise rules.no_entity(entity_id)
        return made

    def _walked(self, tx: Any, walked: Hops) -> Neighbourhood:
        """The entities and relations of a walk; one may have gone since."""
        nodes = {
            row["row"][0]: rows.entity(row["row"])[0]
            for row in tx.run(graph_statements.ENTITIES, uids=list(walked.hops), ws=self._ws)
        }
        found = tx.run(row_statements.fetch("RELATES"), uids=list(walked.relation_ids))
        relations = {row["uid"]: rows.relation(row["row"]) for row in found}
        ordered = sorted((i for i in walked.hops if i in nodes), key=lambda i: (walked.hops[i], i))
        kept = [relations[i] for i in walked.relation_ids if i in relations]
        kept = [r for r in kept if r.head in nodes and r.tail in nodes]
        return Neighbourhood(tuple(nodes[i] for i in ordered), tuple(kept), walked.is_cut)

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

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        found = {
            row["uid"]: rows.record(row["row"])
            for row in self._connection.read(row_statements.records_of(), uids=wanted, ws=self._ws)
        }
        return tuple(found[i] for i in wanted if i in found)

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

    def nearest(
        self, kind: VectorKind, vector: Vector, limit: int = 10
    ) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine, from the server's vector index; exact from the local copy
        where the index has too few of them.
        """
        state = self._state()
        rules.check_search(self._ws, states.embedder(state), kind, vector)
        if not state.get("embedder_dimension"):
            return ()
        if state.get("vector_index") == "made":
            found = self._vectors.nearest(
                kind,
                vector,
                limit,
                states.dimension(state),
                has_filter=self._schema.has_vector_filter,
            )
            if len(found) == limit:
                return found
        return self._vectors.nearest_exactly(
            kind, vector, limit, states.dimension(state), states.stamp(state, kind)
        )
