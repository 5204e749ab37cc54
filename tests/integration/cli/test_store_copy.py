"""A workspace copied from store to store, and backed up from and restored to a Neo4j server."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workspace_contents import contents, silent

from dynagrag.config.settings import load_settings
from dynagrag.upkeep.workspace_backup import restore
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("--from", "sqlite", "--to", "sqlite"), 2, "both sqlite"),
        (("--from", "sqlite", "--to", "mysql://x"), 2, "write sqlite, or an address"),
        (
            ("--from", "sqlite", "--to", "bolt://localhost:9", "-w", "nobody"),
            1,
            "no workspace 'nobody'",
        ),
        (
            ("--from", "sqlite", "--to", "bolt://localhost:9", "-w", "../w"),
            1,
            "cannot be a workspace's name",
        ),
        (("--from", "sqlite", "--to", "bolt://localhost:9", "--replace"), 2, "--yes"),
        (
            ("--from", "sqlite", "--to", "bolt://u:secret@localhost:9", "--replace"),
            2,
            "NEO4J_PASSWORD",
        ),
    ],
)
def test_a_copy_that_cannot_be_is_one_line_and_changes_nothing(
    filled: Workspace, cli: Any, arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    before = (filled.store.version(), sorted(p.name for p in filled.folder.parent.iterdir()))
    line = cli("graph", "copy", "-w", "w", *arguments).complaint(code)
    assert complaint in line
    assert "secret" not in line
    assert (
        filled.store.version(),
        sorted(p.name for p in filled.folder.parent.iterdir()),
    ) == before
    assert not (filled.folder / "store").exists()


# -------------------------------------------------------------------------------------------- Neo4j


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
    assert "holds a workspace" in cli(
        "graph", "copy", "--from", "sqlite", "--to", address, "-w", name
    ).complaint(1)
    again = cli(
        "graph",
        "copy",
        "--from",
        "sqlite",
        "--to",
        address,
        "-w",
        name,
        "--replace",
        "--yes",
        "--json",
    ).json
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
    for seconds in (0.1, 0.4, 0.8, 1.4):
        process = start(*arguments)
        time.sleep(seconds)
        num_killed += process.poll() is None
        process.kill()
        process.wait()
    ended = cli(*arguments)
    assert ended.code == 0 or "holds a workspace" in ended.complaint(
        1
    )  # one of them may have been quicker than we
    assert num_killed
    assert cli("graph", "stats", "-w", name, "--store", address, "--json").json["digest"] == digest


@pytest.mark.neo4j
def test_a_workspace_in_neo4j_is_backed_up_and_restored_to_either_store(
    open_space: OpenSpace,
    corpus: Any,
    cli: Any,
    address: str,
    neo4j_workspace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, file = neo4j_workspace, tmp_path / "w.zip"
    space = open_space(name)
    space.ingest(corpus.many(3, 12))
    before = contents(space)
    space.close()
    assert cli("graph", "copy", "--from", "sqlite", "--to", address, "-w", name).code == 0
    assert cli("backup", file, "-w", name, "--store", address).code == 0
    assert (
        restore(file, load_settings(home=tmp_path / "other"), None, silent).manifest.digest
        == before[2][3]
    )
    assert contents(open_space(name, at=tmp_path / "other")) == before
    monkeypatch.setenv("DYNAGRAG_HOME", str(tmp_path / "third"))
    assert "holds a workspace" in cli("restore", file, "--store", address).complaint(1)
    assert not (tmp_path / "third" / "workspaces" / name).exists()
    from dynagrag.workspace.address import open_store

    store = open_store(tmp_path, name, load_settings(store=address))
    store.clear()
    store.close()
    assert cli("restore", file, "--store", address).code == 0
    assert (
        contents(open_space(name, at=tmp_path / "third")) == before
    )  # remembered: no --store is needed
