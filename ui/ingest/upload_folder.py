"""The files that visitors bring: each is kept in its workspace's `uploads` folder under a name that
can lead nowhere else, and read from there. What can't be read is not kept.
"""

import hashlib
import logging
import os
import time
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path, PurePath
from typing import IO
from uuid import uuid4

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import make_folder, private
from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source
from dynagrag.ui.background import not_written
from dynagrag.ui.safe_name import safe_name
from dynagrag.workspace.workspace_folder import workspace_folder

_LOG = logging.getLogger(__name__)
MAX_BYTES = 200_000_000
"""The loaders' limit; the page's own (server.maxUploadSize) is 200 MiB."""
_FOLDER = "uploads"
_BLOCK = 1 << 20
_PARTIAL = ".partial-"
_UNDER_WAY_S = 3600.0


def folder_of(settings: Settings, workspace: str) -> Path:
    """Where a workspace's uploads lie, as `workspace_folder` has it."""
    return workspace_folder(settings, workspace, _FOLDER)


def text_name(title: str) -> str:
    """The name under which pasted text is kept; its title is the document's."""
    return safe_name(f"{' '.join(title.replace('/', '-').split())}.txt")


@dataclass(frozen=True, slots=True)
class Kept:
    """An uploaded file as it was read. `note`: a remark for the visitor; `replaced`: the file whose
    place it took; `is_unread`: it could not be written, and may be once there is space.
    """

    source: LoadedSource
    note: str = ""
    replaced: str = ""
    is_unread: bool = False


def keep(folder: Path, name: str, content: IO[bytes], taken: Collection[str] = ()) -> Kept:
    """Keeps a file if it can be read; a refused one leaves nothing.

    A file of the same name is replaced, but not one that came with it (`taken`: the paths of
    those); the same content under another name is not kept twice.
    """
    try:
        target = folder / safe_name(name)
    except LoadError as err:
        return Kept(LoadedSource(name, None, refused=str(err)))
    try:
        return _kept(folder, name, target, content, taken)
    except OSError as err:
        _LOG.warning("an upload was not kept: %s", err)
        return Kept(LoadedSource(name, None, refused=not_written(err)), is_unread=True)


def _kept(
    folder: Path, name: str, target: Path, content: IO[bytes], taken: Collection[str]
) -> Kept:
    make_folder(folder)
    partial = folder / f"{_PARTIAL}{uuid4().hex}{target.suffix}"
    try:
        with open(partial, "xb", opener=private) as file:
            size = _copy(content, file)
        if size > MAX_BYTES:
            return Kept(
                LoadedSource(
                    name,
                    None,
                    refused=(
                        f"is larger than {MAX_BYTES // 1_000_000} MB; split it into smaller files"
                    ),
                )
            )
        source = load_source(partial)
        if source.refused is not None:
            return Kept(replace(source, path=name, title=target.stem))
        others = (p for p in kept_files(folder) if p != partial and p.stat().st_size == size)
        same = next((path for path in others if sha256_of(path) == source.sha256), None)
        target = target if same == target or str(target) not in taken else _numbered(target)
        title = target.stem if source.title == partial.stem else source.title
        if same is not None and same != target:
            return Kept(
                replace(source, path=str(same), title=title),
                f"has the same content as {same.name}, which is here already",
            )
        note = ""
        if same == target:
            note = "was here already, unchanged"
        elif target.name != PurePath(name).name:
            note = f"is kept as {target.name}"
        replaced = target.name if same is None and target.exists() else ""
        os.replace(partial, target)
        return Kept(replace(source, path=str(target), title=title), note, replaced)
    finally:
        partial.unlink(missing_ok=True)


def _numbered(target: Path) -> Path:
    """The first name of its kind that no file here has."""
    names = (target.with_name(f"{target.stem}-{number}{target.suffix}") for number in count(2))
    return next(path for path in names if not path.exists())


def sweep(folder: Path) -> None:
    """Removes what was left of uploads whose process was killed; one that was written to within the
    hour may be under way.
    """
    for path in folder.glob(f"{_PARTIAL}*"):
        with suppress(FileNotFoundError):  # it has just ended
            if time.time() - path.stat().st_mtime > _UNDER_WAY_S:
                path.unlink()


def sha256_of(path: Path) -> str:
    """Of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(content: IO[bytes], file: IO[bytes]) -> int:
    """Stops once it is too large."""
    size = 0
    while size <= MAX_BYTES and (block := content.read(_BLOCK)):
        size += file.write(block)
    return size


def kept_files(folder: Path) -> list[Path]:
    """All that lie there, sorted."""
    return (
        sorted(
            path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
        )
        if folder.is_dir()
        else []
    )


def not_ingested(folder: Path, stored: Iterable[str]) -> list[Path]:
    """The kept files whose content is no document; `stored`: the documents' sha256."""
    known = set(stored)
    return [path for path in kept_files(folder) if sha256_of(path) not in known]


def discard(folder: Path, path: str | Path) -> None:
    """Removes a kept file; a path elsewhere is left alone."""
    path = Path(path)
    if path.parent.resolve() == folder.resolve():
        path.unlink(missing_ok=True)


def expanded(name: str) -> str:
    """A path as a person writes it: without quotation marks round it, and with `~` for the home
    folder.
    """
    return os.path.expanduser(name.strip().strip("\"'"))
