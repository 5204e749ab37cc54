"""How work on many things with a model is done: some at a time, and not for ever where the model
fails at all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

MAX_FAILED = 20
"""A model that failed at so many in a row will not do the others."""
T = TypeVar("T")
R = TypeVar("R")


def in_batches(items: Sequence[T], make: Callable[[T], R], num_at_once: int) -> Iterator[list[R]]:
    """Results for the items, in their order, as many at once as the model takes calls; the first
    alone: what a model can do is found out once.
    """
    with ThreadPoolExecutor(num_at_once) as pool:
        start = 0
        while some := items[start : start + (num_at_once if start else 1)]:
            yield list(map(make, some) if num_at_once == 1 else pool.map(make, some))
            start += len(some)


class FailedInARow:
    """Counts what failed one after the other: MAX_FAILED of them are enough to give up. Several
    threads need a lock around it.
    """

    def __init__(self) -> None:
        self.num = 0

    def are_enough(self, has_failed: bool) -> bool:
        """Counts one more thing; whether to give up now."""
        self.num = self.num + 1 if has_failed else 0
        return self.num >= MAX_FAILED
