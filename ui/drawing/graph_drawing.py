"""Graphs drawn in 2D by Apache ECharts, which streamlit-echarts brings with it: nothing is fetched from elsewhere.

Node size = weight, opacity = score, colour = community; nodes can be dragged, the whole zoomed and moved.

Names come from documents and models. The component runs a string that holds its placeholder `--x_x--0_0--` as JavaScript, and ECharts has
templates, rich text and (in tooltips) HTML. So every text goes through `drawable`, tooltips are drawn on the canvas instead of as HTML, and
labels are fetched by functions of ours that no text is part of, so that nothing in them is a template.
"""

import math
import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PALETTE = ("#0077BB", "#D9661F", "#009988", "#C2408F", "#997700", "#7B61C9", "#CC3311", "#228833")
"""After Paul Tol's scheme for colour-blind readers; each at a contrast of 3 or more to a white and to a dark page, as a test measures."""
OTHERS = "#888888"
"""Entities that are in no community worth the name. Large communities beyond the eighth use the colours again."""
HIGHLIGHT = "#CC3311"
MAX_NODES = 5000
"""More are never drawn, nor sent to a browser."""
MAX_LIVE = 300
"""Up to so many nodes move each other: ECharts' own force layout compares each with each."""
_MAX_LABEL = 28
_MAX_TIP = 300
_NUM_ALL_LABELS = 60
_NUM_LABELS = 40
_MAX_EDGE_LABELS = 60
_REACH = 250.0
"""Pixels from the middle of a drawing to its rim."""
_PLACEHOLDER = "--x_x--0_0--"
_HEART_OF_IT = re.compile(r"x_x(?=--0_0)")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SAVE_SVG = Path(__file__).with_name("save_svg.js")
_ICON = "path://M4 3h10l6 6v12H4zM13 4v6h6M8 13h8M8 17h8"


@dataclass(frozen=True, slots=True)
class Node:
    """`id` comes back when it is clicked. `community`: 0 for the largest, None to have it found. `x`, `y`: any scale, y downwards."""

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
class Edge:
    """`source` and `target` are ids of nodes; an edge to a node that isn't drawn is left out."""

    source: str
    target: str
    label: str = ""
    weight: float = 1.0
    opacity: float = 0.6
    is_highlighted: bool = False
    tooltip: str = ""


class Function(str):
    """JavaScript of ours, as the component wants it. Its own class for that can't be had outside of a running app."""

    __slots__ = ()

    def __new__(cls, code: str) -> "Function":
        """Between placeholders."""
        return super().__new__(cls, f"{_PLACEHOLDER}{code}{_PLACEHOLDER}")


