"""The page Workspaces, without a browser."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pages import has, press, until, words

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import StoreError
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.jobs import JobRequest, JobStatus
from dynagrag.ui import background, state
from dynagrag.workspace.workspace_catalog import workspace_names

Pages = Callable[[], Any]


@pytest.fixture
def open_page(panel: Callable[[str], Any], server: OpenAIStubServer) -> Iterator[Pages]:
    """The page, each time as another visitor's."""
    yield lambda: panel("workspaces.workspaces_page").run()
    background.wait_for_all()


def _words(page: Any) -> str:
    """As they are read: without the escapes of Markdown."""
    return words(page).replace("\\", "")


def _field(page: Any, label: str) -> Any:
    return next(field for field in page.text_input if field.label == label)


# -------------------------------------------------------------------------------------- first visit


def test_a_first_visit_is_offered_the_demo_and_told_what_to_set(
    open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = open_page()
    shown = _words(page)
    assert "#### The demo" in shown
    assert "No language model is needed to begin" in shown
    assert "replies are recorded" in shown


def test_the_demo_is_made_with_one_click_and_opened(
    open_page: Pages, panel: Callable[[str], Any]
) -> None:
    page = open_page()
    press(page, "Create the demo")
    until(page, lambda: has(page, "Open the demo"), 120)
    assert "The workspace **demo** is ready" in _words(page)
    press(page, "Open the demo")
    assert page.session_state["workspace"] == "demo"
    ask = panel("ask.ask_page")
    ask.query_params["workspace"] = "demo"
    assert "What happened to MAIN B?" in _words(ask.run())
    assert "2 documents" in _words(page)
    assert "Your own recordings" not in _words(page)


# --------------------------------------------------------------------------------------------- list


def test_workspaces_are_listed_with_what_they_hold_and_opened(
    open_page: Pages, cli: Any, corpus: Any
) -> None:
    for name in ("one", "two"):
        assert cli("ingest", *corpus.many(2, num_turns=6), "-w", name).code == 0
    page = open_page()
    until(page, lambda: "2 documents" in _words(page))
    assert _words(page).count("MB · in a file") == 2
    assert "in a file on this machine" in _words(page)
    assert "**two** :blue-badge[open]" in _words(page), "the one that changed last"
    page.button(key="open_one").click().run()
    assert page.session_state["workspace"] == "one"
    assert "**one** :blue-badge[open]" in _words(page)
    assert "one" in page.query_params["workspace"]


def test_a_workspace_that_nobody_looks_at_is_closed_but_not_while_it_works(
    panel: Callable[[str], Any],
    server: OpenAIStubServer,
    cli: Any,
    corpus: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("one", "two"):
        assert cli("ingest", *corpus.many(1, num_turns=6), "-w", name).code == 0

    def look_at(name: str) -> Any:
        page = panel("ask.ask_page")
        page.query_params["workspace"] = name
        return page.run()

    def open_names() -> list[str]:
        return [name for name, _ in state._shared().sessions]

    look_at("one")
    look_at("two")
    assert open_names() == ["one", "two"]
    monkeypatch.setattr(state, "_IDLE_S", -1.0)
    goes_on = threading.Event()
    background.start(
        background.key_of(load_settings(), "one", "test"), "Test", lambda _: goes_on.wait(20)
    )
    look_at("two")
    assert open_names() == ["one", "two"]
    goes_on.set()
    background.wait_for_all()
    one = next(session for (name, _), session in state._shared().sessions.items() if name == "one")
    look_at("two")
    assert open_names() == ["two"]
    with pytest.raises(StoreError, match="closed"):
        one.space.store.documents()
    monkeypatch.setattr(state, "_IDLE_S", 1800.0)
    assert not look_at("one").error
    assert sorted(open_names()) == ["one", "two"]


def test_what_a_workspace_holds_is_counted_again_when_it_has_changed(
    open_page: Pages, cli: Any, corpus: Any
) -> None:
    paths = corpus.many(2, num_turns=6)
    assert cli("ingest", paths[0], "-w", "one").code == 0
    page = open_page()
    until(page, lambda: "1 document," in _words(page))
    assert cli("ingest", paths[1], "-w", "one").code == 0
    page.run()
    until(page, lambda: "2 documents" in _words(page))


def test_a_workspace_is_made_and_entered(open_page: Pages, home: Path) -> None:
    page = open_page()
    _field(page, "Name").set_value("board-2026")
    press(page, "Create workspace")
    until(page, lambda: page.session_state["workspace"] == "board-2026")
    assert workspace_names(load_settings()) == ["board-2026"]
    _field(page, "Name").set_value("board-2026")
    press(page, "Create workspace")
    assert "is there already" in page.error[0].value


@pytest.mark.parametrize("name", ["", "a b", "../w", "![x](http://evil.example/x)"])
def test_a_name_that_cannot_be_one_is_refused(open_page: Pages, home: Path, name: str) -> None:
    page = open_page()
    _field(page, "Name").set_value(name)
    press(page, "Create workspace")
    assert "name" in page.error[0].value
    assert "![" not in page.error[0].value
    assert workspace_names(load_settings()) == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("bolt://127.0.0.1:9", "127.0.0.1:9"),
        ("nonsense", "begins like that"),
        ("bolt://u:pw@h:1", "without user"),
        ("sqlite", "without user"),
    ],
)
def test_a_server_that_cannot_be_used_is_said_before_anything_is_made(
    open_page: Pages, address: str, said: str
) -> None:
    page = open_page()
    next(r for r in page.radio if "graph lives" in r.label).set_value("A Neo4j server").run()
    _field(page, "Name").set_value("far")
    _field(page, "Address of the Neo4j server").set_value(address)
    press(page, "Create workspace")
    until(page, lambda: bool(page.error))
    assert said in page.error[0].value.replace("\\", "")
    assert "pw" not in _words(page).replace("NEO4J_PASSWORD", "").split("Address")[0]
    assert workspace_names(load_settings()) == []


