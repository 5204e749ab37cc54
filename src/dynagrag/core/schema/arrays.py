"""Arrays that the nouns hold."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
"""(n, d) float32."""


Vector: TypeAlias = NDArray[np.float32]
"""(d,) float32."""


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The tokens (t) of a text as a model reads them: where each stands in it, [start, end), and
    the vectors (t, d), unit rows. A text beyond the model's length has those of its beginning.
    """

    spans: tuple[tuple[int, int], ...]
    vectors: Vectors


def no_ids() -> NDArray[np.int64]:
    """(0,) int64."""
    return np.zeros(0, dtype=np.int64)


def no_vectors() -> Vectors:
    """(0, 0) float32."""
    return np.zeros((0, 0), dtype=np.float32)
