"""Tables of turns: CSV files, and tables of other documents with such a header."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, clock_seconds, collapse, plural, short
from dynagrag.ingest.load.captions import with_labels
from dynagrag.ingest.load.clocks import is_timetable, lone_clock
from dynagrag.ingest.load.field_names import (
    DURATION,
    END,
    SPEAKER,
    START,
    TEXT,
    field_name,
    start_and_end,
    unit_in,
)
from dynagrag.ingest.load.field_turns import turns_in_field, with_leading_times
from dynagrag.ingest.load.html_text import read_field
from dynagrag.ingest.load.label_shapes import ends_sentence, without_turn_numbers
from dynagrag.ingest.load.parsed import MAX_TURN_CHARS, Parsed, has_letter, speaker_or_none
from dynagrag.ingest.load.table_columns import (
    SPAN,
    TIMECODE,
    TableRoles,
    are_times,
    bare_time,
    roles_by_cells,
    speaker_by_cells,
    speaker_by_word,
    times_by_cells,
)
from dynagrag.ingest.load.times import (
    Instant,
    TimedWords,
    frames_a_second,
    from_first,
    instant_of,
    oldest_first,
    unit_note,
    unit_of,
)

_DELIMITERS = ",;\t|"
_GUESSED = "\t;|,"
"""Commas last: they stand in sentences and numbers."""
_SAMPLE_ROWS, _MAX_NAME_WORDS = 50, 4
_MOST_NAMED = 8
_SAMPLES = re.compile(r"\b(?:samples?|smp)\b", re.IGNORECASE)
_SAMPLE_RATE = re.compile(
    r"\b(?:sampl(?:e|ing)[ _-]?(?:rate|freq(?:uency)?)|framerate|sr)\b[^\d\n]{0,12}(\d{4,6})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of a table's columns; None where it has no such column."""

    text: int
    speaker: int | None
    start: int | None
    end: int | None
    duration: int | None
    hint_s: float | None = None
    """The unit that a name says (start_ms)."""
    span: int | None = None
    """A column of ranges, which are start and end."""

    @property
    def places(self) -> set[int]:
        """The columns that are read."""
        own = (self.text, self.speaker, self.start, self.end, self.duration, self.span)
        return {place for place in own if place is not None}


def columns_of(rows: Sequence[Sequence[str]]) -> Columns | None:
    """The columns that a header names, by the names that tools have; None without a sure one for
    the text. A loose name counts where most cells below are what it says.
    """
    names = [field_name(cell) for cell in (rows[0] if rows else ())]
    text = next((own for own in TEXT.found_in(names) if TEXT.is_sure(own)), None)
    if text is None:
        return None
    places = {"text": names.index(text)}
    starts, ends = start_and_end(names)
    hint_s = None
    for role, field, found in (
        ("start", START, starts),
        ("end", END, ends),
        ("duration", DURATION, DURATION.found_in(names)),
        ("speaker", SPEAKER, SPEAKER.found_in(names)),
    ):
        for name in found:
            at = names.index(name)
            is_loose = name in field.loose
            if at in places.values() or (is_loose and not are_times(rows[1:], at)):
                continue
            places[role] = at
            hint_s = unit_in(name) if role == "start" else hint_s
            break
    return Columns(
        text=places["text"],
        speaker=places.get("speaker"),
        start=places.get("start"),
        end=places.get("end"),
        duration=places.get("duration"),
        hint_s=hint_s,
    )


def table_start(lines: Sequence[str]) -> int:
    """Where a table begins: behind comments (`# sample_rate: 16000`) and blank lines."""
    for at, line in enumerate(lines[:_SAMPLE_ROWS]):
        if line.strip() and (not line.startswith("#") or csv_delimiter(line)):
            return at
    return 0


def csv_delimiter(first_line: str) -> str | None:
    """The delimiter by which a header has a text column and at least one other that is known; None
    when there is none.
    """
    if len(first_line) > 2000:
        return None
    best, most_known = None, 1
    for delimiter in filter(first_line.__contains__, _DELIMITERS):
        header = next(csv.reader([first_line], delimiter=delimiter), [])
        columns = columns_of([header])
        if columns is not None and len(columns.places) > most_known:
            best, most_known = delimiter, len(columns.places)
    return best


