"""Labels of small drawings cover neither nodes nor each other, and the important ones are there in
any case.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import Entity, Relation
from dynagrag.ui.drawing.graph_options import graph_options
from dynagrag.ui.drawing.graph_parts import DrawnNode
from dynagrag.ui.drawing.kept_layouts import Layout
from dynagrag.ui.drawing.label_places import (
    ABOVE,
    BELOW,
    LEFT,
    RIGHT,
    Labelled,
    covered_area,
    label_box,
    label_sides,
)
from dynagrag.ui.graph.figure_3d import figure


def test_a_label_stands_below_and_goes_aside_where_a_node_is() -> None:
    middle = Labelled(0, 0, 20, "Aquarius")
    below, right, left = Labelled(0, 22, 16, ""), Labelled(40, 0, 16, ""), Labelled(-40, 0, 16, "")
    assert label_sides([middle], [0]) == {0: BELOW}
    assert label_sides([middle, below], [0]) == {0: RIGHT}
    assert label_sides([middle, below, right], [0]) == {0: LEFT}
    assert label_sides([middle, below, right, left], [0]) == {0: ABOVE}


def test_without_a_free_side_only_a_sure_label_is_shown() -> None:
    around = [Labelled(x, y, 30, "") for x, y in ((0, 22), (0, -22), (40, 0), (-40, 0))]
    assert label_sides([Labelled(0, 0, 20, "Aquarius"), *around], [0]) == {}
    assert set(label_sides([Labelled(0, 0, 20, "Aquarius", is_sure=True), *around], [0])) == {0}


def test_the_first_in_the_order_has_the_better_side() -> None:
    nodes = [Labelled(0, 0, 10, "Houston"), Labelled(30, 0, 10, "Aquarius")]
    assert label_sides(nodes, [0, 1])[0] == BELOW
    assert label_sides(nodes, [1, 0])[1] == BELOW
    assert label_sides(nodes, [1, 0])[0] != BELOW


WORDS = st.text("abc", min_size=1, max_size=20)


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(0, 200), st.integers(4, 40), WORDS), max_size=25
    )
)
def test_no_two_labels_overlap(rows: list[tuple[int, int, int, str]]) -> None:
    nodes = [Labelled(*row) for row in rows]
    found = label_sides(nodes, range(len(nodes)))
    boxes = [label_box(nodes[i], side) for i, side in found.items()]
    widest = max((len(node.text) for node in nodes), default=0) * 5.8 * 12
    assert all(
        covered_area(box, np.array(boxes[:i]).reshape(-1, 4)) <= 0.1 * widest
        for i, box in enumerate(boxes)
    )


def test_the_walk_of_an_ego_graph_is_labelled_however_light_it_is() -> None:
    crowd = [
        DrawnNode(f"n{i}", f"a node with a long name, {i}", 50, x=i % 8, y=i // 8)
        for i in range(64)
    ]
    walked = [
        DrawnNode("a", "first", 1, order=1, x=3.5, y=3.5),
        DrawnNode("b", "second", 1, order=2, x=3.6, y=4.5),
    ]
    items = graph_options([*crowd, *walked], [])["series"][0]["data"]
    assert [item["label"]["show"] for item in items[-2:]] == [True, True]
    assert sum("label" in item for item in items) < 64


def test_names_in_three_dimensions_are_those_most_mentioned_and_no_html() -> None:
    entities = [
        Entity(str(i), str(i), f"<b>{i}</b>", "", (), (), "", 100 - i, ()) for i in range(40)
    ]
    relations = [Relation(e.id, e.id, "0", "near", 1, 1, (), ()) for e in entities[1:]]
    tips = [f"{entity.name} is <i>here</i>" for entity in entities]
    rng = np.random.default_rng(0)
    made = Layout(rng.standard_normal((40, 3)).astype(np.float32), np.zeros(40, dtype=np.int64))
    points = figure(entities, relations, tips, made, is_dark=True).data[1]
    assert 5 < sum(text != "" for text in points.text) <= 20
    assert not any(points.text[20:])
    assert not [text for text in (*points.text, *points.hovertext) if "<" in text]
    assert (
        points.textfont.color
        != figure(entities, relations, tips, made, is_dark=False).data[1].textfont.color
    )
