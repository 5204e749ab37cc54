"""The graph in three dimensions, as Plotly draws it: the most mentioned entities with their names,
placed as the eye first sees them.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from dynagrag.core.schema import Entity, Relation
from dynagrag.ui.drawing.drawable_text import drawable
from dynagrag.ui.drawing.graph_layout import Positions
from dynagrag.ui.drawing.graph_parts import PALETTE
from dynagrag.ui.drawing.kept_layouts import Layout
from dynagrag.ui.drawing.label_places import ABOVE, BELOW, LEFT, RIGHT, Labelled, label_sides

_EYE = (0.27, -1.55, 0.18)
"""In front of the first and third axis, along which a layout reaches farthest."""
_NUM_NAMED = 20
_HEIGHT = 340.0
"""Pixels that a drawing is high as it is first seen."""
_SIDES = {BELOW: "bottom center", RIGHT: "middle right", LEFT: "middle left", ABOVE: "top center"}
_INK = {True: "#fafafa", False: "#0b0f14"}
"""Of names, by whether the page is dark."""


def figure(
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    tips: Sequence[str],
    made: Layout,
    *,
    is_dark: bool,
) -> Any:
    """Plotly's figure of n entities at the places of a layout (n, 3). `tips`: what is told of each
    where it is pointed at.
    """
    from plotly import graph_objects as go

    number = {entity.id: i for i, entity in enumerate(entities)}
    at = made.positions.round(3).tolist()
    ends: list[list[float | None]] = [[], [], []]
    for relation in relations:
        for axis in range(3):
            ends[axis] += [at[number[relation.head]][axis], at[number[relation.tail]][axis], None]
    heaviest = max(e.weight for e in entities) or 1
    sizes = [4 + 14 * (e.weight / heaviest) ** 0.5 for e in entities]
    sides = _sides(entities, sizes, made.positions)
    thin = {"color": "#8a8f98", "width": 2}
    lines = go.Scatter3d(
        x=ends[0], y=ends[1], z=ends[2], mode="lines", line=thin, opacity=0.6, hoverinfo="skip"
    )
    points = go.Scatter3d(
        x=[p[0] for p in at],
        y=[p[1] for p in at],
        z=[p[2] for p in at],
        mode="markers+text",
        marker={
            "size": sizes,
            "color": [PALETTE[int(group) % len(PALETTE)] for group in made.groups],
            "opacity": 0.95,
            "line": {"width": 0},
        },
        text=[_safe(e.name, 24) if i in sides else "" for i, e in enumerate(entities)],
        textposition=[_SIDES[sides.get(i, BELOW)] for i in range(len(entities))],
        textfont={"size": 11, "color": _INK[is_dark]},
        hovertext=[_safe(tip, 120) for tip in tips],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    hidden = {"visible": False, "showbackground": False}
    camera = {"eye": dict(zip("xyz", _EYE, strict=True))}
    scene = {
        "xaxis": hidden,
        "yaxis": hidden,
        "zaxis": hidden,
        "aspectmode": "data",
        "camera": camera,
    }
    layout = {
        "showlegend": False,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "scene": scene,
        "uirevision": "kept",
    }
    return go.Figure(data=[lines, points], layout=layout)


def _sides(
    entities: Sequence[Entity], sizes: Sequence[float], positions: Positions
) -> dict[int, str]:
    """Where the names of the most mentioned stand as the eye first sees them, without perspective;
    a name without a free place has none.
    """
    ahead = -np.array(_EYE) / np.linalg.norm(_EYE)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    seen = positions @ np.stack((right, -np.cross(right, ahead)), axis=1)
    seen *= _HEIGHT / (float(np.ptp(seen[:, 1])) or 1.0)
    nodes = [
        Labelled(float(x), float(y), size, drawable(e.name, 24))
        for e, size, (x, y) in zip(entities, sizes, seen, strict=True)
    ]
    order = sorted(range(len(nodes)), key=lambda i: (-entities[i].weight, i))
    return label_sides(nodes, order[:_NUM_NAMED])


def _safe(text: str, most: int) -> str:
    """As words: Plotly reads some HTML, bold and links."""
    return escape(drawable(text, most), quote=False)
