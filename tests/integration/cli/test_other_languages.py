"""Sources and questions in a language that the embedder wasn't trained on: told once a command,
with the remedy, and not with embedders that read it.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GERMAN = """\
Anna: Der Haushalt der Stadt wurde gestern vom Rat beschlossen, und die Mühle wird neu gebaut.
Bernd: Die Kosten für den Umbau der Mühle sind noch nicht bekannt, sagte die Stadt gestern.
Anna: Wir haben das Geld für die neue Schule, aber nicht für die alte Brücke über den Fluss.
"""
ENGLISH = """\
Ann: The council has passed the budget of the town, and the mill is going to be rebuilt.
Ben: Nobody knows what it is going to cost, and we do not have the money for the bridge.
"""
LESS = "was trained on English and finds less in "


def written(folder: Path, text: str) -> str:
    path = folder / "council.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def minilm(server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stub's vectors under the name of an embedder of English."""
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:all-MiniLM-L6-v2")


@pytest.mark.usefixtures("minilm")
def test_sources_that_the_embedder_does_not_read_are_told_once_at_ingest_and_with_each_ask(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, GERMAN)
    first = cli("ingest", path, "--extractor", "fast", "-w", "rat")
    assert first.code == 0, first.err
    assert first.out.count(f"all-MiniLM-L6-v2 {LESS}German; `dynagrag embedder use ") == 1
    assert "multilingual-e5-small -w rat`" in first.out
    assert LESS not in cli("ingest", path, "--extractor", "fast", "-w", "rat").out

    asked = cli("ask", "Was kostet der Umbau der Mühle?", "-w", "rat")
    assert asked.out.count(f"{LESS}German") == 1
    assert "isn't judged" not in asked.out
    traced = cli("ask", "Was kostet der Umbau der Mühle?", "-w", "rat", "--trace")
    assert "whether anything fits isn't judged for German with the embedder" in traced.out
    english = cli("ask", "What is it?", "-w", "rat", "--json").json
    assert english["unread_language"] == "German"
    assert (english["question_language"], english["lines_language"]) == ("English", "German")
    assert "the question is in English, these lines in German" in str(english["trace"]["notes"])
    told = cli("ask", "What does the mill cost?", "-w", "rat").out
    assert LESS not in told
    assert (
        "note: the question is in English, these lines in German: ask in German, or take a"
        " multilingual embedder (`dynagrag embedder use multilingual-e5-small -w rat`"
    ) in told

    questions = "Was kostet die Mühle?\nWer hat den Haushalt beschlossen?\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(questions))
    assert cli("ask", "-w", "rat").out.count(LESS) == 1, "once a conversation"


@pytest.mark.usefixtures("minilm")
def test_english_sources_and_questions_are_not_told_anything(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    done = cli("ingest", written(tmp_path, ENGLISH), "--extractor", "fast")
    assert LESS not in done.out
    assert LESS not in cli("ask", "Who has passed the budget?").out
    other = cli("ask", "Wer hat das Budget der Stadt genehmigt?").out
    assert "the question is in German, these lines in English: ask in English, or take" in other
    assert "(`dynagrag embedder use multilingual-e5-small`" in other
    assert LESS not in other


@pytest.mark.usefixtures("server")
def test_an_embedder_of_which_nothing_is_known_is_not_doubted(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    done = cli("ingest", written(tmp_path, GERMAN), "--extractor", "fast")
    assert (done.code, LESS in done.out) == (0, False)
    assert LESS not in cli("ask", "Was kostet der Umbau der Mühle?").out
