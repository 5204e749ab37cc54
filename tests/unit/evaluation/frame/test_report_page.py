"""The page and the lines of every report: its parts in their order, its pictures, and that no
text of it is markup.
"""

import re
from xml.etree import ElementTree

import pytest

from dynagrag.evaluation.frame.figures import Figure, Unit
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.pictures import COLOURS, picture_svg
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    LineChart,
    Listing,
    Picture,
    Report,
    ScatterChart,
    Section,
    Table,
)
from dynagrag.evaluation.frame.terminal import report_lines


def test_every_report_has_its_parts_in_one_order() -> None:
    said = Report(
        title="TITLE",
        asked="ASKED",
        conclusion="CONCLUSION",
        notes=("NOTE",),
        results=(
            Section(
                "RESULTS",
                tables=(Table(("arm", "value"), (("ARM", ("CELL",)),), is_of_arms=True),),
                pictures=(BarChart("PICTURE", {"ARM": Figure(0.5)}),),
                after=("AFTER",),
            ),
        ),
        words={"WORD": "MEANING"},
        costs=(Section("COSTS"),),
        cases=(
            Cases(
                "CASES",
                (
                    Case(
                        "CASE",
                        "VALUE",
                        (Listing.of("LIST", ["ITEM"]),),
                        (Column("COLUMN", text="TEXT"),),
                    ),
                ),
            ),
        ),
    )
    head = {
        "begun": "BEGUN",
        "settings": {"seed": 0, "llm": None, "files": {"f": "HASH"}, "p": {"q": "DEEP"}},
        "versions": {"v": "VERSION"},
    }
    words = re.sub(r"(?s)<style>.*?</style>|<[^>]*>", " ", render(said, head))
    order = (
        "TITLE ASKED CONCLUSION NOTE RESULTS arm ARM CELL PICTURE AFTER WORD MEANING COSTS CASES"
        " CASE VALUE LIST ITEM COLUMN TEXT"
    )
    at = [
        words.index(part, words.index("ASKED") if part != "TITLE" else 0)
        for part in [*order.split(), "seed", "none", "DEEP", "BEGUN", "HASH", "VERSION"]
    ]
    assert at == sorted(at)


HEAD = {"begun": "", "settings": {}, "versions": {}}
NASTY = "<script>alert('x')</script> & \u2028 \"quoted\""
FIGURE = Figure(0.5, 0.25, 0.75)
PICTURES = (
    BarChart(NASTY, {NASTY: FIGURE, "b": Figure(1.0), "c": Figure(None)}),
    LineChart(NASTY, NASTY, NASTY, {NASTY: [0.1, 0.5], "b": [0.2, 0.2]}),
    ScatterChart(NASTY, NASTY, NASTY, {NASTY: (0.0, 50.0), "b": (1200.0, 51.0)}),
)


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_small_the_same_each_time_and_holds_no_markup_of_its_names(
    picture: Picture,
) -> None:
    svg = picture_svg(picture)
    assert svg == picture_svg(picture)
    assert len(svg) < 15_000
    assert "<script" not in svg
    assert "http" not in svg, "no namespace, no metadata"
    root = ElementTree.fromstring(svg)
    assert root.tag == "svg"
    assert root.get("aria-label") == NASTY
    texts = " ".join("".join(element.itertext()) for element in root.iter("text"))
    assert "<script>alert" in texts, "the name is there, as text"


def test_names_of_marks_differ_between_pictures_of_a_page() -> None:
    page = render(Report("", "", "", results=(Section(pictures=PICTURES),)), HEAD)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert ids
    assert len(ids) == len(set(ids))
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', page)
    assert set(used) <= set(ids)


@pytest.mark.parametrize(
    ("settings", "heading"),
    [
        ({"dynagrag": "1", "seed": 0}, "Versions"),
        ({"files": {"f": "HASH"}}, "Data and versions"),
        ({"files": {"f": "HASH"}, "graph": "HASH"}, "Data, graph and versions"),
    ],
)
def test_headings_name_only_what_is_there(settings: dict[str, object], heading: str) -> None:
    page = render(Report("", "", ""), HEAD | {"settings": settings})
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles == ["Settings", heading]
    assert ("The hashes tell" in page) == ("files" in settings)


def test_tables_without_titles_are_set_apart() -> None:
    tables = (Table(("arm", "value"), ()),) * 2
    page = render(Report("", "", "", results=(Section(tables=tables),)), HEAD)
    assert re.search(r'</table>\s*</div>\s*<div class="scroll">', page)
    assert ".scroll + .scroll { margin-top: 16px; }" in page


def test_colours_are_those_of_the_page_so_that_dark_mode_changes_them() -> None:
    svg = picture_svg(PICTURES[0])
    assert "var(--c0)" in svg
    assert "var(--ink)" in svg
    assert COLOURS[0] not in svg


def test_without_the_library_a_page_says_what_pictures_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "dynagrag.core.extras.find_spec", lambda name: None if name == "matplotlib" else object()
    )
    page = render(Report("", "", "", results=(Section(pictures=PICTURES),)), HEAD)
    assert "pip install &#39;dynagrag[evaluate]&#39;" in page
    assert "<svg" not in page


def test_the_terminal_has_the_figures_in_columns_and_what_came_out() -> None:
    table = Table(
        ("arm", "F1", "ms"),
        (
            ("default", (FIGURE, Figure(1234.5, unit=Unit.MS))),
            ("b", (Figure(None), Figure(0.051, unit=Unit.MS))),
        ),
        title="In points",
    )
    report = Report(
        "TITLE",
        "ASKED",
        "CONCLUSION",
        notes=("NOTE",),
        results=(Section("PART", before=("BEFORE",), tables=(table,), pictures=PICTURES),),
        words={"points": "100 is everything"},
        cases=(Cases("CASES", ()),),
    )
    assert list(report_lines(report)) == [
        "TITLE",
        "ASKED",
        "  NOTE",
        "",
        "PART:",
        "BEFORE",
        "In points",
        "arm                       F1     ms",
        "default  50.0 (25.0 to 75.0)  1,234",
        "b                          -   0.05",
        "",
        "CONCLUSION",
        "in points (100 is everything); behind a figure its 95 % interval",
    ]
