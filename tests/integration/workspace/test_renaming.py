"""A document is given another title; nothing else of it changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes.fake_server import OpenAIStubServer

TURNS = [("Maria", "Acme Works acquired Borealis Labs."), ("Leo", "Ada Byron works at Acme Works.")]


@pytest.fixture
def graph(
    server: OpenAIStubServer, corpus: Any, any_store: str, cli: Callable[..., Any], tmp_path: Path
) -> Callable[[], str]:
    """A workspace of one meeting on either store; what its graph holds."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0

    def exported() -> str:
        assert cli("graph", "export", tmp_path / "graph.json", "--force").code == 0
        return (tmp_path / "graph.json").read_text(encoding="utf-8")

    return exported


def test_citations_have_the_new_title_and_the_graph_stays(
    graph: Callable[[], str], cli: Callable[..., Any]
) -> None:
    before = graph()
    done = cli("rename", "board", "  The *board*   meets ")
    assert (done.code, done.out.strip().endswith("is called 'The *board* meets' now")) == (0, True)
    assert graph() == before
    told = cli("ask", "Who works at Acme Works?", "--json")
    assert told.code == 0
    assert "The *board* meets" in told.out
    assert cli("rename", "The *board* meets", "board", "--json").json["title"] == "board"


def test_what_cannot_be_renamed_is_said(graph: Callable[[], str], cli: Callable[..., Any]) -> None:
    before = graph()
    for reference, title, reason in (
        ("nobody", "x", "no document 'nobody'"),
        ("oar", "x", "it is a part of 'board'"),
        ("board", "  ", "needs a title"),
        ("board", "x" * 201, "at most 200"),
        ("board", "x" * 10_000, "10,000"),
    ):
        refused = cli("rename", reference, title)
        assert refused.code == 2, (reference, title)
        assert reason in refused.err
    assert graph() == before


def test_documents_are_listed_with_what_the_other_commands_take(
    graph: Callable[[], str], corpus: Any, cli: Callable[..., Any]
) -> None:
    assert (
        cli("ingest", corpus.write("audit.vtt", [("Leo", "Acme Works is in Delft.")]), "-y").code
        == 0
    )
    shown = cli("documents")
    assert shown.code == 0
    assert [line.partition(";")[0] for line in shown.out.splitlines()] == [
        "audit: 1 turn, 5 words, English, Leo",
        "board: 2 turns, 11 words, English, Maria, Leo",
    ]
    rows = cli("documents", "--json").json
    names = {"id", "title", "path", "turns", "words", "language", "speakers"}
    assert [set(row) for row in rows] == [names] * 2
    for given in ("id", "path", "title"):
        assert cli("rename", rows[0][given], "audit").code == 0
    assert cli("delete", rows[0]["id"], "--yes").out.startswith("deleted audit; the graph has ")
    assert "was deleted before" in cli("delete", rows[0]["id"], "--yes").out
    assert [row["title"] for row in cli("documents", "--json").json] == ["board"]


def test_an_empty_workspace_lists_no_documents_and_one_that_is_not_there_is_told(
    graph: Callable[[], str], cli: Callable[..., Any]
) -> None:
    assert cli("delete", "board", "--yes").code == 0
    assert "dynagrag ingest" in cli("documents").out
    assert cli("documents", "--json").json == []
    told = cli("documents", "-w", "nowhere")
    assert (told.code, "nowhere" in told.err) == (1, True)


def test_a_workspace_is_deleted_from_the_command_line(
    graph: Callable[[], str], cli: Callable[..., Any], home: Path
) -> None:
    refused = cli("workspaces", "delete", "default")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert (home / "workspaces" / "default").is_dir()
    assert cli("workspaces", "delete", "another", "--yes").code != 0
    assert (
        cli("workspaces", "delete", "default", "--yes").out.strip() == "deleted workspace default"
    )
    assert not (home / "workspaces" / "default").exists()
    assert "there is no workspace" in cli("workspaces", "list").out


def test_a_given_title_stays_with_changed_files_copies_and_other_names_of_speakers(
    graph: Callable[[], str], corpus: Any, cli: Callable[..., Any], tmp_path: Path
) -> None:
    def titles() -> list[str]:
        return [row["title"] for row in cli("documents", "--json").json]

    assert cli("rename", "board", "The board").code == 0
    path = corpus.write("board.vtt", [*TURNS, ("Leo", "Corvus Partners is located in Delft.")])
    assert cli("ingest", path, "-y").code == 0
    assert titles() == ["The board"]
    names = tmp_path / "names.csv"
    names.write_text("Leo,Leopold", encoding="utf-8")
    assert (
        "0 new, 1 changed, 0 unchanged, 0 refused"
        in cli("ingest", path, "-y", "--speaker-map", names).out
    )
    assert titles() == ["The board"]
    copy = tmp_path / "elsewhere" / "copy.vtt"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    assert (
        "0 new, 0 changed, 0 unchanged, 1 moved here from another path, 0 refused"
        in cli("ingest", copy, "-y").out
    )
    assert titles() == ["The board"]
    (tmp_path / "third").mkdir()
    third = copy.rename(tmp_path / "third" / "copy.vtt")
    report = cli("ingest", third, "-y", "--json").json
    assert (report["added"], report["replaced"], report["moved"]) == ([], [], ["The board"])
    third.rename(copy)
    cli("ingest", copy, "-y")
    again = cli("ingest", copy, "-y")
    assert (again.code, "0 new, 0 changed" in again.out) == (0, True)


def test_a_given_title_goes_where_its_content_goes(
    graph: Callable[[], str], corpus: Any, cli: Callable[..., Any]
) -> None:
    assert cli("rename", "board", "The board").code == 0
    path = corpus.write("board.vtt", TURNS)
    path.rename(path.with_name("board.1.vtt"))
    corpus.write("board.vtt", [("Leo", "Corvus Partners is located in Delft.")])
    assert cli("ingest", path.parent, "-y").code == 0
    assert {Path(row["path"]).name: row["title"] for row in cli("documents", "--json").json} == {
        "board.1.vtt": "The board",
        "board.vtt": "board",
    }
