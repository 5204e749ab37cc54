"""Which files a command means: files, folders and patterns in, a list of files without doubles
out.
"""

import glob
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.encoding import binary_kind

logger = logging.getLogger(__name__)


def find_sources(paths: Sequence[str | Path]) -> list[Path]:
    """The files that paths, folders and glob patterns name, in the order given, sorted inside a
    folder or pattern.

    Folders are searched to any depth; hidden files and folders in them are left out, links are
    followed once. A file that is named twice, also through a link, comes once.

    Raises:
        LoadError: A path that is not there, a pattern without a match, or a folder in which nothing
        can be read.
    """
    found: dict[str, Path] = {}
    for given in paths:
        for path in _expand(str(given)):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _expand(given: str) -> Iterator[Path]:
    path = Path(given)
    if not given.strip() or "\0" in given:
        raise LoadError(
            f"{given!r} is no path; give a file, a folder or a pattern such as 'talks/*.vtt'"
        )
    if os.path.lexists(path):
        yield from _folder(path) if path.is_dir() else [path]
        return
    if not glob.has_magic(given):
        raise LoadError(
            f"{given}: no such file or folder; check the spelling, or put a pattern in quotes"
        )
    matches = sorted(glob.glob(given, recursive=True))
    if not matches:
        raise LoadError(f"{given}: no file matches this pattern; check the folder and the ending")
    # "talks/**" matches the folder itself and everything in it: the files are enough then.
    files = [Path(match) for match in matches if not os.path.isdir(match)]
    yield from files
    if not files:
        for match in matches:
            yield from _folder(Path(match))


def _folder(folder: Path) -> list[Path]:
    files = sorted(_walk(folder))
    if not any(_is_readable(file) for file in files):
        held = (
            f"holds {len(files)} files, none of them text, PDF or DOCX"
            if files
            else "holds no file"
        )
        raise LoadError(
            f"folder {folder} {held}; name a folder with transcripts or documents in it"
        )
    return files


def _walk(folder: Path) -> Iterator[Path]:
    seen = {os.path.realpath(folder)}
    for here, folders, files in os.walk(folder, followlinks=True, onerror=_warn_unreadable):
        kept = []
        for name in sorted(folders):
            real = os.path.realpath(os.path.join(here, name))
            if not name.startswith(".") and real not in seen:
                seen.add(real)
                kept.append(name)
        folders[:] = kept
        paths = [Path(here, name) for name in files if not name.startswith(".")]
        yield from filter(_is_file, paths)


def _is_file(path: Path) -> bool:
    """Whether it is a file or may be one: in a folder that can be listed but not entered, nobody
    knows, and reading it later says why it can't be read.
    """
    try:
        return path.is_file()
    except PermissionError:
        return True


def _warn_unreadable(err: OSError) -> None:
    logger.warning("folder %s could not be searched: %s", err.filename, err.strerror)


def _is_readable(path: Path) -> bool:
    """Whether the head of a file looks like something a parser could take."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return bool(head) and (binary_kind(head) in {None, "PDF", "zip"})
