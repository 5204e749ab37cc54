"""Who speaks and when, in records of JSON whose keys for that nobody knows: by their values."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dynagrag.core.text import collapse
from dynagrag.ingest.load.field_names import FIELDS, field_name
from dynagrag.ingest.load.json_records import JsonRecord, label_of, view_of
from dynagrag.ingest.load.table_columns import (
    SPAN,
    bare_time,
    recurring_columns,
    speaker_by_cells,
    sure_times_by_cells,
)
from dynagrag.ingest.load.times import Instant, instant_of

_MOST_FIELDS, _MOST_LEFT, _MAX_FIELDS = 4, 8, 200


def with_guesses(
    values: Sequence[Any], records: Sequence[JsonRecord]
) -> tuple[list[JsonRecord], list[str]]:
    """The records with the speakers and times that fields' values tell where no known key does, and
    notes: on the fields so taken, those that may say who speaks, and those that aren't read.
    """
    made, notes, taken = list(records), list[str](), {0}
    rows = _rows(values, records)
    header = rows[0]
    if not any(own.start is not None or any(p.start for p in own.parts) for own in records):
        places = sure_times_by_cells(rows, 0, taken)
        if places:
            made = [_timed(own, row, places) for own, row in zip(made, rows[1:], strict=True)]
            notes += [f"{role} by its values: {_shown(header[at])}" for role, at in places.items()]
            taken |= set(places.values())
    if not any(own.speaker or own.channel or any(p.speaker for p in own.parts) for own in records):
        at = speaker_by_cells(rows, 0, taken)
        if at is not None:
            names = [row[at] or None for row in rows[1:]]
            made = [replace(own, speaker=name) for own, name in zip(made, names, strict=True)]
            notes.append(f"speaker by its values: {_shown(header[at])}")
            taken.add(at)
        else:
            notes += recurring_note(rows, taken)
    left = [_shown(name) for at, name in enumerate(header) if at not in taken]
    if left:
        more = f" and {len(left) - _MOST_LEFT} more" if len(left) > _MOST_LEFT else ""
        notes.append(f"not read: {', '.join(left[:_MOST_LEFT])}{more}")
    return made, notes


def _timed(record: JsonRecord, row: Sequence[str], places: Mapping[str, int]) -> JsonRecord:
    """A record with the times of its row; what is none there is left."""
    times: dict[str, Instant | None] = {}
    for role, at in places.items():
        span = SPAN.fullmatch(row[at]) if role == "span" else None
        cells = {"start": span[1], "end": span[2]} if span else {role: row[at]}
        for name, cell in cells.items():
            with suppress(ValueError):
                times[name] = instant_of(bare_time(cell))
    return replace(
        record, start=times.get("start"), end=times.get("end"), duration=times.get("duration")
    )


def recurring_note(rows: Sequence[Sequence[str]], taken: Collection[int] = ()) -> list[str]:
    """A note on fields whose few values come again and again, below a header, where none was taken
    for who speaks.
    """
    fields = [
        f"{_shown(rows[0][own])} ({', '.join(map(_shown, examples))})"
        for own, examples in recurring_columns(rows, taken)[:_MOST_FIELDS]
    ]
    if not fields:
        return []
    return [
        f"no speaker taken, though its records have {', '.join(fields)}: where one says who"
        " speaks, rename it to speaker"
    ]


def _rows(values: Sequence[Any], records: Sequence[JsonRecord]) -> list[list[str]]:
    """A header and rows: the text, and the plain values, and objects' names, under keys that aren't
    known.
    """
    views: list[dict[str, str]] = []
    for value in values:
        names = {field_name(key): key for key in value} if isinstance(value, Mapping) else {}
        view = view_of(value) if isinstance(value, Mapping) else {}
        views.append(
            {
                names.get(key, key): str(own) if isinstance(own, float) else label_of(own) or ""
                for key, own in view.items()
                if not any(key in field for field in FIELDS)
                and isinstance(own, str | int | float | Mapping)
            }
        )
    keys = list(dict.fromkeys(key for view in views for key in view))[:_MAX_FIELDS]
    body = (
        [own.text, *(view.get(key, "") for key in keys)]
        for own, view in zip(records, views, strict=True)
    )
    return [["text", *keys], *body]


def _shown(name: str) -> str:
    return collapse(name)[:40]
