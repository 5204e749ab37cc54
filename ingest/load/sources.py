"""Which files a command means: files, folders and patterns in, a list of files without doubles
out.

What a folder or pattern holds is somebody's word who may have made the folder elsewhere: a link in
it may lead to any file of whoever ingests it. So links are followed that stay in it, and others
where they are asked for. A file that is named itself is read wherever it lies.
"""

import glob
import logging
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR
from dynagrag.core.schema import LoadedSource
from dynagrag.core.text import collapse
from dynagrag.ingest.load.encoding import binary_kind

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundSources:
    """The files to read, and what stood beside them and is left out: each with its reason in
    `refused`.
    """

    files: tuple[Path, ...]
    left_out: tuple[LoadedSource, ...] = ()


def find_sources(paths: Sequence[str | Path], *, follows_links: bool = False) -> FoundSources:
    """The files that paths, folders and glob patterns name, in the order given, sorted inside a
    folder or pattern.

    Folders are searched to any depth; hidden files and folders in them are left out without a word,
    links that stay in the folder are followed once. A file that is named twice, also through a
    link, comes once. Left out with a reason: links that lead out of the folder or pattern (unless
    `follows_links`) or to nothing, pipes, sockets and devices.

    Raises:
        LoadError: A path that is not there, a pattern without a match, or a folder in which nothing
        can be read.
    """
    search = _Search(follows_links)
    for given in paths:
        for path in search.expand(str(given)):
            search.found.setdefault(search.real.of(path), path)
    return FoundSources(tuple(search.found.values()), tuple(search.left_out.values()))


class RealPaths:
    """Where paths lead. A folder is looked up once, so that a file costs one look: for use within
    one task, as links may change.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def of(self, path: str | Path) -> str:
        """The path without links; "" where a link in it can't be followed, as those of other
        processes in /proc.
        """
        folder, name = os.path.split(path)
        if name in {"", os.curdir, os.pardir} or os.path.islink(path):
            return _real(path)
        if folder not in self._folders:
            self._folders[folder] = _real(folder or os.curdir)
        real = self._folders[folder]
        return os.path.join(real, name) if real else ""


class _Search:
    """One call's search. `found`: by real path; `left_out`: by path."""

    def __init__(self, follows_links: bool) -> None:
        self._follows_links = follows_links
        self.real = RealPaths()
        self.found: dict[str, Path] = {}
        self.left_out: dict[str, LoadedSource] = {}

    def expand(self, given: str) -> Iterator[Path]:
        path = Path(given)
        if not given.strip() or "\0" in given:
            raise LoadError(
                f"{given!r} is no path; give a file, a folder or a pattern such as 'talks/*.vtt'"
            )
        if os.path.lexists(path):
            yield from self._folder(path, path) if path.is_dir() else [path]
            return
        if not glob.has_magic(given):
            raise LoadError(
                f"{given}: no such file or folder; check the spelling, or put a pattern in quotes"
            )
        matches = sorted(glob.glob(given, recursive=True))
        if not matches:
            raise LoadError(
                f"{given}: no file matches this pattern; check the folder and the ending"
            )
        root = _folder_of_pattern(given)
        # "talks/**" matches the folder itself and everything in it: the files are enough then.
        folders = [Path(match) for match in matches if os.path.isdir(match)]
        files = [Path(match) for match in matches if not os.path.isdir(match)]
        yield from (file for file in files if self._may_be_read(file, root))
        if not files:
            for folder in folders:
                if not self._leads_out(folder, root):
                    yield from self._folder(folder, root)

    def _folder(self, folder: Path, root: Path) -> list[Path]:
        num_before = len(self.left_out)
        files = sorted(self._walk(folder, root))
        if not any(_is_readable(file) for file in files):
            held = (
                f"holds {len(files)} files, none of them text, PDF or DOCX"
                if files
                else "holds no file"
            )
            left = list(self.left_out.values())[num_before:]
            beside = (
                f"; left out: {Path(left[0].path).name} {left[0].refused}"
                + (f", and {len(left) - 1} more" if len(left) > 1 else "")
                if left
                else ""
            )
            raise LoadError(
                f"folder {folder} {held}; name a folder with transcripts or documents in it{beside}"
            )
        return files

    def _walk(self, folder: Path, root: Path) -> Iterator[Path]:
        seen = {self.real.of(folder)}
        for here, folders, files in os.walk(folder, followlinks=True, onerror=_warn_unreadable):
            kept = []
            for name in sorted(folders):
                path = Path(here, name)
                real = self.real.of(path)
                if name.startswith(".") or real in seen or self._leads_out(path, root):
                    continue
                seen.add(real)
                kept.append(name)
            folders[:] = kept
            paths = (Path(here, name) for name in sorted(files) if not name.startswith("."))
            yield from (path for path in paths if self._may_be_read(path, root))

    def _may_be_read(self, path: Path, root: Path) -> bool:
        """Whether it is a file or may be one: in a folder that can be listed but not entered,
        nobody knows, and reading it later says why it can't be read.
        """
        try:
            mode = path.stat().st_mode
        except PermissionError:
            return not self._leads_out(path, root)
        except OSError:  # a loop of links, a link to nothing, or it has gone meanwhile
            if path.is_symlink():
                self._leave_out(path, f"is a link to {_target(path)}, where no file is")
            return False
        if not stat.S_ISREG(mode):
            self._leave_out(path, IRREGULAR)
            return False
        return not self._leads_out(path, root)

    def _leads_out(self, path: Path, root: Path) -> bool:
        """Whether it stands in a folder by its name, and elsewhere in truth."""
        if self._follows_links or not _is_within(os.path.abspath(path), os.path.abspath(root)):
            return False
        real = self.real.of(path)
        if _is_within(real, self.real.of(root)):
            return False
        self._leave_out(
            path,
            f"is a link out of the folder, to {real or 'nobody may know where'}; --follow-links"
            " reads what it leads to",
        )
        return True

    def _leave_out(self, path: Path, reason: str) -> None:
        title = collapse(path.name)
        self.left_out[str(path)] = LoadedSource(
            str(path), None, title=title, refused=collapse(reason)
        )


def _real(path: str | Path) -> str:
    try:
        return os.path.realpath(path)
    except OSError:
        return ""


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return "nowhere"


def _folder_of_pattern(pattern: str) -> Path:
    """The folder that a pattern is searched in: its parts before the first with a magic sign."""
    parts = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


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
