"""Rows that a checkpoint learned are no measure of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.graph_question import Part
from dynagrag.evaluation.graphqa.graphqa_run import GraphQaOptions, evaluate_graphqa

pytestmark = pytest.mark.slow


def test_rows_that_were_learned_are_refused_or_told(
    train: Callable[..., Path], data: Path, settings: Settings, tmp_path: Path
) -> None:
    folder = train("prompt-tuning", "own", 1)
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method="prompt-tuning",
        lm="tiny",
        checkpoint=folder,
        out=tmp_path / "run",
    )
    with pytest.raises(UsageError, match="learned 22 of these 30 rows"):
        evaluate_graphqa(settings, replace(asked, part=None))
    other = tmp_path / "other"
    other.mkdir()
    rows = (
        (data / "graphqa" / "expla_graphs_own.tsv")
        .read_text(encoding="utf-8")
        .replace("\ttrain\t", "\tval\t")
    )
    (other / "expla_graphs_own.tsv").write_text(rows, encoding="utf-8")
    with pytest.raises(UsageError, match="learned 22 of these 30 rows"):
        evaluate_graphqa(settings, replace(asked, data=other))
    result = evaluate_graphqa(settings, replace(asked, part=Part.TRAIN))[1]
    assert result.learned == 22
    assert "on rows of which it learned 22" in result.verdict


def test_a_checkpoint_that_does_not_know_its_rows_is_refused_by_its_files(
    train: Callable[..., Path], data: Path, settings: Settings, tmp_path: Path
) -> None:
    folder = train("prompt-tuning", "own", 1)
    made = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    del made["made_with"]["learned"]
    (folder / "model.json").write_text(json.dumps(made), encoding="utf-8")
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method="prompt-tuning",
        lm="tiny",
        checkpoint=folder,
        out=tmp_path / "run",
    )
    with pytest.raises(UsageError, match="was trained on rows of these files"):
        evaluate_graphqa(settings, replace(asked, part=None))
    assert evaluate_graphqa(settings, asked)[1].learned == 0


def test_a_prompt_that_is_too_long_names_what_can_be_changed_of_a_checkpoint(
    train: Callable[..., Path],
    data: Path,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dynagrag.generation.soft_prompt.language_model import LanguageModel

    folder = train("prompt-tuning", "own", 1)
    asked = GraphQaOptions(
        dataset="explagraphs",
        data=data,
        method="prompt-tuning",
        lm="tiny",
        checkpoint=folder,
        out=tmp_path / "run",
    )
    monkeypatch.setattr(LanguageModel, "max_tokens", 40)
    with pytest.raises(
        UsageError,
        match=(
            r"doesn't fit into tiny, .* keeps its own; train it again with fewer"
            r" \(--max-description\)"
        ),
    ):
        evaluate_graphqa(settings, asked)
    with pytest.raises(UsageError, match="give fewer with --max-description"):
        evaluate_graphqa(
            settings, replace(asked, method="zero-shot", checkpoint=None, out=tmp_path / "other")
        )