@pytest.mark.neo4j
def test_a_workspace_on_a_server_is_made_filled_and_deleted(
    any_store: str,
    open_page: Pages,
    panel: Any,
    corpus: Any,
    read_neo4j: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if any_store == "sqlite":
        pytest.skip("is about the server")
    monkeypatch.delenv("DYNAGRAG_STORE")
    page = open_page()
    next(r for r in page.radio if "graph lives" in r.label).set_value("A Neo4j server").run()
    _field(page, "Name").set_value("far")
    _field(page, "Address of the Neo4j server").set_value(any_store)
    press(page, "Create workspace")
    until(page, lambda: page.session_state["workspace"] == "far", 60)
    ingest = panel("ingest.ingest_page")
    ingest.query_params["workspace"] = "far"
    ingest.run()
    assert not ingest.error, ingest.error[0].value
    path = corpus.many(1, num_turns=6)[0]
    ingest.file_uploader[0].set_value([(path.name, path.read_bytes(), "")]).run()
    until(ingest, lambda: has(ingest, "Start"), 60)
    press(ingest, "Start")
    until(ingest, lambda: bool(ingest.success), 120)
    page = open_page()
    until(page, lambda: "1 document, " in _words(page), 60)
    assert "127.0.0.1" in _words(page)
    assert read_neo4j("far") != "[]"
    page.text_input(key="confirm_far").set_value("far").run()
    page.button(key="delete_far").click().run()
    until(page, lambda: workspace_names(load_settings()) == [], 60)
    assert read_neo4j("far") == "[]"


# ----------------------------------------------------------------------------------------- deletion


def test_a_workspace_is_deleted_once_its_name_is_typed(
    open_page: Pages, cli: Any, corpus: Any, home: Path
) -> None:
    for name in ("default", "kept"):
        assert cli("ingest", *corpus.many(2, num_turns=6), "-w", name).code == 0
    page = open_page()
    until(page, lambda: "Deletes **default** for good" in _words(page))
    assert "2 documents, " in _words(page)
    assert "1 job, " in _words(page)
    page.button(key="delete_default").click().run()
    assert "Type default to confirm" in page.warning[0].value
    page.text_input(key="confirm_default").set_value("kept").run()
    page.button(key="delete_default").click().run()
    assert "Type default to confirm" in page.warning[0].value
    assert workspace_names(load_settings()) == ["default", "kept"]
    page.text_input(key="confirm_default").set_value("default").run()
    page.button(key="delete_default").click().run()
    until(page, lambda: workspace_names(load_settings()) == ["kept"])
    until(page, lambda: page.session_state["workspace"] == "kept")
    assert not (home / "workspaces" / "default").exists()
    assert "**default**" not in _words(page)


def test_the_list_says_where_a_job_is_at_work(
    open_page: Pages, open_space: Callable[..., Any]
) -> None:
    space = open_space("busy")
    job_id = space.journal.job_book.start("ingest", JobRequest(paths=("/talks",)))
    shown = _words(open_page())
    assert "Job 1 (ingest of /talks, since " in shown
    assert (
        f"process {os.getpid()}) is at work in workspace 'busy': what is shown is the state so far"
        in shown
    )
    space.journal.job_book.finish(job_id, JobStatus.DONE)
    assert "at work" not in _words(open_page())


def test_a_workspace_in_which_a_job_is_at_work_is_not_deleted(
    open_page: Pages, open_space: Callable[..., Any]
) -> None:
    space = open_space("default")
    space.journal.job_book.start("ingest", JobRequest())
    page = open_page()
    until(page, lambda: "Deletes **default** for good" in _words(page))
    page.text_input(key="confirm_default").set_value("default").run()
    page.button(key="delete_default").click().run()
    until(page, lambda: bool(page.error))
    assert "job 1 is at work" in page.error[0].value
    assert workspace_names(load_settings()) == ["default"]


# ----------------------------------------------------------------------------------------- renaming


def test_a_workspace_is_renamed_and_its_visitors_are_told(
    open_page: Pages, panel: Callable[[str], Any], cli: Any, corpus: Any
) -> None:
    assert cli("ingest", *corpus.many(1, num_turns=6)).code == 0
    page, other = open_page(), panel("graph.graph_page").run()
    assert not other.info
    page.text_input(key="name_default").set_value("board")
    press(page, "Rename")
    until(page, lambda: page.session_state["workspace"] == "board")
    assert "**board** :blue-badge[open]" in _words(page)
    assert workspace_names(load_settings()) == ["board"]
    assert "was renamed or deleted" in other.run().info[0].value
    assert not other.error


@pytest.mark.parametrize(
    ("name", "said"),
    [("", "cannot be a workspace's name"), ("two", "is there already"), ("default", "already")],
)
def test_a_name_that_cannot_be_given_is_said(
    open_page: Pages, cli: Any, corpus: Any, name: str, said: str
) -> None:
    for made in ("default", "two"):
        assert cli("ingest", *corpus.many(1, num_turns=6), "-w", made).code == 0
    page = open_page()
    page.text_input(key="name_default").set_value(name)
    page.button(key="rename_do_default").click().run()
    until(page, lambda: bool(page.error))
    assert said in page.error[0].value.replace("\\", "")
    assert workspace_names(load_settings()) == ["default", "two"]


def test_a_workspace_that_another_process_renamed_is_not_shown_under_its_old_name(
    panel: Callable[[str], Any], server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    assert cli("ingest", *corpus.many(1, num_turns=6)).code == 0
    page = panel("ask.ask_page").run()
    assert page.chat_input
    assert cli("workspaces", "rename", "default", "board").code == 0
    assert "was renamed or deleted" in page.run().info[0].value
    assert cli("workspaces", "rename", "board", "default").code == 0
    assert page.run().chat_input
    assert not page.error


# ------------------------------------------------------------------------------------------- health


def test_what_the_doctor_says_is_shown_with_remedies_and_mended(
    open_page: Pages, cli: Any, corpus: Any, home: Path, key: str
) -> None:
    assert cli("ingest", *corpus.many(1, num_turns=6)).code == 0
    page = open_page()
    press(page, "Check")
    until(page, lambda: any("All is well" in s.value for s in page.success))
    assert "workspace default" in _words(page)
    with closing(sqlite3.connect(home / "workspaces" / "default" / "graph.sqlite")) as db, db:
        db.execute("DELETE FROM relations")
    press(page, "Check")
    until(page, lambda: bool(page.error))
    assert "→" in page.error[0].value
    press(page, "Repair the store")
    until(page, lambda: any("All is well" in s.value for s in page.success))
    assert "derived again" in _words(page)
    assert key not in _words(page)


def test_a_backup_is_prepared_for_download(open_page: Pages, cli: Any, corpus: Any) -> None:
    assert cli("ingest", *corpus.many(1, num_turns=6)).code == 0
    page = open_page()
    press(page, "Prepare a backup")
    until(page, lambda: bool(page.download_button))
    assert "Download the backup" in page.download_button[0].label


def test_a_wrong_setting_in_the_environment_is_said(
    open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_NONSENSE", "1")
    page = open_page()
    assert "DYNAGRAG_NONSENSE" in page.error[0].value.replace("\\", "")
