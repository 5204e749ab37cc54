"""Records in lines, such as YAML's, whose fields are told by their values."""

from pathlib import Path

import pytest

from dynagrag.ingest.load.read import load_source

TALK = [
    ("Rosa Elm", 12.5, "The weir board came loose at dawn."),
    ("Kit Moor", 17.0, "Did anyone see it go?"),
    ("Rosa Elm", 21.5, "Only the heron, I think."),
    ("Kit Moor", 26.0, "Then we need two clamps."),
]


@pytest.mark.parametrize(
    ("name", "head", "record"),
    [
        ("a.txt", "", "Speaker: {who}\nTime: 00:00:{at:06.3f}\nText: {text}\n\n"),
        ("a.yaml", "title: Weir\nturns:\n", '  - who: {who}\n    at: {at}\n    said: "{text}"\n'),
        ("a.txt", "", "wann: {at}s\nwer: {who}\nwas: {text}\n---\n"),
    ],
)
def test_records_in_lines_are_turns(tmp_path: Path, name: str, head: str, record: str) -> None:
    body = "".join(record.format(who=who, at=at, text=text) for who, at, text in TALK)
    (tmp_path / name).write_text(head + body)
    source = load_source(tmp_path / name)
    assert [(t.speaker, t.start_s, t.text) for t in source.turns] == TALK
    assert source.format == "field-lines"


@pytest.mark.parametrize(
    "text",
    [
        "Weight: 1.2 kg\nFlame: blue\nPrice: 30\n\n" * 4,
        "Name: Ida Holm\nBorn: 1911\n\nName: Per Dahl\nBorn: 1925\n\nName: Ulf Ek\nBorn: 1950\n",
        "IDA: Is it dry?\nPER: It is.\n\nIDA: Since when?\nPER: Since noon.\n\nIDA: Good.\n",
    ],
)
def test_fields_without_times_and_talk_are_no_such_records(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert load_source(tmp_path / "a.txt").format != "field-lines"
