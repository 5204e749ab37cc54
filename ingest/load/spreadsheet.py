"""Excel workbooks (XLSX), by openpyxl: the turns of the first sheet that is a table of them."""

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.text import collapse, short
from dynagrag.ingest.load.parsed import MAX_TREE_BYTES, Parsed
from dynagrag.ingest.load.tables import parse_table

_MAX_COLUMNS = 200


def parse_xlsx(data: bytes) -> Parsed:
    """The rows of a sheet as turns, as those of a CSV file; the other sheets are named in a note.

    Raises:
        LoadError: Broken, too large, or without a sheet of turns (the reason of the first).
    """
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheets = [(sheet.title, list(_rows(sheet))) for sheet in book.worksheets]
    except LoadError:
        raise
    except Exception as err:  # of every kind, as the file is broken
        raise LoadError(
            "broken Excel workbook (XLSX); open it and save it again, or save it as CSV"
        ) from err
    filled = [(title, rows) for title, rows in sheets if rows]
    first: LoadError | None = None
    for title, rows in filled:
        try:
            parsed = parse_table(rows, ",")
        except LoadError as err:
            first = first or err
            continue
        others = ", ".join(short(own, 30) for own, _ in filled if own != title)
        notes = (f"of its sheets {title} is read, not {others}",) if others else ()
        return Parsed(parsed.turns, notes=(*notes, *parsed.notes))
    raise first or LoadError("has no filled sheet; check that it is the file you meant")


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """(number, cells) of each row that holds anything."""
    num_chars = 0
    sheet.reset_dimensions()  # what a sheet says of its size may be a million rows of 16,384 cells
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_text(value) for value in row[:_MAX_COLUMNS]]
        num_chars += sum(map(len, cells))
        if num_chars > MAX_TREE_BYTES:
            raise LoadError(
                f"has a sheet of more than {MAX_TREE_BYTES:,} characters; split it, or save it as"
                " CSV"
            )
        if any(cells):
            yield number, cells


def _text(value: Any) -> str:
    """A cell as it is written in a CSV file: a time of day and a length of time as clock times."""
    if value is None:
        return ""
    if isinstance(value, timedelta):
        return _clock(value.total_seconds())
    if isinstance(value, time):
        return _clock(
            value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
        )
    if isinstance(value, datetime | date):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    return collapse(str(value)) if not isinstance(value, str) else value.strip()


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" + f"{seconds % 1:.3f}"[1:]
