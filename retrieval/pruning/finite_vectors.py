"""Vectors that are no numbers (NaN, infinite), which would make scores of chance without a word."""

from collections.abc import Sequence

import numpy as np

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import Subgraph, Vector


def check_finite(subgraphs: Sequence[Subgraph], query: Vector) -> None:
    """Raises LoadError where a vector of the subgraphs or of the question is no number."""
    if not np.isfinite(query).all():
        raise LoadError(
            "the vector of the question is no number; check the embedder with `dynagrag doctor`"
        )
    if not all(np.isfinite(own.x).all() and np.isfinite(own.y).all() for own in subgraphs):
        raise LoadError(
            "a vector of the graph is no number, so nothing can be scored by it; embed the corpus"
            " again"
        )
