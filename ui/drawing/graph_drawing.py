"""Graphs and bars drawn in 2D by Apache ECharts, which is part of streamlit-echarts: nothing is
fetched from elsewhere.

Nodes can be dragged, the whole zoomed and moved.
"""

from collections.abc import Sequence

from dynagrag.ui.drawing.drawable_text import drawable
from dynagrag.ui.drawing.graph_options import GREY, graph_options
from dynagrag.ui.drawing.graph_parts import MAX_NODES, PALETTE, DrawnEdge, DrawnNode

_MAX_UPRIGHT = 7
"""More labels than that stand aslant, else they touch on a phone."""


def draw_graph(
    nodes: Sequence[DrawnNode],
    edges: Sequence[DrawnEdge],
    *,
    key: str,
    height: str = "560px",
    file_name: str = "graph",
    has_theme_names: bool = False,
) -> str | None:
    """Draws the graph where it is called; the id of the node that was just clicked, else None.

    At most `MAX_NODES` nodes, the first. Positions and communities that are not given are found.
    `height` as CSS has it; `file_name`: of the saved picture; `has_theme_names`: a legend calls the
    communities by their heaviest nodes.
    """
    from streamlit_echarts import st_echarts

    nodes = tuple({node.id: node for node in nodes[:MAX_NODES]}.values())
    ids = {drawable(node.id): node.id for node in nodes}
    options = graph_options(nodes, edges, file_name=file_name, has_theme_names=has_theme_names)
    click = "(p) => p.dataType === 'node' ? p.data.id : undefined"
    result = st_echarts(options, events={"click": click}, height=height, renderer="canvas", key=key)
    clicked = getattr(result, "chart_event", None)
    return ids.get(clicked) if isinstance(clicked, str) else None


def draw_bars(rows: Sequence[tuple[str, int]], *, key: str, name: str, height: int = 260) -> None:
    """A bar for each (label of ours, count), the counts on a logarithmic scale. `name`: of the
    labels' axis, also for screen readers.
    """
    from streamlit_echarts import st_echarts

    words = f"{name}: " + ", ".join(f"{label}: {num}" for label, num in rows)
    is_crowded = len(rows) > _MAX_UPRIGHT
    options = {
        "aria": {"enabled": True, "label": {"description": words}},
        "animation": False,
        "grid": {"left": 56, "right": 16, "top": 16, "bottom": 62 if is_crowded else 46},
        "tooltip": {"renderMode": "richText", "trigger": "axis", "axisPointer": {"type": "shadow"}},
        "xAxis": {
            "type": "category",
            "data": [label for label, _ in rows],
            "axisLabel": {"interval": 0, "color": GREY, "rotate": 35 if is_crowded else 0},
            "nameTextStyle": {"color": GREY},
            "name": name,
            "nameLocation": "middle",
            "nameGap": 44 if is_crowded else 28,
        },
        "yAxis": {
            "type": "log",
            "min": 0.5,
            "axisLabel": {"showMinLabel": False, "color": GREY},
            "nameTextStyle": {"color": GREY},
            "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.25}},
            "name": "entities",
            "nameLocation": "middle",
            "nameGap": 40,
        },
        # A count of 0 has no logarithm: no bar.
        "series": [
            {
                "type": "bar",
                "data": [num or None for _, num in rows],
                "itemStyle": {"color": PALETTE[0]},
                "barCategoryGap": "20%",
            }
        ],
    }
    st_echarts(options, height=f"{height}px", renderer="canvas", key=key)
