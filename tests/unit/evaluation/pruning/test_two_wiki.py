"""2WikiMultihopQA for pruners: passages become graphs, gold triples support, and other rows are
measured than were trained on.
"""

import json
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.pruning.measuring_run import SetMeasureOptions, measure_on_set
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.pruning.pruning_measures import NODE_AP, measure_pruner
from dynagrag.evaluation.pruning.pruning_sets import load_pruning_set
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.training.pruner.training_run import TrainOptions, train_on_set


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(64))
    return Settings(home=home)


def quiet(stage: str, done: int, total: int) -> None:
    pass


def test_support_is_what_the_gold_triples_name_and_what_the_corpus_lacks_counts(
    two_wiki: Path, settings: Settings
) -> None:
    split = load_pruning_set("2wiki", two_wiki).examples(
        settings, FakeEmbedder(64), tuple(Part), quiet
    )
    assert len(split[Part.TRAIN]) + len(split[Part.VALIDATION]) == 40
    assert 0 < len(split[Part.VALIDATION]) < 14
    learned = split[Part.TRAIN][0]
    assert (learned.num_nodes, learned.num_edges) == (3, 2), "film, director and town"
    assert (learned.node_labels[0].sum(), learned.edge_labels[0].sum()) == (3, 2)
    assert [example.id[:2] for example in split[Part.TEST]] == ["q-"] * 10
    asked = split[Part.TEST][0]
    assert (asked.num_nodes, asked.num_edges) == (3, 2)
    assert (asked.node_labels[0].sum(), asked.edge_labels[0].sum()) == (2, 1), (
        "no passage names Atlantis"
    )
    assert all(
        own[NODE_AP] <= 2 / 3 for own in measure_pruner(NoPruner(), split[Part.TEST]).values()
    )


def test_what_is_measured_needs_nothing_of_what_is_trained_on(
    two_wiki: Path, settings: Settings
) -> None:
    embedder = FakeEmbedder(64)
    split = load_pruning_set("2wiki", two_wiki / "large").examples(
        settings, embedder, (Part.TEST,), quiet
    )
    assert (len(split[Part.TRAIN]), len(split[Part.TEST])) == (0, 10)
    assert [
        path.name.rpartition("-")[0]
        for path in (settings.home / "evaluation" / "workspaces").iterdir()
    ] == ["2wiki-fast"]


@pytest.mark.slow
def test_a_pruner_learns_from_passages_and_is_measured_on_the_other_questions(
    two_wiki: Path, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pruner"
    options = TrainOptions("2wiki", two_wiki, out=out, max_epochs=3, device="cpu")
    _, (*_, own) = train_on_set(settings, options)
    assert own.n == 10
    given = ["--dataset", "2wiki", "--data", str(two_wiki), "--device", "cpu", "--json"]
    assert (
        app(
            ["evaluate", "pruner", *given, "--pruner", f"none,random,prior,{out}"],
            standalone_mode=False,
        )
        == 0
    )
    measured = json.loads(capsys.readouterr().out)["pruners"]
    assert {"n", "node_ap", "edge_ap", "support_recall@10"} < set(measured[str(out)])
    assert measured[str(out)]["node_ap"] == pytest.approx(own.means[NODE_AP].mean, abs=1e-6)
    _, result = measure_on_set(
        settings, SetMeasureOptions("2wiki", two_wiki, pruners=["none"], limit=4)
    )
    assert (result.questions, result.pruners["none"].n) == (4, 4)


def test_what_is_wrong_with_the_files_is_told(two_wiki: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="has no parts"):
        load_pruning_set("2wiki", two_wiki, "dev")
    path = two_wiki / "large" / "multihop" / "2wiki_train.jsonl"
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    for wrong, said in (
        ({"evidences": [["a", "b"]]}, "head, relation and tail"),
        ({"context": [["a", "b"]]}, "title and sentences"),
        ({"supporting_facts": []}, "a list that is not empty"),
    ):
        path.write_text(json.dumps(row | wrong), encoding="utf-8")
        with pytest.raises(LoadError, match=said):
            load_pruning_set("2wiki", two_wiki)
    path.unlink()
    with pytest.raises(LoadError, match="2wiki_train"):
        load_pruning_set("2wiki", two_wiki)
