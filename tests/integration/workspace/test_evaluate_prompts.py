"""`evaluate retrieval --prompts` on tiny sets: what of the gold reaches each arm's prompts."""

import json
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.fakes import FakeEmbedder

PEOPLE = ("Ada Byron", "Grace Hopper", "Edith Clarke", "Lise Keller")


def write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write(
        folder / "multihop/musique_corpus.jsonl",
        [{"title": p, "text": f"{p} founded a firm with Acme Works."} for p in PEOPLE],
    )
    rows = [
        {"id": p, "question": f"Who founded a firm, {p}?", "supporting_titles": [p, PEOPLE[0]]}
        for p in PEOPLE[1:]
    ]
    write(folder / "multihop/musique_questions.jsonl", rows)
    turns = [
        {
            "speaker": f"S{i % 2}",
            "content": f"{PEOPLE[i % 4]} told us about number {i} of the long list.",
        }
        for i in range(12)
    ]
    query = {"query": "What was told about number 3?", "relevant_text_span": [["3", "4"]]}
    write(
        folder / "transcript_qa/qmsum_val.jsonl",
        [{"meeting_transcripts": turns, "specific_query_list": [query]}],
    )
    return folder


@pytest.mark.parametrize("dataset", ["musique", "qmsum"])
def test_what_reaches_the_prompts_is_measured_where_it_is_asked_for(
    dataset: str, home: Path, data: Path
) -> None:
    arms = ("default", "graph", "ego", "ego-cosine", "paper")
    settings, embedder = load_settings(home=home), FakeEmbedder()
    run, result = evaluate_retrieval(
        settings, EvaluateOptions(dataset, data, arms=arms, prompts=True), embedder=embedder
    )
    for scope in result.scopes.values():
        for arm, own in scope.arms.items():
            assert 0 <= own["prompt"] <= 1
            assert own["prompt_tokens"] > 0
            assert scope.means[arm]["prompt"].low <= 100 * own["prompt"] + 0.01
        assert scope.arms["default"]["prompt"] > 0.99  # all fits
    assert "prompt" in (run.path / "report.html").read_text(encoding="utf-8")
    without = evaluate_retrieval(settings, EvaluateOptions(dataset, data), embedder=embedder)[1]
    assert "prompt" not in without.arms["default"]
