"""The files that visitors bring: each is kept in its workspace's `uploads` folder under a name that can lead nowhere else, and read from
there. What can't be read is not kept.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from dynagrag.errors import LoadError
from dynagrag.files.private_files import make_folder
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.ingest.load import load_source
from dynagrag.schema import LoadedSource
from dynagrag.settings import Settings
from dynagrag.ui.safe_name import safe_name

MAX_BYTES = 200_000_000
"""What the loaders read at most; the page's own limit (server.maxUploadSize) is 200 MiB."""
_FOLDER = "uploads"
_BLOCK = 1 << 20
_PARTIAL = ".partial-"


def folder_of(settings: Settings, workspace: str) -> Path:
    """Where a workspace's uploads lie; it need not be there yet. WorkspaceError where a workspace can't be called so."""
    check_workspace_name(workspace)
    return settings.workspaces_dir / workspace / _FOLDER


def text_name(title: str) -> str:
    """The name under which pasted text is kept; its title is the document's."""
    return safe_name(f"{' '.join(title.replace('/', '-').split())}.txt")


def keep(folder: Path, name: str, content: IO[bytes]) -> tuple[LoadedSource, str]:
    """Keeps a file if it can be read: how it was read, and what is to be said of it ("": it is new). A refused one leaves nothing.

    A file of the same name is replaced; the same content under another name is not kept twice.
    """
    try:
        target = folder / safe_name(name)
    except LoadError as err:
        return LoadedSource(name, None, refused=str(err)), ""
    make_folder(folder)
    with NamedTemporaryFile(dir=folder, prefix=_PARTIAL, suffix=target.suffix, delete=False) as file:
        partial = Path(file.name)
        size = _copy(content, file)
    try:
        if size > MAX_BYTES:
            return LoadedSource(name, None, refused=f"is larger than {MAX_BYTES // 1_000_000} MB; split it into smaller files"), ""
        source = load_source(partial)
        if source.refused is not None:
            return replace(source, path=name, title=target.stem), ""
        title = target.stem if source.title == partial.stem else source.title
        same = _same_content(folder, source.sha256, but=partial)
        if same is not None and same != target:
            return replace(source, path=str(same), title=title), f"has the same content as {same.name}, which is here already"
        said = _said_of(target, same)
        os.replace(partial, target)
        return replace(source, path=str(target), title=title), said
    finally:
        partial.unlink(missing_ok=True)


def _said_of(target: Path, same: Path | None) -> str:
    if same == target:
        return "was here already, unchanged"
    return "takes the place of the file of this name" if target.exists() else ""


def _copy(content: IO[bytes], file: IO[bytes]) -> int:
    """Stops once it is too large."""
    size = 0
    while size <= MAX_BYTES and (block := content.read(_BLOCK)):
        size += file.write(block)
    return size


def _same_content(folder: Path, sha256: str, but: Path) -> Path | None:
    size = but.stat().st_size
    others = (path for path in kept_files(folder) if path != but and path.stat().st_size == size)
    return next((path for path in others if sha256_of(path) == sha256), None)


def sha256_of(path: Path) -> str:
    """Of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def kept_files(folder: Path) -> list[Path]:
    """All that lie there, sorted."""
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")) if folder.is_dir() else []


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
    """A path as a person writes it: without quotation marks round it, and with `~` for the home folder."""
    return os.path.expanduser(name.strip().strip("\"'"))
