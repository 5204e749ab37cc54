"""How a run works on many things with a model: some at a time, and not for ever where the model fails at all of them."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from dynagrag.errors import ModelUnavailableError

MAX_FAILED = 20
"""A model that failed at so many in a row will not do the others."""
T = TypeVar("T")
R = TypeVar("R")


def in_batches(items: Sequence[T], make: Callable[[T], R], num_at_once: int) -> Iterator[list[R]]:
    """What is made of the items, in their order, as many at once as the model takes calls; the first alone: what a model can do is found
    out once.
    """
    with ThreadPoolExecutor(num_at_once) as pool:
        start = 0
        while some := items[start : start + (num_at_once if start else 1)]:
            yield list(map(make, some) if num_at_once == 1 else pool.map(make, some))
            start += len(some)


def how_to_resume(folder: Path) -> str:
    """The end of a message that a run was stopped."""
    return f"what was done is kept: resume with the same command and --out {folder}"


def gave_up(what: str, error: str, folder: Path) -> ModelUnavailableError:
    """The error that a run was stopped since so many failed: `what` has their number."""
    return ModelUnavailableError(f"the last {what} failed: {error}; {how_to_resume(folder)}")
