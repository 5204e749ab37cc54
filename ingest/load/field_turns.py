"""A field of a record or a table that holds a whole transcript: several lines, or HTML in blocks,
with names or times.
"""

from dynagrag.core.schema import SourceTurn
from dynagrag.ingest.load.html_text import html_lines, is_markup
from dynagrag.ingest.load.paragraph_times import take_times
from dynagrag.ingest.load.parsed import split_lines
from dynagrag.ingest.load.spoken_text import parse_spoken

_FEWEST_LINES = 4


def turns_in_field(text: str) -> tuple[SourceTurn, ...]:
    """The turns of a text that names speakers or times in its lines; none for another text."""
    lines = split_lines(html_lines(text) if is_markup(text) else text)
    if sum(bool(line.strip()) for line in lines) < _FEWEST_LINES:
        return ()
    lines, times = take_times(lines)
    parsed = parse_spoken(lines, (), times=times)
    return tuple(turn for turn in parsed.turns if turn.text) if parsed.format else ()
