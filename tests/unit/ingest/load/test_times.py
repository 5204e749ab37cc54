"""The unit of times, told from the data; and times that can't be."""

import math
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import clock, moment_seconds
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.times import (
    MILLI_S,
    TICK_S,
    Instant,
    TimedWords,
    from_first,
    instant_of,
    time_notes,
    unit_note,
    unit_of,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.5, Instant(1.5)),
        ("1.5", Instant(1.5)),
        ("1.500s", Instant(1.5, is_sure=True)),
        ("0:01:02,5", Instant(62.5, is_sure=True)),
        ("PT1M2.5S", Instant(62.5, is_sure=True)),
        ("PT0S", Instant(0.0, is_sure=True)),
        ({"seconds": "3", "nanos": 500_000_000}, Instant(3.5, is_sure=True)),
        ({}, Instant(0.0, is_sure=True)),
        ({"relative": 2.5, "absolute": "x"}, Instant(2.5, 1.0)),
        ("1970-01-01T00:00:05Z", Instant(5.0, is_sure=True)),
        ("", None),
        (None, None),
    ],
)
def test_a_time_is_read_as_it_is_written(value: object, expected: Instant | None) -> None:
    assert instant_of(value) == expected


@pytest.mark.parametrize(
    "value", ["soon", True, [1, 2], {"minutes": 1}, 10**400, 1e308, math.inf, "P"]
)
def test_what_is_no_time_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match="no time"):
        instant_of(value)


@given(
    num_words=st.lists(st.integers(3, 30), min_size=1, max_size=20),
    rate=st.floats(1.0, 5.0),
    unit=st.sampled_from([1.0, MILLI_S, TICK_S]),
    hint=st.sampled_from([None, 1.0, MILLI_S, TICK_S]),
    has_ends=st.booleans(),
)
def test_words_at_the_speed_of_speech_tell_the_unit_whatever_the_key_suggests(
    num_words: list[int], rate: float, unit: float, hint: float | None, has_ends: bool
) -> None:
    # Starts alone of milliseconds of faster speech can be seconds of slow chapters.
    assume(has_ends or rate < 4.4)
    spans, at = [], 0.0
    for num in num_words:
        end = at + num / rate / unit
        spans.append(TimedWords("word " * num, at, end if has_ends else None))
        at = end
    if has_ends or len(spans) > 1:
        assert unit_of(spans, [hint]) == unit
    else:
        assert unit_of(spans, [hint]) == (hint or 1.0)


def test_chapters_a_quarter_of_an_hour_apart_stay_seconds() -> None:
    chapters = [TimedWords("What the harbour was built for", at * 900.0, None) for at in range(4)]
    assert unit_of(chapters) == 1.0


def test_one_turn_of_an_hour_does_not_change_the_unit_and_is_noted(tmp_path: Path) -> None:
    rows = [f"{at * 4},{at * 4 + 3},The hull is dry and so is the deck.\n" for at in range(9)]
    path = tmp_path / "a.csv"
    path.write_text("start,end,text\n" + "".join(rows) + "40,7300,Tar it.\n")
    source = load_source(path)
    assert source.turns[-1].end_s == 7300.0
    assert source.notes == (
        "1 turn of an hour or more for a few words (the first at 0:40); check the times",
    )


def test_a_unit_that_the_keys_do_not_suggest_is_noted() -> None:
    assert unit_note(1.0, []) == ()
    assert unit_note(MILLI_S, [MILLI_S, None]) == ()
    assert unit_note(MILLI_S, [None]) == (
        "times are read as milliseconds: as seconds nobody speaks that fast or slowly",
    )


def test_dates_are_counted_from_the_first() -> None:
    turns = [SourceTurn("a", None, 1_767_312_000.0, 1_767_312_002.0), SourceTurn("b")]
    moved, notes = from_first(turns)
    assert [(own.start_s, own.end_s) for own in moved] == [(0.0, 2.0), (None, None)]
    assert notes == ("times count from the first turn's date, 2026-01-02 00:00:00 UTC",)


def test_dates_of_several_days_stay_and_are_shown_as_dates() -> None:
    first = 1_701_079_200.0
    turns = [SourceTurn(f"turn {n}", "Ann", first + n * 88_747.0) for n in range(3)]
    kept, notes = from_first(turns)
    assert kept == tuple(turns)
    assert notes == ("times are dates, from 2023-11-27 10:00:00 to 2023-11-29 11:18:14 UTC",)
    assert clock(first + 88_747.0) == "2023-11-28 10:39:07"
    assert clock(88_747.0) == "24:39:07", "clocks of missions go on"
    moved, _ = from_first([turns[0], SourceTurn("b", "Ann", first + 86_399.0)])
    assert moved[1].start_s == 86_399.0
    far = [*turns, SourceTurn("later", "Ann", first + 90 * 86_400.0)]
    assert time_notes(far) == (), "a chat rests for weeks"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2023-11-28 10:39:07", 1_701_167_947.0),
        ("2023-11-28", 1_701_129_600.0),
        ("2023-11-28T10:39:07+01:00", 1_701_164_347.0),
        ("1:02:03", 3723.0),
        ("12.5", 12.5),
        ("soon", None),
    ],
)
def test_a_moment_is_a_time_or_a_date(text: str, seconds: float | None) -> None:
    assert moment_seconds(text) == seconds