def drawable(text: str, max_chars: int = _MAX_TIP) -> str:
    """The text on one line, cut with an ellipsis, so that neither ECharts nor its component sees anything in it but words."""
    line = " ".join(_INVISIBLE.sub(" ", text[: 4 * max_chars]).split())
    line = _HEART_OF_IT.sub("x x", line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…")
    return line.replace("{", "{\u2060")  # a word joiner: {name|words} would be rich text


def draw_graph(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    *,
    key: str,
    height: int = 560,
    is_settled: bool = False,
    is_directed: bool = True,
    file_name: str = "graph",
) -> str | None:
    """Draws the graph where it is called; the id of the node that was just clicked, else None.

    At most `MAX_NODES` nodes, the first. `is_settled`: the positions stay as given; without, up to `MAX_LIVE` nodes move each other when
    one is dragged. Positions and communities that are not given are found. `file_name`: of the saved picture.
    """
    from streamlit_echarts import st_echarts

    nodes = tuple({node.id: node for node in nodes[:MAX_NODES]}.values())
    ids = {drawable(node.id): node.id for node in nodes}
    options = graph_options(nodes, edges, is_settled=is_settled, is_directed=is_directed, file_name=file_name)
    click = "(p) => p.dataType === 'node' ? p.data.id : undefined"
    result = st_echarts(options, events={"click": click}, height=f"{height}px", renderer="canvas", key=key)
    clicked = getattr(result, "chart_event", None)
    return ids.get(clicked) if isinstance(clicked, str) else None


def graph_options(
    nodes: Sequence[Node], edges: Sequence[Edge], *, is_settled: bool = False, is_directed: bool = True, file_name: str = "graph"
) -> dict[str, Any]:
    """What ECharts is told. Every text in it is `drawable` or ours."""
    place = {node.id: i for i, node in enumerate(nodes)}
    drawn = [edge for edge in edges if edge.source in place and edge.target in place and edge.source != edge.target]
    pairs = [(place[edge.source], place[edge.target]) for edge in drawn]
    places = _places(nodes, pairs)
    is_small = len(nodes) <= MAX_LIVE
    is_below = len(nodes) <= _NUM_ALL_LABELS  # at the side a label may run out of the frame; below it may cover a neighbour
    series = {
        "type": "graph",
        "layout": "force" if is_small and not is_settled else "none",
        "force": _force(places, pairs),
        "symbol": "circle",
        "draggable": True,
        "roam": True,
        "scaleLimit": {"min": 0.3, "max": 30},
        "nodeScaleRatio": 0.5,
        "left": 60 if is_below else 30,
        "right": 60 if is_below else 70,
        "top": 40,
        "bottom": 40,
        "preserveAspect": "contain",
        "data": _node_items(nodes, _colors(nodes, pairs, drawn), places),
        "links": _edge_items(drawn, pairs, is_small, _has_edge_labels(nodes, drawn)),
        "categories": [{"name": str(i), "itemStyle": {"color": color}} for i, color in enumerate((*PALETTE, OTHERS))],
        "label": {
            "position": "bottom" if is_below else "right",
            "formatter": Function("(p) => p.data.words"),
            "fontSize": 11,
            "opacity": 1,
            "textBorderWidth": 0,
        },
        "edgeLabel": {"formatter": Function("(p) => p.data.words || ''"), "fontSize": 9, "opacity": 0.85},
        # Not where edges have labels: ECharts 6.1 would set those into a corner.
        **({} if _has_edge_labels(nodes, drawn) else {"labelLayout": {"hideOverlap": True}}),
        "edgeSymbol": ["none", "arrow"] if is_directed and is_small else ["none", "none"],
        "edgeSymbolSize": [0, 6],
        "lineStyle": {"color": "#8a8f98", "width": 1, "opacity": 0.6 if is_small else max(0.08, min(0.3, 900 / (len(drawn) + 1)))},
        "emphasis": {"label": {"show": True}, "focus": "adjacency" if is_small else "none", "scale": is_small},
        "animation": False,
    }
    words = f"A drawing of {len(nodes)} entities and {len(drawn)} relations. The tables on this page hold the same in words."
    return {
        "aria": {"enabled": True, "label": {"description": words}},
        "animation": False,
        "tooltip": {
            "renderMode": "richText",
            "confine": True,
            "formatter": Function("(p) => p.data.tip || p.data.words || ''"),
            "textStyle": {"fontSize": 12},
        },
        "toolbox": {"right": 8, "top": 4, "feature": _toolbox(drawable(file_name, 60))},
        "series": [series],
    }


def _toolbox(file_name: str) -> dict[str, Any]:
    return {
        "saveAsImage": {"type": "png", "name": file_name, "title": "Save as PNG", "pixelRatio": 2},
        "mySaveSvg": {
            "show": True,
            "title": "Save as SVG",
            "icon": _ICON,
            "onclick": Function(_SAVE_SVG.read_text(encoding="utf-8")),
            "file": file_name,
        },
        "restore": {"title": "As it was"},
    }


def _force(places: Sequence[tuple[float, float]], pairs: Sequence[tuple[int, int]]) -> dict[str, float]:
    """What holds a live layout about where it begins: ECharts fits the beginning into the frame, and then nodes must not run out of it."""
    lengths = [math.dist(places[a], places[b]) for a, b in pairs]
    gravity = 0.05
    return {
        "repulsion": gravity * _REACH**2 / 2 / max(1, len(places)),  # at the rim as strong as gravity there
        "edgeLength": sum(lengths) / len(lengths) if lengths else _REACH / 3,
        "gravity": gravity,
        "friction": 0.3,
    }


def _node_items(nodes: Sequence[Node], colors: Sequence[int], places: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """One item a node, with its place."""
    lightest, heaviest = min((node.weight for node in nodes), default=0.0), max((node.weight for node in nodes), default=1.0)
    num_labels = len(nodes) if len(nodes) <= _NUM_ALL_LABELS else _NUM_LABELS
    labelled = set(sorted(range(len(nodes)), key=lambda i: (not nodes[i].is_highlighted, -nodes[i].weight, i))[:num_labels])
    largest = 38.0 if len(nodes) <= _NUM_ALL_LABELS else 30.0 if len(nodes) <= MAX_LIVE else 22.0
    smallest = 9.0 if len(nodes) <= MAX_LIVE else 4.0
    items = []
    for i, (node, color, (x, y)) in enumerate(zip(nodes, colors, places, strict=True)):
        words = drawable(node.label, _MAX_LABEL) or "(no name)"
        item: dict[str, Any] = {
            "id": drawable(node.id),
            "name": str(i),
            "words": words if node.order is None else f"{node.order} · {words}",
            "x": x,
            "y": y,
            "symbolSize": round(smallest + (largest - smallest) * ((node.weight - lightest) / ((heaviest - lightest) or 1.0)) ** 0.5, 1),
            "category": color,
        }
        if node.tooltip or len(node.label) > _MAX_LABEL:
            item["tip"] = "\n".join(textwrap.wrap(drawable(node.tooltip or node.label), 52))
        if i in labelled:
            item["label"] = {"show": True}
        style: dict[str, Any] = {} if node.opacity >= 1 else {"opacity": round(max(0.12, node.opacity), 2)}
        if node.is_hollow:
            own = (*PALETTE, OTHERS)[color]
            style |= {"color": "transparent", "borderColor": own, "borderWidth": 1.5, "borderType": "dashed"}
        if node.is_highlighted:
            style |= {"borderColor": HIGHLIGHT, "borderWidth": 3}
        items.append(item | ({"itemStyle": style} if style else {}))
    return items


def _colors(nodes: Sequence[Node], pairs: Sequence[tuple[int, int]], edges: Sequence[Edge]) -> list[int]:
    """The index of each node's colour: that of its community, `OTHERS` for one alone in it (in a large drawing: or one of two)."""
    from dynagrag.ui.drawing.layout import communities

    of = [node.community for node in nodes if node.community is not None]
    if len(of) < len(nodes):
        of = [int(c) for c in communities(len(nodes), pairs, [max(0.01, edge.weight) for edge in edges])]
    sizes = Counter(of)
    least = 2 if len(nodes) <= MAX_LIVE else 3
    return [c % len(PALETTE) if sizes[c] >= least else len(PALETTE) for c in of]


def _places(nodes: Sequence[Node], pairs: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Whole pixels of a square of about the drawing's size, which is where a live layout begins well."""
    from dynagrag.ui.drawing.layout import place

    given = [(node.x, node.y) for node in nodes if node.x is not None and node.y is not None]
    found = given if len(given) == len(nodes) else [(float(x), float(y)) for x, y in place(len(nodes), pairs)]
    reach = max((max(abs(x), abs(y)) for x, y in found), default=1.0) or 1.0
    scale = (_REACH if len(nodes) <= MAX_LIVE else 8 * _REACH) / reach
    return [(round(x * scale), round(y * scale)) for x, y in found]


def _has_edge_labels(nodes: Sequence[Node], edges: Sequence[Edge]) -> bool:
    return len(nodes) <= MAX_LIVE and len(edges) <= _MAX_EDGE_LABELS and any(edge.label for edge in edges)


def _edge_items(edges: Sequence[Edge], pairs: Sequence[tuple[int, int]], is_small: bool, has_labels: bool) -> list[dict[str, Any]]:
    """One item an edge; parallel edges bend away from each other. In a large drawing only the pair: its lines are all alike."""
    lightest, heaviest = min((edge.weight for edge in edges), default=0.0), max((edge.weight for edge in edges), default=1.0)
    seen: dict[tuple[int, int], int] = {}
    items = []
    for edge, (source, target) in zip(edges, pairs, strict=True):
        pair = (min(source, target), max(source, target))
        number = seen[pair] = seen.get(pair, -1) + 1
        if not is_small and not edge.is_highlighted:
            if number == 0:
                items.append({"source": source, "target": target})
            continue
        bend = 0.0 if number == 0 else 0.15 * ((number + 1) // 2) * (1 if number % 2 else -1)
        width = 1.0 + 3.5 * ((edge.weight - lightest) / ((heaviest - lightest) or 1.0)) ** 0.5
        style: dict[str, Any] = {"width": round(width, 1), "opacity": round(edge.opacity, 2)}
        if bend:
            style["curveness"] = bend if source == pair[0] else -bend  # ECharts bends to the left as seen from the source
        if edge.is_highlighted:
            style |= {"color": HIGHLIGHT, "opacity": max(0.5, round(edge.opacity, 2))}
        item: dict[str, Any] = {"source": source, "target": target, "lineStyle": style}
        if edge.tooltip:
            item["tip"] = "\n".join(textwrap.wrap(drawable(edge.tooltip), 52))
        if edge.label:
            item["words"] = drawable(edge.label, _MAX_LABEL)
            item["label"] = {"show": has_labels}
        items.append(item)
    return items


def draw_bars(rows: Sequence[tuple[str, int]], *, key: str, name: str, height: int = 260) -> None:
    """A bar for each (label of ours, count), the counts on a logarithmic scale. `name`: of the labels' axis, also for screen readers."""
    from streamlit_echarts import st_echarts

    words = f"{name}: " + ", ".join(f"{label}: {num}" for label, num in rows)
    options = {
        "aria": {"enabled": True, "label": {"description": words}},
        "animation": False,
        "grid": {"left": 56, "right": 16, "top": 16, "bottom": 46},
        "tooltip": {"renderMode": "richText", "trigger": "axis", "axisPointer": {"type": "shadow"}},
        "xAxis": {"type": "category", "data": [label for label, _ in rows], "name": name, "nameLocation": "middle", "nameGap": 28},
        "yAxis": {
            "type": "log",
            "min": 0.5,
            "axisLabel": {"showMinLabel": False},
            "name": "entities",
            "nameLocation": "middle",
            "nameGap": 40,
        },
        # A count of 0 has no logarithm: no bar.
        "series": [{"type": "bar", "data": [num or None for _, num in rows], "itemStyle": {"color": PALETTE[0]}, "barCategoryGap": "20%"}],
    }
    st_echarts(options, height=f"{height}px", renderer="canvas", key=key)
