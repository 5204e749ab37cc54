"""Times in shapes that a program made up: `@00m07s +5s |`, `[3m20s]`, `<00:07>`, `t=7.5s`.

Where such marks stand at lines' heads, behind labels or at lines' ends, and run forward through the
file, they are written as clocks (`[0:07]`) before anything else is read. What looks like one and is
none is left as it is, with a note.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dynagrag.core.text import short
from dynagrag.ingest.load.label_shapes import ends_sentence
from dynagrag.ingest.load.times import frames_a_second

_NUMBER = r"\d{1,7}(?:[.,]\d{1,3})?"
_UNITS = (
    r"(?:\d{1,3} ?h(?:ours?|rs?)?,? ?)?\d{1,3} ?m(?:in(?:ute)?s?)?,? ?"
    r"\d{1,2}(?:[.,]\d{1,3})? ?s(?:ec(?:ond)?s?)?"
)
_SECONDS = rf"{_NUMBER} ?(?:ms|s(?:ec(?:ond)?s?)?)"
_PRIMES = r"\d{1,3}['′’] ?\d{1,2}(?:[.,]\d{1,3})?(?:[\"″”]|'')"
_CLOCK = r"(?:\d{1,4}:)?\d{1,3}:\d\d(?:[.,]\d{1,3})?(?![:\d])"
_FRAMED = r"\d\d:\d\d:\d\d[:;]\d\d(?!\d)"
_SPACED = r"\d\d_\d\d_\d\d(?![\d_])"
_WITH_UNIT = rf"(?:{_UNITS}|{_PRIMES}|{_FRAMED}|{_SPACED}|{_SECONDS}(?!\w))"
_ANY = rf"(?:{_WITH_UNIT}|{_CLOCK})"
_KEY = r"(?:[Tt]\+|@ ?|(?i:t|ts|time|at|start|begin|offset|pos)= ?)"
_UNTIL = rf"(?: ?(?:-->|->|→|[-–—~]|\.\.|to) ?(?P<end>{_ANY})| ?\+ ?(?P<length>{_ANY}))?"
_RANGE = rf"{_NUMBER} ?(?:-->|->|→) ?{_NUMBER}"
_HEAD = re.compile(
    rf"[ \t]*(?P<mark>(?:{_KEY}(?P<keyed>{_ANY}|{_NUMBER})|(?P<bare>{_WITH_UNIT}(?!\w)))"
    + _UNTIL
    + r")(?P<bar>[ \t]*[|>;](?=[ \t])|[ \t]*[-–—:](?=[ \t]))?(?:[ \t]+|$)"
)
_BRACKETED = re.compile(
    rf"(?P<mark>[\[(<{{]\s?(?:{_KEY})?(?:(?P<clock>{_ANY})(?: (?:min|hrs?|h))?"
    + _UNTIL
    + rf"|(?P<range>{_RANGE}))\s?[\])>}}])"
)
_USUAL = re.compile(r"[\[(][\d:., \-–—>]+[\])]")
"""Clocks in brackets that are read as they are."""
_UNIT_OF = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:[.,]\d+)?) ?(ms|h|m|s)?")
_PLACES = 80
"""Behind a label, or before the end of a line, at most so many characters."""
_FEWEST, _LEAST, _FORWARD = 3, 0.2, 0.95
_SENTENCES, _MANY_WORDS = 0.3, 6
"""Of lines that are talk: the share that ends a sentence, else the words of one."""
_LOOSE = re.compile(r"[^\w\s$€£%]{0,3}[A-Za-z]{0,3}[^\w\s$€£%]{0,2}\d[^\s%]{2,23}(?=\s)")
_NUMBERS = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class _Stamp(NamedTuple):
    """A time in a line: its place, seconds, and the end of what it stands for."""

    at: int
    first: int
    last: int
    start_s: float
    end_s: float | None
    shown: str
    bar: str


def with_clocks(lines: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The lines with such marks as clocks in brackets, and a note on their shape; the lines as they
    are where they have none, or where those don't run forward.
    """
    rate = _frame_rate(lines)
    stamps = [found for at, line in enumerate(lines) if (found := _stamp_in(at, line, rate))]
    num_filled = sum(bool(line.strip()) for line in lines)
    is_few = len(stamps) < max(_FEWEST, _LEAST * num_filled)
    if is_few or not _run([own.start_s for own in stamps]) or not _are_said(lines, stamps):
        return list(lines), ()
    made = list(lines)
    for own in stamps:
        line = made[own.at]
        rest = line[own.last :]
        bar = own.bar if "|" in rest and "|" in own.bar else ""
        end = "" if own.end_s is None else f" --> {_clock(own.end_s)}"
        made[own.at] = f"{line[: own.first]}[{_clock(own.start_s)}{end}]{bar}{rest}"
    return made, (f"times read from marks such as {short(stamps[0].shown, 30)}",)


