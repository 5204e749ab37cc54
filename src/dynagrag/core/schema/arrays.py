"""Arrays that the nouns hold."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
"""(n, d) float32."""


Vector: TypeAlias = NDArray[np.float32]
"""(d,) float32."""


def no_ids() -> NDArray[np.int64]:
    """(0,) int64."""
    return np.zeros(0, dtype=np.int64)


def no_vectors() -> Vectors:
    """(0, 0) float32."""
    return np.zeros((0, 0), dtype=np.float32)
