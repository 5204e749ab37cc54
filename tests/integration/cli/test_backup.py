"""Backup and restore as a user has them: whole or not at all."""

import json
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workspace_contents import contents, silent

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import WorkspaceError
from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.upkeep.workspace_backup import back_up, restore
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


class Killed(BaseException):
    """The process died here."""


# --------------------------------------------------------------------------------------- round trip


def test_a_restored_workspace_is_the_one_that_was_backed_up(
    filled: Workspace, open_space: OpenSpace, cli: Any, tmp_path: Path
) -> None:
    before, file = contents(filled), tmp_path / "w.zip"
    filled.close()
    said = cli("backup", file, "-w", "w")
    assert (said.code, said.err, "3 documents" in said.out) == (0, "", True)
    shutil.rmtree(filled.folder)
    said = cli("restore", file)
    assert (said.code, said.err, before[2][3][:12] in said.out) == (0, "", True)
    chat = FakeChat()
    again = open_space(chat=chat)
    assert contents(again) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["corpus", "w.zip"]
    report = again.ingest(sorted((tmp_path / "corpus").iterdir()))
    assert (len(report.unchanged), chat.prompts) == (3, [])
    assert again.ask("Who works at Acme Works?").citations


def test_the_manifest_says_what_is_in_the_file(filled: Workspace, cli: Any, tmp_path: Path) -> None:
    said = cli("backup", tmp_path / "w.zip", "-w", "w", "--json").json
    stats = filled.stats()
    assert (said["workspace"], said["format"], said["digest"], said["is_current"]) == (
        "w",
        1,
        stats.digest,
        True,
    )
    assert (said["counts"]["documents"], said["counts"]["entities"], said["counts"]["turns"]) == (
        3,
        stats.entities,
        stats.turns,
    )
    with zipfile.ZipFile(tmp_path / "w.zip") as archive:
        assert sorted(archive.namelist()) == ["graph.sqlite", "journal.sqlite", "manifest.json"]
        assert {name: archive.getinfo(name).file_size for name in said["parts"]} == {
            n: p["size_bytes"] for n, p in said["parts"].items()
        }


def test_deleted_text_is_not_in_a_backup(filled: Workspace, tmp_path: Path) -> None:
    gone = filled.store.documents()[0]
    filled.documents.delete(gone.id)
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    with zipfile.ZipFile(tmp_path / "w.zip") as archive:
        data = b"".join(archive.read(name) for name in archive.namelist())
    assert gone.text[:40].encode() not in data
    assert filled.store.documents()[0].text[:40].encode() in data


def test_a_workspace_is_backed_up_as_it_is_at_one_moment_of_its_ingest(
    open_space: OpenSpace, corpus: Any, tmp_path: Path
) -> None:
    paths, files = corpus.many(3, 30), []

    def rule(prompt: Any, schema: Any) -> str:
        if len(chat.prompts) in (1, 4, 8):
            files.append(tmp_path / f"{len(chat.prompts)}.zip")
            back_up(watcher, files[-1], is_forced=False, progress=silent)
        return simple_reply(prompt, schema)

    chat = FakeChat(rule)
    space = open_space(chat=chat)
    watcher = open_space()
    space.settings.__dict__["max_concurrency"] = 1
    space.ingest(paths)
    digest = space.store.digest()
    assert len(files) == 3
    for i, file in enumerate(files):
        home = tmp_path / f"home{i}"
        restored = restore(file, load_settings(home=home), "w", silent)
        assert not restored.manifest.is_current
        again = open_space(at=home)
        assert not again.store.is_derived_current()
        again.ingest(paths)
        assert again.store.digest() == digest


# ------------------------------------------------------------------------------------------- backup


def test_a_file_that_is_there_is_overwritten_only_when_that_is_asked_for(
    filled: Workspace, cli: Any, tmp_path: Path
) -> None:
    file = tmp_path / "w.zip"
    file.write_text("precious")
    assert "--force" in cli("backup", file, "-w", "w").complaint(2)
    assert file.read_text() == "precious"
    assert "folder" in cli("backup", tmp_path, "-w", "w").complaint(2)
    assert cli("backup", file, "-w", "w", "--force").code == 0
    assert zipfile.is_zipfile(file)


def test_a_backup_that_cannot_be_written_is_one_line_and_leaves_nothing(
    filled: Workspace, cli: Any, command: Any, tmp_path: Path
) -> None:
    assert "cannot write" in cli("backup", tmp_path / "no" / "such" / "w.zip", "-w", "w").complaint(
        1
    )
    before = sorted(p.name for p in tmp_path.iterdir())
    for limit_bytes in (
        20_000,
        150_000,
    ):  # the disk ends within the copy of the graph, or within what is written after it
        done = command("backup", tmp_path / "w.zip", "-w", "w", max_file_bytes=limit_bytes)
        assert "free" in done.complaint(1)
        assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_an_unknown_workspace_is_not_backed_up(cli: Any, tmp_path: Path) -> None:
    assert "no workspace 'x'" in cli("backup", tmp_path / "x.zip", "-w", "x").complaint(1)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------ restore


