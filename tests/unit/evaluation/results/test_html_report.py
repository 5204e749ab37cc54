"""The page of every report: its parts in their order, its plain words, and where the marks of its
plots go.
"""

import json
import re
from itertools import pairwise

from dynagrag.evaluation.results.html_report import (
    Case,
    Cases,
    Column,
    Listing,
    Report,
    Section,
    Table,
    compared,
    render,
)
from dynagrag.evaluation.results.report_plots import cost_points, quality_bars, recall_curves


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
        "TITLE ASKED CONCLUSION NOTE RESULTS arm ARM CELL AFTER WORD MEANING COSTS CASES CASE VALUE"
        " LIST ITEM COLUMN TEXT"
    )
    at = [
        words.index(part, words.index("ASKED") if part != "TITLE" else 0)
        for part in [*order.split(), "seed", "none", "DEEP", "BEGUN", "HASH", "VERSION"]
    ]
    assert at == sorted(at)


def test_a_difference_is_said_in_plain_words_with_its_interval() -> None:
    assert compared("a", {"difference": 2.0, "low": 0.5, "high": 3.0}, "b", 10).endswith(
        "(95 % interval +0.5 to +3.0): a is better, by more than chance"
    )
    assert compared("a", {"difference": -2.0, "low": -4.0, "high": -0.5}, "b", 10).endswith(
        ": a is worse, by more than chance"
    )
    assert compared("a", {"difference": 2.0, "low": -1.0, "high": 4.0}, "b", 10).endswith(
        ": that may be chance"
    )
    assert compared("a", {"difference": 0.0, "low": 0.0, "high": 0.0}, "b", 10) == ", the same as b"
    assert compared("b", None, "b", 0) == ""
    assert compared("a", {"difference": 30.0, "low": 30.0, "high": 30.0}, "b", 1).endswith(
        ": too few to tell"
    )
    held, not_held = (
        {"difference": 2.0, "low": 0.5, "high": 3.0, "holds": holds} for holds in (True, False)
    )
    assert compared("a", held, "b", 10).endswith(": a is better, by more than chance")
    assert "but among the comparisons of this run that may be chance" in compared(
        "a", not_held, "b", 10
    )


def test_a_label_lies_upon_no_other_point_and_is_joined_to_its_own() -> None:
    costs = {"first": 10.0, "second": 14.0, "low": 1.0, "high": 100.0}
    first, second, *_ = cost_points(
        costs, {"first": 55.0, "second": 55.0, "low": 51.0, "high": 59.0}
    ).series
    assert first.label_x > second.points[0][0]
    assert first.is_apart


def test_marks_stay_inside_their_plots_and_labels_apart() -> None:
    arms = {f"arm{i}": 50.0 for i in range(8)}
    for plot in (
        recall_curves({arm: [0.5] * 10 for arm in arms}),
        cost_points(dict.fromkeys(arms, 1.0), arms),
    ):
        places = sorted(s.label_y for s in plot.series)
        assert min(b - a for a, b in pairwise(places)) >= 16.9
        assert places[0] >= 0
        assert places[-1] <= plot.height
        assert all(
            plot.top <= y <= plot.bottom and plot.left <= x <= plot.right
            for s in plot.series
            for x, y in s.points
        )
    bars = quality_bars(
        {"a": 0.0, "b": 99.0}, {"a": {"low": 0, "high": 0}, "b": {"low": 90, "high": 100}}
    )
    assert all(bar.start <= bar.low <= bar.high <= 440 for bar in bars.bars)
    assert json.dumps([t.label for t in bars.ticks]) == '["0", "20", "40", "60", "80", "100"]'
