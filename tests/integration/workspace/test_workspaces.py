"""Workspaces as wholes: what each holds, whether one can be made, and deletion, on both stores."""

import fcntl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import (
    DynaGragError,
    SettingsError,
    StoreError,
    UsageError,
    WorkspaceError,
)
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.jobs import JobRequest
from dynagrag.registry.stores import StoreAddress
from dynagrag.workspace.address import remember_store
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_catalog import (
    check_new,
    delete_workspace,
    read_holdings,
    workspace_names,
)


def test_a_workspace_is_described_and_deleted_with_all_that_is_its_own(
    any_store: str,
    server: OpenAIStubServer,
    cli: Any,
    corpus: Any,
    home: Path,
    read_neo4j: Callable[[str], str],
) -> None:
    paths = corpus.many(2, num_turns=6)
    for name in ("gone", "kept"):
        assert cli("ingest", *paths, "-w", name).code == 0
    settings = load_settings()
    found = read_holdings("gone", settings)
    assert (found.num_documents, found.num_jobs, found.error) == (2, 1, "")
    assert found.address == (StoreAddress(any_store).shown if any_store != "sqlite" else "sqlite")
    assert min(found.num_entities, found.num_relations, found.num_replies, found.size_bytes) > 0
    delete_workspace("gone", settings)
    assert workspace_names(settings) == ["kept"]
    assert [p.name for p in (home / "workspaces").iterdir()] == ["kept"]
    if any_store != "sqlite":
        assert read_neo4j("gone") == "[]"
    assert read_holdings("kept", settings).num_documents == 2
    assert paths[0].exists()
    with pytest.raises(WorkspaceError, match="no workspace 'gone'"):
        delete_workspace("gone", settings)


def test_a_workspace_in_which_a_job_is_at_work_is_not_deleted(
    open_space: Callable[..., Any],
) -> None:
    space = open_space("busy")
    number = space.journal.job_book.start("ingest", JobRequest())
    with pytest.raises(WorkspaceError, match=f"job {number} is at work"):
        delete_workspace("busy", space.settings)
    assert workspace_names(space.settings) == ["busy"]


@pytest.mark.parametrize("name", ["../w", "", ".", "a/b", "nowhere"])
def test_only_a_workspace_is_deleted(home: Path, name: str) -> None:
    (home / "workspaces").mkdir(parents=True)
    (home / "w").mkdir()
    with pytest.raises(WorkspaceError):
        delete_workspace(name, load_settings())
    assert (home / "w").is_dir()


def test_a_link_is_not_followed(home: Path, tmp_path: Path, open_space: Callable[..., Any]) -> None:
    open_space("real").close()
    target = tmp_path / "elsewhere"
    (home / "workspaces" / "real").rename(target)
    (home / "workspaces" / "real").symlink_to(target)
    with pytest.raises(WorkspaceError, match="is a link"):
        delete_workspace("real", load_settings())
    assert (target / "graph.sqlite").is_file()


def test_where_the_server_is_down_nothing_goes_unless_it_is_left_to_itself(home: Path) -> None:
    folder = home / "workspaces" / "far"
    folder.mkdir(parents=True)
    remember_store(folder, load_settings(store="bolt://127.0.0.1:9"))
    settings = load_settings()
    assert "127.0.0.1:9" in read_holdings("far", settings).error
    with pytest.raises(StoreError):
        delete_workspace("far", settings)
    assert folder.is_dir()
    delete_workspace("far", settings, leaves_server=True)
    assert not folder.exists()


def test_a_damaged_store_is_said_and_can_be_deleted(
    home: Path, open_space: Callable[..., Any]
) -> None:
    open_space("w").close()
    (home / "workspaces" / "w" / "graph.sqlite").write_bytes(
        b"not a database at all, but long enough to be looked at" * 30
    )
    settings = load_settings()
    assert read_holdings("w", settings).error
    delete_workspace("w", settings)
    assert workspace_names(settings) == []


@pytest.mark.parametrize(
    ("name", "store", "error"),
    [("a b", None, WorkspaceError), ("w", None, WorkspaceError), ("n", "x", UsageError)],
)
def test_what_cannot_be_made_is_refused_before_anything_is_there(
    home: Path,
    open_space: Callable[..., Any],
    name: str,
    store: str | None,
    error: type[DynaGragError],
) -> None:
    open_space("w").close()
    with pytest.raises(error):
        check_new(name, load_settings(store=store))
    check_new("new", load_settings())
    with pytest.raises(StoreError):
        check_new("new", load_settings(store="bolt://127.0.0.1:9"))
    assert [p.name for p in (home / "workspaces").iterdir()] == ["w"]


@pytest.mark.neo4j
def test_a_workspace_can_be_made_on_a_server_that_is_empty(any_store: str, home: Path) -> None:
    if any_store == "sqlite":
        pytest.skip("is about the server")
    settings = load_settings(store=any_store)
    check_new("new", settings)
    open_workspace("new", settings=settings).close()
    assert read_holdings("new", load_settings()).num_documents == 0


def test_a_workspace_that_somebody_changes_now_is_left(
    any_store: str, server: OpenAIStubServer, cli: Any, corpus: Any, home: Path
) -> None:
    if any_store == "sqlite":
        pytest.skip("the folder goes at once, and with it what was changed")
    assert cli("ingest", *corpus.many(1, num_turns=4), "-w", "w").code == 0
    with (home / "workspaces" / "w" / "lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(WorkspaceError, match="has been changing"):
            delete_workspace("w", load_settings())
    assert read_holdings("w", load_settings()).num_documents == 1


def test_single_settings_beside_settings_are_refused(home: Path) -> None:
    settings = load_settings()
    with pytest.raises(SettingsError, match="llm= were both given"):
        open_workspace("new", settings=settings, llm="openai:gpt-5-mini")
    assert not (settings.workspaces_dir / "new").exists()


def test_an_embedder_by_name_is_the_setting(home: Path) -> None:
    with open_workspace("new", embedder="openai:some-embedder") as space:
        assert space.settings.embedder == "openai:some-embedder"
    with pytest.raises(SettingsError, match="embedder= were both given"):
        open_workspace("new", settings=load_settings(), embedder="openai:some-embedder")


@pytest.mark.parametrize(
    "command",
    [
        "ingest a.txt --extractor fast --yes",
        "ask who",
        "delete a.txt --yes",
        "jobs list",
        "jobs cancel 1",
        "graph stats",
        "graph copy --from sqlite --to sqlite",
        "backup b.zip",
        "serve --address 0.0.0.0",
        "evaluate citations",
    ],
)
def test_an_empty_name_is_no_workspaces(
    cli: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("Ada: I work at Borealis Labs.\n")
    open_workspace("default").close()  # which is not meant
    words = command.split()
    assert "'' cannot be a workspace's name" in cli(*words, "-w", "").complaint(1)
    assert workspace_names(load_settings()) == ["default"]


def test_doctor_finds_that_an_empty_name_is_no_workspaces(cli: Any, home: Path) -> None:
    open_workspace("default").close()
    assert "'' cannot be a workspace's name" in cli("doctor", "-w", "").out
