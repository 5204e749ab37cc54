"""Checkpoints: weights as safetensors, which can hold no code, beside a JSON file that says what
they are and what they fit.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from dynagrag.core.errors import DynaGragError, LoadError, UsageError
from dynagrag.core.files.private_files import (
    PART,
    make_folder,
    private,
    replace_by_parts,
    replace_bytes,
    write_part,
)
from dynagrag.core.ids import content_id
from dynagrag.core.schema import EmbedderIdentity

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = 1
WEIGHTS, DESCRIPTION, TRAINING = "model.safetensors", "model.json", "training.safetensors"
_TRAININGS = "training*.safetensors"
LOCK = "training.lock"
PICKLES = (".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt")
TRAINING_NOTES = ("made_with", "epochs")
_DIGEST = "digest"
"""Of a training's file: a note with a hash of all else in it."""
_KINDS = {
    "pruner": ("a pruner", "give it to --pruner", "`dynagrag train pruner`"),
    "soft-prompt": (
        "a soft prompt that was trained on a set",
        "measure it by `evaluate graphqa --checkpoint`",
        "`train METHOD --dataset`",
    ),
    "soft-answers": (
        "a soft prompt that was trained on a workspace",
        "answer with it by `ask --soft`",
        "`train METHOD --workspace`",
    ),
}
"""The kinds of checkpoints: their names for people, their use, and the command that makes one."""
Tensors = dict[str, "Tensor"]
Stamp = tuple[tuple[int, int, int], ...]


class TrainingError(DynaGragError):
    """Training can't go on: its loss is no number, a single example doesn't fit into memory, or the
    disk is full.
    """


class Checkpoint(BaseModel):
    """A description of weights. `kind`: their purpose; `network`: its options; `embedder` and
    `dimension`: the vectors that it reads; `made_with`: data with hashes, seed and training
    options; `figures`: what was measured as it was made. `weights_digest`: of the weights that it
    was written with, None where an older version wrote it.
    """

    model_config = ConfigDict(frozen=True)

    format: int = FORMAT
    kind: str
    network: dict[str, Any]
    embedder: str
    dimension: int
    made_with: dict[str, Any]
    figures: dict[str, Any]
    versions: dict[str, str]
    weights_digest: str | None = None

    def check_fits(self, embedder: EmbedderIdentity, folder: Path) -> None:
        """Raises UsageError where it was trained on vectors of another embedder."""
        if (self.embedder, self.dimension) != (embedder.name, embedder.dimension):
            raise UsageError(
                f"{folder} was trained on vectors of {self.embedder} ({self.dimension} numbers);"
                f" these are of {embedder.name} ({embedder.dimension}): train it again"
            )

    def identity(self, folder: Path) -> str:
        """Its identity: a digest of its description and of the weights in its folder. LoadError
        where there are none.
        """
        return content_id(self.model_dump_json(exclude={"weights_digest"}), digest_of(folder))


def check_out_folder(folder: Path, begins_anew: bool = False) -> None:
    """Raises UsageError for a file, where nothing can be written, for a folder that holds files but
    neither a training nor a checkpoint, and for one in which a folder has the name of a file that
    is to be written; LoadError for a damaged training, unless it `begins_anew`.
    """
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if there.is_dir() and not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"nothing can be written in {there}; name another folder with --out")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a new folder with --out")
    _check_names(folder)
    is_empty = all(path.name == LOCK or _is_part(path) for path in folder.iterdir())
    if not (
        is_empty
        or _is_checkpoint(folder / DESCRIPTION)
        or any(_is_training(path, begins_anew) for path in sorted(folder.glob(_TRAININGS)))
    ):
        raise UsageError(
            f"{folder} holds something else; name a new folder with --out, or one in which a"
            " training was begun"
        )


