"""Parts of a drawing of a graph: nodes, edges, colours, and how many are drawn."""

from dataclasses import dataclass

PALETTE = ("#0077BB", "#D9661F", "#009988", "#C2408F", "#997700", "#7B61C9", "#8C564B", "#228833")
"""After Paul Tol's scheme for colour-blind readers; each at a contrast of 3 or more to a white and
to a dark page, as a test measures.
"""
OTHERS = "#888888"
"""Entities that are in no community worth the name. Large communities beyond the eighth use the
colours again.
"""
HIGHLIGHT = "#CC3311"
"""No community has it."""
MAX_NODES = 5000
"""More are never drawn, nor sent to a browser."""
MAX_SMALL = 300
"""Up to so many nodes, lines are drawn by their weights with arrows; in a larger drawing all are
alike and faint.
"""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node as it is drawn. `id` comes back when it is clicked. `community`: 0 for the largest,
    None to have it found. `x`, `y`: any scale, y downwards. `order`: its place in a walk, written
    beside its label. A hollow node is drawn as a ring.
    """

    id: str
    label: str
    weight: float = 1.0
    community: int | None = None
    opacity: float = 1.0
    x: float | None = None
    y: float | None = None
    tooltip: str = ""
    order: int | None = None
    is_highlighted: bool = False
    is_hollow: bool = False


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge as it is drawn. `source` and `target` are ids of nodes; an edge to a node that isn't
    drawn is left out; one that is not directed has no arrow.
    """

    source: str
    target: str
    label: str = ""
    weight: float = 1.0
    opacity: float = 0.6
    is_highlighted: bool = False
    tooltip: str = ""
    is_directed: bool = True
