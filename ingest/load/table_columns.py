"""Which column of a table is which, by its cells: one holds times, one few short values that come
again and again (who speaks), one sentences.

So a header may be in any language, or missing. Its words are asked where the cells don't decide.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from statistics import fmean, mean

from dynagrag.core.errors import LoadError
from dynagrag.core.text import UNSPACED, collapse, short
from dynagrag.ingest.load.field_names import (
    SPEAKER,
    TEXT,
    FieldNames,
    is_of_nobody,
    is_of_speaker,
    key_words,
)
from dynagrag.ingest.load.html_text import read_field
from dynagrag.ingest.load.label_shapes import Shape, no_person, shape_of
from dynagrag.ingest.load.parsed import has_letter
from dynagrag.ingest.load.times import instant_of

_MOST, _ALL = 0.8, 0.95
"""Shares of the filled cells of a column that make it what it is."""
_HALF = 0.5
_MAX_NAME_WORDS, _MAX_NAME_CHARS = 8.0, 100
_REPEATED = 0.7
"""At most so many different values in a column of speakers, as a share of its cells."""
_CHANGES = 0.25
"""At least so often another speaker stands in the next row."""
_RIVAL = 0.5
"""A second column with this share of the words of the first may be the text as well."""
_SAMPLE_ROWS, _MAX_COLUMNS = 300, 300
"""What is looked at; no tool's table has more columns."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
TIMECODE = re.compile(r"(\d{1,2}[:;]\d\d[:;]\d\d)[:;](\d{1,2})", re.ASCII)
"""Hours, minutes, seconds, frames: editors' programs write them so."""
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*$")

_MOST_OF_NAME = 4
_NUMBERED = re.compile(r"(?i)(?:speaker|spkr?|sprecher(?:in)?|locuteur)[ _-]?[A-Z\d]{1,3}")
"""What recognisers call people whom they can't name: `SPEAKER_00`, `spk1`."""


class _Kind(Enum):
    SPANS = "spans"
    CLOCKS = "clocks"
    NUMBERS = "numbers"
    WORDS = "words"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TableRoles:
    """The places of a table's columns by role; None where it has no such column."""

    text: int
    speaker: int | None = None
    start: int | None = None
    end: int | None = None
    duration: int | None = None
    span: int | None = None
    voices: tuple[int, ...] = ()
    """Columns of words of which each row fills one: a speaker each, as the header names them."""

    has_header: bool = True


@dataclass(frozen=True, slots=True)
class _Column:
    """The cells of a column below the header. `values`: the numbers of a column of times or
    numbers, None where a cell is empty.
    """

    place: int
    cells: tuple[str, ...]
    kind: _Kind
    values: tuple[float | None, ...] = ()

    @property
    def filled(self) -> list[str]:
        return [cell for cell in self.cells if cell]

    @property
    def share_filled(self) -> float:
        return len(self.filled) / max(1, len(self.cells))

    @property
    def mean_words(self) -> float:
        return fmean(_num_words(cell) for cell in self.filled) if self.filled else 0.0


def bare_time(cell: str) -> str:
    """A cell's time without the brackets and marks round it."""
    return cell.strip().strip("[]()#'\"").strip()


_ONE = r"(\d[\d:.,;]*)\s*(?:s|sec)?"
SPAN = re.compile(
    rf"[\[(#]?\s*{_ONE}\s*(?:-{{1,2}}>|[-–—~→]|to|bis|à)\s*{_ONE}\s*[\])#]?",
    re.ASCII,
)
"""A range of times: `0:07.0 - 0:14.8`."""


