"""Relevance of an ego-graph's nodes and edges without training (docs/papers.md, Pruning);
`hard_prompt` drops by it under a token budget.
"""

from collections.abc import Sequence

import numpy as np

from dynagrag.core.schema import PruneScores, Subgraph, Vector, Vectors
from dynagrag.retrieval.pruning.finite_vectors import check_finite

MIN_TEMPERATURE = 0.05
"""Keeps nodes that are all about as near from being told apart by noise."""


class UntrainedPrior:
    """m = sigmoid((median d - d) / T), d the Euclidean distance to the query, T = max(0.05, IQR(d)
    / 2), per subgraph.

    Nodes and edges each have their own median and T, as each has its own MLP when trained. So the
    median node scores 0.5 and the order is that of the cosine. Scores are relative to the subgraph:
    they say nothing about whether it answers the question.
    """

    label = "untrained prior"

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores in (0, 1). Deterministic. LoadError where a vector is no number."""
        check_finite(subgraphs, query)
        unit = (query / (float(np.linalg.norm(query)) or 1.0)).astype(np.float32)
        return tuple(
            PruneScores(_prior(own.x, unit), _prior(own.y, unit), self.label, is_trained=False)
            for own in subgraphs
        )


def _prior(vectors: Vectors, query: Vector) -> Vector:
    # distances are at most 2 and T at least 0.05, so the exponent stays below 40
    return np.asarray(1 / (1 + np.exp(-prior_logits(vectors, query))), dtype=np.float32)


def prior_logits(vectors: Vectors, query: Vector) -> Vector:
    """(n,) (median d - d) / T of a subgraph's vectors (n, d) and a unit query (d,): the prior's
    scores before the sigmoid.
    """
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    distances = np.linalg.norm(vectors.astype(np.float64) - query, axis=1)
    low, median, high = np.percentile(distances, (25, 50, 75))
    temperature = max(MIN_TEMPERATURE, (high - low) / 2)
    return np.asarray((median - distances) / temperature, dtype=np.float32)
