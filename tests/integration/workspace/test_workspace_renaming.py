"""A workspace is given another name, and all that is its own stays with it."""

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag import open_workspace
from dynagrag.config.settings import load_settings
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.jobs import JobRequest, JobStatus
from dynagrag.workspace.conversations import NOTES, ConversationBook, Exchange, new_id

TURNS = [("Maria", "Acme Works acquired Borealis Labs."), ("Leo", "Ada Byron works at Acme Works.")]
MORE = [*TURNS, ("Leo", "Grace Hopper works at Borealis Labs.")]
QUESTION = "Who works at Acme Works?"
Cli = Callable[..., Any]
ON_SQLITE = pytest.mark.parametrize("any_store", ["sqlite"], indirect=True)
"""Cases of the folder alone, and refusals. On a server a backup can't be restored beside the
workspace: the server holds the workspace itself under its first name.
"""


@pytest.fixture
def uploaded(server: OpenAIStubServer, corpus: Any, any_store: str, cli: Cli, home: Path) -> Path:
    """A workspace "old" on either store with one meeting, which was brought in through the app; the
    file.
    """
    with open_workspace("old"):
        pass
    folder = home / "workspaces" / "old" / "uploads"
    folder.mkdir()
    kept: Path = corpus.write("board.vtt", TURNS).rename(folder / "board.vtt")
    assert cli("ingest", kept, "-w", "old", "-y").code == 0
    return kept


@pytest.fixture
def renamed(uploaded: Path, cli: Cli, home: Path) -> Path:
    """Where its file is once the workspace is called "new"."""
    done = cli("workspaces", "rename", "old", "new")
    assert (done.code, done.out) == (0, "workspace old is called new now; ask it with -w new\n")
    return home / "workspaces" / "new" / "uploads" / "board.vtt"


def test_the_graph_and_its_digest_stay_and_no_reply_is_paid_for_again(
    uploaded: Path, server: OpenAIStubServer, cli: Cli, home: Path
) -> None:
    before = cli("graph", "stats", "-w", "old", "--json").json
    assert cli("ask", QUESTION, "-w", "old").code == 0
    assert cli("workspaces", "rename", "old", "new", "--json").json == {
        "renamed": "old",
        "name": "new",
    }
    server.reset()
    told = cli("ask", QUESTION, "-w", "new")
    assert (told.code, server.counts.chat_calls) == (0, 0)
    assert cli("graph", "stats", "-w", "new", "--json").json == before
    assert [found["name"] for found in cli("workspaces", "list", "--json").json] == ["new"]
    assert cli("ask", QUESTION, "-w", "old").code == 1
    assert cli("doctor", "-w", "new").code == 0


def test_a_changed_upload_still_takes_the_place_of_its_document(
    renamed: Path, corpus: Any, cli: Cli
) -> None:
    with open_workspace("new", create=False) as space:
        assert [document.uri for document in space.store.documents()] == [str(renamed)]
    corpus.write("board.vtt", MORE).rename(renamed)
    assert cli("ingest", renamed, "-w", "new", "-y").code == 0
    assert cli("graph", "stats", "-w", "new", "--json").json["documents"] == 1
    assert "Grace Hopper" in cli("graph", "show", "-w", "new").out
    assert cli("delete", "board", "-w", "new", "-y").code == 0
    assert not renamed.exists()


def test_a_job_that_was_interrupted_goes_on_with_the_files_where_they_are_now(
    uploaded: Path, corpus: Any, cli: Cli, home: Path
) -> None:
    later = corpus.write("later.vtt", corpus.meeting(1, 60)).rename(uploaded.parent / "later.vtt")
    assert "budget" in cli("ingest", later, "-w", "old", "-y", "--max-calls", "1").err
    assert cli("workspaces", "rename", "old", "new").code == 0
    assert cli("jobs", "resume", "-w", "new", "-y", "--max-calls", "100").code == 0
    with open_workspace("new", create=False) as space:
        assert {document.uri for document in space.store.documents()} == {
            str(home / "workspaces" / "new" / "uploads" / name)
            for name in ("board.vtt", "later.vtt")
        }


@ON_SQLITE
def test_conversations_notes_and_what_was_trained_stay(
    uploaded: Path, cli: Cli, home: Path
) -> None:
    book = ConversationBook(home / "workspaces" / "old")
    id_ = new_id()
    for where in (id_, NOTES):
        book.put(where, Exchange(new_id(), QUESTION, "2026-01-01", ()))
    for folder in ("pruner", "soft-prompt", "questions"):
        (home / "workspaces" / "old" / folder).mkdir()
    assert cli("workspaces", "rename", "old", "new").code == 0
    moved = ConversationBook(home / "workspaces" / "new")
    assert [len(moved.conversation(where).exchanges) for where in (id_, NOTES)] == [1, 1]
    assert all(
        (home / "workspaces" / "new" / folder).is_dir()
        for folder in ("pruner", "soft-prompt", "questions")
    )


