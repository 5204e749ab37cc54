"""The vectors in a server's reply: decoded, in order, and of a kind that can be compared."""

import base64
from typing import Any

import numpy as np

from dynagrag.core.schema import Vector, Vectors
from dynagrag.core.vectors import unit_rows

_LENGTH_TOLERANCE = 1e-3


def read_vectors(data: Any, num_texts: int, dimension: int | None = None) -> Vectors:
    """(n, d) float32 unit rows of `data`, the list of a reply, one for each text. `dimension`: that
    of earlier replies.

    Raises ValueError with the reason where they are not as many, not of one length, not numbers, or
    have no direction.
    """
    rows = [_decoded(embedding) for embedding in _in_order(data)]
    lengths = {len(row) for row in rows}
    if len(rows) != num_texts:
        raise ValueError(f"{len(rows)} vectors for {num_texts} texts")
    if len(lengths) != 1 or (dimension is not None and lengths != {dimension}):
        spelled = " or ".join(map(str, sorted(lengths)[:3])) or "no"
        expected = "" if dimension is None else f", where {dimension} were expected"
        raise ValueError(f"vectors of {spelled} numbers{expected}")
    with np.errstate(all="ignore"):
        vectors = unit_rows(np.stack(rows))
        has_direction = np.abs(np.linalg.norm(vectors, axis=1) - 1) < _LENGTH_TOLERANCE
    if not has_direction.all():
        raise ValueError(
            f"{int((~has_direction).sum())} of {num_texts} vectors are zero, infinite or no numbers"
        )
    return vectors


def _in_order(data: Any) -> list[Any]:
    """The embeddings as they are numbered; as they came, where none has a number."""
    if not isinstance(data, list) or not all(hasattr(item, "embedding") for item in data):
        raise ValueError("not a list of embeddings")
    numbers = [getattr(item, "index", None) for item in data]
    if all(number is None for number in numbers):
        return [item.embedding for item in data]
    by_number = {
        number: item.embedding
        for number, item in zip(numbers, data, strict=True)
        if isinstance(number, int)
    }
    if by_number.keys() != set(range(len(data))):
        raise ValueError(f"they are not numbered from 0 to {len(data) - 1}")
    return [by_number[number] for number in range(len(data))]


def _decoded(embedding: Any) -> Vector:
    """(d,) float32, of a list of numbers or of base64."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    if not isinstance(embedding, list) or not all(
        isinstance(number, int | float) for number in embedding
    ):
        raise ValueError("one is no list of numbers")
    try:
        with np.errstate(over="ignore"):
            return np.asarray(embedding, dtype=np.float32)
    except OverflowError as err:
        raise ValueError("a number is too large") from err
