"""Backup, restore and copy as a user has them: whole or not at all, and nothing of a bad file believed."""

import json
import resource
import shutil
import sqlite3
import subprocess
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.settings import load_settings
from dynagrag.upkeep.backup import back_up, restore
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


class Killed(BaseException):
    """The process died here."""


def silent(stage: str, done: int, total: int) -> None:
    assert 0 <= done <= total, stage


@pytest.fixture
def filled(open_space: OpenSpace, corpus: Any) -> Workspace:
    space = open_space()
    space.ingest(corpus.many(3, 12))
    return space


@pytest.fixture
def saved(filled: Workspace, tmp_path: Path) -> Path:
    """A sound backup of a workspace that is gone since."""
    file = tmp_path / "w.zip"
    back_up(filled, file, is_forced=False, progress=silent)
    filled.close()
    shutil.rmtree(filled.folder)
    return file


def contents(space: Workspace) -> tuple[Any, ...]:
    store = space.store
    records = store.records()
    return (
        (records.documents, records.passages, records.mentions, records.relations, records.edits, store.turns()),
        [store.extractions(d.id) for d in records.documents],
        (store.graph().entities, store.graph().relations, store.consolidation(), store.digest(), store.is_derived_current()),
        (asdict(space.stats()), space.ledger(), space.set_asides()),
    )


# ------------------------------------------------------------------------------------------------------------ round trip


def test_a_restored_workspace_is_the_one_that_was_backed_up(filled: Workspace, open_space: OpenSpace, cli: Any, tmp_path: Path) -> None:
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
    assert (said["workspace"], said["format"], said["digest"], said["is_current"]) == ("w", 1, stats.digest, True)
    assert (said["counts"]["documents"], said["counts"]["entities"], said["counts"]["turns"]) == (3, stats.entities, stats.turns)
    with zipfile.ZipFile(tmp_path / "w.zip") as archive:
        assert sorted(archive.namelist()) == ["graph.sqlite", "journal.sqlite", "manifest.json"]
        assert {name: archive.getinfo(name).file_size for name in said["parts"]} == {n: p["size_bytes"] for n, p in said["parts"].items()}


def test_deleted_text_is_not_in_a_backup(filled: Workspace, tmp_path: Path) -> None:
    gone = filled.store.documents()[0]
    filled.delete(gone.id)
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    with zipfile.ZipFile(tmp_path / "w.zip") as archive:
        data = b"".join(archive.read(name) for name in archive.namelist())
    assert gone.text[:40].encode() not in data
    assert filled.store.documents()[0].text[:40].encode() in data


def test_a_workspace_is_backed_up_as_it_is_at_one_moment_of_its_ingest(open_space: OpenSpace, corpus: Any, tmp_path: Path) -> None:
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


# ---------------------------------------------------------------------------------------------------------------- backup


