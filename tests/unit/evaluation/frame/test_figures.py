"""How figures are written, and what is said of a difference."""

import pytest

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.figures import ArmComparison, Figure, Unit, count


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
        (Figure(0.8765, 0.5, 1.0, unit=Unit.COEFFICIENT), "0.88 (0.50 to 1.00)"),
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


@pytest.mark.parametrize(
    ("bounds", "num", "holds", "text"),
    [
        (
            (2.0, 0.5, 3.0),
            10,
            None,
            "(95 % interval +0.5 to +3.0): a is better, by more than chance",
        ),
        ((-2.0, -4.0, -0.5), 10, None, ": a is worse, by more than chance"),
        ((2.0, -1.0, 4.0), 10, None, ": that may be chance"),
        ((0.0, 0.0, 0.0), 10, None, ", the same as b"),
        ((30.0, 30.0, 30.0), 1, None, ": too few to tell"),
        ((2.0, 0.5, 3.0), 10, True, ": a is better, by more than chance"),
        (
            (2.0, 0.5, 3.0),
            10,
            False,
            "but among the comparisons of this run that may be chance (Holm's correction)",
        ),
    ],
)
def test_a_difference_is_said_in_plain_words_with_its_interval(
    bounds: tuple[float, float, float], num: int, holds: bool | None, text: str
) -> None:
    difference = Figure(*bounds, Unit.POINTS, is_difference=True)
    assert ArmComparison("a", "b", difference, num, holds).text().endswith(text)
