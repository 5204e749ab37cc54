"""Intervals in words: one way to write them, and to say what a difference shows."""

import pytest

from dynagrag.evaluation.bootstrap_intervals import (
    DifferenceVerdict,
    Interval,
    intervals,
    share_intervals,
    student_interval,
)


def test_an_interval_is_written_in_one_way() -> None:
    assert Interval(0.125, -0.01, 0.3).times(100).text("+") == "+12.5 (-1.0 to +30.0)"
    assert Interval(18.104, 17.5, 18.9).text(digits=2) == "18.10 (17.50 to 18.90)"


def test_an_interval_of_a_summary_is_of_a_mean_or_of_a_difference() -> None:
    assert Interval.of({"low": 1.0, "mean": 2.0, "high": 3.0}) == Interval(2.0, 1.0, 3.0)
    assert Interval.of({"difference": 0.5, "low": 0.25, "high": 1.0}, 4) == Interval(2.0, 1.0, 4.0)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 0.2, DifferenceVerdict.BETTER),
        (-0.2, -0.1, DifferenceVerdict.WORSE),
        (-0.1, 0.1, DifferenceVerdict.UNCLEAR),
        (0.0, 0.2, DifferenceVerdict.UNCLEAR),
        (0.0, 0.0, DifferenceVerdict.UNCLEAR),
    ],
)
def test_a_difference_shows_something_where_its_interval_leaves_out_0(
    low: float, high: float, verdict: DifferenceVerdict
) -> None:
    assert Interval((low + high) / 2, low, high).verdict is verdict


def test_a_share_of_none_or_of_all_has_the_exact_interval() -> None:
    found = share_intervals(
        {"none": [0.0] * 3, "all": [1.0] * 3, "some": [0.0, 1.0, 1.0], "half": [0.5] * 3}
    )
    none, full = found["none"], found["all"]
    assert (none.mean, none.low, none.high) == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 3)))
    assert (full.mean, full.low, full.high) == pytest.approx((1.0, 0.025 ** (1 / 3), 1.0))
    assert (found["some"].low, found["some"].high) == (0.0, 1.0)
    assert (found["half"].low, found["half"].high) == (0.5, 0.5)
    assert share_intervals({"one": [1.0]})["one"].low == pytest.approx(0.025)
    assert intervals({"none": [0.0] * 3})["none"].high == 0.0, (
        "a difference of nothing on every question stays one"
    )


def test_the_interval_of_few_is_students() -> None:
    """Of 1, 2 and 3 the standard error is 1 / sqrt(3), and t with 2 degrees 4.3027."""
    found = student_interval([1.0, 2.0, 3.0])
    assert (found.mean, found.low, found.high) == pytest.approx((2.0, -0.4841, 4.4841), abs=1e-4)
    assert student_interval([0.5]) == Interval(0.5, 0.5, 0.5)
