"""When a place within a turn is said."""

import pytest

from dynagrag.core.schema import Turn


@pytest.mark.parametrize(
    ("place", "start_s", "end_s", "second"),
    [
        (100, 60.0, 160.0, 60.0),
        (150, 60.0, 160.0, 110.0),
        (104, 60.0, 160.0, 60.0),  # four seconds in
        (105, 60.0, 160.0, 65.0),
        (200, 60.0, 160.0, 60.0),  # behind it
        (150, 60.0, None, 60.0),
        (150, None, 160.0, None),
        (150, 60.0, 50.0, 60.0),  # ends before it begins
    ],
)
def test_a_place_is_said_at_its_share_of_the_turn(
    place: int, start_s: float | None, end_s: float | None, second: float | None
) -> None:
    assert Turn("t", "d", 0, 100, 200, "Ann", start_s, end_s).second_of(place) == second