def test_times_that_can_not_be_are_noted() -> None:
    words = "so many words that nobody speaks them all at once"
    assert time_notes([SourceTurn(words, None, float(at), at + 4.0) for at in range(9)]) == ()
    assert time_notes([SourceTurn(words, None, 5.0, 2.0), SourceTurn(words, None, 6.0, 6.0)]) == (
        "1 turn with an end before the start (the first at 0:05); they are kept as they are",
    )
    far = 900 * 3600.0
    assert time_notes([SourceTurn(words, None, at, None) for at in (1.0, far, far + 9)]) == (
        "times jump from 0:01 to 900:00:00, which no recording does; check the times",
    )
    assert time_notes([SourceTurn(words, None, at * 36_000.0, None) for at in range(90)]) == ()
    backward, long, fast = time_notes(
        [
            SourceTurn(words, None, 100.0, 104.0),
            SourceTurn(words, None, 20.0, 9000.0),
            *(SourceTurn(words, None, 9000.0 + at, 9000.1 + at) for at in range(3)),
        ]
    )
    assert backward == "times run backwards 1 time; they are kept as they are"
    assert "1 turn of an hour or more for a few words (the first at 0:20)" in long
    assert "3 turns with more words than can be spoken" in fast


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "start\tend\ttext\n0\t2400\tThe hull is dry now.\n61000\t63100\tTar it, then.\n",
            [(0.0, 2.4), (61.0, 63.1)],
        ),
        (
            "start,end,text\n0,2,The hull is dry now.\n61,63,Tar it twice.\n",
            [(0.0, 2.0), (61.0, 63.0)],
        ),
        (
            "start_ms,end_ms,text\n0,2.5,The hull is dry now.\n61,63,Tar it twice.\n",
            [(0.0, 2.5), (61.0, 63.0)],
        ),
        (
            "Speaker Name,Start Time,End Time,Text\nIda,00:00:01:15,00:00:03:00,The hull is dry."
            "\n\nPer,00:01:01;20,00:01:02;29,Tar it.\n",
            [(1.5, 3.0), (61.667, 62.967)],
        ),
        ("start,duration,text\n1,2.5,The hull is dry now.\n", [(1.0, 3.5)]),
    ],
)
def test_a_tables_times_are_seconds_whatever_it_counts_in(
    tmp_path: Path, content: str, expected: list[tuple[float, float]]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    source = load_source(path)
    assert source.refused is None
    assert [(turn.start_s, turn.end_s) for turn in source.turns] == expected
    assert not any("without text" in note for note in source.notes)
    assert any("frames" in note for note in source.notes) is (":15" in content)


@pytest.mark.parametrize(
    ("name", "content", "speakers"),
    [
        ("labels.txt", "0.500000\t2.000000\tThe hull\n2.500000\t4.000000\tis dry\n", [None, None]),
        ("a.csv", '0:00.5,0:02,Ida,"The hull"\n0:02.5,0:04,Per Lund,is dry\n', ["Ida", "Per Lund"]),
        (
            "a.csv",
            "Start (mm:ss),End (mm:ss),Who,Text\n0:00.5,0:02,Ida,The hull\n"
            "0:02.5,0:04,Per,is dry\n",
            ["Ida", "Per"],
        ),
    ],
)
def test_a_table_without_a_header_or_with_hints_in_it_is_read(
    tmp_path: Path, name: str, content: str, speakers: list[str | None]
) -> None:
    (tmp_path / name).write_text(content)
    source = load_source(tmp_path / name)
    assert source.format == "csv"
    assert [(t.speaker, t.start_s, t.end_s, t.text) for t in source.turns] == [
        (speakers[0], 0.5, 2.0, "The hull"),
        (speakers[1], 2.5, 4.0, "is dry"),
    ]


def test_days_of_a_duration_have_24_hours() -> None:
    assert instant_of("P1DT2H") == Instant(26 * 3600.0, is_sure=True)


def test_a_date_without_an_offset_is_read_alike_in_every_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = set()
    for zone in ("UTC", "Asia/Tokyo", "America/Lima"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        found.add(instant_of("2026-01-05T09:03:00"))
    monkeypatch.undo()
    time.tzset()
    assert len(found) == 1