def test_a_file_that_is_there_is_overwritten_only_when_that_is_asked_for(filled: Workspace, cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "w.zip"
    file.write_text("precious")
    assert "--force" in cli("backup", file, "-w", "w").complaint(2)
    assert file.read_text() == "precious"
    assert "folder" in cli("backup", tmp_path, "-w", "w").complaint(2)
    assert cli("backup", file, "-w", "w", "--force").code == 0
    assert zipfile.is_zipfile(file)


def test_a_backup_that_cannot_be_written_is_one_line_and_leaves_nothing(filled: Workspace, cli: Any, command: Any, tmp_path: Path) -> None:
    assert "cannot write" in cli("backup", tmp_path / "no" / "such" / "w.zip", "-w", "w").complaint(1)
    before = sorted(p.name for p in tmp_path.iterdir())
    for limit_bytes in (20_000, 150_000):  # the disk ends within the copy of the graph, or within what is written after it
        done = command(
            "backup", tmp_path / "w.zip", "-w", "w", preexec_fn=lambda n=limit_bytes: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
        )
        assert "free" in done.complaint(1)
        assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_an_unknown_workspace_is_not_backed_up(cli: Any, tmp_path: Path) -> None:
    assert "no workspace 'x'" in cli("backup", tmp_path / "x.zip", "-w", "x").complaint(1)
    assert list(tmp_path.iterdir()) == []


# --------------------------------------------------------------------------------------------------------------- restore


def test_a_workspace_that_is_there_is_not_restored_over(filled: Workspace, cli: Any, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    before = (filled.store.version(), contents(filled))
    assert "already" in cli("restore", tmp_path / "w.zip").complaint(1)
    assert (filled.store.version(), contents(filled)) == before


def test_a_workspace_that_is_elsewhere_is_not_hidden_by_a_restored_one(saved: Path, home: Path, cli: Any) -> None:
    folder = home / "workspaces" / "w"
    folder.mkdir()
    (folder / "store").write_text("bolt://localhost:7\n")
    assert "is here already, in bolt://localhost:7" in cli("restore", saved, "--store", "sqlite").complaint(1)
    assert [p.name for p in folder.iterdir()] == ["store"]


def test_what_is_left_of_a_workspace_is_not_overwritten(filled: Workspace, cli: Any, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=silent)
    filled.close()
    (filled.folder / "graph.sqlite").unlink()
    assert "holds the journal" in cli("restore", tmp_path / "w.zip").complaint(1)


def test_a_backup_goes_by_its_own_name_only(saved: Path, cli: Any, home: Path) -> None:
    assert "use -w w" in cli("restore", saved, "-w", "other").complaint(2)
    assert list((home / "workspaces").iterdir()) == []
    assert cli("restore", saved, "-w", "w").code == 0


def test_a_restore_that_is_interrupted_anywhere_ends_right_when_it_is_run_again(saved: Path, open_space: OpenSpace, tmp_path: Path) -> None:
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


# ------------------------------------------------------------------------------------------------------------- bad files


def rewritten(file: Path, change: Callable[[dict[str, Any], dict[str, bytes]], object], seal: bool = False) -> None:
    """Unpacks a backup, lets `change(manifest, parts)` at it and packs it again; `seal`: with the sizes and hashes of what is there now."""
    import hashlib

    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(manifest, parts)
    if seal:
        manifest["parts"] = {n: {"size_bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in parts.items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, data in parts.items():
            archive.writestr(name, data)


def in_sqlite(name: str, statement: str) -> Callable[[dict[str, Any], dict[str, bytes]], object]:
    """A change of a part by a statement of SQL."""

    def change(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
        db = sqlite3.connect(":memory:")
        db.deserialize(parts[name][:18] + b"\x01\x01" + parts[name][20:])  # without a write-ahead log, which memory has not
        db.executescript(statement)
        parts[name] = bytes(db.serialize())
        db.close()

    return change


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0x40
    file.write_bytes(bytes(data))


def encrypted(file: Path) -> None:
    data = file.read_bytes()
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.rindex(sign)
        data = data[: start + at] + b"\x01" + data[start + at + 1 :]
    file.write_bytes(data)


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


BAD_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut off": (lambda f: f.write_bytes(f.read_bytes()[: f.stat().st_size // 2]), "cut off"),
    "empty": (lambda f: f.write_bytes(b""), "no dynagrag backup"),
    "text": (lambda f: f.write_text("a letter " * 500), "no dynagrag backup"),
    "gone": (lambda f: f.unlink(), "cannot be read"),
    "a folder": (lambda f: (f.unlink(), f.mkdir()), "cannot be read"),
    "flipped byte": (flipped, "damaged or was altered"),
    "encrypted": (encrypted, "encrypted"),
    "another zip": (foreign, "holds no manifest.json"),
    "another program's manifest": (with_manifest('{"name": "an extension"}'), "another program's"),
    "no JSON": (with_manifest("{"), "cannot be read"),
    "nested JSON": (with_manifest("[" * 100_000), "cannot be read"),
    "a list": (with_manifest("[]"), "another program's"),
    "newer format": (lambda f: rewritten(f, lambda m, p: m.update(format=2, colour="blue")), "update dynagrag"),
    "unknown field": (lambda f: rewritten(f, lambda m, p: m.update(colour="blue")), "colour"),
    "a name that leads out": (lambda f: rewritten(f, lambda m, p: m.update(workspace="../../x")), "workspace"),
    "another digest": (lambda f: rewritten(f, lambda m, p: m.update(digest="0" * 64)), "digest"),
    "another count": (lambda f: rewritten(f, lambda m, p: m["counts"].update(turns=1)), "number of turns"),
    "a part is missing": (lambda f: rewritten(f, lambda m, p: p.pop("journal.sqlite")), "journal.sqlite"),
    "a part too many": (lambda f: rewritten(f, climbing), "evil.txt"),
    "a part twice": (doubled, "graph.sqlite"),
    "another size": (lambda f: rewritten(f, lambda m, p: p.update({"graph.sqlite": p["graph.sqlite"] + b"x"})), "bytes"),
    "zip bomb": (lambda f: rewritten(f, bomb, seal=True), "would grow"),
    "altered row": (lambda f: rewritten(f, in_sqlite("graph.sqlite", "UPDATE entities SET weight = weight + 1"), seal=True), "digest"),
    "orphans": (lambda f: rewritten(f, in_sqlite("graph.sqlite", "DELETE FROM documents"), seal=True), "damaged"),
    "trigger": (
        lambda f: rewritten(
            f, in_sqlite("journal.sqlite", "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM ledger; END"), seal=True
        ),
        "triggers",
    ),
    "another program's database": (lambda f: rewritten(f, in_sqlite("graph.sqlite", "PRAGMA application_id = 7"), seal=True), "program's"),
    "another program's journal": (lambda f: rewritten(f, in_sqlite("journal.sqlite", "DROP TABLE replies"), seal=True), "program's"),
    "newer store": (lambda f: rewritten(f, in_sqlite("graph.sqlite", "PRAGMA user_version = 999"), seal=True), "newer dynagrag"),
    "newer journal": (lambda f: rewritten(f, in_sqlite("journal.sqlite", "PRAGMA user_version = 999"), seal=True), "newer dynagrag"),
    "no database": (lambda f: rewritten(f, lambda m, p: p.update({"journal.sqlite": b"none" * 999}), seal=True), "no sound SQLite file"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_refused_in_one_line_before_anything_is_written(saved: Path, cli: Any, home: Path, what: str) -> None:
    spoil, complaint = BAD_FILES[what]
    spoil(saved)
    assert complaint in cli("restore", saved).complaint(1)
    assert list((home / "workspaces").rglob("*")) == []
    assert list(home.rglob("*.sqlite")) == []
    assert not list(home.parent.rglob("evil.txt"))


# ------------------------------------------------------------------------------------------------------------------ copy


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("--from", "sqlite", "--to", "sqlite"), 2, "both sqlite"),
        (("--from", "sqlite", "--to", "mysql://x"), 2, "write sqlite, or an address"),
        (("--from", "sqlite", "--to", "bolt://localhost:9", "-w", "nobody"), 1, "no workspace 'nobody'"),
        (("--from", "sqlite", "--to", "bolt://localhost:9", "-w", "../w"), 1, "cannot be a workspace's name"),
        (("--from", "sqlite", "--to", "bolt://localhost:9", "--replace"), 2, "--yes"),
        (("--from", "sqlite", "--to", "bolt://u:secret@localhost:9", "--replace"), 2, "NEO4J_PASSWORD"),
    ],
)
def test_a_copy_that_cannot_be_is_one_line_and_changes_nothing(
    filled: Workspace, cli: Any, arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    before = (filled.store.version(), sorted(p.name for p in filled.folder.parent.iterdir()))
    line = cli("graph", "copy", "-w", "w", *arguments).complaint(code)
    assert complaint in line
    assert "secret" not in line
    assert (filled.store.version(), sorted(p.name for p in filled.folder.parent.iterdir())) == before
    assert not (filled.folder / "store").exists()


# ----------------------------------------------------------------------------------------------------------------- Neo4j


@pytest.fixture
def address(neo4j_server: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """A real server's address, with the environment holding who signs in."""
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    return str(neo4j_server.address)


def in_store(space: Workspace) -> tuple[Any, ...]:
    """What a store holds, without the journal."""
    return contents(space)[:3]


@pytest.mark.neo4j
def test_a_workspace_goes_to_neo4j_and_comes_back_the_same(
    open_space: OpenSpace, corpus: Any, cli: Any, address: str, neo4j_workspace: str, home: Path
) -> None:
    name = neo4j_workspace
    space = open_space(name)
    space.ingest(corpus.many(3, 12))
    before, folder = in_store(space), space.folder
    space.close()
    said = cli("graph", "copy", "--from", "sqlite", "--to", address, "-w", name)
    assert (said.code, said.err, f"--store {address}" in said.out) == (0, "", True)
    assert not (folder / "store").exists()
    assert "holds a workspace" in cli("graph", "copy", "--from", "sqlite", "--to", address, "-w", name).complaint(1)
    again = cli("graph", "copy", "--from", "sqlite", "--to", address, "-w", name, "--replace", "--yes", "--json").json
    assert (again["num_sent"], again["digest"]) == (3, before[2][3])
    (folder / "graph.sqlite").unlink()
    (folder / "store").write_text(f"{address}\n")
    assert cli("graph", "copy", "--from", address, "--to", "sqlite", "-w", name).code == 0
    assert (folder / "store").read_text() == f"{address}\n"
    (folder / "store").unlink()
    assert in_store(open_space(name)) == before


@pytest.mark.neo4j
def test_a_copy_to_neo4j_that_is_killed_goes_on_when_it_is_run_again(
    open_space: OpenSpace, corpus: Any, cli: Any, start: Any, address: str, neo4j_workspace: str
) -> None:
    name = neo4j_workspace
    space = open_space(name)
    space.ingest(corpus.many(12, 30))
    digest = space.store.digest()
    arguments = ("graph", "copy", "--from", "sqlite", "--to", address, "-w", name)
    num_killed = 0
    for seconds in (0.8, 1.1, 1.4, 1.7):
        process = start(*arguments)
        time.sleep(seconds)
        num_killed += process.poll() is None
        process.kill()
        process.wait()
    ended = cli(*arguments)
    assert ended.code == 0 or "holds a workspace" in ended.complaint(1)  # one of them may have been quicker than we
    assert num_killed
    assert cli("graph", "stats", "-w", name, "--store", address, "--json").json["digest"] == digest


@pytest.mark.neo4j
def test_a_workspace_in_neo4j_is_backed_up_and_restored_to_either_store(
    open_space: OpenSpace, corpus: Any, cli: Any, address: str, neo4j_workspace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, file = neo4j_workspace, tmp_path / "w.zip"
    space = open_space(name)
    space.ingest(corpus.many(3, 12))
    before = contents(space)
    space.close()
    assert cli("graph", "copy", "--from", "sqlite", "--to", address, "-w", name).code == 0
    assert cli("backup", file, "-w", name, "--store", address).code == 0
    assert restore(file, load_settings(home=tmp_path / "other"), None, silent).manifest.digest == before[2][3]
    assert contents(open_space(name, at=tmp_path / "other")) == before
    monkeypatch.setenv("DYNAGRAG_HOME", str(tmp_path / "third"))
    assert "holds a workspace" in cli("restore", file, "--store", address).complaint(1)
    assert not (tmp_path / "third" / "workspaces" / name).exists()
    from dynagrag.workspace.address import open_store

    store = open_store(tmp_path, name, load_settings(store=address))
    store.clear()
    store.close()
    assert cli("restore", file, "--store", address).code == 0
    assert contents(open_space(name, at=tmp_path / "third")) == before  # remembered: no --store is needed
