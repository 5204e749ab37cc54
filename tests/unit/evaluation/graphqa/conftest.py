"""Thirty rows of ExplaGraphs' form, and a tiny language model to train on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import Settings
from dynagrag.fakes import FakeEmbedder

Train = Callable[..., Path]
HEAD = "index\tsplit\targ1\targ2\tlabel\tgraph\n"
GRAPHS = {
    "support": "(cat; is a; animal)(animal; can; fly)",
    "counter": "(dog; not; fly)(dog; is a; animal)",
}


def row(number: int, split: str, label: str) -> str:
    return (
        f"{number}\t{split}\tthe {'cat' if label == 'support' else 'dog'}\tbird {number} can"
        f" fly\t{label}\t{GRAPHS[label]}\n"
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [
        row(i, "train" if i < 22 else "val", ("support", "counter")[i % 3 == 0]) for i in range(30)
    ]
    (tmp_path / "sets" / "graphqa").mkdir(parents=True)
    (tmp_path / "sets" / "graphqa" / "expla_graphs_own.tsv").write_text(
        HEAD + "".join(rows), encoding="utf-8"
    )
    return tmp_path / "sets"


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """The language model is a tiny one with random weights, the embedder one of hashes."""
    from tiny_llama import tiny_llama

    from dynagrag import wiring
    from dynagrag.generation.soft_prompt import language_model, soft_checkpoint
    from dynagrag.training.soft_prompt import graph_training

    def load(name: str, settings: Settings, precision: str, device: str | None) -> Any:
        model, tokenizer = tiny_llama(max_tokens=512)
        return language_model.LanguageModel(
            model.bfloat16() if precision == "bfloat16" else model, tokenizer, name
        )

    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder())
    monkeypatch.setattr(graph_training, "load_language_model", load)
    monkeypatch.setattr(soft_checkpoint, "load_language_model", load)
    monkeypatch.setattr(language_model, "load_language_model", load)


@pytest.fixture
def train(data: Path, settings: Settings, tmp_path: Path, tiny: None) -> Train:
    from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
    from dynagrag.training.soft_prompt.graph_training import SoftTrainOptions, train_soft_prompt

    def call(
        method: str, name: str, max_epochs: int = 2, stop_after: int | None = None, **more: Any
    ) -> Path:
        def stop(epoch: Any) -> None:
            if epoch.number == stop_after:
                raise KeyboardInterrupt

        out = tmp_path / name
        given: dict[str, Any] = {"dataset": "explagraphs", "data": data, "lm": "tiny"} | more
        sizes = given.pop("sizes", {})
        recipe = SoftRecipe(
            **{"width": 16, "learning_rate": 1e-2, "max_epochs": max_epochs} | sizes
        )
        train_soft_prompt(
            settings, SoftTrainOptions(method=method, out=out, recipe=recipe, **given), stop
        )
        return out

    return call
