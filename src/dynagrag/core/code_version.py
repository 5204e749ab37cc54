"""A hash of code: what was made by it is made anew by any other, and nobody counts up a number."""

import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from dynagrag.core.ids import content_id


@cache
def code_version(code: tuple[ModuleType, ...], libraries: tuple[str, ...]) -> str:
    """Of packages and modules, of libraries' versions and Python's; "" where the code can't be read
    as files: then nothing is known to be as before.
    """
    digest = hashlib.sha256()
    try:
        for file in code_files(code):
            data = file.read_bytes()
            digest.update(f"{file.name} {len(data)}\n".encode() + data)
    except OSError:
        return ""
    versions = [platform.python_version(), *map(_version_of, libraries)]
    return content_id(digest.hexdigest(), *versions)


def code_files(code: Iterable[ModuleType]) -> Iterator[Path]:
    """The files of packages and modules, in order."""
    for module in code:
        file = Path(module.__file__ or "")
        if file.name == "__init__.py":
            yield from sorted(p for p in file.parent.rglob("*") if p.suffix in {".py", ".tsv"})
        else:
            yield file


def _version_of(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
