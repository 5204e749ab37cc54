"""What a record's or a row's text says of itself: a whole transcript in several lines, or HTML in
blocks, with names or times; or the time that it begins with.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import short
from dynagrag.ingest.load.clocks import ANY_CLOCK, Clock, read_clock
from dynagrag.ingest.load.html_text import html_lines, is_markup
from dynagrag.ingest.load.paragraph_times import take_times
from dynagrag.ingest.load.parsed import split_lines
from dynagrag.ingest.load.spoken_text import parse_spoken

_FEWEST_LINES = 4
_FEWEST_TIMED, _MOST = 3, 0.8
_LEADING = re.compile(rf"({ANY_CLOCK})(?:[ \t]*[-–:|]?[ \t]+)(?=\S)", re.ASCII)


def turns_in_field(text: str) -> tuple[SourceTurn, ...]:
    """The turns of a text that names speakers or times in its lines; none for another text."""
    lines = split_lines(html_lines(text) if is_markup(text) else text)
    if sum(bool(line.strip()) for line in lines) < _FEWEST_LINES:
        return ()
    lines, times = take_times(lines)
    parsed = parse_spoken(lines, (), times=times)
    return tuple(turn for turn in parsed.turns if turn.text) if parsed.format else ()


def with_leading_times(turns: Sequence[SourceTurn], notes: list[str]) -> tuple[SourceTurn, ...]:
    """Turns without times with those that most of their texts begin with, in order; a note where
    some do.
    """
    if any(turn.start_s is not None for turn in turns):
        return tuple(turns)
    leads = [_lead(turn.text) for turn in turns]
    timed = [lead for lead in leads if lead is not None]
    if len(timed) < _FEWEST_TIMED:
        return tuple(turns)
    starts = [clock.start_s for clock, _ in timed]
    is_ordered = all(after >= before for before, after in pairwise(starts))
    if len(timed) < _MOST * len(turns) or not is_ordered:
        first = short(next(turn.text for turn, lead in zip(turns, leads, strict=True) if lead), 30)
        notes.append(f"no time taken, though {len(timed)} texts begin with one, first {first}")
        return tuple(turns)
    return tuple(
        turn
        if lead is None
        else replace(turn, text=lead[1], start_s=lead[0].start_s, end_s=lead[0].end_s)
        for turn, lead in zip(turns, leads, strict=True)
    )


def _lead(text: str) -> tuple[Clock, str] | None:
    """The time that a text begins with, and the rest."""
    match = _LEADING.match(text)
    clock = read_clock(match[1]) if match else None
    return None if match is None or clock is None else (clock, text[match.end() :])
