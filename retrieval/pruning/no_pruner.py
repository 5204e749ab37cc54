"""No pruning: every node and edge of an ego-graph is worth the same."""

from collections.abc import Sequence

import numpy as np

from dynagrag.core.schema import PruneScores, Subgraph, Vector


class NoPruner:
    """All alike: under a token budget the lighter goes first, and of equals the later."""

    label = "none"

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores of 0.5."""
        return tuple(
            PruneScores(_halves(len(own.nodes)), _halves(len(own.pairs)), self.label, False)
            for own in subgraphs
        )


def _halves(count: int) -> Vector:
    return np.full(count, 0.5, dtype=np.float32)
