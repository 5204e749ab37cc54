"""A training on a set: what it learns, and how its checkpoint describes graphs."""

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from torch import Tensor

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.evaluation.graphqa import graph_retrieval
from dynagrag.evaluation.graphqa.graph_methods import Description
from dynagrag.evaluation.graphqa.graphqa_run import GraphQaOptions, evaluate_graphqa
from dynagrag.evaluation.graphqa.opened_method import open_soft_prompt
from dynagrag.evaluation.graphqa.retrieval_options import EgoEdges, RetrievalOptions
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
from dynagrag.training.soft_prompt.graph_training import SoftTrainOptions, train_soft_prompt

pytestmark = pytest.mark.slow

Train = Callable[..., Path]


def test_rows_that_choose_the_epoch_are_not_learned(
    train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[bool, list[str]] = {True: [], False: []}
    loss = SoftPromptModel.loss

    def watched(self: SoftPromptModel, examples: Sequence[SoftExample]) -> Tensor:
        seen[self.tokens.training] += [one.question for one in examples]
        return loss(self, examples)

    monkeypatch.setattr(SoftPromptModel, "loss", watched)
    train("prompt-tuning", "own", 1)
    assert (
        (len(set(seen[True])), len(set(seen[False])))
        == (len(seen[True]), len(seen[False]))
        == (20, 2)
    )
    assert not set(seen[True]) & set(seen[False])


@pytest.mark.parametrize(
    ("description", "is_table"),
    [(None, False), (Description.TREE, False), (Description.TABLES, True)],
)
def test_graphs_are_described_in_measuring_as_they_were_in_training(
    train: Train,
    data: Path,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    description: Description | None,
    is_table: bool,
) -> None:
    learned: dict[str, str] = {}
    loss = SoftPromptModel.loss

    def watched(self: SoftPromptModel, examples: Sequence[SoftExample]) -> Tensor:
        learned.update((one.label, one.description) for one in examples)
        return loss(self, examples)

    asked: list[SoftExample] = []

    def answers(self: SoftPromptModel, examples: Sequence[SoftExample]) -> list[str]:
        asked.extend(examples)
        return [""] * len(examples)

    monkeypatch.setattr(SoftPromptModel, "loss", watched)
    monkeypatch.setattr(SoftPromptModel, "answers", answers)
    folder = train("grag", "own", 1, description=description)
    evaluate_graphqa(
        settings,
        GraphQaOptions(
            dataset="explagraphs",
            data=data,
            method="grag",
            lm="tiny",
            checkpoint=folder,
            out=tmp_path / "run",
        ),
    )
    assert {one.description for one in asked} == set(learned.values()), "two graphs, by label"
    assert all(text.startswith("node_id,node_attr") is is_table for text in learned.values())


def test_loading_and_embedding_are_told_before_the_first_epoch(
    data: Path, settings: Settings, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_retrieval, "_AT_ONCE", 2)
    told: list[tuple[str, int, int]] = []
    options = SoftTrainOptions(
        method="g-retriever",
        dataset="explagraphs",
        data=data,
        lm="tiny",
        out=tmp_path / "own",
        recipe=SoftRecipe(max_epochs=1, width=16),
    )
    train_soft_prompt(settings, options, None, lambda *step: told.append(step))
    assert list(dict.fromkeys(stage for stage, *_ in told)) == [
        "load",
        "embed",
        "epoch 1",
        "validate",
    ]
    assert told[:3] == [("load", 0, 2), ("load", 1, 2), ("load", 2, 2)]
    embedded = [(done, total) for stage, done, total in told if stage == "embed"]
    assert (embedded[0], embedded[-1]) == ((0, 22), (22, 22))
    assert len(embedded) > 3, "while a group's texts are embedded too"


def test_a_training_s_end_tells_its_rows_and_the_command_that_measures_it(
    data: Path, home: Path, tmp_path: Path, tiny: None, capsys: pytest.CaptureFixture[str]
) -> None:
    from dynagrag.cli.main import run

    out = str(tmp_path / "my own")
    words = [
        "train",
        "lora",
        "--dataset",
        "explagraphs",
        "--data",
        str(data),
        "--lm",
        "tiny",
        "--out",
        out,
        "--max-epochs",
        "1",
    ]
    assert run(words) == 0
    epoch, rows, checkpoint, command = capsys.readouterr().out.splitlines()
    assert epoch.startswith("epoch 1: loss ")
    assert (rows, checkpoint) == (
        "rows: 20 to train on, 2 to choose the epoch by",
        f"checkpoint: {out}; measure it:",
    )
    assert run(shlex.split(command)[1:]) == 0, "as it stands there"
    shown = capsys.readouterr().out
    assert "8 questions over graphs, validation rows, answered by lora with tiny" in shown
    assert run(words) == 0
    assert capsys.readouterr().out.startswith(
        "this training was done already, with 1 epoch; to train anew, name another folder with"
        " --out\n"
    )


def test_texts_of_parts_that_an_older_version_learned_are_refused_and_whole_ones_read(
    train: Train, settings: Settings
) -> None:
    embedder = FakeEmbedder().identity
    folder = train("grag", "own", 1)
    file = folder / "model.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    kept["network"]["retrieval"] = {"hops": 1, "ego_edges": "in"}
    file.write_text(json.dumps(kept), encoding="utf-8")
    opened = open_soft_prompt(folder, settings, "tiny", embedder, "grag")
    assert opened.method.options == RetrievalOptions(hops=1, ego_edges=EgoEdges.IN)

    folder = train("g-retriever", "older", 1)
    file = folder / "model.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    del kept["network"]["version"], kept["network"]["retrieval"]
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert open_soft_prompt(folder, settings, "tiny", embedder, "g-retriever")
    kept["made_with"]["dataset"] = "webqsp"
    file.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(LoadError, match="numbered the nodes of a part of a graph anew; train it"):
        open_soft_prompt(folder, settings, "tiny", embedder, "g-retriever")