def headless(lines: Sequence[str]) -> tuple[str, Columns, int] | None:
    """Delimiter, columns and width of a table without a header whose rows begin with two times, as
    Audacity's labels do: start, end, perhaps a speaker, text. None for what is no such table.
    """
    filled = [line for line in lines if line.strip()][:_SAMPLE_ROWS]
    for delimiter in _DELIMITERS:
        if len(filled) < 2 or not all(line.count(delimiter) > 1 for line in filled):
            continue
        with suppress(csv.Error):
            rows = list(csv.reader(filled, delimiter=delimiter, strict=True))
            if all(
                len(row) > 2 and _is_time(row[0]) and _is_time(row[1]) and has_letter(row[-1])
                for row in rows
            ):
                has_speaker = all(
                    len(row) == 4 and 0 < len(row[2].split()) <= _MAX_NAME_WORDS for row in rows
                )
                text = 3 if has_speaker else 2
                columns = Columns(text, 2 if has_speaker else None, 0, 1, None, None)
                return delimiter, columns, text + 1
    return None


def _is_time(cell: str) -> bool:
    return bool(TIMECODE.fullmatch(cell.strip())) or any_seconds(cell) is not None


def parse_csv(lines: list[str]) -> Parsed:
    """The rows of a CSV file as turns. Times are clock times, timecodes with frames, or numbers of
    the unit that the data tell.

    Raises:
        LoadError: No column for the text, a broken quotation (with its line), or a time that is
        none.
    """
    at = table_start(lines)
    first = lines[at] if lines else ""
    without_head = None if csv_delimiter(first) else headless(lines[at:])
    delimiter = without_head[0] if without_head else csv_delimiter(first)
    delimiter = delimiter or guessed_delimiter(lines[at:]) or max(_DELIMITERS, key=first.count)
    rate = _SAMPLE_RATE.search("\n".join(lines[:at]))
    sample_s = 1 / int(rate[1]) if rate and int(rate[1]) else None
    csv.field_size_limit(MAX_TURN_CHARS + 1)
    reader = csv.reader(
        io.StringIO("\n".join(lines[at:]), newline=""), delimiter=delimiter, strict=True
    )
    try:
        rows = [(at + reader.line_num, row) for row in reader]
    except csv.Error as err:
        if delimiter == "\t":  # where quotation marks are words
            plain = csv.reader(lines[at:], delimiter=delimiter, quoting=csv.QUOTE_NONE)
            return parse_table([(at + plain.line_num, row) for row in plain], delimiter, sample_s)
        raise LoadError(
            f"malformed CSV before line {at + reader.line_num}: {err}; check the quotation marks"
            " there"
        ) from err
    if without_head is not None:
        parsed = parse_rows(without_head[1], without_head[2], rows, delimiter)
        return replace(parsed, notes=("no header: start, end and text by place", *parsed.notes))
    return parse_table(rows, delimiter, sample_s)


def parse_table(
    rows: Sequence[tuple[int, Sequence[str]]], delimiter: str, sample_s: float | None = None
) -> Parsed:
    """The turns of (line number, cells) rows, whose columns their header and cells tell;
    `sample_s`: a sample of sound in seconds, for times that count those.

    Raises:
        LoadError: No column for the text, or two that may be it.
    """
    below = _from_header(rows)
    above = sum(any(cell.strip() for cell in row) for _, row in rows[: len(rows) - len(below)])
    rows = _without_turn_numbers(below)
    cells = [row for _, row in rows]
    header = cells[0] if cells else []
    columns, has_header = columns_of(cells), True
    notes = [f"{plural(above, 'row')} above the header left out"] if above else []
    if columns is not None:
        named, columns = columns, with_cells(columns, cells)
        told, left = told_by_cells(named, columns, header), _left(columns, cells)
        if told:
            notes.append(told + (f"; not read: {left}" if left else ""))
        elif left:
            notes.append(f"columns not read: {left}")
    else:
        roles = roles_by_cells(cells)
        if roles is None:
            names = ", ".join(short(cell, 30) for cell in header[:8])
            raise LoadError(
                f"has no column for the text (found {names or 'nothing'}); name one of them text,"
                " and others speaker, start, end"
            )
        columns = Columns(
            roles.text, roles.speaker, roles.start, roles.end, roles.duration, span=roles.span
        )
        has_header = roles.has_header
        if roles.voices:
            names = ", ".join(short(header[at], 30) for at in roles.voices)
            notes.append(f"a column for each speaker: {names}")
            rows, columns = _one_voice(rows, roles)
            header = rows[0][1]
        else:
            notes.append(_told(columns, cells, has_header=has_header))
    if has_header and columns.start is not None and _SAMPLES.search(_cell(header, columns.start)):
        if sample_s is None:
            notes.append("times left out: they count samples, and nothing says how many a second")
            columns = replace(columns, start=None, end=None, duration=None)
        columns = replace(columns, hint_s=sample_s)
    parsed = parse_rows(columns, len(header), rows[1:] if has_header else rows, delimiter)
    return replace(parsed, notes=(*notes, *parsed.notes))


