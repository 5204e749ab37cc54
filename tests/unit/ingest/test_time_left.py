"""How long a run still takes, and how many texts are embedded at once."""

import pytest

from dynagrag.ingest.embedding_batches import FEWEST, MOST, BatchSizes, embedding_work
from dynagrag.ingest.time_left import TimeLeft


def test_nothing_is_said_before_anything_was_seen() -> None:
    left = TimeLeft()
    assert left.text(0) == ""
    left.tell("extract", 0, 100, 0)
    left.tell("extract", 1, 100, 0.5)
    assert left.text(0.5) == ""


def test_the_time_left_follows_the_speed_of_the_last_half_minute() -> None:
    left = TimeLeft()
    for second in range(61):
        left.tell("extract", second, 1000, second)
    assert left.seconds(60) == 940
    for second in range(61, 121):  # ten times as fast
        left.tell("extract", 60 + 10 * (second - 60), 1000, second)
    assert left.seconds(120) == pytest.approx(34, abs=1)
    assert left.seconds(130) == pytest.approx(24, abs=1)
    assert left.text(120) == "about 30 s left"


def test_a_new_stage_begins_afresh_and_embedding_is_counted_before_it_begins() -> None:
    left = TimeLeft(num_passages=1000)
    left.tell("extract", 0, 10, 0)
    left.tell("extract", 5, 10, 5)
    assert left.seconds(5) == 65
    left.tell("embed", 0, 100, 6)
    assert left.seconds(6) is None
    left.tell("embed", 2, 100, 16)
    assert left.seconds(16) is None  # the model was loaded meanwhile
    left.tell("embed", 52, 100, 21)
    assert left.seconds(21) == pytest.approx(4.8)


def _sizes(seconds_of: object, num_texts: int = 4000) -> list[int]:
    sizes, made = BatchSizes(), []
    works = [1] * num_texts
    for batch in sizes.batches(works):
        made.append(batch.stop - batch.start)
        sizes.took(made[-1], sum(works[batch]), seconds_of(made[-1]))  # type: ignore[operator]
    return made


def test_batches_of_a_model_on_this_machine_take_less_than_a_second() -> None:
    made = _sizes(lambda number: 2.0 if number == 1 else number / 25)
    assert made[0] == 1
    assert all(number / 25 < 1 for number in made)
    assert sum(made) == 4000


def test_batches_over_a_network_grow_as_waiting_is_what_takes_the_time() -> None:
    made = _sizes(lambda number: 0.8 + number / 5000)
    assert made[:3] == [1, FEWEST, 2 * FEWEST]
    assert max(made) == MOST
    assert len(made) < 20


def test_quick_texts_go_in_large_batches() -> None:
    assert max(_sizes(lambda number: number / 2000)) == MOST


def test_long_texts_after_short_ones_take_less_than_a_second_too() -> None:
    sizes, spent, num = BatchSizes(), [], 0
    for works in ([28] * 1000, [120] * 1000, [1200] * 200, [28] * 100):
        for batch in sizes.batches(works):
            work = sum(works[batch])
            spent.append(work / 15_000)
            num += batch.stop - batch.start
            sizes.took(batch.stop - batch.start, work, spent[-1])
    assert num == 2300
    assert max(spent) < 0.9
    assert sum(spent) / len(spent) > 0.1


def test_the_work_of_a_text_is_its_length_as_far_as_it_is_read() -> None:
    assert (
        embedding_work("")
        < embedding_work("a" * 100)
        < embedding_work("a" * 1200)
        == embedding_work("a" * 9000)
    )