def _make(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as err:
        raise UsageError(
            f"{folder} can't be made ({err.strerror or err}); name another folder with --out"
        ) from err


def _check_names(folder: Path) -> None:
    for path in (folder / name for name in (WEIGHTS, DESCRIPTION, TRAINING)):
        if path.is_dir():
            raise UsageError(
                f"{path} is a folder, where a file is to be written; delete it, or name another"
                " folder with --out"
            )


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """The right to train into a folder, which is made where it is missing. What a killed training
    left half written is deleted.

    The system lets the right go however a process ends. Raises UsageError where another training
    has it.
    """
    _make(folder)
    if (folder / LOCK).is_symlink():  # what it leads to would be overwritten
        raise UsageError(f"{folder / LOCK} is a link; delete it, or name another folder with --out")
    with open(folder / LOCK, "a+", encoding="utf-8", opener=private) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            handle.seek(0)
            raise UsageError(
                f"another training is at work in {folder} (process"
                f" {handle.read().strip() or 'unknown'}); wait until it is done, or choose another"
                " folder with --out"
            ) from err
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        for path in filter(_is_part, folder.iterdir()):
            path.unlink()
        yield


def fold_file(folder: Path, number: int) -> Path:
    """Where the training of a fold (from 1) is kept, beside that of what is trained on all of
    them.
    """
    return folder / TRAINING.replace(".", f"-{number}.")


def _is_part(path: Path) -> bool:
    names = (WEIGHTS, DESCRIPTION, _TRAININGS)
    return path.suffix == PART and any(fnmatch(path.name, f"{name}*") for name in names)


def _is_checkpoint(path: Path) -> bool:
    try:
        Checkpoint.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _is_training(path: Path, begins_anew: bool) -> bool:
    if not path.is_file():
        return False
    try:
        return set(TRAINING_NOTES) <= read_training(path)[1].keys()
    except LoadError as err:
        if begins_anew:
            return True
        raise LoadError(f"{err}; delete it, or name another folder with --out") from err


def save_checkpoint(folder: Path, checkpoint: Checkpoint, weights: "Mapping[str, Tensor]") -> None:
    """Writes weights and description into a folder, the description last: with it the checkpoint is
    whole. TrainingError where there is no room, UsageError where a folder has the name of a file;
    what was there before stays then.
    """
    _make(folder)
    _check_names(folder)
    data = _bytes_of(dict(weights), {})
    described = checkpoint.model_copy(update={"weights_digest": hashlib.sha256(data).hexdigest()})
    contents = {WEIGHTS: data, DESCRIPTION: described.model_dump_json(indent=1).encode()}
    with _writing(folder):
        parts = {folder / name: write_part(folder / name, data) for name, data in contents.items()}
        (folder / DESCRIPTION).unlink(missing_ok=True)
        replace_by_parts(parts)


def load_checkpoint(folder: Path, kind: str) -> tuple[Checkpoint, Tensors]:
    """A checkpoint of this kind. Raises LoadError for what is none, of another kind or format,
    damaged, or put together of two trainings', and for weights that are no floats or no numbers.
    Nothing of it is run.
    """
    checkpoint, weights = read_description(folder, kind), read_tensors(folder / WEIGHTS)[0]
    if checkpoint.weights_digest not in (None, digest_of(folder)):
        raise LoadError(
            f"{folder / WEIGHTS} isn't what {DESCRIPTION} was written with; put back the two files"
            " of one training, or train it again"
        )
    if wrong := [str(value.dtype) for value in weights.values() if not value.is_floating_point()]:
        raise LoadError(
            f"weights in {folder} are of {wrong[0]}, and only floats are read; train it again"
        )
    if not all(value.float().isfinite().all() for value in weights.values()):
        raise LoadError(f"weights in {folder} are no numbers; train it again")
    return checkpoint, weights


def read_description(folder: Path, kind: str) -> Checkpoint:
    """A checkpoint without its weights. Errors as in `load_checkpoint`."""
    if folder.suffix in PICKLES:
        raise LoadError(
            f"{folder} is a pickle, which could run code, and was not opened; name the folder that"
            " `dynagrag train` wrote"
        )
    if not folder.is_dir():
        raise LoadError(
            f"{folder} is no folder of a checkpoint; name the folder that `dynagrag train` wrote"
        )
    path = folder / DESCRIPTION
    if not path.is_file():
        others = sorted(p.name for p in folder.iterdir() if p.suffix in PICKLES)
        why = (
            f"; {others[0]} may be a pickle, which could run code, and was not opened"
            if others
            else ""
        )
        raise LoadError(
            f"{folder} holds no {DESCRIPTION}, so its training did not end or it is no"
            f" checkpoint{why}"
        )
    try:
        checkpoint = Checkpoint.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, ValidationError) as err:
        raise LoadError(
            f"{path} cannot be read: {str(err).splitlines()[0]}; train it again"
        ) from err
    if checkpoint.format != FORMAT:
        raise LoadError(
            f"{path} is of format {checkpoint.format}, and this version reads {FORMAT}; train it"
            " again"
        )
    if checkpoint.kind != kind:
        what, use, _ = _KINDS.get(
            checkpoint.kind,
            (f"a checkpoint of the kind {checkpoint.kind!r}", "this version doesn't know it", ""),
        )
        asked_for, _, made_by = _KINDS[kind]
        raise LoadError(
            f"{folder} holds {what}: {use}; here {asked_for} is wanted, which {made_by} makes"
        )
    return checkpoint


