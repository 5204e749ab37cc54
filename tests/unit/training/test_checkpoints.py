"""Checkpoints: weights that hold no code, and what they fit."""

import pickle
from pathlib import Path

import pytest
import torch

from dynagrag.errors import LoadError, UsageError
from dynagrag.schema import EmbedderIdentity
from dynagrag.training.checkpoints import (
    DESCRIPTION,
    TRAINING,
    Checkpoint,
    check_out_folder,
    load_checkpoint,
    save_checkpoint,
    write_tensors,
)

CHECKPOINT = Checkpoint(
    kind="pruner", network={"dimension": 4}, embedder="minilm", dimension=4, made_with={"seed": 0}, figures={}, versions={}
)


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    weights = {"a": torch.arange(4.0), "b": torch.ones(2, 2)}
    save_checkpoint(tmp_path / "c", CHECKPOINT, weights)
    checkpoint, found = load_checkpoint(tmp_path / "c", "pruner")
    assert checkpoint == CHECKPOINT
    assert all(torch.equal(found[name], weights[name]) for name in weights)
    assert ((tmp_path / "c" / "model.safetensors").stat().st_mode & 0o077) == 0


def test_vectors_of_another_embedder_or_width_are_refused(tmp_path: Path) -> None:
    CHECKPOINT.check_fits(EmbedderIdentity("minilm", 4), tmp_path)
    for name, dimension in (("other", 4), ("minilm", 8)):
        with pytest.raises(UsageError, match="train it again"):
            CHECKPOINT.check_fits(EmbedderIdentity(name, dimension), tmp_path)


def test_what_is_no_checkpoint_is_refused_and_a_pickle_is_not_opened(tmp_path: Path) -> None:
    class Boom:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (exec, ("raise SystemExit('it ran')",))

    folder = tmp_path / "c"
    with pytest.raises(LoadError, match="no folder of a checkpoint"):
        load_checkpoint(folder, "pruner")
    folder.mkdir()
    (folder / "model.pt").write_bytes(pickle.dumps(Boom()))
    with pytest.raises(LoadError, match=r"model\.pt may be a pickle"):
        load_checkpoint(folder, "pruner")
    (folder / "model.safetensors").write_bytes(pickle.dumps(Boom()))
    (folder / "model.json").write_text(CHECKPOINT.model_dump_json())
    with pytest.raises(LoadError, match="no whole safetensors file"):
        load_checkpoint(folder, "pruner")
    (folder / "model.json").write_text(CHECKPOINT.model_copy(update={"kind": "soft prompt"}).model_dump_json())
    with pytest.raises(LoadError, match="a pruner of format 1 is wanted"):
        load_checkpoint(folder, "pruner")
    (folder / "model.json").write_text("{")
    with pytest.raises(LoadError, match="cannot be read"):
        load_checkpoint(folder, "pruner")


def test_a_folder_of_something_else_is_no_place_for_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    check_out_folder(folder)
    folder.mkdir()
    check_out_folder(folder)
    (folder / "notes.txt").write_text("mine")
    for content in ("{", '{"kind": "somebody else\'s"}'):
        with pytest.raises(UsageError, match="something else; name a new folder with --out"):
            check_out_folder(folder)
        (folder / "model.json").write_text(content)
    write_tensors(folder / TRAINING, {"a": torch.ones(1)}, {"made_by": "another program"})
    with pytest.raises(UsageError, match="something else"):
        check_out_folder(folder)
    with pytest.raises(UsageError, match="is a file; name a new folder with --out"):
        check_out_folder(folder / "notes.txt")


def test_a_folder_of_a_training_or_a_checkpoint_is_taken_again(tmp_path: Path) -> None:
    training, checkpoint, killed = tmp_path / "t", tmp_path / "c", tmp_path / "k"
    write_tensors(training / TRAINING, {"a": torch.ones(1)}, {"made_with": "{}", "epochs": "[]"})
    save_checkpoint(checkpoint, CHECKPOINT, {})
    killed.mkdir()
    (killed / f"{TRAINING}.part").write_bytes(b"half")
    (killed / f"{DESCRIPTION}.123.part").write_bytes(b"half")
    for folder in (training, checkpoint, killed):
        check_out_folder(folder)
