"""Tables of turns: CSV files, and tables of other documents with such a header."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, collapse, plural, short
from dynagrag.ingest.load.parsed import MAX_TURN_CHARS, Parsed, speaker_or_none

_ALIASES = {
    "text": (
        "text content transcript message body utterance caption sentence words line dialogue dialog"
        " speech"
    ),
    "speaker": (
        "speaker name speaker_name speaker_label speaker_id who person participant author source"
        " role"
    ),
    "start": (
        "start start_s start_sec start_seconds start_time starttime begin begin_time from time"
        " timestamp timecode in start_ms"
    ),
    "end": "end end_s end_sec end_seconds end_time endtime stop stop_time to finish out end_ms",
}
_ROLES = {alias: role for role, aliases in _ALIASES.items() for alias in aliases.split()}
_DELIMITERS = ",;\t|"
_UNIT = re.compile(r" ?[(\[](s|sec|seconds|ms)[)\]]$")


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of a table's columns; None where it has no such column."""

    text: int
    speaker: int | None
    start: int | None
    end: int | None
    start_unit_s: float
    end_unit_s: float


def columns_of(header: Sequence[str]) -> Columns | None:
    """The columns that a header names by their common names; None without one for the text."""
    names = [_normal(cell) for cell in header]
    # A name's place in its list is its rank: with both `text` and `message`, `text` is the text.
    found = {
        role: next((alias for alias in aliases.split() if alias in names), "")
        for role, aliases in _ALIASES.items()
    }
    if not found["text"]:
        return None
    places = {role: names.index(name) for role, name in found.items() if name}
    return Columns(
        text=places["text"],
        speaker=places.get("speaker"),
        start=places.get("start"),
        end=places.get("end"),
        start_unit_s=0.001 if found["start"].endswith("_ms") else 1.0,
        end_unit_s=0.001 if found["end"].endswith("_ms") else 1.0,
    )


def _normal(cell: str) -> str:
    name = " ".join(cell[:100].split()).strip("\ufeff\"'").casefold()
    unit = _UNIT.search(name)
    if unit is not None:
        name = name[: unit.start()] + ("_ms" if unit[1] == "ms" else "")
    return re.sub(r"[\s\-]+", "_", name)


def csv_delimiter(first_line: str) -> str | None:
    """The delimiter by which a header has a text column and at least one other that is known; None
    when there is none.
    """
    if len(first_line) > 2000:
        return None
    best, most_known = None, 1
    for delimiter in filter(first_line.__contains__, _DELIMITERS):
        header = next(csv.reader([first_line], delimiter=delimiter), [])
        num_known = len({_ROLES.get(_normal(cell)) for cell in header} - {None})
        if columns_of(header) is not None and num_known > most_known:
            best, most_known = delimiter, num_known
    return best


def parse_csv(lines: list[str]) -> Parsed:
    """The rows of a CSV file as turns. Times are seconds or clock times, milliseconds where the
    column says so (start_ms).

    Raises:
        LoadError: No column for the text, a broken quotation (with its line), or a time that is
        none.
    """
    at = next((number for number, line in enumerate(lines) if line.strip()), 0)
    first = lines[at] if lines else ""
    delimiter = csv_delimiter(first) or max(_DELIMITERS, key=first.count)
    csv.field_size_limit(MAX_TURN_CHARS + 1)
    reader = csv.reader(
        io.StringIO("\n".join(lines[at:]), newline=""), delimiter=delimiter, strict=True
    )
    try:
        rows = [(at + reader.line_num, row) for row in reader]
    except csv.Error as err:
        raise LoadError(
            f"malformed CSV before line {at + reader.line_num}: {err}; check the quotation marks"
            " there"
        ) from err
    header = rows[0][1] if rows else []
    columns = columns_of(header)
    if columns is None:
        names = ", ".join(short(cell, 30) for cell in header[:8])
        raise LoadError(
            f"has no column for the text (found {names or 'nothing'}); name one of them text, and"
            " others speaker, start, end"
        )
    return parse_rows(columns, len(header), rows[1:], delimiter)


def parse_rows(
    columns: Columns, width: int, rows: Iterable[tuple[int, Sequence[str]]], delimiter: str
) -> Parsed:
    """Turns of (line number, cells) rows. A row that is too long because its last column is an
    unquoted text is joined again.
    """
    turns = []
    num_empty = num_joined = 0
    for number, row in rows:
        cells = list(row)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if len(cells) > width and columns.text == width - 1:
            cells[width - 1 :] = [delimiter.join(cells[width - 1 :])]
            num_joined += 1
        text = collapse(_cell(cells, columns.text))
        if not text:
            num_empty += 1
            continue
        start = _time(_cell(cells, columns.start), columns.start_unit_s, number)
        end = _time(_cell(cells, columns.end), columns.end_unit_s, number)
        turns.append(SourceTurn(text, speaker_or_none(_cell(cells, columns.speaker)), start, end))
    notes = [f"{plural(num_empty, 'row')} without text left out"] if num_empty else []
    if num_joined:
        notes.append(
            f"{plural(num_joined, 'row')} with unquoted {delimiter!r} in the text joined again"
        )
    return Parsed(tuple(turns), notes=tuple(notes))


def _cell(cells: Sequence[str], at: int | None) -> str:
    return cells[at] if at is not None and at < len(cells) else ""


def _time(cell: str, unit_s: float, number: int) -> float | None:
    if not cell.strip():
        return None
    seconds = any_seconds(cell)
    if seconds is None:
        raise LoadError(
            f"line {number}: {short(cell)} is no time; write seconds (12.5) or a clock time (0:12)"
        )
    return seconds * unit_s