def _without_turn_numbers(
    rows: Sequence[tuple[int, Sequence[str]]],
) -> list[tuple[int, Sequence[str]]]:
    """Rows whose first cells are no `T1`, `C1`, `T2`, but `T` and `C`, below `speaker`."""
    cells = [row[0] if row else "" for _, row in rows]
    names = without_turn_numbers(cells)
    if names != cells and names[0] == cells[0]:
        names[0] = "speaker"
    return [
        (number, [name, *row[1:]] if row else row)
        for (number, row), name in zip(rows, names, strict=True)
    ]


def _one_voice(
    rows: Sequence[tuple[int, Sequence[str]]], roles: TableRoles
) -> tuple[list[tuple[int, list[str]]], Columns]:
    """A table with a column a speaker as one with a column of speakers and one of words, behind the
    others; a row with several is several.
    """
    names = rows[0][1]
    made = [(rows[0][0], [*names, "speaker", "text"])]
    for number, row in rows[1:]:
        own = [*row, *[""] * (len(names) - len(row))]
        spoken = [at for at in roles.voices if own[at].strip()]
        made += [(number, [*own, names[at], own[at]]) for at in spoken]
    speaker = len(names)
    columns = Columns(speaker + 1, speaker, roles.start, roles.end, roles.duration, span=roles.span)
    return made, columns


