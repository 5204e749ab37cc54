"""An order in which the first few of many are spread over documents, speakers and entities."""

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, zip_longest
from typing import TypeVar

T = TypeVar("T")
_NONE = object()


def diverse_order(
    items: Iterable[T], keys: Sequence[Callable[[T], Hashable]], rng: random.Random
) -> list[T]:
    """All items: one of each value of the first key in turn; those of one value by the next key in
    the same way, and at last by chance.
    """
    own = list(items)
    if not keys:
        rng.shuffle(own)
        return own
    groups: dict[Hashable, list[T]] = {}
    for item in own:
        groups.setdefault(keys[0](item), []).append(item)
    ordered = [diverse_order(group, keys[1:], rng) for group in groups.values()]
    rng.shuffle(ordered)
    in_turn = chain.from_iterable(zip_longest(*ordered, fillvalue=_NONE))
    return [item for item in in_turn if item is not _NONE]  # type: ignore[misc]
