"""What ECharts is told to draw: sizes, colours and places, and that no name of whatever kind is
anything but words to it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.ui.drawing.drawable_text import Function, drawable
from dynagrag.ui.drawing.graph_options import graph_options
from dynagrag.ui.drawing.graph_parts import (
    MAX_NODES,
    MAX_SMALL,
    OTHERS,
    PALETTE,
    DrawnEdge,
    DrawnNode,
)

PLACEHOLDER = "--x_x--0_0--"
HOSTILE = (
    f"{PLACEHOLDER}alert(1){PLACEHOLDER}",
    f"--x_x--0_{PLACEHOLDER}0--alert(1)--x_x--0_{PLACEHOLDER}0--",
    "<img src=http://evil.example/x.png>",
    "image://http://evil.example/x.png",
    "x" * 10_000,
    "{b} {c} {a|words} $& ${alert(1)}",
    "two\nlines\r\u2028\x00",
    "\ud800",
    "",
)


def _items(options: dict[str, Any]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = options["series"][0]["data"]
    return made


def _texts(value: object) -> Iterator[str]:
    """All strings of the options that aren't functions of ours."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str) and not isinstance(value, Function):
        yield value


def _hostile(text: str) -> dict[str, Any]:
    nodes = [
        DrawnNode(text or "id", text, tooltip=text, community=0, x=0, y=0),
        DrawnNode("other", "b", community=0, x=1, y=1),
    ]
    return graph_options(nodes, [DrawnEdge(text or "id", "other", text, 2)], file_name=text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_become_words(text: str) -> None:
    options = _hostile(text)
    texts = list(_texts(options))
    assert not [t for t in texts if PLACEHOLDER in t]
    assert not [
        t for t in texts if re.search(r"\{[a-zA-Z0-9_]+\|", t)
    ]  # what ECharts takes for rich text
    assert max(map(len, texts)) < 500
    assert not [t for t in texts if "\x00" in t]
    json.dumps(options).encode("utf-8")


def test_no_function_holds_text() -> None:
    """The functions are the same whatever the names are, and symbols, which can be pictures, are
    fixed.
    """

    def functions(value: object) -> list[str]:
        if isinstance(value, Function):
            return [str(value)]
        inner = (
            value.values()
            if isinstance(value, dict)
            else value
            if isinstance(value, list | tuple)
            else ()
        )
        return [found for one in inner for found in functions(one)]

    assert len({tuple(functions(_hostile(text))) for text in HOSTILE}) == 1
    for text in HOSTILE:
        series = _hostile(text)["series"][0]
        assert series["symbol"] == "circle"
        assert not [
            item
            for item in (*series["data"], *series["links"])
            if "symbol" in item or "formatter" in str(item)
        ]
        assert _hostile(text)["tooltip"]["renderMode"] == "richText"


@given(st.text(alphabet="-x_0{a|} ", max_size=60))
def test_no_placeholder_survives_or_arises(text: str) -> None:
    assert PLACEHOLDER not in drawable(text)
    assert PLACEHOLDER not in drawable(text + PLACEHOLDER + text)


def test_long_names_end_in_an_ellipsis_and_are_whole_in_the_tooltip() -> None:
    name = "The Society for the Promotion of Long Names"
    item = _items(graph_options([DrawnNode("a", name)], []))[0]
    assert item["words"].endswith("…")
    assert item["tip"].replace("\n", " ") == name


def test_size_is_weight_opacity_is_score_and_an_order_is_shown() -> None:
    light, heavy = _items(
        graph_options(
            [DrawnNode("a", "A", 1, opacity=0.4), DrawnNode("b", "B", 9, order=2)],
            [DrawnEdge("a", "b")],
        )
    )
    assert light["symbolSize"] < heavy["symbolSize"]
    assert light["itemStyle"]["opacity"] == 0.4
    assert heavy["words"] == "2 · B"


def test_edges_to_what_is_not_drawn_and_loops_are_left_out_and_parallel_ones_bend() -> None:
    nodes = [DrawnNode("a", "A"), DrawnNode("b", "B")]
    links = graph_options(
        nodes,
        [
            DrawnEdge("a", "b", "x"),
            DrawnEdge("b", "a", "y"),
            DrawnEdge("a", "a"),
            DrawnEdge("a", "gone"),
        ],
    )["series"][0]["links"]
    assert [(link["source"], link["target"]) for link in links] == [(0, 1), (1, 0)]
    assert "curveness" not in links[0]["lineStyle"]
    assert links[1]["lineStyle"]["curveness"]


def test_small_drawings_have_arrows_and_large_ones_plain_lines() -> None:
    many = [DrawnNode(str(i), str(i), community=0, x=i, y=0) for i in range(MAX_SMALL + 1)]
    assert graph_options(many, [])["series"][0]["edgeSymbol"] == ["none", "none"]
    assert graph_options(many[:10], [])["series"][0]["edgeSymbol"] == ["none", "arrow"]


def test_a_relation_without_a_direction_has_no_arrow() -> None:
    nodes = [DrawnNode("a", "A"), DrawnNode("b", "B")]
    edges = [DrawnEdge("a", "b", "mentioned with", is_directed=False), DrawnEdge("b", "a", "knows")]
    together, knows = graph_options(nodes, edges)["series"][0]["links"]
    assert together["symbol"] == ["none", "none"]
    assert "symbol" not in knows


def test_few_relations_are_named_where_they_are_drawn() -> None:
    nodes = [DrawnNode(str(i), str(i)) for i in range(60)]
    knows = [DrawnEdge(str(i), str(i + 1), "knows") for i in range(50)]
    together = DrawnEdge("58", "59", "mentioned with", is_directed=False)
    for edges, are_named in (([*knows[:9], together], True), ([*knows, together], False)):
        series = graph_options(nodes, edges)["series"][0]
        shown = [link["words"] for link in series["links"] if "label" in link]
        assert shown == ["knows"] * 9 * are_named
        assert bool(series["labelLayout"]) is not are_named


def test_a_legend_calls_themes_by_what_is_most_mentioned_in_them() -> None:
    names = ["Battery", "LED light", "Budget", "Rent", "Alone"]
    nodes = [DrawnNode(name, name, i) for i, name in enumerate(names)]
    edges = [DrawnEdge("Battery", "LED light", "needs"), DrawnEdge("Budget", "Rent", "pays")]
    options = graph_options(nodes, edges, has_theme_names=True)
    legend = options["legend"]["data"]
    assert sorted(legend) == ["LED light · Battery", "Rent · Budget"]
    categories = [c["name"] for c in options["series"][0]["categories"]]
    of = {item["words"]: categories[item["category"]] for item in _items(options)}
    assert of["Battery"] == of["LED light"] == "LED light · Battery"
    assert of["Alone"] not in legend
    assert not graph_options(nodes, edges)["legend"]["show"]


def test_the_same_graph_is_drawn_the_same() -> None:
    nodes, edges = (
        [DrawnNode(str(i), str(i)) for i in range(30)],
        [DrawnEdge(str(i), str(i * 7 % 30)) for i in range(30)],
    )
    assert graph_options(nodes, edges) == graph_options(nodes, edges)


def test_nothing_is_drawn_of_nothing() -> None:
    assert _items(graph_options([], [])) == []


def test_five_thousand_nodes_are_a_bounded_message() -> None:
    nodes = [
        DrawnNode(f"{i:032x}", f"Entity number {i}", i, community=i % 50, x=i % 71, y=i // 71)
        for i in range(MAX_NODES)
    ]
    edges = [
        DrawnEdge(f"{i:032x}", f"{i * 31 % MAX_NODES:032x}", "works with") for i in range(MAX_NODES)
    ] * 2
    assert len(json.dumps(graph_options(nodes, edges))) < 2_000_000


@pytest.mark.parametrize("color", [*PALETTE, OTHERS])
@pytest.mark.parametrize("page", ["#ffffff", "#0e1117"])
def test_colours_stand_out_from_a_light_and_a_dark_page(color: str, page: str) -> None:
    lighter, darker = sorted((_luminance(color), _luminance(page)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3  # WCAG 2.2, 1.4.11


def _luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
