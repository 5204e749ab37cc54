"""Options of Apache ECharts for a graph: size = weight, opacity = score, colour = community.

Every text in it went through `drawable` or is ours.
"""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dynagrag.ui.drawing.drawable_text import Function, drawable
from dynagrag.ui.drawing.graph_layout import communities, place
from dynagrag.ui.drawing.graph_parts import (
    HIGHLIGHT,
    MAX_SMALL,
    OTHERS,
    PALETTE,
    DrawnEdge,
    DrawnNode,
)
from dynagrag.ui.drawing.label_places import Labelled, label_sides
from dynagrag.ui.drawing.themes import Theme, themes

_MAX_LABEL = 28
_NUM_ALL_LABELS = 80
_NUM_LABELS = 40
_MAX_NAMED_EDGES = 40
"""In a drawing of more, a relation's label is shown when it is pointed at."""
_NUM_SURE = 10
"""The most important have a label, come what may."""
_COLORS = (*PALETTE, OTHERS)
GREY = "#767c85"
"""Read on white and on black."""
_REACH = 250.0
"""Pixels from the middle of a drawing to its rim."""
_USUAL = (760.0, 440.0)
"""Pixels that a drawing has within its margins in a usual window, for which labels are placed; in a
smaller one ECharts leaves more out.
"""
_SAVE_SVG = Path(__file__).with_name("save_svg.js")
_ICON = "path://M4 3h10l6 6v12H4zM13 4v6h6M8 13h8M8 17h8"


def graph_options(
    nodes: Sequence[DrawnNode],
    edges: Sequence[DrawnEdge],
    *,
    file_name: str = "graph",
    has_theme_names: bool = False,
) -> dict[str, Any]:
    """ECharts' options. Left out: edges to nodes that aren't drawn, and from a node to itself.
    `has_theme_names`: a legend calls the largest communities by their heaviest nodes.
    """
    number = {node.id: i for i, node in enumerate(nodes)}
    drawn = [
        edge
        for edge in edges
        if edge.source in number and edge.target in number and edge.source != edge.target
    ]
    words = (
        f"A drawing of {len(nodes)} entities and {len(drawn)} relations. The tables on this page"
        " hold the same in words."
    )
    picture_name = drawable(file_name, 60)
    pairs = [(number[edge.source], number[edge.target]) for edge in drawn]
    is_small = len(nodes) <= MAX_SMALL
    has_names = len(drawn) <= _MAX_NAMED_EDGES and any(e.is_directed and e.label for e in drawn)
    found = themes(nodes, _communities(nodes, pairs, drawn), 2 if is_small else 3)
    legend = _legend(found) if has_theme_names and len(found) > 1 else []
    colors = _colors(nodes, found, bool(legend))
    left, right, side = (
        ("8%", "8%", "bottom") if len(nodes) <= _NUM_ALL_LABELS else (30, 70, "right")
    )
    return {
        "aria": {"enabled": True, "label": {"description": words}},
        "animation": False,
        "tooltip": {
            "renderMode": "richText",
            "confine": True,
            "formatter": Function("(p) => p.data.tip || p.data.words || ''"),
            "textStyle": {"fontSize": 12},
        },
        "toolbox": {
            "right": 8,
            "top": 4,
            "feature": {
                "saveAsImage": {
                    "type": "png",
                    "name": picture_name,
                    "title": "Save as PNG",
                    "pixelRatio": 2,
                },
                "mySaveSvg": {
                    "show": True,
                    "title": "Save as SVG",
                    "icon": _ICON,
                    "onclick": Function(_SAVE_SVG.read_text(encoding="utf-8")),
                    "file": picture_name,
                },
                "restore": {"title": "As it was"},
            },
        },
        "legend": {
            "show": bool(legend),
            "type": "scroll",
            "bottom": 0,
            "icon": "circle",
            "itemWidth": 10,
            "data": legend,
            "textStyle": {"color": GREY},
        },
        "series": [
            {
                "type": "graph",
                "layout": "none",  # a live one moves nodes under labels that were laid out before
                "symbol": "circle",
                "draggable": True,
                "roam": True,
                "scaleLimit": {"min": 0.3, "max": 30},
                "nodeScaleRatio": 0.5,
                "preserveAspect": "contain",
                "data": _node_items(nodes, colors, _places(nodes, pairs)),
                "links": _edge_items(drawn, pairs, is_small),
                "categories": [
                    {
                        "name": legend[i] if i < len(legend) else f" {i}",
                        "itemStyle": {"color": color},
                    }
                    for i, color in enumerate(_COLORS)
                ],
                "left": left,  # room for labels
                "right": right,
                "top": 40,
                "bottom": 60 if legend else 40,
                "label": {
                    "position": side,
                    "formatter": Function("(p) => p.data.words"),
                    "fontSize": 11,
                    # without, labels that ECharts takes for apart touch by some pixels
                    "minMargin": 14,
                    "opacity": 1,
                    "textBorderWidth": 0,
                },
                "edgeLabel": {
                    "formatter": Function("(p) => p.data.words"),
                    "fontSize": 11,
                    "color": GREY,
                    "opacity": 1,
                    "textBorderWidth": 0,
                },
                # The larger node's label stays; the other's is shown when it is pointed at. ECharts
                # sets relations' labels anywhere then.
                "labelLayout": {} if has_names else {"hideOverlap": True},
                "edgeSymbol": ["none", "arrow" if is_small else "none"],
                "edgeSymbolSize": [0, 6],
                "lineStyle": {
                    "color": "#8a8f98",
                    "width": 1,
                    "opacity": 0.6 if is_small else max(0.08, min(0.3, 900 / (len(drawn) + 1))),
                },
                "emphasis": {
                    "label": {"show": True},
                    "focus": "adjacency" if is_small else "none",
                    "scale": is_small,
                },
                "animation": False,
            }
        ],
    }