def _from_header(rows: Sequence[tuple[int, Sequence[str]]]) -> Sequence[tuple[int, Sequence[str]]]:
    """The rows without those above the header that hold hardly a cell, as a title does."""
    filled = [sum(bool(cell.strip()) for cell in row) for _, row in rows[:_SAMPLE_ROWS]]
    usual = sorted(filled)[len(filled) // 2] if filled else 0
    at = next((number for number, num in enumerate(filled) if num > 1 and num >= usual - 1), 0)
    return rows[at:]


def with_cells(columns: Columns, rows: Sequence[Sequence[str]]) -> Columns:
    """The columns that a header names, with those of times and speakers that only cells or words of
    other languages tell.
    """
    if columns.speaker is None:
        speaker = speaker_by_word(rows[0])
        columns = replace(columns, speaker=None if speaker in columns.places else speaker)
        if columns.speaker is None:
            speaker = speaker_by_cells(rows, columns.text, columns.places)
            columns = replace(columns, speaker=speaker)
    spans = times_by_cells(rows, columns.places - {columns.start})
    if "span" in spans and columns.start in (None, spans["span"]):
        return replace(columns, start=None, end=None, duration=None, span=spans["span"])
    if columns.start is None:
        columns = replace(columns, **times_by_cells(rows, columns.places))
    return columns


def told_by_cells(named: Columns, columns: Columns, header: Sequence[str]) -> str:
    """A line on columns that cells tell beside those that a header names; "" for none."""
    roles = ("speaker", "start", "end", "duration", "span")
    told = [
        f"{role} {short(header[at], 30)}"
        for role in roles
        if (at := getattr(columns, role)) is not None and at != getattr(named, role)
    ]
    return f"columns by their cells: {', '.join(told)}" if told else ""


def _told(columns: Columns, rows: Sequence[Sequence[str]], *, has_header: bool) -> str:
    """A line on the columns that cells decided, and on those that aren't read."""
    roles = ("text", "speaker", "start", "end", "duration", "span")
    places = {role: getattr(columns, role) for role in roles}
    told = ", ".join(
        f"{role} {short(_cell(rows[0], at), 30) if has_header else f'column {at + 1}'}"
        for role, at in places.items()
        if at is not None
    )
    left = _left(columns, rows) if has_header else ""
    return f"columns by their cells: {told}" + (f"; not read: {left}" if left else "")


def _left(columns: Columns, rows: Sequence[Sequence[str]]) -> str:
    """The names of the columns that hold anything and aren't read; "" for none."""
    left = [
        short(name, 30)
        for at, name in enumerate(rows[0])
        if at not in columns.places and any(at < len(row) and row[at].strip() for row in rows[1:])
    ]
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    return ", ".join(left[:_MOST_NAMED]) + more


def guessed_delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter by which lines are a table with a column of sentences beside one of times or
    speakers; None where they are none.
    """
    filled = [line for line in lines if line.strip()][:_SAMPLE_ROWS]
    for delimiter in _GUESSED:
        if sum(delimiter in TIMECODE.sub("", line) for line in filled) < 0.9 * len(filled):
            continue
        with suppress(csv.Error, LoadError):
            rows = [(0, row) for row in csv.reader(filled, delimiter=delimiter, strict=True)]
            roles = roles_by_cells([row for _, row in _from_header(rows)])
            if roles is not None and (roles.start, roles.span, roles.speaker) != (None, None, None):
                return delimiter
    return None


def is_timed_table(lines: Sequence[str]) -> bool:
    """Whether lines are a table in which cells alone tell a column of times and of sentences."""
    delimiter = guessed_delimiter(lines)
    filled = [line for line in lines if line.strip()][:_SAMPLE_ROWS]
    return delimiter is not None and has_times(list(csv.reader(filled, delimiter=delimiter)))


def is_table_of_turns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header names the text and a speaker or times, or cells tell times and sentences."""
    if len(rows) < 2 or len(rows[0]) < 2 or _is_programme(rows):
        return False
    columns = columns_of(rows)
    if columns is not None and (columns.speaker, columns.start) != (None, None):
        return True
    return has_times(rows)


def _is_programme(rows: Sequence[Sequence[str]]) -> bool:
    """Whether hours of a day stand before what is no sentence."""
    clocks = [clock for row in rows[1:] if row and (clock := lone_clock(row[0]))]
    cells = [cell for row in rows[1:] for cell in row[1:] if cell]
    is_said = 2 * sum(map(ends_sentence, cells)) > len(cells)
    return len(clocks) > len(rows) / 2 and is_timetable(clocks) and not is_said


def has_times(rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells alone tell a column of times and one of sentences."""
    with suppress(LoadError):
        roles = roles_by_cells([row for _, row in _from_header(list(enumerate(rows, 1)))])
        return roles is not None and (roles.start is not None or roles.span is not None)
    return False


def parse_rows(
    columns: Columns, width: int, rows: Iterable[tuple[int, Sequence[str]]], delimiter: str
) -> Parsed:
    """Turns of (line number, cells) rows. A row that is too long because its last column is an
    unquoted text is joined again.

    Times are clock times, timecodes with frames, or plain numbers, whose unit the data tell.
    """
    read: list[tuple[str, str | None, list[Instant | None]]] = []
    raws: list[str] = []
    num_empty = num_joined = 0
    frames = _Frames()
    for number, row in rows:
        cells = list(row)
        if not cells:
            continue
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if len(cells) > width and columns.text == width - 1:
            cells[width - 1 :] = [delimiter.join(cells[width - 1 :])]
            num_joined += 1
        raw = _cell(cells, columns.text)
        text, shown_s = read_field(raw)
        text = collapse(text)
        if not text:
            num_empty += 1
            continue
        shown = [_cell(cells, at) for at in (columns.start, columns.end, columns.duration)]
        span = SPAN.fullmatch(collapse(_cell(cells, columns.span)))
        if columns.span is not None and span is not None:
            shown = [span[1], span[2], ""]
        times = [_time(bare_time(cell), columns.hint_s, number, frames) for cell in shown]
        if times[0] is None and shown_s is not None:
            times[0] = Instant(shown_s, is_sure=True)
        raws.append(raw)
        read.append((text, speaker_or_none(_cell(cells, columns.speaker)), times))
    rate = frames.rate()
    whole = _whole_transcripts(raws, columns)
    if whole:
        return Parsed(tuple(whole), notes=("each of its texts is read as a transcript",))
    turns, unit_s = _turns(read, columns.hint_s, rate)
    notes = [*unit_note(unit_s, [columns.hint_s])]
    notes += [f"{plural(num_empty, 'row')} without text left out"] if num_empty else []
    if num_joined:
        notes.append(
            f"{plural(num_joined, 'row')} with unquoted {delimiter!r} in the text joined again"
        )
    if frames.largest is not None:
        notes.append(
            f"frames counted as {rate} a second (the file doesn't say)"
            if rate is not None
            else f"frame numbers up to {frames.largest}: times are to the second"
        )
    moved, notes_of_dates = from_first(oldest_first(turns))
    notes += notes_of_dates
    moved = with_leading_times(moved, notes)
    named, labels = with_labels(moved, notes)
    return Parsed(named, notes=tuple(notes), labels=labels)


def _whole_transcripts(texts: Sequence[str], columns: Columns) -> list[SourceTurn]:
    """The turns of texts each of which is a transcript, in a table without speakers and times."""
    if {columns.speaker, columns.start, columns.span} != {None}:
        return []
    found = [turns_in_field(text) for text in texts]
    return [turn for turns in found for turn in turns] if found and all(found) else []


def _turns(
    read: Sequence[tuple[str, str | None, list[Instant | None]]],
    hint_s: float | None,
    rate: int | None,
) -> tuple[list[SourceTurn], float]:
    """The turns, and the unit of their plain numbers in seconds."""
    plain = [
        (text, start, end, duration)
        for text, _, (start, end, duration) in read
        if start is not None and not start.is_sure
    ]
    unit_s = unit_of(
        (
            TimedWords(text, start.value, _end_of(start, end, duration))
            for text, start, end, duration in plain
        ),
        [hint_s] * len(plain),
    )
    turns = []
    for text, speaker, times in read:
        start, end, duration = (
            None if own is None else _in_seconds(own, unit_s, rate) for own in times
        )
        if end is None and start is not None and duration is not None:
            end = start + duration
        turns.append(SourceTurn(text, speaker, start, end))
    return turns, unit_s


def _end_of(start: Instant, end: Instant | None, duration: Instant | None) -> float | None:
    """The end in the start's own unit; None where it is only known in seconds."""
    if end is not None and not end.is_sure:
        return end.value
    if end is not None or duration is None or duration.is_sure:
        return None
    return start.value + duration.value


def _in_seconds(instant: Instant, unit_s: float, rate: int | None) -> float:
    """`hint_s` of a timecode is its number of frames."""
    if instant.is_sure and instant.hint_s is not None:
        return instant.value + (instant.hint_s / rate if rate else 0.0)
    return instant.seconds(unit_s)


@dataclass(slots=True)
class _Frames:
    """The largest number of a frame in a file's timecodes."""

    largest: int | None = None

    def rate(self) -> int | None:
        """Frames a second, as far as the numbers tell: at most a third of a second off."""
        return None if self.largest is None else frames_a_second(self.largest)


def _cell(cells: Sequence[str], at: int | None) -> str:
    return cells[at] if at is not None and at < len(cells) else ""


def _time(cell: str, hint_s: float | None, number: int, frames: _Frames) -> Instant | None:
    timecode = TIMECODE.fullmatch(cell.strip())
    if timecode is not None:
        frame = int(timecode[2])
        frames.largest = max(frames.largest or 0, frame)
        return Instant(
            clock_seconds(timecode[1].replace(";", ":")) or 0.0, float(frame), is_sure=True
        )
    try:
        return instant_of(cell, hint_s)
    except ValueError as err:
        raise LoadError(
            f"line {number}: {short(cell)} is no time; write seconds (12.5) or a clock time (0:12)"
        ) from err
