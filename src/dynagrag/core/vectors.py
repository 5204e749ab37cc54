"""Rules of float32 vectors that every part shares."""

import numpy as np

from dynagrag.core.schema import Vectors


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows of length one; rows of zeros stay."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)
