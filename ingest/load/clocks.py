"""Times as text files write them: `0:12`, `[00:00:03]`, `0:0:3.1 --> 0:0:7.4`, `0 minutes 3
seconds`, `05/01/2026, 09:03`, `9:03 AM`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dynagrag.core.text import clock_seconds

_TIME = r"(?:\d{1,4}:\d{1,2}:\d{1,2}|\d{1,4}:\d{2})(?:[.,]\d{1,3})?(?![\d:])"
_HALF = r"(?:[ \u202f\xa0]?[AaPp]\.?[Mm]\b\.?)"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_STAMP = rf"(?:{_DATE}[,.]?[ T]{{1,3}})?{_TIME}{_HALF}?"
_UNIT = r"[^\W\d_]{1,9}"
_IN_WORDS = rf"\d{{1,3}} ?{_UNIT}(?:,? (?:{_UNIT} )?\d{{1,2}} ?{_UNIT}){{1,2}}"
"""`1 hour 2 minutes 15 seconds` in any language: the last number counts seconds."""
ARROW = r"(?:-{1,2}>|=>|[→⇒➔➜⟶])"
"""Between the times where a cue begins and ends."""
CLOCK = rf"(?:{_STAMP})(?:[ \t]*(?:{ARROW}|[-–—])[ \t]*{_STAMP})?"
"""One time, or where something begins and ends."""
MARKED_CLOCK = rf"(?:`?[\[(]{CLOCK}[\])]`?|`{CLOCK}`|(?<![\w])[_*]{CLOCK}[_*])"
"""One in brackets or emphasis."""
ANY_CLOCK = rf"(?:{MARKED_CLOCK}|{CLOCK})"
LONE_CLOCK = rf"(?:{ANY_CLOCK}|{_IN_WORDS})"
"""One that has a line of its own."""

_TIMES = re.compile(rf"(?:(?P<date>{_DATE})[,.]?[ T]{{1,3}})?(?P<time>{_TIME})(?P<half>{_HALF})?")
_NUMBERS = re.compile(r"\d+")
_LONE = re.compile(LONE_CLOCK)
_DAY_MIN = 24 * 60
_FEWEST, _FIRST_HOUR = 3, 6


@dataclass(frozen=True, slots=True)
class Clock:
    """When something begins, and ends where that is written. `date`: the day that stands before it,
    as written; its seconds are then those of the day.
    """

    start_s: float
    end_s: float | None = None
    date: str = ""
    is_of_day: bool = False
    """Whether it says by a date or by AM or PM that it is a time of the day."""


def read_clock(text: str) -> Clock | None:
    """The clock that a text is, whatever marks it stands in."""
    found = list(_TIMES.finditer(text))
    if not found:
        numbers = [int(number) for number in _NUMBERS.findall(text)]
        if not 2 <= len(numbers) <= 3:
            return None
        return Clock(float(sum(n * 60**at for at, n in enumerate(reversed(numbers)))))
    times = [_seconds(match) for match in found[:2]]
    first = found[0]
    is_of_day = bool(first["date"] or first["half"])
    return Clock(times[0], times[1] if len(times) > 1 else None, first["date"] or "", is_of_day)


def is_timetable(clocks: Iterable[Clock]) -> bool:
    """Whether they are hours of a day in steps of five minutes, as in a programme. Those with a
    date are a chat's.
    """
    hours = []
    for clock in clocks:
        is_long = clock.is_of_day or clock.start_s >= _DAY_MIN
        hours.append(clock.start_s / (3600 if is_long else 60))
        if clock.date:
            return False
    return len(hours) >= _FEWEST and all(
        _FIRST_HOUR <= hour < 24 and round(hour * 3600) % 300 == 0 for hour in hours
    )


def lone_clock(line: str) -> Clock | None:
    """The clock that is all of a line, or all of a Markdown heading."""
    text = line.strip().lstrip("#").strip()
    return read_clock(text) if len(text) < 60 and _LONE.fullmatch(text) else None


def _seconds(match: re.Match[str]) -> float:
    seconds = clock_seconds(match["time"]) or 0.0
    half = (match["half"] or "").strip().lower()
    if half and (match["date"] or seconds < 24 * 3600) and match["time"].count(":") == 1:
        # Two parts before AM or PM are hours and minutes.
        hours, minutes = (int(part) for part in match["time"].split(":"))
        seconds = float(hours * 3600 + minutes * 60)
    elif match["date"] and match["time"].count(":") == 1:
        seconds *= 60
    if half:
        hours = int(seconds // 3600)
        if half[0] == "p" and hours < 12:
            seconds += 12 * 3600
        elif half[0] == "a" and hours == 12:
            seconds -= 12 * 3600
    return seconds
