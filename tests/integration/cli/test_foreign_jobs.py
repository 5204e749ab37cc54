"""A journal that came from elsewhere steers nothing: its jobs name files and servers that nobody
here has asked for.
"""

import json
import shutil
import socket
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from altered_backups import in_sqlite, rewritten
from ingests import ONE

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import SettingsError, StoreError, UsageError
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.address import agree_to_store, open_store
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]
SECRET = "the garden gate opens with the word juniper"


@pytest.fixture
def elsewhere() -> Iterator[socket.socket]:
    """A server that nobody has agreed to, to which nobody shall connect."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield listening


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "private" / "notes.txt"
    path.parent.mkdir()
    path.write_text(f"Anna: {SECRET}, and Ben knows it too.\n")
    return path


def crafted(journal: Path, secret: Path, elsewhere: socket.socket) -> None:
    """Makes every job of a journal one that failed, reads a private file and sends it elsewhere."""
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute(*as_crafted(secret, elsewhere))


def as_crafted(secret: Path, elsewhere: socket.socket) -> tuple[str, tuple[str]]:
    request = {
        "paths": [str(secret)],
        "options": {"extractor": "llm"},
        "llm": "openai:fake",
        "embedder": "openai:fake",
        "store": f"bolt://127.0.0.1:{elsewhere.getsockname()[1]}",
        "places": [],
    }
    return (
        "UPDATE jobs SET status = 'failed', is_cancelled = 0, request = ?",
        (json.dumps(request),),
    )


def is_untouched(elsewhere: socket.socket, server: OpenAIStubServer) -> bool:
    try:
        elsewhere.accept()
    except BlockingIOError:
        return not any(SECRET in json.dumps(body) for body in server.requests)
    return False


def test_jobs_of_a_restored_backup_are_history(
    server: OpenAIStubServer,
    saved: Path,
    cli: Any,
    secret: Path,
    elsewhere: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "pw-of-hers")
    statement, (request,) = as_crafted(secret, elsewhere)
    rewritten(
        saved,
        in_sqlite("journal.sqlite", statement.replace("?", f"'{request}'")),
        seal=True,
    )
    assert cli("restore", saved).code == 0
    (job,) = cli("jobs", "--json", "-w", "w").json
    assert (job["status"], job["request"]["paths"], job["request"]["store"]) == ("failed", [], "")
    assert "no job to resume" in cli("jobs", "resume", "-w", "w").complaint(2)
    assert "came with a backup" in cli("jobs", "resume", 1, "-w", "w", "--yes").complaint(2)
    assert is_untouched(elsewhere, server)


def test_a_job_that_ran_while_its_backup_was_made_is_interrupted_where_it_is_restored(
    server: OpenAIStubServer, saved: Path, cli: Any
) -> None:
    rewritten(
        saved,
        in_sqlite("journal.sqlite", "UPDATE jobs SET status = 'running', is_cancelled = 2"),
        seal=True,
    )
    assert cli("restore", saved).code == 0
    (job,) = cli("jobs", "--json", "-w", "w").json
    assert (job["status"], job["is_paused"]) == ("interrupted", False)
    assert "its backup was made while it ran" in job["reason"]


@pytest.mark.parametrize("how", [("jobs", "resume"), ("jobs", "resume", 1), ("jobs", "retry")])
def test_jobs_of_a_folder_that_was_copied_here_read_and_send_nothing(
    server: OpenAIStubServer,
    corpus: Any,
    cli: Any,
    home: Path,
    secret: Path,
    elsewhere: socket.socket,
    how: tuple[object, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "pw-of-hers")
    assert cli("ingest", *corpus.many(1, 12), "-w", "w").code == 0
    journal = home / "workspaces" / "w" / "journal.sqlite"
    crafted(journal, secret, elsewhere)
    with closing(sqlite3.connect(journal)) as db, db:
        (document,) = db.execute("SELECT document_id FROM job_files").fetchone()
        db.execute("INSERT INTO set_asides VALUES (?, 0, 4000, 'too long', '', 1)", (document,))
    said = cli(*how, "-w", "w", "--yes")
    if how[1] == "resume":
        complaint = said.complaint(2)
        assert "job 1 was not begun by you" in complaint
        assert str(secret) in complaint
    else:  # what was set aside is tried with the models and the store that are set here
        assert said.code == 0, said
    assert is_untouched(elsewhere, server)


def test_a_request_that_was_changed_since_is_not_the_users_own(
    open_space: OpenSpace, corpus: Any, home: Path, secret: Path
) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    chat.then(RuntimeError("not ours"))
    path = corpus.write("a.vtt", ONE)
    with pytest.raises(RuntimeError):
        space.ingest([path])
    assert space.jobs()[0].is_own
    with space.journal.write() as db:
        db.execute("UPDATE jobs SET request = replace(request, ?, ?)", (str(path), str(secret)))
    assert not space.jobs()[0].is_own
    with pytest.raises(UsageError, match="was not begun by you"):
        space.prepare_resume()
    space.prepare_resume(is_agreed=True).run()
    assert space.jobs()[0].is_own
    assert any(SECRET in document.text for document in space.store.documents())


def test_the_seal_of_another_user_is_none(
    open_space: OpenSpace, corpus: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    chat.then(RuntimeError("not ours"))
    with pytest.raises(RuntimeError):
        space.ingest([corpus.write("a.vtt", ONE)])
    monkeypatch.setenv("DYNAGRAG_HOME", str(tmp_path / "hers"))  # where settings.toml is
    with pytest.raises(UsageError, match="was not begun by you"):
        space.prepare_resume()


def test_a_job_without_a_seal_is_listed_where_the_users_folder_cannot_be_written(
    open_space: OpenSpace, corpus: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.config.own_seal.replace_text", _refused)
    (home / "job_key").unlink(missing_ok=True)
    space = open_space()
    space.ingest([corpus.write("a.vtt", ONE)])
    assert [(job.status, job.is_own) for job in space.jobs()] == [("done", False)]


def _refused(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_the_key_of_the_seal_is_in_no_backup_and_no_workspace(
    saved: Path, open_space: OpenSpace, corpus: Any, home: Path
) -> None:
    open_space("another").ingest([corpus.write("a.vtt", ONE)])
    key = (home / "job_key").read_bytes().strip()
    assert (home / "job_key").stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(saved) as archive:
        assert not any(key in archive.read(name) for name in archive.namelist())
    holders = [f for f in home.rglob("*") if f.is_file() and key in f.read_bytes()]
    assert holders == [home / "job_key"]


def test_own_jobs_are_resumed_after_their_workspace_was_renamed(
    open_space: OpenSpace, corpus: Any, home: Path, cli: Any
) -> None:
    chat = FakeChat()
    space = open_space("before", chat=chat)
    uploads = space.folder / "uploads"
    uploads.mkdir()
    shutil.copy(corpus.write("a.vtt", ONE), uploads / "a.vtt")
    chat.then(RuntimeError("not ours"))
    with pytest.raises(RuntimeError):
        space.ingest([uploads / "a.vtt"])
    space.close()
    assert cli("workspaces", "rename", "before", "after").code == 0
    again = open_space("after")
    assert again.jobs()[0].request.paths == (str(again.folder / "uploads" / "a.vtt"),)
    again.prepare_resume().run()
    assert [job.status for job in again.jobs()] == ["done"]


def test_a_yes_in_a_terminal_resumes_a_job_and_makes_it_the_users_own(
    server: OpenAIStubServer,
    corpus: Any,
    cli: Any,
    home: Path,
    secret: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert cli("ingest", *corpus.many(1, 12), "-w", "w").code == 0
    journal = home / "workspaces" / "w" / "journal.sqlite"
    request = {"paths": [str(secret)], "options": {"extractor": "llm"}}
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute("UPDATE jobs SET status = 'failed', request = ?", (json.dumps(request),))
    asked: list[str] = []
    monkeypatch.setattr("dynagrag.cli.terminal.is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda text, err: not asked.append(text))
    said = cli("jobs", "resume", "-w", "w", "--yes")
    assert (said.code, str(secret) in asked[0]) == (0, True), said
    assert cli("jobs", "--json", "-w", "w").json[0]["is_own"]


def test_the_app_resumes_no_job_that_came_from_elsewhere(
    server: OpenAIStubServer,
    corpus: Any,
    cli: Any,
    home: Path,
    secret: Path,
    elsewhere: socket.socket,
) -> None:
    from streamlit.testing.v1 import AppTest

    from dynagrag.ui import state

    assert cli("ingest", *corpus.many(1, 12)).code == 0
    crafted(home / "workspaces" / "default" / "journal.sqlite", secret, elsewhere)
    page = AppTest.from_string(
        "from dynagrag.ui.ingest.ingest_page import page\n\npage()\n", default_timeout=120
    ).run()
    state.close_all()
    assert not page.exception
    assert page.button(key="resume_1").disabled
    assert any("was not begun by you" in caption.value for caption in page.caption)
    assert is_untouched(elsewhere, server)


@pytest.mark.parametrize("extractor", ["llm", "fast"])
def test_a_link_out_of_an_ingested_folder_is_neither_read_nor_sent(
    server: OpenAIStubServer, corpus: Any, cli: Any, secret: Path, extractor: str
) -> None:
    folder = corpus.write("a.vtt", ONE).parent
    (folder / "extra.txt").symlink_to(secret)
    said = cli("ingest", folder, "--extractor", extractor)
    assert said.code == 3
    assert f"extra.txt: is a link out of the folder, to {secret}" in said.out
    assert SECRET not in json.dumps(server.requests)
    assert [d["title"] for d in cli("documents", "--json").json] == ["a"]
    assert cli("inspect", folder).out.count("is a link out of the folder") == 1
    assert cli("ingest", folder, "--extractor", extractor, "--follow-links").code == 0
    assert len(cli("documents", "--json").json) == 2


def test_a_folder_names_no_server_to_which_texts_and_a_password_go(
    server: OpenAIStubServer,
    corpus: Any,
    cli: Any,
    home: Path,
    elsewhere: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "pw-of-hers")
    path = corpus.write("a.vtt", ONE)
    assert cli("ingest", path, "-w", "w").code == 0
    address = f"bolt://127.0.0.1:{elsewhere.getsockname()[1]}"
    folder = home / "workspaces" / "w"
    (folder / "store").write_text(f"{address}\n")
    for command in (("ask", "Who?"), ("ingest", path), ("documents",), ("delete", "a")):
        complaint = cli(*command, "-w", "w").complaint(1)
        assert f"--store {address}" in complaint
        assert "NEO4J_PASSWORD" in complaint
    assert "not named" in cli("doctor", "-w", "w").out
    assert is_untouched(elsewhere, server)
    (folder / "store.seal").write_text("0" * 64)
    assert "not named" in cli("ask", "Who?", "-w", "w").complaint(1)
    assert is_untouched(elsewhere, server)


def test_a_server_that_was_named_once_is_known_from_then_on(home: Path) -> None:
    folder = home / "workspaces" / "w"
    folder.mkdir(parents=True)
    (folder / "store").write_text("bolt://127.0.0.1:9\n")
    with pytest.raises(SettingsError, match="not named on this machine"):
        open_store(folder, "w", load_settings())
    agree_to_store(folder, load_settings(store="bolt://127.0.0.1:9"))
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:9"):  # nobody is there
        open_store(folder, "w", load_settings())
    (folder / "store").write_text("bolt://127.0.0.1:8\n")
    with pytest.raises(SettingsError, match="not named on this machine"):
        open_store(folder, "w", load_settings())


@pytest.mark.parametrize("name", ["lock", "jobs/1.lock", "holder.partial", "journal.sqlite"])
def test_a_link_in_a_folder_that_was_copied_here_costs_no_file_elsewhere(
    server: OpenAIStubServer, corpus: Any, cli: Any, home: Path, tmp_path: Path, name: str
) -> None:
    path = corpus.write("a.vtt", ONE)
    assert cli("ingest", path, "-w", "w").code == 0
    folder = home / "workspaces" / "w"
    target = tmp_path / "precious"
    if name == "journal.sqlite":
        with closing(sqlite3.connect(target)) as db, db:
            db.execute("CREATE TABLE cookies (value TEXT)")
        for left in folder.glob("journal.sqlite*"):
            left.unlink()
    else:
        target.write_text("precious words\n")
    before = target.read_bytes()
    link = folder / name
    (folder / "holder").unlink()
    link.unlink(missing_ok=True)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    if name == "jobs/1.lock":
        with closing(sqlite3.connect(folder / "journal.sqlite")) as db, db:
            db.execute("UPDATE jobs SET status = 'failed'")
        said = cli("jobs", "resume", 1, "-w", "w")
    else:
        said = cli("ingest", path, corpus.write("b.vtt", ONE[::-1]), "-w", "w")
    assert said.code == 1, said
    assert len(said.err.strip().splitlines()) == 1
    assert target.read_bytes() == before
