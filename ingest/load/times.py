"""Times as files write them, and the unit that a file counts in.

A key's name doesn't settle the unit: `start` is seconds in one tool's files and milliseconds in
another's. The words do, since people speak one to five of them a second: a file's unit is what its
keys suggest where its words can have been spoken at that speed, else the one that comes closest.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import FIRST_DATE_S, any_seconds, clock, plural

MILLI_S, TICK_S = 1e-3, 1e-7
"""Seconds of a millisecond, and of a tick of 100 ns as Azure and .NET count."""
_UNITS_S = (1.0, MILLI_S, TICK_S)
_USUAL_RATE = 2.5
"""Words a second of ordinary speech."""
_POSSIBLE_RATES = (0.05, 12.0)
"""Words a second: a few words of a slow scene, and the fastest of quick talkers over a word or two
whose times are rounded.
"""
_POSSIBLE_OF_STARTS = (0.0045, 12.0)
"""The same where only starts are known: pauses lie between them, as between the chapters of a talk.
A lower rate than this can be milliseconds of ordinary speech.
"""
_LETTERS_PER_WORD = 6
_DURATION = re.compile(
    r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.ASCII | re.IGNORECASE
)
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_SPOKEN_DATE = re.compile(r"\d{1,2} [A-Za-z]{3,9} \d{4}")
"""As mail and chats write it: `Thu, 25 Apr 2024 09:00:01 +0000`."""
_DOTTED_DATE = re.compile(
    r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}),?\s(\d{1,2}):(\d\d(?::\d\d)?)", re.ASCII
)
"""The day first, as dots have it everywhere: `25.04.2024 09:00:01`."""
_YEAR_FIRST = re.compile(
    r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})[T ]+(\d{1,2}):(\d\d(?::\d\d)?)", re.ASCII
)
"""`2023/11/4 14:02:42`."""
_LONGEST_S = 3600.0
"""Of one sentence."""
_BACKWARD_S = 1.0
_JUMP_S = 240 * 3600.0
"""Ten days from one turn to the next; clocks of missions run through nights, not through those."""
_SLOWEST, _FASTEST = 0.1, 15.0
"""Words a second below and above which a turn's times can't be right."""
_FEWEST_WORDS, _FEWEST_FAST = 8, 3
"""Of a turn that is too fast, and turns of a file before a note says so."""
_MAX_NUMBER = 1e18
"""No time has more, not even a date in ticks of 100 ns."""
_EPOCH_S = FIRST_DATE_S
"""Three years: what is later is a date, counted from 1970."""
_DAY_S = 86_400.0
_LAST_S = 32_503_680_000.0
"""The year 3000."""


class Instant(NamedTuple):
    """A time as a file has it. `hint_s` is the unit that its key suggests; `is_sure` where the
    value itself says its unit ("1.5s", "0:02"), and is then seconds.
    """

    value: float
    hint_s: float | None = None
    is_sure: bool = False

    def seconds(self, unit_s: float) -> float:
        """In seconds, for a file that counts in this unit."""
        return self.value if self.is_sure else self.value * unit_s


class TimedWords(NamedTuple):
    """Words and when they are spoken, in a unit that isn't known yet."""

    text: str
    start: float | None
    end: float | None


