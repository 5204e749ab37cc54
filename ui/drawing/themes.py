"""Themes of a drawing: communities of its entities, called by their most mentioned ones."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.core.text import cut
from dynagrag.ui.drawing.graph_parts import DrawnNode

_NUM_NAMES = 2
_MAX_CHARS = 24


@dataclass(frozen=True, slots=True)
class Theme:
    """A community: its number, its name, and its entities by weight, as places in the drawing."""

    community: int
    name: str
    members: tuple[int, ...]


def themes(
    nodes: Sequence[DrawnNode], communities: Sequence[int], least: int = 2
) -> tuple[Theme, ...]:
    """The communities of at least so many nodes, the largest first. `communities` (n,): the number
    of each node's.
    """
    sizes = Counter(communities)
    members: dict[int, list[int]] = {c: [] for c in sizes if sizes[c] >= least}
    for i in sorted(range(len(nodes)), key=lambda i: (-nodes[i].weight, i)):
        if communities[i] in members:
            members[communities[i]].append(i)
    return tuple(
        Theme(
            c,
            " · ".join(cut(nodes[i].label, _MAX_CHARS) for i in members[c][:_NUM_NAMES]),
            tuple(members[c]),
        )
        for c in sorted(members, key=lambda c: (-sizes[c], c))
    )
