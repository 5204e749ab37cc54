"""Folders and files for the user alone, who may be one of many on a machine: all that is kept of
transcripts, questions and answers.

Folders are 0700, files 0600, whatever the umask. SQLite gives its log files the mode of their
database.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dynagrag.core.errors import StoreError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
PART = ".part"
"""How a file ends that is being written."""


def make_folder(path: Path) -> None:
    """Makes a folder, and those above it that are missing. One that is there stays as it is. Raises
    OSError.
    """
    for missing in (*reversed([folder for folder in path.parents if not folder.exists()]), path):
        missing.mkdir(mode=stat.S_IRWXU, exist_ok=True)


def private(path: str | Path, flags: int) -> int:
    """An `opener` for `open`: a file that this makes is the user's alone.

    A link in its place is an error (ELOOP): it may have come with a folder, and lead to any file of
    the user's.
    """
    return os.open(path, flags | os.O_NOFOLLOW, stat.S_IRUSR | stat.S_IWUSR)


def touch(path: Path) -> None:
    """Makes an empty file where there is none: a database that SQLite then opens. Raises OSError.

    One that is there isn't opened: with the first close of any descriptor a process loses all its
    locks on a file, and where it has the database open, another process would then take away the
    log that it writes to.
    """
    with suppress(FileExistsError):
        os.close(private(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY))


def make_database_file(path: Path) -> None:
    """Makes the folder of a database of SQLite, and an empty file where there is none. StoreError
    where the folder can't be made; what is wrong with the file SQLite says when it opens it.
    """
    try:
        make_folder(path.parent)
    except OSError as err:
        raise StoreError(
            f"folder {path.parent} cannot be made: {err.strerror}; check its permissions or set"
            " DYNAGRAG_HOME"
        ) from err
    with suppress(OSError):
        touch(path)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Gives errors of writing (a full disk) the file's name, which the system gives to those of
    opening alone.
    """
    try:
        yield
    except OSError as err:
        err.filename = err.filename or str(path)
        raise


def replace_whole(path: Path, data: bytes | memoryview) -> None:
    """Puts a file in a path's place: the old one or the new one is there at any time. Raises
    OSError.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb", opener=private) as file:
            file.write(data)
        os.replace(partial, path)
    finally:
        with suppress(OSError):
            partial.unlink()


def write_text(path: Path, text: str) -> None:
    """As `Path.write_text`, in UTF-8."""
    with naming(path), open(path, "w", encoding="utf-8", opener=private) as file:
        file.write(text)


def replace_text(path: Path, text: str) -> None:
    """As `replace_bytes`, for text."""
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all, so that it outlives a loss of power: it has the old bytes
    until it has the new ones. A kill may leave a part beside it. Raises OSError, e.g. where the
    disk is full.
    """
    replace_by_parts({path: write_part(path, data)})


def write_part(path: Path, data: bytes) -> Path:
    """Writes what a file shall have beside it, into `NAME.PID.part`, which is on the disk then.
    Raises OSError, and leaves none.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}{PART}")
    try:
        with naming(path), open(part, "wb", opener=private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def replace_by_parts(parts: Mapping[Path, Path]) -> None:
    """Makes parts the files that they are of, in one folder, in this order. Raises OSError."""
    for path, part in parts.items():
        part.replace(path)
    folder = os.open(next(iter(parts)).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def is_open_to_others(path: Path) -> bool:
    """Whether others than its owner may do anything with it, as far as its own mode says."""
    return bool(path.stat().st_mode & _OTHERS)


def close_to_others(folder: Path) -> None:
    """Takes a folder and what is in it away from others: a folder of an older version, which left
    that to the umask. Quick where the folder is closed already. What is another user's, or lies
    where modes can't be changed, stays as it is; links are not followed.
    """
    with suppress(OSError):
        if not is_open_to_others(folder):
            return
        _close(folder)
        for here, folders, files in os.walk(folder):
            for name in (*folders, *files):
                _close(Path(here, name))


def _close(path: Path) -> None:
    with suppress(OSError):
        if not path.is_symlink():
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
