"""File systems that are mounted read-only, told by name: SQLite says "unable to open", no more."""

import os
from pathlib import Path


def is_read_only(path: Path) -> bool:
    """Whether the file system that holds a path, or the nearest folder above it that is there, is
    mounted read-only.
    """
    there = next((own for own in (path, *path.parents) if own.exists()), None)
    try:
        return there is not None and bool(os.statvfs(there).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def read_only_remedy(path: Path) -> str:
    """Words for an error; empty where something else is wrong."""
    return (
        "it is on a file system that is mounted read-only; mount it writable, or copy the home"
        " folder to a disk that you may write to and set DYNAGRAG_HOME to the copy"
        if is_read_only(path)
        else ""
    )
