"""One vocabulary of fields, by which tables and JSON are read alike."""

import csv
import io
import json
from pathlib import Path

import pytest

from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.field_names import FIELDS, PARTS, PERSON_NAME, field_name, unit_in

Row = tuple[str | None, float | None, float | None, str]

TALK: list[Row] = [
    ("Ida", 1.5, 3.0, "The hull is dry, at last."),
    ("Per", 4.25, 6.5, "Since when?"),
    ("Ida", 7.0, 9.75, "Since yesterday evening."),
]


def _load(folder: Path, form: str, names: list[str], values: list[list[str | float]]) -> list[Row]:
    """Records with these names, read from a table or from JSON."""
    out = io.StringIO()
    csv.writer(out).writerows([names, *values])
    records = [dict(zip(names, row, strict=True)) for row in values]
    path = folder / f"talk.{form}"
    path.write_text(out.getvalue() if form == "csv" else json.dumps(records))
    source = load_source(path)
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize(
    ("names", "unit_s"),
    [
        ("speaker start end text", 1.0),
        ("Speaker_Name StartTime EndTime Body", 1.0),
        ("authorName beginTime stopTime utterance", 1.0),
        ("display-name tmin tmax sentence", 1.0),
        ("participantId in out caption", 1.0),
        ("screen_name onset offset transcription", 1.0),
        ("talker start_s end_s dialogue", 1.0),
        ("speaker_label startMs endMs content", 1e-3),
        ("talker begin_offset_millis end_offset_millis message", 1e-3),
        ("from start_time_ms end_time_ms text", 1e-3),
    ],
)
def test_a_name_is_one_field_in_tables_and_in_json(
    tmp_path: Path, form: str, names: str, unit_s: float
) -> None:
    values: list[list[str | float]] = [
        [speaker or "", round((start or 0) / unit_s, 3), round((end or 0) / unit_s, 3), text]
        for speaker, start, end, text in TALK
    ]
    assert _load(tmp_path, form, names.split(), values) == TALK


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_name_of_two_fields_is_what_its_values_are(tmp_path: Path, form: str) -> None:
    said = [[row[0] or "", row[1] or 0, row[3]] for row in TALK]
    by_sender = _load(tmp_path, form, ["from", "time", "text"], said)
    assert [row[:2] for row in by_sender] == [row[:2] for row in TALK]
    times = [[row[0] or "", row[1] or 0, row[2] or 0, row[3]] for row in TALK]
    assert _load(tmp_path, form, ["speaker", "from", "to", "text"], times) == TALK


@pytest.mark.parametrize("form", ["csv", "json"])
def test_messages_with_the_newest_first_are_turned(tmp_path: Path, form: str) -> None:
    said = [[f"2024-04-25T09:00:0{at}Z", row[0] or "", row[3]] for at, row in enumerate(TALK)]
    read = _load(tmp_path, form, ["created_at", "username", "message"], said[::-1])
    assert [(row[1], row[3]) for row in read] == [(at, row[3]) for at, row in enumerate(TALK)]


def test_a_column_that_is_named_as_time_and_holds_none_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "talk.csv"
    path.write_text(
        "date,speaker,text\n" + "".join(f"in spring,{row[0]},{row[3]!r}\n" for row in TALK)
    )
    source = load_source(path)
    assert [(turn.speaker, turn.start_s) for turn in source.turns] == [
        (row[0], None) for row in TALK
    ]
    assert "columns not read: 'date'" in source.notes


def test_names_stand_as_they_are_compared_and_once() -> None:
    for field in (*FIELDS, PARTS, PERSON_NAME):
        for names in (field.names, field.words):
            assert [field_name(name) for name in names] == list(names)
            assert len(set(names)) == len(names)
        assert field.loose <= {*field.names, *field.words}


@pytest.mark.parametrize(
    ("header", "name", "unit_s"),
    [
        ("Start time", "starttime", None),
        ("start_time (ms)", "starttimems", 1e-3),
        ("Start [s]", "start", None),
        ("# speaker", "speaker", None),
        ("Text (German)", "text", None),
        ("offsetInTicks", "offsetinticks", 1e-7),
        ("items", "items", None),
    ],
)
def test_headers_and_keys_are_compared_by_their_letters(
    header: str, name: str, unit_s: float | None
) -> None:
    assert field_name(header) == name
    assert unit_in(name) == unit_s