def _node_items(
    nodes: Sequence[DrawnNode], colors: Sequence[int], places: Sequence[tuple[float, float]]
) -> list[dict[str, Any]]:
    """One item per node, with its place."""
    sizes = _scaled([node.weight for node in nodes], *_breadths(len(nodes)))
    words = [drawable(node.label, _MAX_LABEL) or "(no name)" for node in nodes]
    for i, node in enumerate(nodes):
        if node.order is not None:
            words[i] = f"{node.order} · {words[i]}"
    labels = _shown_labels(nodes, words, sizes, places)
    items = []
    for i, (node, color, (x, y)) in enumerate(zip(nodes, colors, places, strict=True)):
        item: dict[str, Any] = {
            "id": drawable(node.id),
            "name": str(i),
            "words": words[i],
            "x": x,
            "y": y,
            "symbolSize": sizes[i],
            "category": color,
        }
        if node.tooltip or len(node.label) > _MAX_LABEL:
            item["tip"] = "\n".join(textwrap.wrap(drawable(node.tooltip or node.label), 52))
        if i in labels:
            item["label"] = labels[i]
        style: dict[str, Any] = {}
        if node.opacity < 1:
            style["opacity"] = round(max(0.12, node.opacity), 2)
        if node.is_hollow:
            style |= {
                "color": "transparent",
                "borderColor": _COLORS[color],
                "borderWidth": 1.5,
                "borderType": "dashed",
            }
        if node.is_highlighted:
            style |= {"borderColor": HIGHLIGHT, "borderWidth": 3}
        if style:
            item["itemStyle"] = style
        items.append(item)
    return items


def _breadths(num_nodes: int) -> tuple[float, float]:
    """Of the lightest and the heaviest node, in pixels."""
    if num_nodes <= _NUM_ALL_LABELS:
        return 9.0, 38.0
    return (9.0, 30.0) if num_nodes <= MAX_SMALL else (4.0, 22.0)


def _scaled(weights: Sequence[float], smallest: float, largest: float) -> list[float]:
    """Weights as pixels from `smallest` to `largest`, growing with the root: areas with the
    weight.
    """
    lightest = min(weights, default=0.0)
    spread = (max(weights, default=1.0) - lightest) or 1.0
    return [
        round(smallest + (largest - smallest) * ((weight - lightest) / spread) ** 0.5, 1)
        for weight in weights
    ]


