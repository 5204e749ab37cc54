"""What `ask` says of choices that need a language model, where there is none."""

from collections.abc import Callable
from typing import Any

import pytest

QUESTION = "Who founded Acme Works?"
REMEDY = "needs a language model."


@pytest.fixture
def without_model(
    corpus: Any, cli: Callable[..., Any], server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("ingest", *corpus.many(2), "--extractor", "fast", "--yes").code == 0
    monkeypatch.delenv("DYNAGRAG_LLM")


@pytest.mark.usefixtures("without_model")
@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--strict",), "--strict changes nothing: it leaves out of a written answer what no line"),
        (("--profile", "global"), "it writes an answer from parts of all the sources"),
        (("--max-calls", "3"), "--max-calls 3 changes nothing: it limits a model's calls"),
    ],
)
def test_what_needs_a_model_is_said_with_a_command_that_has_one(
    cli: Callable[..., Any], options: tuple[str, ...], what: str
) -> None:
    shown = cli("ask", QUESTION, *options)
    assert shown.code == 0
    assert what in shown.err
    assert REMEDY in shown.err
    assert "--llm qwen (after `dynagrag models pull qwen`)" in shown.err
    assert "Acme" in shown.out, "the lines are shown"
    assert shown.err.count("\n") == 1


@pytest.mark.usefixtures("without_model")
def test_nothing_is_said_of_a_model_where_none_is_needed_or_there_is_one(
    cli: Callable[..., Any],
) -> None:
    assert REMEDY not in cli("ask", QUESTION).err
    assert REMEDY not in cli("ask", QUESTION, "--strict", "--llm", "openai:fake").err
