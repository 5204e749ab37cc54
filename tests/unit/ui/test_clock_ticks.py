"""The times under the drawing of who spoke when."""

import pytest

from dynagrag.ui.ask.invitation import ticks


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0.0, 540.0, [0, 60, 120, 180, 240, 300, 360, 420, 480, 540]),
        (201_120.0, 201_790.0, [201_120, 201_240, 201_360, 201_480, 201_600, 201_720]),
        (5.0, 5.0, [5]),
        (0.4, 0.9, []),
        (-30.0, 30.0, [-30, -20, -10, 0, 10, 20, 30]),
    ],
)
def test_ticks_are_whole_steps_of_a_clock_inside_what_was_said(
    first: float, last: float, expected: list[int]
) -> None:
    assert ticks(first, last) == expected


def test_however_long_it_is_there_are_ten_at_most() -> None:
    assert all(0 < len(ticks(0.0, 1.7**power)) <= 10 for power in range(1, 60))
