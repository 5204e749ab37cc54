"""What is retrieved of the graphs of a set: accuracy, nodes and tokens, without a model."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dynagrag import wiring
from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.evaluation.graphqa.retrieval_quality import (
    RetrievalQuality,
    RetrievalQualityOptions,
    measure_retrieval,
)
from dynagrag.fakes import FakeEmbedder

pytestmark = pytest.mark.slow


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve questions over chains of towns, of which the answer is the next but one; of each third
    nothing is in the graph.
    """
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(dimension=128))
    folder = tmp_path / "sets"
    folder.mkdir()
    rows = [
        {
            "id": f"t-{i}",
            "question": f"which place has road of town {i}",
            "answers": ["nowhere"] if i % 3 == 0 else [f"King {i}", f"Queen {i}"],
            "q_entity": [f"Town {i}"],
        }
        for i in range(12)
    ]
    with gzip.open(folder / "webqsp_questions.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(row)}\n" for row in rows))
    facts = "".join(
        f"Town {i}\tlies.in\tLand {i}\tlabelled\nLand {i}\thas.king\tKing {i}\twalked\n"
        + "".join(f"Land {i}\thas.road\tPlace {i} {j}\twalked\n" for j in range(20))
        for i in range(12)
    )
    (folder / "webqsp_kg.tsv").write_text(
        f"head\trelation\ttail\tsource\n{facts}", encoding="utf-8"
    )
    return folder


def measured(sets: Path, home: Path, **more: Any) -> RetrievalQuality:
    options = RetrievalQualityOptions(dataset="webqsp", data=sets, part=None, **more)
    return measure_retrieval(Settings(home=home), options)


@pytest.mark.parametrize("method", ["g-retriever", "kaping", "grag", "bm25", "dense"])
def test_accuracy_is_bounded_by_what_the_graphs_hold_and_what_is_retrieved_is_smaller(
    sets: Path, home: Path, method: str
) -> None:
    found = measured(sets, home, method=method, retrieval=RetrievalOptions())
    means = {name: own.mean for name, own in found.measures.items()}
    assert found.n == 12
    assert means["in_graph"] == pytest.approx(8 / 12)
    assert 0 <= means["all_answers"] <= means["accuracy"] <= means["in_graph"]
    assert means["nodes_before"] == 23
    assert 0 < means["nodes_after"] <= 23
    assert means["tokens_after"] > 0


def test_of_twenty_facts_some_hold_the_answer_and_of_none_fewer(sets: Path, home: Path) -> None:
    shares = [
        measured(sets, home, method="kaping", retrieval=RetrievalOptions(nearest=num))
        for num in (1, 22)
    ]
    few, all_ = (own.measures["accuracy"].mean for own in shares)
    assert few < all_ == pytest.approx(8 / 12), "all facts are the whole graph"
    assert shares[1].measures["all_answers"].mean == pytest.approx(4 / 12), "of two answers one"


def test_the_tree_is_what_its_options_say(sets: Path, home: Path) -> None:
    sizes = [
        measured(sets, home, retrieval=RetrievalOptions(top_nodes=num, top_edges=num))
        for num in (1, 12)
    ]
    small, large = (own.measures["nodes_after"].mean for own in sizes)
    assert small < large


def test_answers_that_are_labels_have_no_accuracy(
    data: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder())
    for name in ("explagraphs", "expla_graphs"):
        options = RetrievalQualityOptions(dataset=name, data=data, part=None)
        found = measure_retrieval(Settings(home=home), options)
        assert set(found.measures) == {
            "nodes_before",
            "nodes_after",
            "tokens_before",
            "tokens_after",
        }
        assert found.measures["nodes_before"] == found.measures["nodes_after"], "they stay whole"
        assert "labels, which no graph holds" in "\n".join(found.lines())


def test_tokens_are_those_of_the_model_that_is_named(
    sets: Path, home: Path, tmp_path: Path
) -> None:
    from tiny_llama import tiny_llama

    model, tokenizer = tiny_llama()
    model.save_pretrained(tmp_path / "lm")
    tokenizer.save_pretrained(tmp_path / "lm")
    found = measured(sets, home, tokenizer=str(tmp_path / "lm"), limit=2)
    assert found.tokens == f"those of {tmp_path / 'lm'}"
    assert (
        found.measures["tokens_before"] != measured(sets, home, limit=2).measures["tokens_before"]
    )


@pytest.mark.parametrize("method", ["question-only", "nothing"])
def test_what_retrieves_nothing_is_refused(sets: Path, home: Path, method: str) -> None:
    with pytest.raises(UsageError, match=r"retrieves nothing|there is no method"):
        measured(sets, home, method=method)


def test_the_command_prints_what_was_published_beside_it(
    sets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", "graph-retrieval", "--dataset", "webqsp", "--data", str(sets)]
    assert app([*words, "--split", "all", "--method", "kaping"], standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert "12 rows of the split all" in out
    assert "published: 60.81 % (G-Retriever, table 11)" in out
    assert "tokens: estimated, four characters a token" in out
    assert app([*words, "--split", "all", "--json"], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out)["measures"]["accuracy"]["mean"] <= 8 / 12
