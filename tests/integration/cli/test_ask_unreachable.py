"""What `ask` prints before its model answers, or fails."""

from collections.abc import Callable
from typing import Any

import pytest
from odd_model_server import OddModelServer, refusal

QUESTION = "What is the capital of Mongolia?"


@pytest.mark.parametrize("is_down", [True, False])
def test_doubts_come_before_an_answer_and_never_before_a_failure(
    point_at_models: Callable[..., None],
    corpus: Any,
    cli: Any,
    monkeypatch: pytest.MonkeyPatch,
    is_down: bool,
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
    with OddModelServer(lambda _, whole: refusal("down", 500) if is_down else whole()) as server:
        point_at_models(server)
        assert cli("ingest", *corpus.many(2), "--extractor", "fast", "--yes").code == 0
        shown = cli("ask", QUESTION, "--llm", "openai:m")
    if is_down:
        assert (shown.code, shown.out) == (1, ""), "no word on the sources"
        assert "failed on its own side" in shown.err
    else:
        assert shown.code == 0
        assert "The name Mongolia occurs nowhere" in shown.out.splitlines()[0]
        assert shown.out.count("occurs nowhere") == 1