def instant_of(value: Any, hint_s: float | None = None) -> Instant | None:
    """A value of JSON as a time; None for an empty one.

    Seconds and nanoseconds as Google's protobuf has them, "1.5s", ISO durations and dates, clock
    times and plain numbers.

    Raises:
        ValueError: It is none of those.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        raise ValueError("is no time")
    if isinstance(value, int | float):
        return Instant(_finite(value), hint_s)
    if isinstance(value, Mapping):
        return _of_parts(value)
    if not isinstance(value, str):
        raise ValueError("is no time")
    text = value.strip()
    seconds = _of_milliseconds(text) if text.endswith("ms") else any_seconds(text)
    if seconds is not None:
        is_sure = ":" in text or text.endswith("s")
        return Instant(seconds, None if is_sure else hint_s, is_sure)
    duration = _DURATION.fullmatch(text) if len(text) <= 40 else None
    if duration is not None and any(duration.groups()):
        days, hours, minutes, rest = (float(part or 0) for part in duration.groups())
        return Instant(((days * 24 + hours) * 60 + minutes) * 60 + rest, is_sure=True)
    if _SPOKEN_DATE.search(text) and len(text) <= 60:
        with suppress(ValueError, TypeError):
            when = parsedate_to_datetime(text.replace(" at ", " "))
            return Instant(when.replace(tzinfo=when.tzinfo or UTC).timestamp(), is_sure=True)
    if (dotted := _DOTTED_DATE.fullmatch(text)) is not None:
        day, month, year, hour, minute = dotted.groups()
        text = f"{year}-{int(month):02}-{int(day):02} {hour:0>2}:{minute}"
    if (slashed := _YEAR_FIRST.fullmatch(text)) is not None:
        year, _, month, day, hour, minute = slashed.groups()
        text = f"{year}-{int(month):02}-{int(day):02} {hour:0>2}:{minute}"
    if _DATE_TIME.match(text) and len(text) <= 40:
        when = datetime.fromisoformat(text)
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        return Instant(when.timestamp(), is_sure=True)
    raise ValueError("is no time")


def _of_milliseconds(text: str) -> float | None:
    """Seconds of `1500ms`; None for another text."""
    count = None if ":" in text else any_seconds(text.removesuffix("ms"))
    return None if count is None else count * MILLI_S


def _of_parts(value: Mapping[str, Any]) -> Instant | None:
    """`{"seconds": "1", "nanos": 500000000}`; `{"relative": 1.5}` as meeting bots have it."""
    if "relative" in value:
        return instant_of(value["relative"], 1.0)
    if not value:
        return Instant(0.0, is_sure=True)  # protobuf leaves out what is zero
    if not value.keys() <= {"seconds", "nanos", "nanoseconds", "micros", "microseconds"}:
        raise ValueError("is no time")
    total = 0.0
    for key, own in value.items():
        unit_s = 1.0 if key == "seconds" else 1e-9 if key.startswith("nano") else 1e-6
        part = instant_of(own)
        total += 0.0 if part is None else part.value * unit_s
    return Instant(total, is_sure=True)


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError as err:
        raise ValueError("is no time") from err
    if not abs(number) < _MAX_NUMBER:
        raise ValueError("is no time")
    return number


def unit_of(spans: Iterable[TimedWords], hints: Iterable[float | None] = ()) -> float:
    """Seconds of the unit that a file counts in.

    Args:
        spans: Its words with their times.
        hints: The units that its keys suggest, one a time; the most frequent one is held to be
            right unless nobody can have spoken at that speed.
    """
    hint = _suggested(hints)
    timed = [own for own in spans if own.start is not None and own.text.strip()]
    ended = [(own.text, own.end - own.start) for own in timed if own.start is not None and own.end]
    possible = _POSSIBLE_RATES
    if not any(length > 0 for _, length in ended):
        starts = [own.start for own in timed if own.start is not None]
        ended = [
            (own.text, after - before)
            for own, (before, after) in zip(timed, pairwise(starts), strict=False)
        ]
        possible = _POSSIBLE_OF_STARTS
    rates = [_num_spoken(text) / length for text, length in ended if length > 0]
    rate = median(rates) if rates else 0.0  # one turn of an hour says nothing about the unit
    if not 0.0 < rate < math.inf:
        return hint
    if possible[0] <= rate / hint <= possible[1]:
        return hint
    best = min(_UNITS_S, key=lambda unit: abs(math.log(rate / unit / _USUAL_RATE)))
    return best if possible[0] <= rate / best <= possible[1] else hint


def unit_note(unit_s: float, hints: Iterable[float | None]) -> tuple[str, ...]:
    """A line where the unit isn't what a file's keys suggest."""
    hint_s = _suggested(hints)
    if unit_s == hint_s:
        return ()
    return (
        f"times are read as {_NAMES.get(unit_s, 'samples')}: as {_NAMES.get(hint_s, 'samples')}"
        " nobody speaks that fast or slowly",
    )


_NAMES = {1.0: "seconds", MILLI_S: "milliseconds", TICK_S: "ticks of 100 ns"}


def _suggested(hints: Iterable[float | None]) -> float:
    return next((unit for unit, _ in Counter(filter(None, hints)).most_common(1)), 1.0)


def _num_spoken(text: str) -> float:
    """Words, or what would be words in a script that has no spaces."""
    return max(len(text.split()), sum(ch.isalnum() for ch in text) / _LETTERS_PER_WORD, 0.5)


def frames_a_second(largest: int) -> int | None:
    """The usual rate of a file whose frame numbers go up to this; None for more than any has."""
    return next((rate for rate in (25, 30, 50, 60) if largest < rate), None)


def oldest_first(turns: Sequence[SourceTurn]) -> Sequence[SourceTurn]:
    """The turns as they were said; some chats are written with the newest first."""
    starts = [turn.start_s for turn in turns if turn.start_s is not None]
    is_turned = len(starts) == len(turns) > 1 and starts[0] > starts[-1]
    is_backward = is_turned and all(after <= before for before, after in pairwise(starts))
    return turns[::-1] if is_backward else turns


def from_first(turns: Sequence[SourceTurn]) -> tuple[tuple[SourceTurn, ...], tuple[str, ...]]:
    """Turns whose times are dates, counted from the first, as a recording's are; those that go on
    for a day or more, as a chat's, keep their dates. And a note. Others as they are.
    """
    starts = [turn.start_s for turn in turns if turn.start_s is not None]
    if not starts or min(starts) < _EPOCH_S:
        return tuple(turns), ()
    first = min(starts)
    try:
        date = datetime.fromtimestamp(first, UTC).isoformat(" ", "seconds").removesuffix("+00:00")
    except (OverflowError, ValueError, OSError):
        return tuple(turns), ()
    if max(starts) - first >= _DAY_S and max(starts) <= _LAST_S:
        return tuple(turns), (f"times are dates, from {clock(first)} to {clock(max(starts))} UTC",)
    moved = (
        SourceTurn(
            turn.text,
            turn.speaker,
            None if turn.start_s is None else turn.start_s - first,
            None if turn.end_s is None else turn.end_s - first,
        )
        for turn in turns
    )
    return tuple(moved), (f"times count from the first turn's date, {date} UTC",)


def time_notes(turns: Sequence[SourceTurn]) -> tuple[str, ...]:
    """What can't be about a file's times, a line a kind."""
    starts = [turn.start_s for turn in turns if turn.start_s is not None]
    num_backward = sum(after < before - _BACKWARD_S for before, after in pairwise(starts))
    reversed_at = [
        turn.start_s
        for turn in turns
        if turn.start_s is not None and turn.end_s is not None and turn.end_s < turn.start_s
    ]
    is_dated = bool(starts) and min(starts) >= _EPOCH_S
    jumps = [(a, b) for a, b in pairwise(starts) if b - a >= _JUMP_S and not is_dated]
    long = [
        turn
        for turn in turns
        if turn.start_s is not None
        and turn.end_s is not None
        and turn.end_s - turn.start_s >= max(_LONGEST_S, _num_spoken(turn.text) / _SLOWEST)
    ]
    fast = [
        turn
        for turn in turns
        if turn.start_s is not None
        and turn.end_s is not None
        and _num_spoken(turn.text) >= _FEWEST_WORDS
        and turn.end_s > turn.start_s
        and _num_spoken(turn.text) / (turn.end_s - turn.start_s) > _FASTEST
    ]
    notes = []
    if num_backward:
        notes.append(
            f"times run backwards {plural(num_backward, 'time')}; they are kept as they are"
        )
    if reversed_at:
        notes.append(
            f"{plural(len(reversed_at), 'turn')} with an end before the start (the first at"
            f" {clock(reversed_at[0])}); they are kept as they are"
        )
    if jumps:
        notes.append(
            f"times jump from {clock(jumps[0][0])} to {clock(jumps[0][1])}, which no recording"
            " does; check the times"
        )
    if long:
        notes.append(
            f"{plural(len(long), 'turn')} of an hour or more for a few words (the first at"
            f" {clock(long[0].start_s or 0.0)}); check the times"
        )
    if len(fast) >= _FEWEST_FAST:
        notes.append(
            f"{plural(len(fast), 'turn')} with more words than can be spoken in the time (the first"
            f" at {clock(fast[0].start_s or 0.0)}); check the times"
        )
    return tuple(notes)
