"""Pictures of a report, drawn by matplotlib as SVG that a page holds as it is: text stays text,
colours are variables of the page's style, so that dark mode changes them, and equal pictures are
equal byte for byte.
"""

import io
from threading import Lock
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from dynagrag.core.ids import content_id
from dynagrag.core.text import cut
from dynagrag.evaluation.frame.report import BarChart, LineChart, Picture, ScatterChart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = (
    "#0b62c4",
    "#6b7280",
    "#b4540a",
    "#0c7a55",
    "#8a3ffc",
    "#b3176d",
    "#77620b",
    "#00707f",
)
"""Of the arms, in their order. The page's style has each again for dark pages."""
_INK, _SOFT, _LINE = "#1c1f24", "#5b6470", "#dfe3e8"
_VARIABLES = {colour: f"var(--c{i})" for i, colour in enumerate(COLOURS)} | {
    _INK: "var(--ink)",
    _SOFT: "var(--soft)",
    _LINE: "var(--line)",
}
_WIDTH, _HEIGHT, _ROW = 5.0, 3.2, 0.4
"""Inches: of a picture, and of a bar's row."""
_MAX_NAME = 24
_XLINK = "{http://www.w3.org/1999/xlink}href"
_LOCK = Lock()
"""Settings of matplotlib are those of the process, and runs of the app share it."""


def picture_svg(picture: Picture) -> str:
    """An `<svg>` element. Names are cut where they would not fit."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    salt = content_id(repr(picture))
    own_font = ["DejaVu Sans"]  # which matplotlib brings; the page sets another
    with (
        _LOCK,
        matplotlib.rc_context(
            {"svg.fonttype": "none", "svg.hashsalt": salt, "font.sans-serif": own_font}
        ),
    ):
        num_rows = len(picture.values) if isinstance(picture, BarChart) else 0
        height = 1.0 + _ROW * num_rows if num_rows else _HEIGHT
        drawing = Drawing(figsize=(_WIDTH, height), layout="constrained", facecolor="none")
        FigureCanvasSVG(drawing)
        axes = drawing.add_subplot()
        axes.spines[["top", "right", "left", "bottom"]].set_visible(False)
        axes.tick_params(colors=_SOFT, length=0, labelsize=11)
        axes.grid(color=_LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        if isinstance(picture, BarChart):
            _draw_bars(axes, picture)
        elif isinstance(picture, LineChart):
            _draw_curves(axes, picture)
        else:
            _draw_scatter(axes, picture)
        out = io.StringIO()
        drawing.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _inline(out.getvalue(), salt[:8], picture.title)


def _draw_bars(axes: "Axes", picture: BarChart) -> None:
    own = {name: figure for name, figure in picture.values.items() if figure.shown is not None}
    names = [cut(name, _MAX_NAME) for name in own]
    places = range(len(own))
    values = [figure.shown or 0.0 for figure in own.values()]
    bounds = [
        figure.shown_bounds or (value, value)
        for figure, value in zip(own.values(), values, strict=True)
    ]
    colours = [COLOURS[i % len(COLOURS)] for i in places]
    axes.barh(places, values, height=0.5, color=colours, alpha=0.6)
    below = [value - low for value, (low, _) in zip(values, bounds, strict=True)]
    above = [high - value for value, (_, high) in zip(values, bounds, strict=True)]
    axes.errorbar(
        values, places, xerr=(below, above), fmt="none", ecolor=_INK, elinewidth=1.2, capsize=3
    )
    for place, figure, value, (_, high) in zip(places, own.values(), values, bounds, strict=True):
        axes.annotate(
            figure.value_text(),
            (max(value, high), place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=_INK,
        )
    axes.set_yticks(places, names, color=_INK)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlim(left=min((0.0, *(low for low, _ in bounds))))
    axes.margins(x=0.12)


def _draw_curves(axes: "Axes", picture: LineChart) -> None:
    from matplotlib.ticker import MaxNLocator

    for i, (name, shares) in enumerate(picture.values.items()):
        axes.plot(
            range(picture.first, picture.first + len(shares)),
            [100 * share for share in shares],
            color=COLOURS[i % len(COLOURS)],
            linewidth=3 if i == 0 else 1.8,
            label=cut(name, _MAX_NAME),
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    _name_axes(axes, picture)


def _draw_scatter(axes: "Axes", picture: ScatterChart) -> None:
    from matplotlib.ticker import LogLocator

    for i, (name, (cost, quality)) in enumerate(picture.points.items()):
        axes.scatter(
            [max(cost, 0.01)],
            [quality],
            s=60,
            color=COLOURS[i % len(COLOURS)],
            label=cut(name, _MAX_NAME),
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.margins(0.1)
    _name_axes(axes, picture)


def _name_axes(axes: "Axes", picture: LineChart | ScatterChart) -> None:
    axes.set_xlabel(picture.x_title, color=_SOFT, fontsize=11)
    axes.set_ylabel(picture.y_title, color=_SOFT, fontsize=11)
    axes.legend(
        loc="upper left", bbox_to_anchor=(1, 1), frameon=False, labelcolor="linecolor", fontsize=11
    )


_LEFT_OUT = ("}metadata", "}style", "}clipPath")
"""Elements that a page doesn't need: nothing is drawn beyond the axes, so nothing is clipped."""


def _inline(svg: str, prefix: str, title: str) -> str:
    """The drawing as a page takes it: without namespaces and what is left out, its marks named
    apart from those of other pictures, its colours as variables.
    """
    root = ElementTree.fromstring(svg)
    for parent in root.iter():
        for child in [own for own in parent if own.tag.endswith(_LEFT_OUT)]:
            parent.remove(child)
    used = {target for element in root.iter() if (target := element.get(_XLINK, "")[1:])}
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
        element.attrib.pop("clip-path", None)
        if (name := element.attrib.pop("id", None)) in used:
            element.set("id", f"{prefix}-{name}")
        if target := element.attrib.pop(_XLINK, "")[1:]:
            element.set("href", f"#{prefix}-{target}")
        if style := element.get("style"):
            for colour, variable in _VARIABLES.items():
                style = style.replace(colour, variable)
            element.set("style", style)
    root.attrib = {"viewBox": root.get("viewBox", ""), "role": "img", "aria-label": title}
    return ElementTree.tostring(root, encoding="unicode")