def roles_by_cells(rows: Sequence[Sequence[str]]) -> TableRoles | None:
    """The columns of a table whose first row may be a header; None where no column holds sentences.

    Raises:
        LoadError: Two columns could be the text, or the speaker.
    """
    columns = _columns(rows)
    width = len(columns)
    if width < 2 or len(rows) < 2:
        return None
    times = _times(columns)
    has_header = not any(
        _number(_cell(rows[0], at)) is not None or SPAN.fullmatch(_cell(rows[0], at))
        for at in times.values()
    )
    header = [_cell(rows[0], at) if has_header else f"column {at + 1}" for at in range(width)]
    words = [own for own in columns if own.kind is _Kind.WORDS and own.place not in times.values()]
    speakers = [own for own in words if _may_be_speakers(own, is_timed=bool(times))]
    named = [own for own in words if header[own.place]]
    voices = _voices(named) if times and has_header else []
    text = voices[0] if voices else _text(words, speakers, header)
    if text is None:
        return None
    speaker = None if voices else _speaker([own for own in speakers if own is not text], header)
    if speaker is None and not voices:  # numbers of speakers are none by themselves
        by_word = speaker_by_word(header)
        speaker = None if by_word in {text.place, *times.values()} else by_word
    return TableRoles(
        text.place,
        speaker,
        times.get("start"),
        times.get("end"),
        times.get("duration"),
        times.get("span"),
        tuple(own.place for own in voices),
        has_header,
    )


def times_by_cells(rows: Sequence[Sequence[str]], taken: Iterable[int]) -> dict[str, int]:
    """The places of times by role, below a header, but for columns that are taken."""
    own = set(taken)
    return _times([column for column in _columns(rows) if column.place not in own])


def sure_times_by_cells(
    rows: Sequence[Sequence[str]], text: int, taken: Iterable[int]
) -> dict[str, int]:
    """As `times_by_cells`, where plain numbers are times only if they are two columns, from when to
    when, or have fractions, since a running number may count anything: of signs, too.
    """
    own = set(taken)
    columns = {column.place: column for column in _columns(rows) if column.place not in own}
    places = _times(list(columns.values()))
    start = columns.get(places.get("start", -1))
    if start is None or start.kind is not _Kind.NUMBERS:
        return places
    values = [value for value in start.values if value is not None]
    end = columns.get(places.get("end", -1))
    is_fraction = 2 * sum(value % 1 != 0 for value in values) > len(values)
    if end is not None:
        sizes = [len(_cell(row, text)) for row in rows[1:_SAMPLE_ROWS]]
        signs = [
            None not in (a, b) and abs((b or 0) - (a or 0) - size) <= 1
            for a, b, size in zip(start.values, end.values, sizes, strict=True)
        ]
        return {} if 2 * sum(signs) > len(signs) else places
    return places if is_fraction or "duration" in places else {}


def speaker_by_cells(rows: Sequence[Sequence[str]], text: int, taken: Iterable[int]) -> int | None:
    """The one column below a header that says who speaks, as its name has it (`posted_by`), else as
    its values read as names, in turns; None where none does, or several do.

    Statuses, places and languages are few capitalised words as well: names have two words, or the
    texts address them (`Thanks, Anna.`).
    """
    own = set(taken)
    columns = [column for column in _columns(rows) if column.place not in own]
    recurring = [column for column in columns if _recurs(column)]
    found = [column for column in recurring if is_of_speaker(rows[0][column.place])]
    if len(found) > 1:  # poster_id beside poster_name
        found = [own for own in found if key_words(rows[0][own.place])[-1] != "id"]
    if not found:
        texts = "\n".join(_cell(row, text) for row in rows[1:_SAMPLE_ROWS])
        found = [
            column
            for column in recurring
            if _may_be_speakers(column, is_timed=False)
            and _takes_turns(column)
            and not is_of_nobody(rows[0][column.place])
            and _are_names(sorted(set(column.filled)), texts)
        ] or [column for column in recurring if all(map(_NUMBERED.fullmatch, column.filled))]
    return found[0].place if len(found) == 1 else None


def recurring_columns(
    rows: Sequence[Sequence[str]], taken: Iterable[int]
) -> list[tuple[int, list[str]]]:
    """The places of columns of few short values that come again, each with its first values."""
    own = set(taken)
    return [
        (column.place, list(dict.fromkeys(column.filled))[:2])
        for column in _columns(rows)
        if column.place not in own and _recurs(column)
    ]


def _recurs(column: _Column) -> bool:
    filled = column.filled
    return (
        column.share_filled >= _HALF
        and 1 < len(set(filled)) <= _REPEATED * len(filled)
        and max(map(len, filled)) <= _MAX_NAME_CHARS
        and column.mean_words <= _MAX_NAME_WORDS
        and not any(_SENTENCE_END.search(cell) for cell in filled)
    )


