"""The graph of some passages for a question: the names in them, and which of them a line holds
together (docs/papers.md, Pruning).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema import Snapshot, Subgraph, Vector
from dynagrag.retrieval.bridge.bridge_graph import BridgeGraph
from dynagrag.retrieval.ego.undirected_graph import precise_unit_rows

Ints = NDArray[np.int64]


class PassageGraphs:
    """Graphs of passages of one snapshot. Plain words, which are no entities, are left out."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._num_entities = len(snapshot.graph.entities)
        self._graph = BridgeGraph(snapshot.facts, self._num_entities + len(snapshot.facts.words))
        self._vectors = precise_unit_rows(snapshot.graph.entity_vectors)

    def subgraph(self, rows: Sequence[int], query: Vector) -> Subgraph:
        """The content of the passages of these rows: nodes in the order of the passages, each with
        its name's vector; a pair for each two that a line holds together, with the vector of the
        line that is nearest to the question. No hops are counted, and no relations named.
        """
        nodes = list(dict.fromkeys(entity for row in rows for entity in self.entities(row)))
        place = {node: i for i, node in enumerate(nodes)}
        facts = np.array([fact for row in rows for fact in self._facts(row)], dtype=np.int64)
        cosines = self._graph.facts.vectors[facts] @ query if len(facts) else np.zeros(0)
        best: dict[tuple[int, int], int] = {}
        counts: dict[tuple[int, int], int] = {}
        for fact in facts[np.argsort(-np.round(cosines, 6), kind="stable")].tolist():
            for u, v in (
                (place[u], place[v]) for u, v in self._pairs(fact) if u in place and v in place
            ):
                pair = min(u, v), max(u, v)
                best.setdefault(pair, fact)
                counts[pair] = counts.get(pair, 0) + 1
        pairs = sorted(best)
        return Subgraph(
            nodes=tuple(nodes),
            hops=(0,) * len(nodes),
            pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
            pair_relations=((),) * len(pairs),
            x=self._vectors[nodes],
            y=precise_unit_rows(self._graph.facts.vectors[[best[pair] for pair in pairs]]),
            weights=np.array([counts[pair] for pair in pairs], dtype=np.float32),
            score=0.0,
        )

    def entities(self, row: int) -> list[int]:
        """The entities that a passage holds, ascending."""
        return [
            entity
            for entity in self._graph.entities_of_passage(row).tolist()
            if entity < self._num_entities
        ]

    def pairs(self, row: int) -> set[tuple[int, int]]:
        """The pairs (u < v) of entities that a line of a passage holds together."""
        return {pair for fact in self._facts(row) for pair in self._pairs(fact)}

    def _pairs(self, fact: int) -> Iterator[tuple[int, int]]:
        return combinations(
            sorted(
                entity
                for entity in self._graph.entities_of_fact(fact).tolist()
                if entity < self._num_entities
            ),
            2,
        )

    def _facts(self, row: int) -> list[int]:
        ptr, facts = self._graph.facts_of_passage
        own: list[int] = facts[ptr[row] : ptr[row + 1]].tolist()
        return own
