"""Checkpoints: weights that hold no code, and what they fit."""

import errno
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from dynagrag.checkpoints import checkpoints
from dynagrag.checkpoints.checkpoints import (
    DESCRIPTION,
    TRAINING,
    Checkpoint,
    TrainingError,
    check_out_folder,
    digest_of,
    hold_folder,
    load_checkpoint,
    save_checkpoint,
    write_training,
)
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.schema import EmbedderIdentity

pytestmark = pytest.mark.slow

CHECKPOINT = Checkpoint(
    kind="pruner",
    network={"dimension": 4},
    embedder="minilm",
    dimension=4,
    made_with={"seed": 0},
    figures={},
    versions={},
)


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    weights = {"a": torch.arange(4.0), "b": torch.ones(2, 2)}
    save_checkpoint(tmp_path / "c", CHECKPOINT, weights)
    checkpoint, found = load_checkpoint(tmp_path / "c", "pruner")
    assert checkpoint.model_copy(update={"weights_digest": None}) == CHECKPOINT
    assert checkpoint.weights_digest == digest_of(tmp_path / "c")
    assert all(torch.equal(found[name], weights[name]) for name in weights)
    assert ((tmp_path / "c" / "model.safetensors").stat().st_mode & 0o077) == 0


def test_weights_of_another_training_are_refused_and_those_of_an_older_version_are_not_told_apart(
    tmp_path: Path,
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    save_checkpoint(one, CHECKPOINT, {"a": torch.zeros(4)})
    save_checkpoint(other, CHECKPOINT, {"a": torch.ones(4)})
    (one / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(
        LoadError,
        match=(
            rf"{one}/model\.safetensors isn't what model\.json was written with; put back the two"
            r" files"
        ),
    ):
        load_checkpoint(one, "pruner")
    (one / "model.json").write_text(CHECKPOINT.model_dump_json(exclude={"weights_digest"}))
    assert load_checkpoint(one, "pruner")[0] == CHECKPOINT


def test_what_tells_a_checkpoint_from_others_is_the_same_where_an_older_version_wrote_it(
    tmp_path: Path,
) -> None:
    save_checkpoint(tmp_path, CHECKPOINT, {"a": torch.zeros(4)})
    assert load_checkpoint(tmp_path, "pruner")[0].identity(tmp_path) == CHECKPOINT.identity(
        tmp_path
    )


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
    (folder / "model.json").write_text(
        CHECKPOINT.model_copy(update={"kind": "soft prompt"}).model_dump_json()
    )
    with pytest.raises(
        LoadError,
        match="of the kind 'soft prompt': this version doesn't know it; here a pruner is wanted",
    ):
        load_checkpoint(folder, "pruner")
    (folder / "model.json").write_text(
        CHECKPOINT.model_copy(update={"format": 2}).model_dump_json()
    )
    with pytest.raises(LoadError, match="is of format 2, and this version reads 1; train it again"):
        load_checkpoint(folder, "pruner")
    (folder / "model.json").write_text("{")
    with pytest.raises(LoadError, match="cannot be read"):
        load_checkpoint(folder, "pruner")


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        (
            "soft-prompt",
            "soft-answers",
            (
                "holds a soft prompt that was trained on a set: measure it by `evaluate graphqa"
                " --checkpoint`; here a soft prompt that was trained on a workspace is wanted,"
                " which `train METHOD --workspace` makes"
            ),
        ),
        (
            "soft-answers",
            "soft-prompt",
            (
                "holds a soft prompt that was trained on a workspace: answer with it by `ask"
                " --soft`; here a soft prompt that was trained on a set is wanted, which `train"
                " METHOD --dataset` makes"
            ),
        ),
        (
            "soft-answers",
            "pruner",
            (
                "answer with it by `ask --soft`; here a pruner is wanted, which `dynagrag train"
                " pruner` makes"
            ),
        ),
    ],
)
def test_a_checkpoint_of_another_kind_says_what_to_do_with_it(
    tmp_path: Path, found: str, wanted: str, said: str
) -> None:
    (tmp_path / "model.json").write_text(
        CHECKPOINT.model_copy(update={"kind": found}).model_dump_json()
    )
    with pytest.raises(LoadError, match=re.escape(said)):
        load_checkpoint(tmp_path, wanted)


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
    write_training(folder / TRAINING, {"a": torch.ones(1)}, {"made_by": "another program"})
    with pytest.raises(UsageError, match="something else"):
        check_out_folder(folder)
    with pytest.raises(UsageError, match="is a file; name a new folder with --out"):
        check_out_folder(folder / "notes.txt")


def test_a_folder_of_a_training_or_a_checkpoint_is_taken_again(tmp_path: Path) -> None:
    training, checkpoint, killed = tmp_path / "t", tmp_path / "c", tmp_path / "k"
    write_training(training / TRAINING, {"a": torch.ones(1)}, {"made_with": "{}", "epochs": "[]"})
    save_checkpoint(checkpoint, CHECKPOINT, {})
    killed.mkdir()
    (killed / f"{TRAINING}.part").write_bytes(b"half")
    (killed / f"{DESCRIPTION}.123.part").write_bytes(b"half")
    for folder in (training, checkpoint, killed):
        check_out_folder(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "model.json", "training.safetensors"])