def digest_of(folder: Path) -> str:
    """A hash of a checkpoint's weights. LoadError where they aren't there."""
    path = folder / WEIGHTS
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as err:
        raise LoadError(f"{path} cannot be read: {err.strerror or err}; train it again") from err


def stamp_of(folder: Path) -> Stamp:
    """Changes when a checkpoint is written anew; empty where files are missing."""
    try:
        found = [(folder / name).stat() for name in (DESCRIPTION, WEIGHTS)]
    except OSError:
        return ()
    return tuple((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in found)


def write_training(path: Path, tensors: Tensors, notes: Mapping[str, str]) -> None:
    """Writes tensors and notes into one file, whole or not at all. TrainingError where there is no
    room; the file stays as it was then.
    """
    make_folder(path.parent)
    data = _bytes_of(tensors, {**notes, _DIGEST: _digest(tensors, notes)})
    with _writing(path.parent):
        replace_bytes(path, data)


def _bytes_of(tensors: Tensors, notes: Mapping[str, str]) -> bytes:
    from safetensors.torch import save

    return save(
        {name: value.detach().cpu().contiguous() for name, value in tensors.items()}, dict(notes)
    )


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise TrainingError(
            f"{folder} can't be written to ({err.strerror or err}); make room, and run the same"
            " command again: it goes on where it was last kept"
        ) from err


def read_training(path: Path) -> tuple[Tensors, dict[str, str]]:
    """The tensors and notes that `write_training` wrote, or those of another program. LoadError
    where the file is none of safetensors, and where a training's isn't as it was written.
    """
    tensors, notes = read_tensors(path)
    if notes.pop(_DIGEST, None) != _digest(tensors, notes) and set(TRAINING_NOTES) <= notes.keys():
        raise LoadError(
            f"{path} was changed after it was written, or an older version wrote it, so it can't be"
            " gone on with"
        )
    return tensors, notes


def _digest(tensors: Tensors, notes: Mapping[str, str]) -> str:
    return hashlib.sha256(
        _bytes_of(tensors, {}) + json.dumps(dict(notes), sort_keys=True).encode()
    ).hexdigest()


def read_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Tensors and notes of a file. LoadError where it is none of safetensors."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return tensors, dict(file.metadata() or {})
    except (OSError, SafetensorError, json.JSONDecodeError) as err:
        raise LoadError(f"{path} is no whole safetensors file, and was not used: {err}") from err
