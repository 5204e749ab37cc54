"""Arrays and texts that one process leaves for the next, in a file of safetensors: what can be made
again, so a file that can't be used is none, and one that can't be written is told in the log alone.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.files.private_files import make_folder, replace_whole

_LOG = logging.getLogger(__name__)
Arrays = Mapping[str, NDArray[Any]]
_ENDS = ".ends"


@dataclass(frozen=True, slots=True)
class KeptArrays:
    """The files of one folder. `keeping`: in its context they may be written where it yields True;
    else nothing is kept, since what they would tell has gone meanwhile.
    """

    folder: Path
    keeping: Callable[[], AbstractContextManager[bool]]

    def load(self, name: str, stamp: str) -> dict[str, NDArray[Any]] | None:
        """The arrays that were kept under this name and stamp; None where there are none. An empty
        stamp is of nothing.
        """
        return load_arrays(self.folder / name, stamp) if stamp else None

    def keep(self, name: str, stamp: str, arrays: Arrays) -> None:
        """Replaces what was kept under this name."""
        with self.keeping() as may_keep:
            if may_keep and stamp:
                keep_arrays(self.folder / name, stamp, arrays)


def load_arrays(path: Path, stamp: str) -> dict[str, NDArray[Any]] | None:
    """The arrays that were kept under this stamp; None where there are none, or they are
    damaged.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            told = file.metadata() or {}
            if told.get("stamp") != stamp:
                return None
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if told.get("checksum") != _checksum(arrays):
            raise ValueError("the checksum does not fit")
    except (OSError, ValueError, SafetensorError) as err:
        _LOG.warning("%s can't be used (%s); it is made again", path, err)
        return None
    return arrays


def keep_arrays(path: Path, stamp: str, arrays: Arrays) -> None:
    """Replaces the file whole; it is the user's alone."""
    from safetensors.numpy import save

    data = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        make_folder(path.parent)
        replace_whole(path, save(data, {"stamp": stamp, "checksum": _checksum(data)}))
    except OSError as err:
        _LOG.warning("%s can't be written (%s); it is made again next time", path, err)


def texts_as_arrays(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Two arrays that hold texts, of this name and one of its kin."""
    coded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(code) for code in coded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(coded), dtype=np.uint8), name + _ENDS: ends}


def texts_of_arrays(name: str, arrays: Arrays) -> tuple[str, ...]:
    """The texts that they hold. Raises KeyError where they are not there."""
    data, ends = arrays[name].tobytes(), arrays[name + _ENDS].tolist()
    starts = [0, *ends]
    return tuple(
        data[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts, ends, strict=False)
    )


def _checksum(arrays: Arrays) -> str:
    made = blake2b(digest_size=16)
    for name in sorted(arrays):
        made.update(name.encode())
        made.update(np.ascontiguousarray(arrays[name]).tobytes())
    return made.hexdigest()
