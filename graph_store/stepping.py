"""Long loops that can be ended from outside."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")
_EVERY = 64
"""A step of any stage takes some microseconds."""


def stepped(items: Iterable[_Item], step: Callable[[], None]) -> Iterator[_Item]:
    """The items; `step` is called before the first and before one in 64, and ends the loop by
    raising.
    """
    for place, item in enumerate(items):
        if not place % _EVERY:
            step()
        yield item
