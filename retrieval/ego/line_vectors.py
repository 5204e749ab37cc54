"""Vectors of the lines that hold two entities, for the pairs of ego-graphs that state nothing
(docs/papers.md, Pruning).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynagrag.core.schema import Snapshot, Subgraph, Vector


class LineVectors:
    """The lines of one snapshot, by the entities that they hold. All vectors are there already:
    nothing is embedded.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        facts, num_entities = snapshot.facts, len(snapshot.graph.entities)
        self._vectors = facts.vectors
        lines = np.repeat(np.arange(len(facts.texts)), np.diff(facts.ptr))
        order = np.lexsort((lines, facts.entities))
        self._lines = lines[order]
        self._ptr = np.searchsorted(facts.entities[order], np.arange(num_entities + 1))
        self._relations = snapshot.graph.relations

    def put_into(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[Subgraph, ...]:
        """The subgraphs, in which a pair whose ends are only mentioned together has, in place of
        their mean, the vector of the line that is nearest to the question among those that hold
        both; of equals the first. Where no line holds both, the mean stays.
        """
        if not len(self._lines):
            return tuple(subgraphs)
        cosines = np.round(self._vectors @ query, 6)
        return tuple(self._with_lines(subgraph, cosines) for subgraph in subgraphs)

    def _with_lines(self, subgraph: Subgraph, cosines: Vector) -> Subgraph:
        y = subgraph.y.copy()
        for row, relations in enumerate(subgraph.pair_relations):
            if any(self._relations[j].is_stated for j in relations):
                continue
            first, second = (
                self._lines[self._ptr[entity] : self._ptr[entity + 1]]
                for entity in (subgraph.nodes[end] for end in subgraph.pairs[row])
            )
            both = np.intersect1d(first, second, assume_unique=True)
            if len(both):
                y[row] = self._vectors[both[np.argmax(cosines[both])]]
        return replace(subgraph, y=y)
