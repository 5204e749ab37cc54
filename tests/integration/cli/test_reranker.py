"""A reranker of the command line: it orders what is shown and what is found, and is measured."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.tiny_classifier import make_folder

TALK = "".join(
    f"Ann: The {noun} of the old harbour was painted again in the year {1900 + n}.\n"
    for n, noun in enumerate(
        "crane bridge ferry tower wall gate lamp chain anchor office shed quay".split() * 20
    )
)
QUESTION = "What was painted at the old harbour?"


@pytest.fixture
def reranker(tmp_path: Path) -> str:
    """One for whom "anchor" is all that counts."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "anchor"]
    folder = tmp_path / "reranker"
    folder.mkdir()
    return str(make_folder(folder, ["fit"], {"anchor": (5,)}, (0,), words=words, size=512))


@pytest.fixture
def harbour(server: object, cli: Callable[..., Any], tmp_path: Path) -> Path:
    (tmp_path / "harbour.txt").write_text(TALK, encoding="utf-8")
    assert cli("ingest", str(tmp_path / "harbour.txt"), "--extractor", "fast").code == 0
    rows = [
        {"question": QUESTION, "decisive": ["The anchor of the old harbour"]},
        {"question": "Who owns the moon?", "unanswerable": True},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.usefixtures("harbour")
def test_what_is_shown_is_in_its_order(cli: Callable[..., Any], reranker: str) -> None:
    asked = cli("ask", QUESTION, "--reranker", reranker, "--json")
    assert asked.code == 0, asked.err
    trace = asked.json["trace"]
    assert "anchor" in str(trace["clips"][0]["turns"])
    assert any(f"in the order of the reranker {reranker}" in note for note in trace["notes"])
    plain = cli("ask", QUESTION, "--json").json["trace"]
    assert not any("reranker" in note for note in plain["notes"])


def test_evidence_is_measured_without_it_and_with_it(
    harbour: Path, cli: Callable[..., Any], reranker: str
) -> None:
    run = cli("evaluate", "evidence", "--questions", harbour, "--reranker", reranker, "--json")
    assert run.code == 0, run.err
    assert run.json["reranker"] == reranker
    assert run.json["n"] == run.json["reranked"]["n"] == 2
    assert run.json["reranked"]["first"] == 1.0
    assert run.json["differences"]["first"]["mean"] == 1.0 - run.json["first"]
    plain = cli("evaluate", "evidence", "--questions", harbour, "--json").json
    assert (plain["reranker"], plain["reranked"]) == ("", None)
    assert plain["first"] == run.json["first"]
    shown = cli("evaluate", "evidence", "--questions", harbour, "--reranker", reranker)
    assert f"With the reranker {reranker}, first" in " ".join(shown.out.split())


@pytest.mark.usefixtures("harbour")
def test_what_is_no_reranker_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    refused = cli("ask", QUESTION, "--reranker", tmp_path / "nowhere")
    assert refused.code == 1
    assert "holds no config.json" in refused.err
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"question": QUESTION, "documents": ["harbour"]}) + "\n", encoding="utf-8"
    )
    unnamed = cli(
        "evaluate", "retrieval", "--questions", questions, "-w", "default", "--arms", "reranked"
    )
    assert unnamed.code != 0
    assert "the arm reranked needs a reranker: --reranker FOLDER" in unnamed.err


@pytest.mark.usefixtures("harbour")
def test_passages_are_measured_in_its_order(
    cli: Callable[..., Any], tmp_path: Path, reranker: str
) -> None:
    questions = tmp_path / "own.jsonl"
    questions.write_text(
        json.dumps({"question": QUESTION, "documents": ["harbour"]}) + "\n", encoding="utf-8"
    )
    run = cli(
        *("evaluate", "retrieval", "--questions", questions, "-w", "default", "--json"),
        *("--arms", "default,reranked", "--reranker", reranker),
    )
    assert run.code == 0, run.err
    assert "reranked" in json.dumps(run.json)
