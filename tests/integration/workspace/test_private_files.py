"""What is kept of transcripts, questions and answers is its user's alone, whatever the umask; an
older workspace is closed when opened.
"""

import io
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from workspace_contents import silent

from dynagrag.config.settings import load_settings
from dynagrag.config.settings_file import save_settings
from dynagrag.core.files.private_files import is_open_to_others, make_folder
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun
from dynagrag.ui.drawing.kept_layouts import FOLDER, KeptLayouts
from dynagrag.ui.ingest.upload_folder import folder_of, keep
from dynagrag.upkeep.doctor import check
from dynagrag.upkeep.workspace_backup import back_up, restore
from dynagrag.workspace.conversations import ConversationBook, Exchange, new_id, now
from dynagrag.workspace.facade import Workspace, open_journal
from dynagrag.workspace.workspace_catalog import read_holdings

OpenSpace = Callable[..., Workspace]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Others may read what is made, as on most machines."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def _open_to_others(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in (folder, *folder.rglob("*"))
        if is_open_to_others(path)
    )


def test_all_that_a_workspace_keeps_is_its_users_alone(
    open_space: OpenSpace, corpus: Any, home: Path
) -> None:
    space = open_space()
    space.ingest(corpus.many(1, 12))
    space.ask("Who works at Acme Works?")
    ConversationBook(space.folder).put(new_id(), Exchange(new_id(), "Who?", now(), ()))
    keep(folder_of(space.settings, "w"), "talk.txt", io.BytesIO(b"words"))
    KeptLayouts(space.folder / FOLDER).start(2, [(0, 1)], [1.0]).result()
    save_settings(llm="openai:x")
    RetrievalRun.open(home / "evaluation" / "runs" / "one", {}, {}).write_rows("rows.jsonl", [])
    kept = {path.name for path in home.rglob("*")}
    assert {
        "graph.sqlite-wal",
        "graph.sqlite-shm",
        "journal.sqlite-wal",
        "lock",
        "settings.toml",
        "talk.txt",
        "run.json",
    } <= kept
    assert _open_to_others(home) == []


def test_a_job_at_work_is_its_users_alone(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    held: list[list[str]] = []

    def look(*_: object) -> None:
        held.append([path.name for path in (space.folder / "jobs").iterdir()])
        assert _open_to_others(space.folder) == []

    space.ingest(corpus.many(1, 2), progress=look)
    assert ["1.lock"] in held


def test_a_backup_and_what_is_restored_of_it_are_their_users_alone(
    filled: Workspace, tmp_path: Path, home: Path
) -> None:
    file = tmp_path / "w.zip"
    file.write_text("an older backup that all may read")
    file.chmod(0o644)
    back_up(filled, file, is_forced=True, progress=silent)
    assert not is_open_to_others(file)
    restore(file, load_settings(home=home / "other"), None, silent)
    assert _open_to_others(home / "other") == []


def test_while_it_is_written_a_backup_is_its_users_alone(filled: Workspace, tmp_path: Path) -> None:
    seen = set[str]()

    def look(*_: object) -> None:
        for folder in tmp_path.glob(".*.partial"):
            assert _open_to_others(folder) == []
            seen.update(path.name for path in folder.iterdir())

    back_up(filled, tmp_path / "w.zip", is_forced=False, progress=look)
    assert {"graph.sqlite", "journal.sqlite"} <= seen


@pytest.mark.parametrize(
    "look",
    [
        lambda space: space(),
        lambda space: open_journal("w", load_settings()).close(),
        lambda space: read_holdings("w", load_settings()),
    ],
    ids=["open", "jobs", "list"],
)
def test_a_workspace_of_an_older_version_is_closed_to_others(
    open_space: OpenSpace, corpus: Any, look: Callable[..., Any]
) -> None:
    space = open_space()
    space.ingest(corpus.many(1, 2))
    space.close()
    elsewhere = corpus.folder / "meeting-0.vtt"
    elsewhere.chmod(0o644)
    (space.folder / "link").symlink_to(elsewhere)
    for path in (space.folder, *space.folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o055)
    look(open_space)
    (space.folder / "link").unlink()
    assert _open_to_others(space.folder) == []
    assert is_open_to_others(elsewhere)  # a link's target is not the workspace's


def test_doctor_says_where_a_folder_cannot_be_closed(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, settings = filled.folder, filled.settings.model_copy(update={"embedder": "openai:x"})

    def found() -> Any:
        return next(item for item in check(settings, "w") if item.what == "privacy")

    assert found().is_ok
    folder.chmod(0o755)
    monkeypatch.setattr(
        Path, "chmod", lambda *_: (_ for _ in ()).throw(PermissionError("not yours"))
    )
    assert not found().is_ok
    assert f"chmod -R go= {folder}" in found().remedy


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path)
    assert [
        is_open_to_others(path) for path in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")
    ] == [True, False, False]


def test_a_database_that_all_may_read_gets_no_readable_log(
    open_space: OpenSpace, corpus: Any
) -> None:
    space = open_space()
    space.ingest(corpus.many(1, 2))
    space.close()
    space.folder.chmod(0o755)
    (space.folder / "graph.sqlite").chmod(0o644)
    again = open_space()
    with sqlite3.connect(again.folder / "graph.sqlite") as other:
        other.execute("SELECT count(*) FROM documents")
    assert _open_to_others(again.folder) == []
