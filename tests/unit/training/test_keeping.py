"""What a training leaves behind: the same of each kind, and as trainings and checkpoints on disk
have had it all along.
"""

import json
from importlib.metadata import version
from pathlib import Path

import pytest
import torch

from dynagrag.checkpoints.checkpoints import DESCRIPTION, TRAINING, load_checkpoint
from dynagrag.checkpoints.keeping import Keeping
from dynagrag.checkpoints.training_loop import Epoch
from dynagrag.core.schema import EmbedderIdentity

pytestmark = pytest.mark.slow

EPOCHS = [
    Epoch(0, None, 0.9, 0.5),
    Epoch(1, 0.7, 0.4, 2.0),
    Epoch(2, 0.6, 0.5, 2.0),
    Epoch(3, 0.5, 0.5, 2.0),
]


def kept_in(folder: Path, begins_anew: bool = False) -> Keeping:
    return Keeping(
        folder=folder,
        kind="pruner",
        network={"width": 8},
        embedder=EmbedderIdentity("fake", 3),
        made_with={"train": 12, "options": {"seed": 1}},
        begins_anew=begins_anew,
    )


def test_a_training_s_file_says_what_tells_it_from_others(tmp_path: Path) -> None:
    file = kept_in(tmp_path, begins_anew=True).file
    assert (file.path, file.begins_anew) == (tmp_path / TRAINING, True)
    assert file.made_with == {
        "train": 12,
        "options": {"seed": 1},
        "network": {"width": 8},
        "embedder": "fake",
    }


def test_a_checkpoint_keeps_its_curve_and_what_it_learned(tmp_path: Path) -> None:
    made = kept_in(tmp_path).save(
        {"w": torch.ones(2)}, EPOCHS, {"test": {"n": 4}}, {"learned": ["a", "b"]}
    )
    written = json.loads((tmp_path / DESCRIPTION).read_text())
    assert written.pop("weights_digest")
    assert (
        written.pop("versions").items()
        >= {"dynagrag": version("dynagrag"), "torch": torch.__version__.partition("+")[0]}.items()
    )
    assert written == {
        "format": 1,
        "kind": "pruner",
        "network": {"width": 8},
        "embedder": "fake",
        "dimension": 3,
        "made_with": {"train": 12, "options": {"seed": 1}, "learned": ["a", "b"]},
        "figures": {
            "epochs": [
                {"number": 0, "loss": None, "validation": 0.9, "seconds": 0.5},
                {"number": 1, "loss": 0.7, "validation": 0.4, "seconds": 2.0},
                {"number": 2, "loss": 0.6, "validation": 0.5, "seconds": 2.0},
                {"number": 3, "loss": 0.5, "validation": 0.5, "seconds": 2.0},
            ],
            "best_epoch": 2,
            "test": {"n": 4},
        },
    }
    read, weights = load_checkpoint(tmp_path, "pruner")
    assert read.made_with == made.made_with
    assert weights["w"].tolist() == [1, 1]