def test_a_workspace_that_is_there_is_not_restored_over(
    filled: Workspace, cli: Any, tmp_path: Path
) -> None:
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    before = (filled.store.version(), contents(filled))
    assert "already" in cli("restore", tmp_path / "w.zip").complaint(1)
    assert (filled.store.version(), contents(filled)) == before


def test_a_workspace_that_is_elsewhere_is_not_hidden_by_a_restored_one(
    saved: Path, home: Path, cli: Any
) -> None:
    folder = home / "workspaces" / "w"
    folder.mkdir()
    (folder / "store").write_text("bolt://localhost:7\n")
    assert "is here already, in bolt://localhost:7" in cli(
        "restore", saved, "--store", "sqlite"
    ).complaint(1)
    assert [p.name for p in folder.iterdir()] == ["store"]


def test_what_is_left_of_a_workspace_is_not_overwritten(
    filled: Workspace, cli: Any, tmp_path: Path
) -> None:
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    filled.close()
    (filled.folder / "graph.sqlite").unlink()
    assert "holds the journal" in cli("restore", tmp_path / "w.zip").complaint(1)


def test_a_backup_goes_by_its_own_name_only(saved: Path, cli: Any, home: Path) -> None:
    assert "workspaces rename w other`" in cli("restore", saved, "-w", "other").complaint(2)
    assert list((home / "workspaces").iterdir()) == []
    assert cli("restore", saved, "-w", "w").code == 0


def test_a_backup_comes_under_another_name_as_the_messages_say(
    filled: Workspace, cli: Any, tmp_path: Path
) -> None:
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    filled.close()
    refused = cli("restore", tmp_path / "w.zip").complaint(1)
    assert "`dynagrag workspaces rename w NAME`" in refused
    assert cli("workspaces", "rename", "w", "older").code == 0
    assert cli("restore", tmp_path / "w.zip").code == 0
    assert cli("workspaces", "rename", "w", "other").code == 0
    listed = cli("workspaces", "list", "--json").out
    assert "older" in listed
    assert "other" in listed


def test_a_restore_that_is_interrupted_anywhere_ends_right_when_it_is_run_again(
    saved: Path, open_space: OpenSpace, tmp_path: Path
) -> None:
    stages: list[tuple[str, int, int]] = []
    restore(saved, load_settings(home=tmp_path / "whole"), None, lambda *at: stages.append(at))
    wanted = contents(open_space(at=tmp_path / "whole"))
    assert len(stages) > 8
    for number in range(len(stages)):
        home = tmp_path / f"home{number}"
        left = iter(stages[:number])

        def die(*at: object, left: Any = left) -> None:
            if next(left, None) is None:
                raise Killed

        with pytest.raises(Killed):
            restore(saved, load_settings(home=home), None, die)
        restore(saved, load_settings(home=home), None, silent)
        assert contents(open_space(at=home)) == wanted, stages[number]


def test_a_restore_that_is_killed_ends_right_when_it_is_run_again(
    saved: Path, start: Callable[..., "subprocess.Popen[str]"], cli: Any, home: Path
) -> None:
    graph = home / "workspaces" / "w" / "graph.sqlite"
    process = start("restore", saved)
    while process.poll() is None and not graph.exists():
        time.sleep(0.001)
    process.kill()
    process.wait()
    with zipfile.ZipFile(saved) as archive:
        wanted = json.loads(archive.read("manifest.json"))["digest"]
    again = cli("restore", saved)
    assert again.code == 0 or "already" in again.complaint(1)  # it may have been quicker than we
    assert cli("graph", "stats", "-w", "w", "--json").json["digest"] == wanted


def test_half_a_restored_workspace_answers_nothing(
    saved: Path, open_space: OpenSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("dynagrag.upkeep.workspace_backup._place", die)
        with pytest.raises(Killed):
            restore(saved, load_settings(), None, silent)
    with open_space() as half:
        assert half.store.documents()
        with pytest.raises(WorkspaceError, match="restore into workspace 'w' is under way"):
            half.ask("Who works at Acme Works?")
        with pytest.raises(WorkspaceError, match="restore into workspace 'w' is under way"):
            half.ingest([])
    restore(saved, load_settings(), None, silent)
    with open_space() as whole:
        assert whole.ask("Who works at Acme Works?").citations
