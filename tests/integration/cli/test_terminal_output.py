"""Nothing that a file, its name or a person's words hold steers the terminal: escape sequences,
line breaks, turned writing.
"""

import io
import json
import logging
import os
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from dynagrag.cli import terminal
from dynagrag.cli.terminal import (
    ProgressBars,
    Waiting,
    _PrintableFormatter,
    outlet,
    printable,
    say_json,
)
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ingest import time_left

_UNSEEN = "\u202e\u2067\u200e\u200f\u061c\u2028\u2029\u200b\u2060\ufeff\U000e0041"
_NASTY = f"x\x1b[2J\x9b31m\x07{_UNSEEN}\n  FAKE line"
_STEERING = {*"\x1b\x9b\x07\x7f", *_UNSEEN}


@pytest.fixture
def nasty(server: OpenAIStubServer, cli: Any, tmp_path: Path) -> Path:
    """An ingested file with such a name, in such a folder; and one that is refused."""
    folder = tmp_path / _NASTY
    folder.mkdir()
    path = folder / f"{_NASTY}.txt"
    path.write_text("LEO: Ada Byron founded Acme Works.\n", encoding="utf-8")
    assert cli("ingest", path, "--extractor", "fast", "--yes").code == 0
    (folder / "empty\n  FAKE.txt").write_text("")
    return path


def _check(shown: Any) -> None:
    text = shown.out + shown.err
    assert not _STEERING & set(text)
    assert not [line for line in text.splitlines() if line.strip().startswith("FAKE")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("graph", "stats"),
        ("jobs",),
        ("jobs", "--json"),
        ("jobs", "set-aside"),
        ("graph", "show"),
        ("graph", "show", "--json"),
        ("ask", "Who founded Acme Works?", "--json"),
        ("doctor",),
        ("delete", "nothing\x1b[2J"),
    ],
    ids=" ".join,
)
def test_no_command_prints_what_steers_the_terminal(
    nasty: Path, cli: Any, arguments: tuple[str, ...]
) -> None:
    shown = cli(*arguments)
    assert (shown.out + shown.err).strip()
    _check(shown)


def test_the_plan_of_an_ingest_and_inspect_show_paths_in_one_line(nasty: Path, cli: Any) -> None:
    for arguments in [("inspect", nasty.parent), ("ingest", nasty.parent, "--extractor", "fast")]:
        shown = cli(*arguments)
        _check(shown)
        assert "is empty" in shown.out
    nasty.unlink()
    (nasty.parent / "other.txt").write_text("words")
    shown = cli("ingest", nasty.parent, "--extractor", "fast")
    assert "files are gone" in shown.out
    _check(shown)


def test_the_question_before_a_deletion_is_printable(
    nasty: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.cli.terminal.is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    asked = cli("delete", nasty)
    assert asked.code == 2
    assert "Delete 'x" in asked.err
    _check(asked)


def test_json_says_the_same_with_steering_characters_escaped(nasty: Path, cli: Any) -> None:
    shown = cli("inspect", nasty, "--json")
    assert not _STEERING & set(shown.out)
    assert json.loads(shown.out)["path"] == str(nasty)


def test_a_warning_is_printable() -> None:
    record = logging.LogRecord(
        "dynagrag", logging.WARNING, "", 0, "folder %s", ("a\x1b[2J\x9b",), None
    )
    assert _PrintableFormatter("%(message)s").format(record) == "folder a\ufffd[2J\ufffd"


def test_all_that_is_unseen_and_not_of_a_script_or_emoji_is_replaced_and_json_reads_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unseen = {
        chr(i) for i in range(0x110000) if unicodedata.category(chr(i)) in ("Cc", "Cf", "Zl", "Zp")
    }
    needed = {
        "\n",
        "\t",
        "\xad",
        "\u200c",
        "\u200d",
        *(c for c in unseen if "ARABIC" in unicodedata.name(c, "") and c != "\u061c"),
    }
    left = {c for c in unseen - needed if printable(c) == c}
    assert {unicodedata.name(c).split()[0] for c in left} <= {
        "SYRIAC",
        "KAITHI",
        "EGYPTIAN",
        "SHORTHAND",
    }
    say_json(everything := "".join(sorted(unseen)))
    shown = capsys.readouterr().out
    assert {c for c in unseen - needed - left if c in shown} == set()
    assert json.loads(shown) == everything
    assert printable("می\u200cخواهم 👩\u200d🚀 🏳\ufe0f") == "می\u200cخواهم 👩\u200d🚀 🏳\ufe0f"


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for seconds, quiet, said in ((0, False, 3), (3600, False, 0), (0, True, 0)):
        monkeypatch.setattr(terminal, "_SECONDS_A_LINE", seconds)
        with ProgressBars(quiet) as progress:
            for done in (0, 1, 1200):
                progress("retrieve", done, 1200)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == said
        assert all(line.startswith("dynagrag: retrieve: ") for line in lines)
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0)
    with ProgressBars(quiet=False) as progress:
        progress("extract", 1000, 2000)
        progress("embed", 1000, 2000)
    assert capsys.readouterr().err.splitlines() == [
        "dynagrag: extract: 1,000 of 2,000 after 0 s",
        "dynagrag: embed: 50% after 0 s",
    ]


def test_what_is_waited_for_is_told_without_a_terminal_until_it_came(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.02)
    said = ""
    with Waiting("Looking for evidence") as waiting:
        while "looking for evidence after" not in said:
            said += capsys.readouterr().err
        waiting.tell("Answering from each part, 3 of 8")
        while "dynagrag: answering from each part, 3 of 8 after 0 s\n" not in said:
            said += capsys.readouterr().err
        waiting.stop()
        time.sleep(0.1)
        capsys.readouterr()
        time.sleep(0.1)
    assert capsys.readouterr().err == ""
    with Waiting("Looking for evidence", quiet=True):
        time.sleep(0.1)
    assert capsys.readouterr().err == ""


def test_a_line_on_stderr_is_out_at_once_where_it_is_a_pipe() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(writing, "wb", buffering=0) as raw:
        stderr = io.TextIOWrapper(raw, write_through=True)  # as Python makes it
        kept = outlet(stderr)  # whose end would write it, too
        kept.write("dynagrag: answering\n")
        assert os.read(reading, 100) == b"dynagrag: answering\n"
    os.close(reading)


def test_a_line_says_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0)
    monkeypatch.setattr(time_left, "_MIN_S", 0)
    with ProgressBars(quiet=False) as progress:
        for done in (0, 1, 2, 4):
            progress("extract", done, 4)
            time.sleep(0.02)
    left = [line.partition(", ")[2] for line in capsys.readouterr().err.splitlines()]
    assert left == ["", "a few seconds left", "a few seconds left", ""]
