"""The arm `gcn`: the best passages by Bridge-PPR, put in an order that a trained pruner has a say
in (docs/papers.md, Pruning).
"""

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import Question, Retrieval, Snapshot, Vector
from dynagrag.retrieval.bridge.bridge_search import TIE, BridgeSearch
from dynagrag.retrieval.ego.passage_graph import PassageGraphs
from dynagrag.retrieval.passages import PassageScores, Scores, best_rows, z01

GCN = "gcn"
NUM_ORDERED = 40
"""Passages that are put in order; the others stay where they are."""
WEIGHT = 0.25
"""Of the pruner's word beside Bridge-PPR's: chosen on the validation rows of 2WikiMultihopQA
(benchmarks/results/pruner_2wiki.txt).
"""


class GcnSearch:
    """Bridge-PPR, whose best 40 share out their scores anew, by `z01(S) + 0.25 z01(g)` over these
    40.

    g of a passage is half the score of the entity that it is about (the best of its entities, where
    it is about none) and half that of the best pair that a line of it holds together, in the graph
    of all 40.
    """

    name = GCN

    def __init__(self, snapshot: Snapshot, passages: PassageScores, pruner: Pruner) -> None:
        self._snapshot, self._passages, self._pruner = snapshot, passages, pruner
        self._ranker, self._graphs = BridgeSearch(snapshot, passages), PassageGraphs(snapshot)

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Scores are relative to this corpus, 0 to 1. No subgraphs."""
        total = self._ranker.rank(question).total
        rows = best_rows(total, NUM_ORDERED)
        order = np.argsort(
            -np.round(
                z01(total[rows]) + WEIGHT * z01(self.pruner_scores(rows, question.vector)), 6
            ),
            kind="stable",
        )
        dealt = total.copy()
        dealt[rows[order]] = total[rows] - TIE * np.arange(len(rows))
        return Retrieval(self.name, self._passages.best(dealt, num_passages))

    def pruner_scores(self, rows: NDArray[np.int64], query: Vector) -> Scores:
        """(len(rows),) g of the passages of these rows, 0 to 1; 0 where a passage holds no name."""
        subgraph = self._graphs.subgraph(rows.tolist(), query)
        if not subgraph.nodes:
            return np.zeros(len(rows))
        (scores,) = self._pruner.score((subgraph,), query)
        nodes = dict(zip(subgraph.nodes, scores.nodes.tolist(), strict=True))
        ends = [
            tuple(sorted((subgraph.nodes[u], subgraph.nodes[v])))
            for u, v in subgraph.pairs.tolist()
        ]
        pairs = dict(zip(ends, scores.edges.tolist(), strict=True))
        found = []
        for row in rows.tolist():
            held = max((nodes[entity] for entity in self._graphs.entities(row)), default=0.0)
            about = nodes.get(int(self._snapshot.facts.subjects[row]), held)
            joined = max((pairs.get(pair, 0.0) for pair in self._graphs.pairs(row)), default=0.0)
            found.append(0.5 * about + 0.5 * joined)
        return np.array(found)
