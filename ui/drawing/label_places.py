"""Where the labels of a small drawing stand: greedily, so that none covers a node or another label
(Christensen, Marks and Shieber, 1995, section 3.1).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BELOW, RIGHT, LEFT, ABOVE = "bottom", "right", "left", "top"
"""As ECharts calls them, the most readable first."""
SIDES = (BELOW, RIGHT, LEFT, ABOVE)
_CHAR = 5.8
"""Pixels of a character in the mean, at the size of labels."""
_HEIGHT = 12.0
_GAP = 5.0
"""Between a node's rim and its label."""
_LABEL_COVERED, _NODE_COVERED = 3.0, 1.0
_BEARABLE = 0.1
"""So much of a label may lie on nodes."""


class Labelled(NamedTuple):
    """A node that may have a label. `x`, `y` and `size` (its breadth) in pixels, y downwards;
    `is_sure`: its label is shown in any case.
    """

    x: float
    y: float
    size: float
    text: str
    is_sure: bool = False


def label_sides(nodes: Sequence[Labelled], order: Sequence[int]) -> dict[int, str]:
    """The side on which each node's label stands. `order`: the nodes that may have one, the most
    important first; one that would cover nodes or a label on every side has none, unless it is sure
    of its own: then it stands where it covers least.
    """
    if not nodes:
        return {}
    rims = np.array(
        [(n.x - n.size / 2, n.y - n.size / 2, n.x + n.size / 2, n.y + n.size / 2) for n in nodes]
    )
    placed = np.zeros((0, 4))
    found: dict[int, str] = {}
    for i in order:
        boxes = [label_box(nodes[i], side) for side in SIDES]
        others = np.delete(rims, i, axis=0)
        costs = [
            _NODE_COVERED * covered_area(box, others) + _LABEL_COVERED * covered_area(box, placed)
            for box in boxes
        ]
        best = int(np.argmin(costs))
        if (
            nodes[i].is_sure
            or costs[best] <= _BEARABLE * _CHAR * len(nodes[i].text) * _HEIGHT * _NODE_COVERED
        ):
            found[i] = SIDES[best]
            placed = np.vstack((placed, boxes[best]))
    return found


def label_box(node: Labelled, side: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of its label on a side."""
    width, away = _CHAR * len(node.text), node.size / 2 + _GAP
    if side in (BELOW, ABOVE):
        top = node.y + away if side == BELOW else node.y - away - _HEIGHT
        return node.x - width / 2, top, node.x + width / 2, top + _HEIGHT
    left = node.x + away if side == RIGHT else node.x - away - width
    return left, node.y - _HEIGHT / 2, left + width, node.y + _HEIGHT / 2


def covered_area(box: tuple[float, float, float, float], others: NDArray[np.float64]) -> float:
    """The area that it has in common with them."""
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return float((np.maximum(wide, 0) * np.maximum(high, 0)).sum())
