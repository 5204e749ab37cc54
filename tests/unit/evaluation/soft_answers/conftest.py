"""A workspace of six talks, and training on it before a tiny language model."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.schema import SourceTurn
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import ImportedTurns
from dynagrag.workspace.facade import open_workspace

if TYPE_CHECKING:  # it loads torch_geometric, for tests of other folders too
    from dynagrag.training.soft_prompt.soft_prompt_training import SoftTraining

THINGS = (
    "Delta Valve",
    "Odyssey",
    "Helium Tank",
    "Comet Bennett",
    "Main Bus",
    "Aquarius",
    "Port Arthur",
    "Fathom Labs",
)
Train = Callable[..., "SoftTraining"]


def talk(number: int) -> ImportedTurns:
    turns = []
    for line in range(6):
        first, other = (
            THINGS[(number + line) % len(THINGS)],
            THINGS[(number + 3 * line + 1) % len(THINGS)],
        )
        words = (
            f"The {first} feeds the {other if other != first else 'Kettle'} for"
            f" {10 * number + line + 20} hours."
        )
        turns.append(SourceTurn(words, ("Ada", "Leo", "Grace")[line % 3]))
    return ImportedTurns(f"Talk {number}", tuple(turns))


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A workspace of six talks; the language model is a tiny one with random weights."""
    from tiny_llama import tiny_llama

    from dynagrag.generation.soft_prompt import soft_checkpoint
    from dynagrag.generation.soft_prompt.language_model import LanguageModel
    from dynagrag.training.soft_prompt import soft_prompt_training

    def load(name: str, settings: Settings, precision: str, device: str | None = None) -> Any:
        return LanguageModel(*tiny_llama(max_tokens=2048), name)

    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(32))
    monkeypatch.setattr(soft_prompt_training, "load_language_model", load)
    monkeypatch.setattr(soft_checkpoint, "load_language_model", load)
    made = Settings(home=home)
    with open_workspace("w", settings=made) as space:
        space.ingest_jobs.ingest_imported([talk(number) for number in range(6)], FastExtractor())
    return made


@pytest.fixture
def train(settings: Settings) -> Train:
    from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
    from dynagrag.training.soft_prompt.soft_prompt_training import (
        WorkspaceSoftOptions,
        train_soft_on_workspace,
    )

    def run(method: str = "g-retriever", **more: Any) -> "SoftTraining":
        sizes = {
            name: more.pop(name) for name in ("max_epochs", "width", "num_layers") if name in more
        }
        recipe = SoftRecipe(**{"max_epochs": 1, "width": 16} | sizes)
        options = WorkspaceSoftOptions(
            method=method, workspace="w", lm="tiny", recipe=recipe, **{"max_rows": 12} | more
        )
        return train_soft_on_workspace(settings, options)

    return run