def _are_names(values: Sequence[str], texts: str) -> bool:
    """Whether values read as names of persons, and half of them (two at least) are two words or
    addressed in the texts.
    """
    if not all(shape_of(own) is Shape.NAME and no_person(own) is None for own in values):
        return False
    num_sure = sum(
        1 < len(own.split()) <= _MOST_OF_NAME or _is_addressed(own, texts) for own in values
    )
    return num_sure >= max(2, _HALF * len(values))


def _is_addressed(name: str, texts: str) -> bool:
    own = re.escape(name)
    return bool(re.search(rf"(?m)(?:^|[.!?] ){own},|, {own}[.,!?]", texts))


def are_times(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Whether most filled cells of a column are times, or none is filled."""
    filled = [cell for row in rows[:_SAMPLE_ROWS] if (cell := _cell(row, at))]
    num_times = sum(_number(cell) is not None or bool(SPAN.fullmatch(cell)) for cell in filled)
    return num_times >= _HALF * len(filled)


def speaker_by_word(header: Sequence[str]) -> int | None:
    """The first column whose header says in some language that it is the speaker's."""
    return next((at for at, cell in enumerate(header) if SPEAKER.is_word_of(cell)), None)


def _columns(rows: Sequence[Sequence[str]]) -> list[_Column]:
    """The columns of a table below its first row."""
    width = min(_MAX_COLUMNS, max((len(row) for row in rows[:_SAMPLE_ROWS]), default=0))
    body = rows[1:_SAMPLE_ROWS]
    return [_column([_cell(row, at) for row in body], at) for at in range(width)]


def _cell(row: Sequence[str], at: int) -> str:
    return collapse(read_field(row[at])[0]) if at < len(row) else ""


def _column(cells: Sequence[str], place: int) -> _Column:
    filled = [cell for cell in cells if cell]

    def has_most(test: Callable[[str], object], share: float = _ALL) -> bool:
        return bool(filled) and sum(bool(test(cell)) for cell in filled) >= share * len(filled)

    values = tuple(_number(cell) for cell in cells)
    kind = _Kind.OTHER
    if has_most(SPAN.fullmatch):
        kind = _Kind.SPANS
    elif has_most(lambda cell: ":" in cell and _number(cell) is not None):
        kind = _Kind.CLOCKS
    elif has_most(lambda cell: _number(cell) is not None):
        kind = _Kind.NUMBERS
    elif has_most(has_letter, _MOST):
        kind = _Kind.WORDS
    return _Column(place, tuple(cells), kind, values)


def _number(cell: str) -> float | None:
    """A time or a plain number; None for what is neither."""
    bare = bare_time(cell)
    framed = TIMECODE.fullmatch(bare)
    with suppress(ValueError):
        instant = instant_of(framed[1].replace(";", ":") if framed else bare)
        return None if instant is None else instant.value
    return None


def _times(columns: Sequence[_Column]) -> dict[str, int]:
    """The places of start, end and duration, or of the column of ranges."""
    spans = [own for own in columns if own.kind is _Kind.SPANS and own.share_filled >= _HALF]
    if spans:
        return {"span": spans[0].place}
    for kind in (_Kind.CLOCKS, _Kind.NUMBERS):
        own_kind = [own for own in columns if own.kind is kind and own.share_filled >= _HALF]
        start = next((own for own in own_kind if _is_running(own)), None)
        if start is None:
            continue
        others = [own for own in own_kind if own.place > start.place]
        found = {"start": start.place}
        ends = [own for own in others if _is_running(own) and _is_after(start, own)]
        if ends:
            return found | {"end": ends[0].place}
        lengths = [own for own in others if not _is_running(own) and _is_duration(start, own)]
        return found | ({"duration": lengths[0].place} if lengths else {})
    return {}


def _is_running(column: _Column) -> bool:
    """Whether its values grow as times do: not in steps of one, as numbers of rows do."""
    values = [value for value in column.values if value is not None]
    steps = [after - before for before, after in pairwise(values)]
    if not steps or sum(step >= 0 for step in steps) < _ALL * len(steps) or max(steps) <= 0:
        return False
    is_counter = column.kind is _Kind.NUMBERS and all(step in {0.0, 1.0} for step in steps)
    return not is_counter


def _is_after(start: _Column, end: _Column) -> bool:
    pairs = [
        (a, b)
        for a, b in zip(start.values, end.values, strict=True)
        if a is not None and b is not None
    ]
    return (
        bool(pairs)
        and all(b >= a for a, b in pairs)
        and sum(b > a for a, b in pairs) >= _HALF * len(pairs)
    )


def _is_duration(start: _Column, length: _Column) -> bool:
    """Whether each of its values is more than nothing, and at most the time until the next start,
    but for a few.
    """
    starts = [value for value in start.values if value is not None]
    lengths = [value for value in length.values if value is not None]
    if len(starts) != len(lengths) or min(lengths, default=0.0) <= 0:
        return False
    gaps = [after - before for before, after in pairwise(starts)]
    fitting = [own <= gap * 1.05 for own, gap in zip(lengths, gaps, strict=False)]
    return sum(fitting) >= _MOST * len(fitting)


def _num_words(text: str) -> float:
    """Words; of a script without spaces, half as many as it has signs."""
    return len(text.split()) + len(_UNSPACED.findall(text)) / 2


def _may_be_speakers(column: _Column, *, is_timed: bool) -> bool:
    filled = column.filled
    names = set(filled)
    is_short = (
        mean(len(cell.split()) for cell in filled) <= _MAX_NAME_WORDS
        and max(map(len, filled)) <= _MAX_NAME_CHARS
    )
    num_ended = sum(bool(_SENTENCE_END.search(cell)) for cell in filled)
    num_small = sum(cell[:1].islower() for cell in filled)
    is_repeated = len(names) <= max(1, _REPEATED * len(filled)) or (len(filled) < 4 and is_timed)
    return (
        is_short
        and is_repeated
        and column.share_filled >= _HALF
        and num_ended <= 0.2 * len(filled)
        and num_small <= 0.2 * len(filled)
    )


def _text(
    words: Sequence[_Column], speakers: Sequence[_Column], header: Sequence[str]
) -> _Column | None:
    ranked = sorted(
        (own for own in words if own.share_filled >= _HALF),
        key=lambda own: own.mean_words,
        reverse=True,
    )
    if not ranked or ranked[0].mean_words < 1.5:
        return None
    best = next((own for own in ranked if own not in speakers), ranked[0])
    rivals = [
        own
        for own in ranked
        if own is best or (own not in speakers and own.mean_words >= _RIVAL * best.mean_words)
    ]
    return _one_of(rivals, TEXT, header, "text")


def _voices(words: Sequence[_Column]) -> list[_Column]:
    """Columns of which each row but for a few fills exactly one."""
    partial = [own for own in words if own.share_filled < _ALL]
    if len(partial) < 2:
        return []
    num_filled = [
        sum(bool(cell) for cell in row) for row in zip(*(own.cells for own in partial), strict=True)
    ]
    is_split = num_filled.count(1) >= _MOST * len(num_filled)
    is_full = not any(own.share_filled >= _ALL and own.mean_words >= 3 for own in words)
    return partial if is_split and is_full else []


def _speaker(speakers: Sequence[_Column], header: Sequence[str]) -> int | None:
    changing = [own for own in speakers if len(set(own.filled)) > 1]
    known = [own for own in speakers if SPEAKER.is_word_of(header[own.place])]
    found = known if len(known) == 1 else [own for own in changing if _takes_turns(own)]
    found = [own for own in found if not is_of_nobody(header[own.place])]
    if not found:
        return None
    own = _one_of(found, SPEAKER, header, "speaker")
    return None if own is None else own.place


def _takes_turns(column: _Column) -> bool:
    """Whether its values change from row to row, as speakers do; topics come in blocks."""
    filled = column.filled
    num_changes = sum(after != before for before, after in pairwise(filled))
    return num_changes >= _CHANGES * (len(filled) - 1)


def _one_of(
    columns: Sequence[_Column], field: FieldNames, header: Sequence[str], role: str
) -> _Column | None:
    """The one column, or that whose header says so. LoadError where neither tells."""
    if len(columns) > 1:
        known = [own for own in columns if field.is_word_of(header[own.place])]
        if len(known) != 1:
            places = sorted(own.place for own in columns)
            names = ", ".join(short(header[at], 30) for at in places[:4])
            raise LoadError(
                f"could have its {role} in more than one column ({names}); name the right one"
                f" {role!r} in the first line"
            )
        columns = known
    return columns[0] if columns else None
