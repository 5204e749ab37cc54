"""What this program writes: never over its own files, for the user alone, whole or not at all."""

import csv
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.schema import Entity
from dynagrag.curation.graph_export import export, part
from dynagrag.workspace.facade import Workspace


def _asked_for(kind: str, file: Path) -> tuple[object, ...]:
    """A command that writes to a file of the user's choice."""
    return {
        "backup": ("backup", file, "-w", "w", "--force"),
        "export": ("graph", "export", file, "-w", "w", "--force"),
        "questions": (
            "evaluate",
            "questions",
            "-w",
            "w",
            "--by",
            "records",
            "--force",
            "--out",
            file,
        ),
    }[kind]


OWN = {
    "backup": [
        "workspaces/w/graph.sqlite",
        "workspaces/w/journal.sqlite",
        "workspaces/w/new.zip",
        "workspaces/other",
        "settings.toml",
        "job_key",
        "restoring/w",
    ],
    "export": ["workspaces/w/graph.json", "workspaces/w/uploads.csv", "restoring/w.graphml"],
    "questions": ["workspaces/w/graph.sqlite", "workspaces/w/holder", "settings.toml"],
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in OWN.items() for name in names]
)
def test_no_output_takes_the_place_of_a_file_of_the_programs_own(
    filled: Workspace, home: Path, cli: Any, kind: str, name: str
) -> None:
    filled.close()
    (home / "settings.toml").write_text("")
    before = {f: f.read_bytes() for f in home.rglob("*") if f.is_file()}
    file = home / name
    file.parent.mkdir(exist_ok=True)
    assert "name a file elsewhere" in cli(*_asked_for(kind, file)).complaint(2)
    assert {f: f.read_bytes() for f in home.rglob("*") if f.is_file()} == before


def test_nor_does_one_that_leads_there_by_a_link_or_another_databases(
    filled: Workspace, home: Path, cli: Any, tmp_path: Path
) -> None:
    filled.close()
    graph = filled.folder / "graph.sqlite"
    before = graph.read_bytes()
    (tmp_path / "link.zip").symlink_to(graph)
    (tmp_path / "copy.json").write_bytes(before)
    for kind, name in (("backup", "link.zip"), ("backup", "copy.json"), ("export", "copy.json")):
        assert "name a file elsewhere" in cli(*_asked_for(kind, tmp_path / name)).complaint(2)
    assert graph.read_bytes() == before == (tmp_path / "copy.json").read_bytes()


@pytest.mark.parametrize("name", ["g.json", "g.csv", "g.graphml"])
def test_an_export_is_the_users_alone_also_where_it_replaces_an_open_one(
    filled: Workspace, cli: Any, tmp_path: Path, name: str
) -> None:
    filled.close()
    folder = tmp_path / "out"
    folder.mkdir()
    for written in ("g.json", "g.entities.csv", "g.graphml"):
        (folder / written).write_text("of before")
        (folder / written).chmod(0o644)
    assert cli(*_asked_for("export", folder / name)).code == 0
    made = [f for f in folder.iterdir() if f.read_text() != "of before"]
    assert made
    assert {f.stat().st_mode & 0o777 for f in made} == {0o600}
    assert not list(folder.glob("*.part"))


def test_exported_replies_are_the_users_alone(filled: Workspace, tmp_path: Path) -> None:
    filled.journal.export_replies(tmp_path / "replies.jsonl")
    assert (tmp_path / "replies.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_backup_of_a_renamed_workspace_claims_no_ingest(
    filled: Workspace, home: Path, cli: Any, tmp_path: Path
) -> None:
    (filled.folder / "uploads").mkdir()
    source = filled.folder / "uploads" / "a.txt"
    source.write_text("Anna: Acme acquired Borealis.\n")
    filled.ingest([source])
    filled.close()
    assert cli("workspaces", "rename", "w", "v").code == 0
    said = cli("backup", tmp_path / "v.zip", "-w", "v")
    assert said.code == 0
    assert "ingest" not in said.err
    assert "older than its records" in said.err


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_a_name_that_a_spreadsheet_would_run_is_a_text_in_csv(tmp_path: Path, sign: str) -> None:
    entity = Entity("e", "k", f"{sign}HYPERLINK(1)", "", ("k",), (f"{sign}1",), "", 3, ())
    first, _ = export(part([entity], []), tmp_path / "g.csv", force=False)
    with first.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1] == ["e", f"'{sign}HYPERLINK(1)", "", "3", f"'{sign}1", ""]


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_no_output_takes_the_place_of_a_pipe_or_a_device(
    filled: Workspace, cli: Any, tmp_path: Path, kind: str
) -> None:
    filled.close()
    pipe, loop = tmp_path / "pipe.json", tmp_path / "loop.json"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    assert "is no regular file" in cli(*_asked_for(kind, pipe)).complaint(2)
    assert pipe.is_fifo()
    assert "name another file" in cli(*_asked_for(kind, loop)).complaint(2)


def test_a_workspace_that_could_not_be_restored_is_not_backed_up(
    filled: Workspace, cli: Any, tmp_path: Path
) -> None:
    filled.close()
    with closing(sqlite3.connect(filled.folder / "graph.sqlite")) as db, db:
        db.execute("UPDATE documents SET meta = '{not json'")
    assert "could not be restored" in cli("backup", tmp_path / "w.zip", "-w", "w").complaint(1)
    assert not (tmp_path / "w.zip").exists()
    for command in (("documents",), ("ask", "Who?")):
        assert "a row can't be read" in cli(*command, "-w", "w").complaint(1)
