"""Long loops that can be ended from outside."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")


def stepped(items: Iterable[_Item], step: Callable[[], None]) -> Iterator[_Item]:
    """The items; `step` is called before each, and ends the loop by raising."""
    for item in items:
        step()
        yield item
