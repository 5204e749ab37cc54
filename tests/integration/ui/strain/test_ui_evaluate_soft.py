"""Trained soft prompts as arms on the page Evaluate, where no language model is set."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages import choose, kept_runs, press, run_it, shown, upload

from dynagrag.evaluation.qa.qa_report import QaRun
from dynagrag.fakes.fake_server import OpenAIStubServer


def test_soft_prompts_and_their_language_model_alone_are_measured_without_another(
    server: OpenAIStubServer,
    evaluate_page: Callable[[], Any],
    keep: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    home: Path,
) -> None:
    keep("grag")
    monkeypatch.delenv("DYNAGRAG_LLM")
    calls = server.counts.chat_calls
    page = evaluate_page()
    upload(page)
    choose(page, "judge")
    assert "grading needs one" in page.info[0].value
    choose(page, "qa")
    assert "only trained soft prompts can answer" in page.info[0].value
    assert page.multiselect[0].value == ["soft:grag", "hard:grag"]
    assert "soft:grag: GRAG, trained on this workspace, with smollm2" in page.multiselect[0].options
    run_it(page)
    assert not page.error
    run = QaRun.read(home / "evaluation" / "runs" / kept_runs(home)[0])
    assert (run.settings["llm"], run.settings["arms"]) == (None, ["soft:grag", "hard:grag"])
    assert server.counts.chat_calls == calls
    press(page, "Read it")
    assert not page.error
    assert "soft:grag" in shown(page)
