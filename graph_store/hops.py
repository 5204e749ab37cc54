"""The bounded walk that every store's `neighbourhood` is: hop by hop, never by paths."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from dynagrag.core.errors import StoreError


class HopEdge(NamedTuple):
    """A relation as the walk needs it."""

    id: str
    head: str
    tail: str
    weight: int

    @property
    def order(self) -> tuple[int, str]:
        """Heaviest first, ties by id."""
        return (-self.weight, self.id)


Expand = Callable[[list[str], int], tuple[list[HopEdge], bool]]
"""(frontier, limit) in; out: the relations that are among the `fan_out` heaviest of a frontier
node, by (weight desc, id), each once, at most `limit`; and whether any frontier node has more
relations than `fan_out`.
"""


@dataclass(frozen=True, slots=True)
class Hops:
    """Hop number of each entity id, relation ids by (weight desc, id), and whether a bound left
    something out.
    """

    hops: dict[str, int]
    relation_ids: tuple[str, ...]
    is_cut: bool


def walk_hops(
    entity_id: str,
    expand: Expand,
    *,
    num_hops: int,
    max_relations: int,
    check_time: Callable[[], None],
) -> Hops:
    """Walks from an entity; a hop's heaviest relations are taken first. `check_time` raises when
    time is up.
    """
    hops = {entity_id: 0}
    taken: dict[str, HopEdge] = {}
    frontier, is_cut = [entity_id], False
    for hop in range(1, num_hops + 1):
        check_time()
        edges, has_more = expand(sorted(frontier), max_relations + 1)
        new = [edge for edge in edges if edge.id not in taken]
        room = max_relations - len(taken)
        is_cut = is_cut or has_more or len(new) > room
        frontier = []
        for edge in new[:room]:
            taken[edge.id] = edge
            for end in (edge.head, edge.tail):
                if end not in hops:
                    hops[end] = hop
                    frontier.append(end)
        if not frontier:
            break
    heaviest = sorted(taken.values(), key=lambda edge: edge.order)
    return Hops(hops, tuple(edge.id for edge in heaviest), is_cut)


def deadline(timeout_s: float) -> Callable[[], None]:
    """A check that raises StoreError once the time, which begins now, is up."""
    end = time.monotonic() + timeout_s

    def check() -> None:
        if time.monotonic() > end:
            raise too_slow(timeout_s)

    return check


def too_slow(timeout_s: float) -> StoreError:
    """The error of a walk whose time is up."""
    return StoreError(
        f"the neighbourhood took longer than {timeout_s:g} s; ask for fewer hops or a smaller"
        " fan-out"
    )
