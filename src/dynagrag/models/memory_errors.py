"""Translates out-of-memory errors of Python, torch and CUDA."""

from collections.abc import Iterator
from contextlib import contextmanager

from dynagrag.core.errors import ModelError

_SAID = (
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "out of memory",
    "storage size calculation overflowed",
)
"""By a RuntimeError of torch, which has a class of its own for GPUs alone."""


def is_out_of_memory(err: BaseException) -> bool:
    """Whether it was raised for want of memory. Torch's class is told by its name: importing it
    takes seconds.
    """
    if isinstance(err, MemoryError) or type(err).__name__ == "OutOfMemoryError":
        return True
    return isinstance(err, (RuntimeError, OSError)) and any(
        words in str(err).lower() for words in _SAID
    )


@contextmanager
def within_memory(what: str, remedy: str) -> Iterator[None]:
    """Raises ModelError where memory doesn't suffice: `what` doesn't fit, and the remedy."""
    try:
        yield
    except Exception as err:
        if not is_out_of_memory(err):
            raise
        raise ModelError(f"{what} doesn't fit into memory; {remedy}") from err
