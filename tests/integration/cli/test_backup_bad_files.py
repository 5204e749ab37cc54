"""Nothing of a bad backup file is believed, and nothing is written."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from altered_backups import in_sqlite, rewritten

from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x40
    file.write_bytes(bytes(data))


def flagged(flags: int, *, first: bool = False) -> Callable[[Path], None]:
    """The last part of the zip (or its first, the manifest) with these flags in both headers."""

    def write(file: Path) -> None:
        data = file.read_bytes()
        for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            start = data.index(sign) if first else data.rindex(sign)
            data = data[: start + at] + bytes([flags]) + data[start + at + 1 :]
        file.write_bytes(data)

    return write


def repacked(method: int) -> Callable[[Path], None]:
    """Every part packed by another method."""

    def write(file: Path) -> None:
        with zipfile.ZipFile(file) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(file, "w", method) as archive:
            for name, data in parts.items():
                archive.writestr(name, data)

    return write


def foreign(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("holiday.jpg", b"pixels")


def with_manifest(text: str) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("manifest.json", text)

    return write


def doubled(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("graph.sqlite", b"another")


def bomb(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
    parts["graph.sqlite"] += bytes(100_000_000)


def climbing(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
    parts["../../../evil.txt"] = b"evil"


def altered(name: str, statement: str) -> Callable[[Path], object]:
    """A part whose rows are changed, with hashes that fit."""
    return lambda file: rewritten(file, in_sqlite(name, statement), seal=True)


_TURN = "WHERE idx = (SELECT max(idx) FROM turns)"
WRONG_ROWS: dict[str, tuple[str, str, str]] = {
    "meta that is no JSON": ("graph", "UPDATE documents SET meta = '{not json'", "can't be read"),
    "meta that is a list": ("graph", "UPDATE documents SET meta = '[]'", "no object of texts"),
    "meta nested deeply": (
        "graph",
        f"UPDATE documents SET meta = '{'[' * 99_999}'",
        "can't be read",
    ),
    "a short vector": ("graph", "UPDATE vectors SET vector = x'00000000'", "has 4 bytes"),
    "a vector of no number": (
        "graph",
        "UPDATE vectors SET vector = CAST(x'FFFFFF7F' || substr(vector, 5) AS BLOB)",
        "no number",
    ),
    "a vector as text": ("graph", "UPDATE vectors SET vector = 'abcd'", "is no blob"),
    "a vector of no kind": ("graph", "UPDATE vectors SET kind = 'smell'", "smell"),
    "a dimension of no number": (
        "graph",
        "UPDATE meta SET value = 'many' WHERE name = 'embedder_dimension'",
        "no count",
    ),
    "a list of numbers": ("graph", "UPDATE mentions SET passage_ids = '[1]'", "no list of texts"),
    "a list that is a text": ("graph", "UPDATE entities SET aliases = '\"Ada\"'", "no list of"),
    "a list that is an object": ("graph", "UPDATE relations SET record_ids = '{}'", "no list of"),
    "a mention of no kind": ("graph", "UPDATE mentions SET kind = 'sung'", "can't be read"),
    "a mention of no passage": (
        "graph",
        "UPDATE mentions SET passage_ids = '[\"x\"]'",
        "no passage",
    ),
    "a number in a text": ("graph", "UPDATE documents SET title = x'41'", "is no text"),
    "a text in a number": ("graph", f"UPDATE turns SET start = 'one' {_TURN}", "is no integer"),
    "a text that is no UTF-8": (
        "graph",
        "UPDATE documents SET title = CAST(x'ff41' AS TEXT)",
        "can't be read",
    ),
    "a turn beyond its text": ("graph", f"UPDATE turns SET stop = 9e9 {_TURN}", "outside of"),
    "a turn before its text": ("graph", f"UPDATE turns SET start = -1 {_TURN}", "outside of"),
    "turns with gaps": ("graph", f"UPDATE turns SET idx = 999 {_TURN}", "gaps"),
    "a time that is none": ("graph", f"UPDATE turns SET start_s = 9e999 {_TURN}", "time"),
    "a passage of no turn": ("graph", "UPDATE passages SET last_turn = 999", "not there"),
    "a record of no turn": ("graph", "UPDATE relation_records SET turn_index = 999", "no turn"),
    "an edit of no kind": (
        "graph",
        "INSERT INTO edits VALUES ('e', 'sing', '[]', '', '', '', '')",
        "can't be read",
    ),
    "an edit at the end of time": (
        "graph",
        "INSERT INTO edits VALUES ('e', 'rename', '[]', '', '', '', '9999-12-31T23:59:59.999999')",
        "a time that is none",
    ),
    "a table too many": ("graph", "CREATE TABLE more (x)", "'more'"),
    "an index too few": ("graph", "DROP INDEX turns_of_document", "'turns_of_document'"),
    "a column too many": ("graph", "ALTER TABLE turns ADD COLUMN mood TEXT", "'turns'"),
    "a journal's table too few": ("journal", "DROP TABLE job_files", "'job_files'"),
    "a journal's table in another shape": (
        "journal",
        "DROP TABLE ledger; CREATE TABLE ledger (id INTEGER PRIMARY KEY)",
        "'ledger'",
    ),
    "a journal of an earlier number": ("journal", "PRAGMA user_version = 1", "'job_documents'"),
    "a job that is none": ("journal", "UPDATE jobs SET detail = '3'", "job 1"),
    "a job of no time": ("journal", "UPDATE jobs SET started_at = 'soon'", "can't be read"),
    "a count of no number": ("journal", "UPDATE jobs SET done = 'half'", "is no integer"),
}

BAD_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut off": (lambda f: f.write_bytes(f.read_bytes()[: f.stat().st_size // 2]), "cut off"),
    "empty": (lambda f: f.write_bytes(b""), "no dynagrag backup"),
    "text": (lambda f: f.write_text("a letter " * 500), "no dynagrag backup"),
    "gone": (lambda f: f.unlink(), "cannot be read"),
    "a folder": (lambda f: (f.unlink(), f.mkdir()), "cannot be read"),
    "flipped byte": (flipped, "damaged or was altered"),
    "encrypted": (flagged(0x01), "encrypted"),
    "an encrypted manifest": (flagged(0x01, first=True), "encrypted"),
    "a patch": (flagged(0x20), "packed in an unknown way"),
    "strongly encrypted": (flagged(0x40), "encrypted"),
    "packed by LZMA": (repacked(zipfile.ZIP_LZMA), "packed in an unknown way"),
    "packed by bzip2": (repacked(zipfile.ZIP_BZIP2), "packed in an unknown way"),
    "a format without end": (
        lambda f: rewritten(f, lambda m, p: m.update(format=10**400)),
        "of format 1000000000000000000…,",
    ),
    "another zip": (foreign, "holds no manifest.json"),
    "another program's manifest": (with_manifest('{"name": "an extension"}'), "another program's"),
    "no JSON": (with_manifest("{"), "cannot be read"),
    "nested JSON": (with_manifest("[" * 100_000), "cannot be read"),
    "a list": (with_manifest("[]"), "another program's"),
    "newer format": (
        lambda f: rewritten(f, lambda m, p: m.update(format=2, colour="blue")),
        "update dynagrag",
    ),
    "older format": (lambda f: rewritten(f, lambda m, p: m.update(format=0)), "format"),
    "a format that is no number": (
        lambda f: rewritten(f, lambda m, p: m.update(format="1")),
        "format",
    ),
    "a format that is yes": (lambda f: rewritten(f, lambda m, p: m.update(format=True)), "format"),
    "no format": (lambda f: rewritten(f, lambda m, p: m.pop("format")), "format"),
    "unknown field": (lambda f: rewritten(f, lambda m, p: m.update(colour="blue")), "colour"),
    "a name that leads out": (
        lambda f: rewritten(f, lambda m, p: m.update(workspace="../../x")),
        "workspace",
    ),
    "another digest": (lambda f: rewritten(f, lambda m, p: m.update(digest="0" * 64)), "digest"),
    "another count": (
        lambda f: rewritten(f, lambda m, p: m["counts"].update(turns=1)),
        "number of turns",
    ),
    "a part is missing": (
        lambda f: rewritten(f, lambda m, p: p.pop("journal.sqlite")),
        "journal.sqlite",
    ),
    "a part too many": (lambda f: rewritten(f, climbing), "evil.txt"),
    "a part twice": (doubled, "graph.sqlite"),
    "another size": (
        lambda f: rewritten(f, lambda m, p: p.update({"graph.sqlite": p["graph.sqlite"] + b"x"})),
        "bytes",
    ),
    "zip bomb": (lambda f: rewritten(f, bomb, seal=True), "would grow"),
    "altered row": (
        lambda f: rewritten(
            f, in_sqlite("graph.sqlite", "UPDATE entities SET weight = weight + 1"), seal=True
        ),
        "digest",
    ),
    "orphans": (
        lambda f: rewritten(f, in_sqlite("graph.sqlite", "DELETE FROM documents"), seal=True),
        "damaged",
    ),
    "trigger": (
        lambda f: rewritten(
            f,
            in_sqlite(
                "journal.sqlite",
                "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM ledger; END",
            ),
            seal=True,
        ),
        "triggers",
    ),
    "another program's database": (
        lambda f: rewritten(f, in_sqlite("graph.sqlite", "PRAGMA application_id = 7"), seal=True),
        "program's",
    ),
    "another program's journal": (
        lambda f: rewritten(f, in_sqlite("journal.sqlite", "DROP TABLE replies"), seal=True),
        "program's",
    ),
    "newer store": (
        lambda f: rewritten(f, in_sqlite("graph.sqlite", "PRAGMA user_version = 999"), seal=True),
        "newer dynagrag",
    ),
    "newer journal": (
        lambda f: rewritten(f, in_sqlite("journal.sqlite", "PRAGMA user_version = 999"), seal=True),
        "newer dynagrag",
    ),
    "no database": (
        lambda f: rewritten(f, lambda m, p: p.update({"journal.sqlite": b"none" * 999}), seal=True),
        "no sound SQLite file",
    ),
} | {
    what: (altered(f"{part}.sqlite", statement), complaint)
    for what, (part, statement, complaint) in WRONG_ROWS.items()
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line_before_anything_is_written(
    saved: Path, cli: Any, home: Path, what: str
) -> None:
    spoil, complaint = BAD_FILES[what]
    spoil(saved)
    assert complaint in cli("restore", saved).complaint(1)
    assert list((home / "workspaces").rglob("*")) == []
    assert list(home.rglob("*.sqlite")) == []
    assert not list(home.parent.rglob("evil.txt"))