def _shown_labels(
    nodes: Sequence[DrawnNode],
    words: Sequence[str],
    sizes: Sequence[float],
    places: Sequence[tuple[float, float]],
) -> dict[int, dict[str, Any]]:
    """ECharts' options of the labels that are shown, by node; of a small drawing with their side.
    Other labels are shown when they are pointed at.
    """
    order = sorted(range(len(nodes)), key=lambda i: (not _is_sure(nodes[i]), -nodes[i].weight, i))
    if len(nodes) > _NUM_ALL_LABELS:
        return {i: {"show": True} for i in order[:_NUM_LABELS]}
    scale = min(
        (
            usual / ((max(own) - min(own)) or 1)
            for usual, own in zip(_USUAL, zip(*places, strict=True), strict=False)
        ),
        default=1.0,
    )
    sure = {i for rank, i in enumerate(order) if rank < _NUM_SURE or _is_sure(nodes[i])}
    labelled = [
        Labelled(scale * x, scale * y, sizes[i], words[i], i in sure)
        for i, (x, y) in enumerate(places)
    ]
    return {i: {"show": True, "position": side} for i, side in label_sides(labelled, order).items()}


def _is_sure(node: DrawnNode) -> bool:
    """Whether it is what the drawing is of: found, or on the walk."""
    return node.is_highlighted or node.order is not None


def _communities(
    nodes: Sequence[DrawnNode], pairs: Sequence[tuple[int, int]], edges: Sequence[DrawnEdge]
) -> list[int]:
    """The number of each node's community: as given, or found."""
    of = [node.community for node in nodes if node.community is not None]
    if len(of) == len(nodes):
        return of
    found = communities(len(nodes), pairs, [max(0.01, edge.weight) for edge in edges])
    return [int(number) for number in found]


def _colors(nodes: Sequence[DrawnNode], found: Sequence[Theme], are_named: bool) -> list[int]:
    """The index of each node's colour: that of its theme, `OTHERS` for one in none. Themes beyond
    the eighth use the colours again, unless a legend says whose they are.
    """
    others = len(PALETTE)
    made = [others] * len(nodes)
    for number, theme in enumerate(found):
        color = number if number < others else others if are_named else number % others
        for i in theme.members:
            made[i] = color
    return made


def _legend(found: Sequence[Theme]) -> list[str]:
    """The names of the themes that have a colour of their own, each once."""
    names: dict[str, None] = {}
    for number, theme in enumerate(found[: len(PALETTE)]):
        name = drawable(theme.name)
        names[f"{name} ({number + 1})" if name in names else name] = None
    return list(names)


def _places(
    nodes: Sequence[DrawnNode], pairs: Sequence[tuple[int, int]]
) -> list[tuple[float, float]]:
    """Whole pixels of a square of about the drawing's size."""
    placed = [(node.x, node.y) for node in nodes if node.x is not None and node.y is not None]
    if len(placed) < len(nodes):
        placed = [(float(x), float(y)) for x, y in place(len(nodes), pairs)]
    reach = max((max(abs(x), abs(y)) for x, y in placed), default=1.0) or 1.0
    scale = (_REACH if len(nodes) <= MAX_SMALL else 8 * _REACH) / reach
    return [(round(x * scale), round(y * scale)) for x, y in placed]


def _edge_items(
    edges: Sequence[DrawnEdge], pairs: Sequence[tuple[int, int]], is_small: bool
) -> list[dict[str, Any]]:
    """One item per edge; parallel edges bend away from each other. In a large drawing only the
    pair: its lines are all alike.
    """
    widths = _scaled([edge.weight for edge in edges], 1.0, 4.5)
    seen: dict[tuple[int, int], int] = {}
    items = []
    for edge, width, (source, target) in zip(edges, widths, pairs, strict=True):
        pair = (min(source, target), max(source, target))
        number = seen[pair] = seen.get(pair, -1) + 1
        if not is_small and not edge.is_highlighted:
            if number == 0:
                items.append({"source": source, "target": target})
            continue
        bend = 0.0 if number == 0 else 0.15 * ((number + 1) // 2) * (1 if number % 2 else -1)
        style: dict[str, Any] = {"width": width, "opacity": round(edge.opacity, 2)}
        if bend:
            # ECharts bends to the left as seen from the source
            style["curveness"] = bend if source == pair[0] else -bend
        if edge.is_highlighted:
            style |= {"color": HIGHLIGHT, "opacity": max(0.5, round(edge.opacity, 2))}
        item: dict[str, Any] = {"source": source, "target": target, "lineStyle": style}
        if not edge.is_directed:
            item["symbol"] = ["none", "none"]
        if edge.tooltip:
            item["tip"] = "\n".join(textwrap.wrap(drawable(edge.tooltip), 52))
        if edge.label:
            item["words"] = drawable(edge.label, _MAX_LABEL)
            if edge.is_directed and len(edges) <= _MAX_NAMED_EDGES:
                item["label"] = {"show": True}
        items.append(item)
    return items
