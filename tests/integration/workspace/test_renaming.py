"""A document is given another title; nothing else of it changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.fakes.server import OpenAIStubServer

TURNS = [("Maria", "Acme Works acquired Borealis Labs."), ("Leo", "Ada Byron works at Acme Works.")]


@pytest.fixture
def graph(server: OpenAIStubServer, corpus: Any, any_store: str, cli: Callable[..., Any], tmp_path: Path) -> Callable[[], str]:
    """A workspace of one meeting on either store; what its graph holds."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0

    def exported() -> str:
        assert cli("graph", "export", tmp_path / "graph.json", "--force").code == 0
        return (tmp_path / "graph.json").read_text(encoding="utf-8")

    return exported


def test_citations_have_the_new_title_and_the_graph_stays(graph: Callable[[], str], cli: Callable[..., Any]) -> None:
    before = graph()
    done = cli("rename", "board", "  The *board*   meets ")
    assert (done.code, done.out.strip().endswith("is called 'The *board* meets' now")) == (0, True)
    assert graph() == before
    told = cli("ask", "Who works at Acme Works?")
    assert told.code == 0
    assert "The *board* meets" in told.out
    assert cli("rename", "The *board* meets", "board", "--json").json["title"] == "board"


@pytest.mark.parametrize(
    ("reference", "title", "reason"),
    [
        ("nobody", "x", "no document 'nobody'"),
        ("board", "  ", "needs a title"),
        ("board", "x" * 201, "at most 200"),
        ("board", "x" * 10_000, "10,000"),
    ],
)
def test_what_cannot_be_renamed_is_said(graph: Callable[[], str], cli: Callable[..., Any], reference: str, title: str, reason: str) -> None:
    refused = cli("rename", reference, title)
    assert refused.code == 2
    assert reason in refused.err