@ON_SQLITE
def test_evaluation_runs_are_of_the_workspace_of_the_new_name(
    uploaded: Path, cli: Cli, home: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"question": QUESTION, "documents": ["board"]}) + "\n", encoding="utf-8"
    )
    measure = ("evaluate", "retrieval", "--questions", questions, "--arms", "default")
    assert cli(*measure, "-w", "old").code == 0
    (run,) = (home / "evaluation" / "runs").iterdir()
    assert cli("workspaces", "rename", "old", "new").code == 0
    assert (
        json.loads((run / "run.json").read_text(encoding="utf-8"))["settings"]["workspace"] == "new"
    )
    assert cli(*measure, "-w", "new", "--out", run).code == 0


@ON_SQLITE
def test_a_workspace_is_neither_renamed_nor_deleted_while_an_evaluation_is_at_work_on_it(
    uploaded: Path, cli: Cli, home: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"question": QUESTION, "documents": ["board"]}) + "\n", encoding="utf-8"
    )
    assert cli("evaluate", "retrieval", "--questions", questions, "-w", "old").code == 0
    (run,) = (home / "evaluation" / "runs").iterdir()
    with (run / "run.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as its process does
        for command in (("rename", "old", "new"), ("delete", "old", "--yes")):
            assert "is at work on workspace 'old'" in cli("workspaces", *command).complaint(2)
    assert cli("documents", "-w", "old").code == 0
    assert cli("workspaces", "delete", "old", "--yes").code == 0


def test_the_old_name_is_free_again_but_on_a_server_that_knows_the_workspace_by_it(
    renamed: Path, corpus: Any, any_store: str, cli: Cli
) -> None:
    made = cli("ingest", corpus.write("other.vtt", MORE[2:]), "-w", "old", "-y")
    if any_store == "sqlite":
        assert made.code == 0
        assert cli("graph", "stats", "-w", "old", "--json").json["documents"] == 1
    else:
        assert "knows workspace 'new' as 'old'" in made.complaint(1)
    assert cli("graph", "stats", "-w", "new", "--json").json["turns"] == len(TURNS)


def test_it_is_renamed_again_and_back(renamed: Path, cli: Cli, home: Path) -> None:
    for name, next_name in (("new", "third"), ("third", "old")):
        assert cli("workspaces", "rename", name, next_name).code == 0
        assert cli("ask", QUESTION, "-w", next_name).code == 0
    assert not (home / "workspaces" / "old" / "first-name").exists()


@ON_SQLITE
def test_a_backup_of_it_is_restored_under_the_name_that_its_ids_hold(
    renamed: Path, cli: Cli, tmp_path: Path
) -> None:
    assert cli("backup", tmp_path / "b.zip", "-w", "new").code == 0
    assert cli("restore", tmp_path / "b.zip").code == 0
    whole = [cli("graph", "stats", "-w", name, "--json").json for name in ("old", "new")]
    assert whole[0] == whole[1]


@ON_SQLITE
def test_what_cannot_be_renamed_is_said_and_stays(uploaded: Path, cli: Cli, home: Path) -> None:
    (home / "workspaces" / "taken").mkdir()
    for old, new, reason in (
        ("old", "old", "called so already"),
        ("old", "a b", "cannot be a workspace's name"),
        ("old", "../w", "cannot be a workspace's name"),
        ("old", "", "cannot be a workspace's name"),
        ("none", "new", "there is no workspace 'none'"),
        ("old", "taken", "is there already"),
    ):
        refused = cli("workspaces", "rename", old, new)
        assert refused.code in (1, 2), (old, new)
        assert reason in refused.err
        assert cli("ask", QUESTION, "-w", "old").code == 0, (old, new)


def test_while_a_job_is_at_work_in_it_or_somebody_holds_it_it_keeps_its_name(
    uploaded: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.upkeep import workspace_renaming

    monkeypatch.setattr(workspace_renaming, "_WAIT_S", 0.2)
    with open_workspace("old", create=False) as space:
        with space.parts.writing():
            assert "has been changing" in cli("workspaces", "rename", "old", "new").complaint(1)
        job = space.journal.job_book.start("ingest", JobRequest())
        assert f"job {job} is at work" in cli("workspaces", "rename", "old", "new").complaint(1)
        space.journal.job_book.finish(job, JobStatus.DONE)
    assert cli("workspaces", "rename", "old", "new").code == 0


@ON_SQLITE
def test_who_renames_the_workspace_of_the_settings_is_told(
    renamed: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_WORKSPACE", "new")
    done = cli("workspaces", "rename", "new", "third")
    assert (done.code, "still says 'new'" in done.err) == (0, True)
    assert load_settings().workspace == "new"
