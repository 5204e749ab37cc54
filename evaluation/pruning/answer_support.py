"""Support of an answer in a graph, and the example that a retrieval makes with it: the labels of
docs/papers.md, Pruning.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dynagrag.core.schema import Snapshot, Subgraph, Vector
from dynagrag.evaluation.pruning.pruning_example import PruningExample

NEAR = 0.5
"""The label of what only stands beside support, in the same passages."""
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Support:
    """Nodes of a graph (indices of its entities) and pairs of them (u < v): those that support an
    answer, and those that only stand in the passages that do.
    """

    nodes: frozenset[int] = frozenset()
    pairs: frozenset[Pair] = frozenset()
    near_nodes: frozenset[int] = frozenset()
    near_pairs: frozenset[Pair] = frozenset()


class SupportFinder:
    """Finds what of a snapshot's graph supports an answer, by the ids of what the answer was made
    of.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        graph = snapshot.graph
        self._number = {entity.id: i for i, entity in enumerate(graph.entities)}
        self._pair_of: dict[str, Pair] = {}
        self._records_in: dict[str, list[str]] = {}
        self._nodes_in: dict[str, list[int]] = {}
        for relation in graph.relations:
            u, v = sorted((self._number[relation.head], self._number[relation.tail]))
            for id_ in relation.record_ids:
                self._pair_of[id_] = (u, v)
                if id_ in snapshot.records:
                    self._records_in.setdefault(snapshot.records[id_].passage_id, []).append(id_)
        for node, passages in enumerate(graph.entity_passages):
            for id_ in passages:
                self._nodes_in.setdefault(id_, []).append(node)

    def find(
        self, entities: Iterable[str], records: Iterable[str], passages: Collection[str]
    ) -> Support:
        """Support are the entities, the ends of the records and the pairs that these hold together;
        near it is what else has a mention or a record in the passages. What the graph doesn't have
        any more is passed over.
        """
        stated = [self._pair_of[id_] for id_ in records if id_ in self._pair_of]
        beside = [
            self._pair_of[record] for id_ in passages for record in self._records_in.get(id_, ())
        ]
        nodes = {self._number[id_] for id_ in entities if id_ in self._number}.union(*stated)
        near = set[int]().union(*beside, *(self._nodes_in.get(id_, ()) for id_ in passages))
        pairs = {(u, v) for u, v in stated if u != v}
        near_pairs = {(u, v) for u, v in beside if u != v}
        return Support(
            frozenset(nodes),
            frozenset(pairs),
            frozenset(near - nodes),
            frozenset(near_pairs - pairs),
        )


def example_of(
    id_: str, text: str, group: str, query: Vector, subgraphs: Sequence[Subgraph], support: Support
) -> PruningExample:
    """The example of a question: the subgraphs that were retrieved for it, of one graph, with what
    `support` says of their nodes and pairs.

    `id_`, `group`: see PruningExample. `query` (d,).
    """
    return PruningExample(
        id=id_,
        text=text,
        group=group,
        query=query,
        subgraphs=tuple(subgraphs),
        node_labels=tuple(
            _labels(own.nodes, support.nodes, support.near_nodes) for own in subgraphs
        ),
        edge_labels=tuple(
            _labels(pairs, support.pairs, support.near_pairs) for pairs in map(_pairs_of, subgraphs)
        ),
        num_nodes=len(support.nodes),
        num_edges=len(support.pairs),
    )


def _pairs_of(subgraph: Subgraph) -> list[Pair]:
    ends = np.array(subgraph.nodes, dtype=np.int64)[subgraph.pairs].tolist()
    return [(min(pair), max(pair)) for pair in ends]


def _labels(
    units: Iterable[int] | Iterable[Pair], support: Collection[object], near: Collection[object]
) -> Vector:
    return np.array(
        [1 if unit in support else NEAR if unit in near else 0 for unit in units], dtype=np.float32
    )
