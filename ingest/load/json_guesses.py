"""Who speaks and when, in records of JSON whose keys for that nobody knows: by their values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dynagrag.core.text import collapse
from dynagrag.ingest.load.field_names import FIELDS, field_name
from dynagrag.ingest.load.json_records import JsonRecord, label_of, view_of
from dynagrag.ingest.load.table_columns import (
    clocks_by_cells,
    recurring_columns,
    speaker_by_cells,
)
from dynagrag.ingest.load.times import instant_of

_MOST_FIELDS, _MAX_FIELDS = 4, 200


def with_guesses(
    values: Sequence[Any], records: Sequence[JsonRecord]
) -> tuple[list[JsonRecord], list[str]]:
    """The records with the speakers and starts that a field's values tell where no known key does,
    and notes: on the fields so taken, or those that may say who speaks.
    """
    made, notes = list(records), list[str]()
    rows = _rows(values, records)
    header = rows[0]
    if not any(own.start is not None or any(p.start for p in own.parts) for own in records):
        at = clocks_by_cells(rows, {0})
        if at is not None:
            starts = [instant_of(row[at]) for row in rows[1:]]
            made = [replace(own, start=start) for own, start in zip(made, starts, strict=True)]
            notes.append(f"start by its values: {_shown(header[at])}")
    if any(own.speaker or own.channel or any(p.speaker for p in own.parts) for own in records):
        return made, notes
    at = speaker_by_cells(rows, 0, {0})
    if at is not None:
        names = [row[at] or None for row in rows[1:]]
        made = [replace(own, speaker=name) for own, name in zip(made, names, strict=True)]
        return made, [*notes, f"speaker by its values: {_shown(header[at])}"]
    return made, notes + recurring_note(rows, {0})


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
                names.get(key, key): label_of(own) or ""
                for key, own in view.items()
                if not any(key in field for field in FIELDS)
                and isinstance(own, str | int | Mapping)
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