def unread_stamps(lines: Sequence[str]) -> tuple[str, ...]:
    """A note on marks at the heads of lines that look like times and weren't read: of one shape,
    and growing in steps of their own.
    """
    by_shape: dict[str, list[tuple[int, str]]] = defaultdict(list)
    num_filled = 0
    for number, line in enumerate(lines, 1):
        num_filled += bool(line.strip())
        stamp = _stamp_in(number - 1, line, None)
        loose = _LOOSE.match(line.lstrip())
        if stamp is not None:
            by_shape["clock"].append((number, stamp.shown))
        elif loose is not None and not _YEAR.search(loose[0]):
            shape = _NUMBERS.sub("9", loose[0].rstrip(".,:"))
            if shape.strip("9"):
                by_shape[shape].append((number, loose[0]))
    for shape, found in by_shape.items():
        if len(found) >= max(_FEWEST, _LEAST * num_filled) and (
            shape == "clock" or _grows([shown for _, shown in found])
        ):
            number, shown = found[0]
            return (
                f"clock-like marks recur and were not read: line {number}"
                f" ({short(shown, 30)}) and {len(found) - 1} more",
            )
    return ()


def _stamp_in(at: int, line: str, rate: int | None) -> _Stamp | None:
    """The time of a line: at its head, else in brackets near its head or at its end."""
    head = _HEAD.match(line[: 2 * _PLACES])
    if head is not None:
        text, is_plain = head["keyed"] or head["bare"], head["keyed"] is None
        is_marked = head["bar"] or not is_plain or not re.fullmatch(_SECONDS, text)
        if is_marked:
            last = head.end() if head["bar"] is None else head.end("bar")
            rest = " " if head["bar"] is None else ""
            return _made(at, head, text, head.start("mark"), last, rate, gap=rest)
    for match in _BRACKETED.finditer(line[:_PLACES]):
        if _USUAL.fullmatch(match["mark"]) and match["range"] is None:
            return None
        return _made(at, match, match["clock"], match.start(), match.end(), rate)
    first = max(0, len(line) - _PLACES)
    for match in _BRACKETED.finditer(line, first):
        if not line[match.end() :].strip() and not _USUAL.fullmatch(match["mark"]):
            return _made(at, match, match["clock"], match.start(), match.end(), rate)
    return None


def _made(
    at: int,
    match: re.Match[str],
    text: str | None,
    first: int,
    last: int,
    rate: int | None,
    gap: str = "",
) -> _Stamp:
    bar = match.groupdict().get("bar") or ""
    if text is None:
        ends = [float(own.replace(",", ".")) for own in re.findall(_NUMBER, match["range"])]
        return _Stamp(at, first, last, ends[0], ends[1], match["mark"], bar)
    start_s = _seconds(text, rate)
    end = match["end"]
    end_s = None if end is None else _seconds(end, rate)
    if match["length"] is not None:
        end_s = start_s + _seconds(match["length"], rate)
    last -= len(gap) if last > match.end("mark") and gap else 0
    return _Stamp(at, first, last, start_s, end_s, match["mark"], bar)


def _seconds(text: str, rate: int | None) -> float:
    """Seconds of a time in any of the shapes; frames without a rate count nothing."""
    if re.fullmatch(_FRAMED, text):
        return _of_clock(text[:8]) + (int(text[-2:]) / rate if rate else 0.0)
    if re.fullmatch(rf"{_CLOCK}|{_SPACED}", text):
        return _of_clock(text.replace("_", ":"))
    if re.fullmatch(_PRIMES, text):
        return _of_clock(re.sub(r"['′’] ?", ":", text, count=1).rstrip("\"″”'"))
    parts = _PART.findall(text)
    return sum(float(n.replace(",", ".")) * _UNIT_OF.get(unit, 1.0) for n, unit in parts)


def _of_clock(text: str) -> float:
    parts = [float(own.replace(",", ".")) for own in text.split(":")]
    return sum(own * 60.0**place for place, own in enumerate(reversed(parts)))


def _clock(seconds: float) -> str:
    whole, milli = divmod(round(seconds * 1000), 1000)
    fraction = f".{milli:03}" if milli else ""
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}{fraction}"


def _frame_rate(lines: Sequence[str]) -> int | None:
    frames = [int(own[-2:]) for line in lines for own in re.findall(_FRAMED, line[:_PLACES])]
    return frames_a_second(max(frames)) if frames else None


def _run(times: Sequence[float]) -> bool:
    """Whether times run forward."""
    steps = [after - before for before, after in pairwise(times)]
    return sum(step >= 0 for step in steps) >= _FORWARD * len(steps) and times[-1] > times[0]


def _are_said(lines: Sequence[str], stamps: Sequence[_Stamp]) -> bool:
    """Whether lines hold what is said, as results of a race don't: sentences, or many words."""
    bare = list(lines)
    for own in stamps:
        bare[own.at] = f"{bare[own.at][: own.first]} {bare[own.at][own.last :]}"
    filled = [line for line in bare if line.strip()]
    num_ended = sum(map(ends_sentence, filled))
    num_words = sum(len(line.split()) for line in filled)
    return num_ended >= _SENTENCES * len(filled) or num_words >= _MANY_WORDS * len(filled)


def _grows(marks: Sequence[str]) -> bool:
    """Whether the numbers of marks grow, and not by ones as those of lines and sections do."""
    numbers = [tuple(map(int, _NUMBERS.findall(mark))) for mark in marks]
    steps = list(pairwise(numbers))
    num_forward = sum(after > before for before, after in steps)
    leaps = [
        other - own > 1
        for before, after in steps
        for own, other in [
            next(((a, b) for a, b in zip(before, after, strict=False) if a != b), (0, 0))
        ]
    ]
    return num_forward >= _FORWARD * len(steps) and 2 * sum(leaps) >= len(leaps)