def test_a_folder_where_a_file_is_to_be_written_is_refused_before_and_after_a_training(
    tmp_path: Path, name: str
) -> None:
    save_checkpoint(tmp_path, CHECKPOINT, {"a": torch.zeros(4)})
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name).mkdir()
    for write in (
        check_out_folder,
        lambda folder: save_checkpoint(folder, CHECKPOINT, {"a": torch.ones(4)}),
    ):
        with pytest.raises(
            UsageError,
            match=(
                rf"{name} is a folder, where a file is to be written; delete it, or name another"
                r" folder"
            ),
        ):
            write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != name} == {
        other: data for other, data in kept.items() if other != name
    }


def test_a_training_that_was_changed_is_told_with_a_remedy(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"a": torch.ones(1)}, tmp_path / TRAINING, {"made_with": "{}", "epochs": "[]"})
    with pytest.raises(
        LoadError,
        match=(
            r"was changed after it was written, or an older version wrote it.*; delete it, or name"
            r" another"
        ),
    ):
        check_out_folder(tmp_path)
    check_out_folder(tmp_path, begins_anew=True)


def test_a_damaged_training_is_told_with_a_remedy_and_dropped_where_training_begins_anew(
    tmp_path: Path,
) -> None:
    (tmp_path / TRAINING).write_bytes(b"cut")
    with pytest.raises(
        LoadError,
        match=r"no whole safetensors file.*; delete it, or name another folder with --out",
    ):
        check_out_folder(tmp_path)
    check_out_folder(tmp_path, begins_anew=True)


@contextmanager
def room_for(num_bytes: int) -> Iterator[None]:
    """No file may grow beyond this, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_checkpoint_that_was_there(tmp_path: Path) -> None:
    weights = {"a": torch.zeros(1000)}
    save_checkpoint(tmp_path, CHECKPOINT, weights)
    with room_for(2000), pytest.raises(TrainingError, match=r"can't be written to.*make room"):
        save_checkpoint(
            tmp_path,
            CHECKPOINT.model_copy(update={"made_with": {"seed": 1}}),
            {"a": torch.ones(1000)},
        )
    checkpoint, found = load_checkpoint(tmp_path, "pruner")
    assert checkpoint.made_with == {"seed": 0}
    assert torch.equal(found["a"], weights["a"])
    assert {path.name for path in tmp_path.iterdir()} == {
        "model.safetensors",
        "model.json",
    }, "no part is left"


def test_what_is_stopped_between_weights_and_description_leaves_no_older_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(tmp_path, CHECKPOINT, {"a": torch.zeros(4)})

    def stopped(parts: Mapping[Path, Path]) -> None:
        path, part = next(iter(parts.items()))
        part.replace(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "replace_by_parts", stopped)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(tmp_path, CHECKPOINT, {"a": torch.ones(4)})
    with pytest.raises(LoadError, match=r"holds no model\.json, so its training did not end"):
        load_checkpoint(tmp_path, "pruner")


def test_a_folder_takes_one_training_at_a_time_and_says_whose(tmp_path: Path) -> None:
    folder = tmp_path / "pruner"
    with hold_folder(folder):
        check_out_folder(folder)
        with (
            pytest.raises(UsageError, match=rf"at work in {folder} \(process {os.getpid()}\)"),
            hold_folder(folder),
        ):
            pass
    with hold_folder(folder):
        pass


KILLED = """
import os, signal, sys
from pathlib import Path
from dynagrag.checkpoints.checkpoints import hold_folder
folder = Path(sys.argv[1])
with hold_folder(folder):
    (folder / f"training.safetensors.{os.getpid()}.part").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_training_that_was_killed_holds_its_folder_no_more(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], env=os.environ, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("*.part"))) == 1
    check_out_folder(tmp_path)
    with hold_folder(tmp_path):
        assert not list(tmp_path.glob("*.part")), "what was half written is gone"


def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine", encoding="utf-8")
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "training.lock").symlink_to(precious)
    with pytest.raises(UsageError, match="is a link; delete it"), hold_folder(folder):
        raise AssertionError("it was held")
    assert precious.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_can_not_be_written_to_is_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as locked:
        locked.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(
            UsageError,
            match=rf"nothing can be written in {tmp_path}; name another folder with --out",
        ):
            check_out_folder(tmp_path / "new" / "own")

    def refuse(path: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(checkpoints, "make_folder", refuse)
    for write in (
        lambda: hold_folder(tmp_path / "own").__enter__(),
        lambda: save_checkpoint(tmp_path / "own", CHECKPOINT, {}),
    ):
        with pytest.raises(
            UsageError,
            match=r"own can't be made \(Read-only file system\); name another folder with --out",
        ):
            write()
