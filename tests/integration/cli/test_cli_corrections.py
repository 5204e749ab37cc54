"""Every correction from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corrected import FIRST, SECOND


@pytest.fixture
def files(cli: Callable[..., Any], corpus: Any, server: object) -> list[Path]:
    """Two transcripts, ingested by the fast extractor."""
    written = [corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)]
    assert cli("ingest", *written, "--extractor", "fast", "-y").code == 0
    return written


def test_every_correction_has_its_command(files: list[Path], cli: Callable[..., Any]) -> None:
    assert (
        "Zanzibar Relay (3)  =  Relay Zanzibar (2)  ? the same words" in cli("graph", "suggest").out
    )
    done = cli("graph", "merge", "zanzibar relay", "Relay Zanzibar", "--name", "Relay")
    assert "+ Relay, mentioned 5 times (also: Relay Zanzibar, Zanzibar Relay)" in done.out
    assert cli("graph", "split", "Relay", "Relay Zanzibar").code == 0
    assert cli("graph", "rename", "Port Arthur", "Fort").code == 0
    assert cli("graph", "keep-apart", "Sun", "Old Delft").code == 0
    sense = cli(
        "graph", "sense", "Mercury", "--in", "two", "--name", "Planet Mercury", "--json"
    ).json
    assert [e["kind"] for e in sense["edits"]] == ["sense"]
    listed = cli("graph", "edits").out.splitlines()
    assert [line.split()[1] for line in listed] == ["in"] * 5
    newest = listed[0].split()[0]
    assert cli("graph", "undo-edit", newest).code == 0
    assert "undone already" in cli("graph", "undo-edit", newest).complaint(2)
    assert cli("graph", "edits", "--json").json[0]["state"] == "undone"
    assert cli("graph", "undo-edit", newest, "--redo").code == 0
    assert "no entity 'nobody'" in cli("graph", "merge", "sun", "nobody").complaint(2)
    assert "--name for something new" in cli("graph", "sense", "sun", "--in", "two").complaint(2)


def test_what_was_done_says_how_to_undo_it(files: list[Path], cli: Callable[..., Any]) -> None:
    done = cli("graph", "rename", "Port Arthur", "Fort").out.splitlines()[0]
    command = done.partition("undo with `dynagrag ")[2].rstrip("`").split()
    assert command[:2] == ["graph", "undo-edit"]
    assert "+ Port Arthur" in cli(*command).out


def test_a_command_that_was_renamed_works_under_its_old_name_and_says_the_new_one(
    files: list[Path], cli: Callable[..., Any]
) -> None:
    apart = cli("graph", "apart", "Sun", "Old Delft", "--json")
    assert (
        apart.err == "dynagrag: `graph apart` is now `graph keep-apart`; the old name still works\n"
    )
    assert (apart.code, [e["kind"] for e in apart.json["edits"]]) == (0, ["undo"])
    undone = cli("graph", "unedit", apart.json["edits"][0]["id"], "--json")
    assert (
        undone.err
        == "dynagrag: `graph unedit` is now `graph undo-edit`; the old name still works\n"
    )
    assert cli("graph", "edits", "--json").json[0]["state"] == "undone"
    listed = {
        line.split()[0] for line in cli("graph", "--help").out.splitlines() if line.startswith("  ")
    }
    assert {"keep-apart", "undo-edit"} <= listed
    assert not {"apart", "unedit"} & listed


def test_a_correction_whose_names_are_gone_is_printed_as_inactive(
    files: list[Path], cli: Callable[..., Any], corpus: Any
) -> None:
    assert cli("graph", "rename", "Old Delft", "Delft").code == 0
    assert cli("ingest", corpus.write("two.vtt", FIRST[:1]), "--extractor", "fast", "-y").code == 0
    assert cli("graph", "edits").out.split()[1] == "inactive"
    assert cli("graph", "edits", "--json").json[0]["state"] == "sleeping"
