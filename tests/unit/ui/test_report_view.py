"""A report in the app: figures are numbers, intervals stand beside them, and no name is markup."""

import pytest

from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.report import BarChart, LineChart, Picture, ScatterChart, Table
from dynagrag.ui.evaluate.report_view import drawing_of, table_row

NASTY = '<a href="https://elsewhere.example">arm</a>\x1b[2J'


def test_a_row_has_its_figures_as_numbers_and_each_interval_beside_its_own() -> None:
    table = Table(
        ("arm", "F1", "ms", "what"),
        (
            (NASTY, (Figure(0.5, 0.25, 0.75), Figure(12.0, unit=Unit.MS), "x\ty")),
            ("b", (Figure(None), Figure(None, unit=Unit.MS), "")),
        ),
    )
    first, second = table_row(table, 0), table_row(table, 1)
    assert "\x1b" not in str(first["arm"])
    assert (first["F1"], first["F1, 95 %"], first["ms"], first["what"]) == (
        50.0,
        "25.0 to 75.0",
        12.0,
        "x y",
    )
    assert (second["F1"], second["ms"]) == (None, None)
    assert isinstance(table_row(Table(("a", "n"), (("x", (count(7),)),)), 0)["n"], int)


@pytest.mark.parametrize(
    "picture",
    [
        BarChart("", {NASTY: Figure(0.5, 0.25, 0.75), "b": Figure(1.0)}),
        LineChart("", "", "", {NASTY: [0.1, 0.5], "b": [0.2]}),
        ScatterChart("", "", "", {NASTY: (1.0, 50.0), "b": (100.0, 51.0)}),
    ],
)
def test_a_picture_has_each_arm_and_no_markup_of_its_name(picture: Picture) -> None:
    drawing = drawing_of(picture)
    assert len(drawing.data) == 2
    assert "<a" not in drawing.to_json()
    assert "&lt;a href" in drawing.to_json().replace("\\u0026", "&").replace("\\u003c", "<")


def test_bars_reach_as_far_as_their_interval() -> None:
    bar, alone = drawing_of(BarChart("", {"a": Figure(0.5, 0.25, 0.75), "b": Figure(1.0)})).data
    assert (bar.x, bar.error_x.array, bar.error_x.arrayminus) == ((50.0,), (25.0,), (25.0,))
    assert (alone.x, alone.error_x.array) == ((100.0,), (0.0,))
