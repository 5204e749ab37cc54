"""How figures are written, and what is said of a difference."""

import pytest

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.figures import ArmComparison, Figure, Unit, count
from dynagrag.evaluation.frame.report import compared


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Figure(0.5), "50.0"),
        (Figure(0.5, 0.25, 0.75), "50.0 (25.0 to 75.0)"),
        (Figure(0.5, n=7), "50.0 (7)"),
        (Figure(None), "-"),
        (Figure(None, 0.1, 0.2), "-"),
        (Figure(50.04, unit=Unit.POINTS), "50.0"),
        (Figure(0.8765, unit=Unit.FRACTION), "0.876"),
        (count(12345), "12,345"),
        (Figure(0.049, unit=Unit.MS), "0.05"),
        (Figure(2345.6, unit=Unit.MS), "2,346"),
        (Figure(0.021, -0.01, 0.05, is_difference=True), "+2.1 (-1.0 to +5.0)"),
        (Figure.of(Interval(0.1, 0.0, 0.2)), "10.0 (0.0 to 20.0)"),
    ],
)
def test_a_figure_is_written_by_its_unit(figure: Figure, text: str) -> None:
    assert figure.text() == text


def test_a_comparison_without_an_interval_claims_nothing() -> None:
    own = ArmComparison("a", "b", Figure(0.02, is_difference=True), 100)
    assert own.text() == ", +2.0 points against b, without an interval"


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
