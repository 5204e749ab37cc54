"""Subtitles' times amid other text: two clocks joined by an arrow, whatever number or mark stands
beside them (`1 00:00:00,000 --> 00:00:03,000`, `**[2]** 0:03 → 0:16`, `Cue 3: 0:16 -> 0:27`).

They are written as captions have them (`00:00:00,000 --> 00:00:03,000`) before anything else is
read, so that they are times in captions, text and Markdown alike. An agenda's lines
(`1. 9:00 - 10:30`) stay as they are.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import plural, short
from dynagrag.ingest.load.clocks import ARROW, Clock, is_timetable, lone_clock, read_clock

_CLOCK = r"(?<![\w:.,])(?:\d{1,4}:)?\d{1,4}:\d\d(?:[.,]\d{1,6}|[:;]\d\d)?(?![\w:;]|[.,]\d)"
_RANGE = rf"(?P<start>{_CLOCK})[ \t]?(?P<arrow>{ARROW}|[-–—~])[ \t]?(?P<end>{_CLOCK})"
_NUMBER = r"(?:(?P<word>[^\W\d_]{1,12}\.?)?[^\w\n]{0,3}(?P<number>\d{1,6})(?=[^\w:.,]|[:.,]\D))"
_BEHIND = (
    r"[^\w\n]{0,4}(?:\d{1,6}(?:[.,]\d{1,3})?[ ]?(?:m?s|sec)?[^\w\n]{0,4})?"
    r"(?:\s{0,4}[a-z]{1,12}:[\w.,%-]{1,20}){0,6}\s{0,4}$"
)
"""Marks, a number or a length, and WebVTT's settings (`align:start position:0%`)."""
_STAMP = re.compile(
    rf"[^\w\n]{{0,8}}?{_NUMBER}?[^\w\n]{{0,8}}?{_RANGE}(?P<behind>{_BEHIND})?"
    r"(?P<closing>[\])}`]{0,2}[*_]{0,2}(?:[ \t]*[|:;–—-](?=\s))?[ \t]*)"
)
_FRAMED = re.compile(r"\d\d:\d\d:\d\d[:;]\d\d")
_NUMBER_LINE = re.compile(r"[^\w\n]{0,8}\d{1,6}[^\w\n]{0,8}")
_BY_ARROW = re.compile(ARROW)
_WITHIN = re.compile(rf"{_CLOCK}[ \t]?{ARROW}[ \t]?{_CLOCK}")


def is_cue_stamp(line: str) -> bool:
    """Whether a line is nothing but two clocks with an arrow between them."""
    return bool(_BY_ARROW.search(line)) and (lone_clock(line) or Clock(0.0)).end_s is not None


def with_cue_stamps(lines: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The lines with such stamps as captions have them, and a note on what stood beside them;
    words behind a numbered stamp stay behind it (`[0:00 --> 0:03] words`).
    """
    found = {
        at: match
        for at, line in enumerate(lines)
        if (match := _STAMP.match(line)) and lone_clock(line) is None and _is_stamp(match)
    }
    if not _count_up([match for match in found.values() if match["word"]]):
        found = {at: match for at, match in found.items() if not match["word"]}
    dashed = {at: match for at, match in found.items() if not _BY_ARROW.match(match["arrow"])}
    clocks = (read_clock(match["start"]) for match in dashed.values())
    if is_timetable(own for own in clocks if own is not None):
        found = {at: match for at, match in found.items() if at not in dashed}
    made = list(lines)
    for at, match in found.items():
        stamp = f"{_to_milliseconds(match['start'])} --> {_to_milliseconds(match['end'])}"
        rest = "" if match["behind"] is not None else lines[at][match.end() :]
        # Without commas: a line of a table has them between its columns.
        made[at] = f"[{stamp.replace(',', '.')}] {rest}" if rest else stamp
    numbered = [match for match in found.values() if match["number"] is not None]
    if not numbered:
        return made, ()
    return made, (f"times read from marks such as {short(numbered[0].string.strip(), 40)}",)


def without_cue_numbers(lines: Sequence[str]) -> list[str]:
    """The lines with those that hold a cue's number, above its stamp, as blank ones."""
    made = list(lines)
    for at, (line, below) in enumerate(pairwise(lines)):
        if _NUMBER_LINE.fullmatch(line) and is_cue_stamp(below):
            made[at] = ""
    return made


def unread_cue_stamps(turns: Iterable[SourceTurn]) -> tuple[str, ...]:
    """A note on turns that still hold times with an arrow between them among their words."""
    found = [match[0] for turn in turns if (match := _WITHIN.search(turn.text))]
    if not found:
        return ()
    return (f"times among the words of {plural(len(found), 'turn')}, such as {found[0]}",)


def _is_stamp(match: re.Match[str]) -> bool:
    """Whether nothing else is in the line, or words follow a numbered stamp with an arrow. Frames
    in brackets are read as they are.
    """
    if match["number"] is None and _FRAMED.fullmatch(match["start"]):
        return False
    is_arrow = _BY_ARROW.match(match["arrow"]) is not None
    return match["behind"] is not None or (is_arrow and match["number"] is not None)


def _count_up(matches: Sequence[re.Match[str]]) -> bool:
    """Whether words with numbers count stamps (`Cue 1`, `Cue 2`), as speakers' labels don't."""
    numbers = [int(match["number"]) for match in matches]
    is_one_word = len({match["word"] for match in matches}) == 1
    return len(numbers) > 1 and is_one_word and all(b == a + 1 for a, b in pairwise(numbers))


def _to_milliseconds(clock: str) -> str:
    """A clock with at most three digits of a fraction, which are what is read."""
    return re.sub(r"([.,]\d{3})\d+$", r"\1", clock)
