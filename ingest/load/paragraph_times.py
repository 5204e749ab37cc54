"""Times that stand at the ends of paragraphs, as f4transkript, MAXQDA and NVivo write them:
`#00:05:30-0#`.

At the end of a paragraph such a time is when the paragraph ends, and so when the next one begins;
before its words it is when it begins. They are no labels and no words, so they are taken off before
anything else is read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dynagrag.core.text import clock_seconds
from dynagrag.ingest.load.times import frames_a_second

_TIME = r"#\s?(\d{1,2}:\d\d:\d\d|\d{1,3}:\d\d)(?:[-.,:](\d{1,3}))?\s?#"
TIME_MARK = re.compile(r"¤<(\d{1,12})>", re.ASCII)
"""A time in milliseconds, as Transana writes it; `html_text` writes those of elements so."""
_MARK = re.compile(rf"{_TIME}|{TIME_MARK.pattern}", re.ASCII)
_FRAMED = r"(?<![\d:])(\d\d:\d\d:\d\d)[:;](\d\d)"
_FRAMES = re.compile(rf"{_FRAMED}(\s*(?:-->|[-–—])\s*){_FRAMED}(?![\d:])", re.ASCII)
_FEWEST = 2
_MOST_NAME_WORDS = 5


@dataclass(slots=True)
class ParagraphTimes:
    """When the words of a line begin and end, in seconds, by the line's number from 1."""

    starts: dict[int, float] = field(default_factory=dict)
    ends: dict[int, float] = field(default_factory=dict)
    num_within: int = 0
    """Times in the midst of a paragraph, which aren't taken."""

    def of_lines(self, first: int, following: int) -> tuple[float | None, float | None]:
        """Start and end of the words from one line to before another."""
        last = max((number for number in self.ends if first <= number < following), default=None)
        return self.starts.get(first), None if last is None else self.ends[last]

    def notes(self) -> list[str]:
        """What wasn't taken."""
        if not self.num_within:
            return []
        return [f"times in the midst of paragraphs left out: {self.num_within:,}"]


def without_frames(lines: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The lines with ranges of editors' timecodes (`01:00:01:05 - 01:00:03:00`) as clock times, and
    a note on what a frame was taken for.
    """
    found = [match for line in lines for match in _FRAMES.finditer(line)]
    if len(found) < _FEWEST:
        return list(lines), ()
    largest = max(int(frame) for match in found for frame in match.group(2, 5))
    rate = frames_a_second(largest)

    def clock(time: str, frame: str) -> str:
        return time if rate is None else f"{time}.{int(frame) * 1000 // rate:03}"

    def clocks(match: re.Match[str]) -> str:
        start, first, mark, end, last = match.groups()
        return f"{clock(start, first)}{mark}{clock(end, last)}"

    note = (
        f"frames counted as {rate} a second (the file doesn't say)" if rate else "frames left out"
    )
    return [_FRAMES.sub(clocks, line) for line in lines], (note,)


def mark_of(seconds: float) -> str:
    """A time in the form that `take_times` reads."""
    return f"¤<{round(seconds * 1000)}>"


def take_times(lines: Sequence[str]) -> tuple[list[str], ParagraphTimes]:
    """The lines without such times, and what those say; the lines as they are where there are
    hardly any.
    """
    times = ParagraphTimes()
    num_marked = sum(bool(_MARK.search(line)) for line in lines)
    if num_marked < _FEWEST and not any(TIME_MARK.search(line) for line in lines):
        return list(lines), times
    bare = []
    known: float | None = None
    last: int | None = None
    is_of_end = _ends_paragraphs(lines)
    for number, line in enumerate(lines, 1):
        marks = list(_MARK.finditer(line))
        words = " ".join(_MARK.sub(" ", line).split()) if marks else line
        bare.append(words)
        if not words.strip():
            if marks:
                known = _seconds(marks[0])
                if is_of_end and last is not None:
                    times.ends.setdefault(last, known)
            continue
        leads = bool(marks) and _is_head(line[: marks[0].start()])
        trails = bool(marks) and not line[marks[-1].end() :].strip(" .,;")
        if leads:
            known = _seconds(marks[0])
        if known is not None:
            times.starts[number] = known
        known = _seconds(marks[-1]) if trails else None
        if known is not None:
            times.ends[number] = known
        times.num_within += len(marks) - leads - trails
        last = number
    return bare, times


def _is_head(text: str) -> bool:
    """Whether what stands before a time is nothing but a name with its colon."""
    bare = text.strip()
    return not bare or (bare.endswith(":") and len(bare.split()) <= _MOST_NAME_WORDS)


def _ends_paragraphs(lines: Sequence[str]) -> bool:
    """Whether the first time comes after words."""
    first = next(line for line in lines if line.strip())
    mark = _MARK.search(first)
    return mark is None or not _is_head(first[: mark.start()])


def _seconds(mark: re.Match[str]) -> float:
    clock, fraction, milliseconds = mark.groups()
    if milliseconds:
        return int(milliseconds) / 1000
    return (clock_seconds(clock) or 0.0) + (float(f"0.{fraction}") if fraction else 0.0)
