"""The file of questions: JSON lines that people may edit, which are then not overwritten. Beside it
lies what was written, as a hash.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dynagrag.core.errors import UsageError
from dynagrag.core.files.private_files import write_text
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.evaluation.questions.made_question import MadeQuestion

_SUFFIX = ".made.json"


def made_with_path(path: Path) -> Path:
    """Where it is kept what a file was made with."""
    return path.with_name(path.name + _SUFFIX)


def check_writable(path: Path, is_forced: bool) -> None:
    """UsageError where a file stands in the way that this program didn't write as it is now."""
    if path.suffix == ".gz":
        raise UsageError(
            f"{path}: questions are written as plain lines, to be edited; name a .jsonl file"
        )
    if is_irregular(path):
        raise UsageError(f"{path} {IRREGULAR}; name a .jsonl file")
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK | os.X_OK):
        raise UsageError(
            f"{path} can't be written: it is a folder, or its folder isn't there or is closed; name"
            " another file with --out"
        )
    if path.exists() and not is_forced and _hash(path.read_bytes()) not in _written(path):
        raise UsageError(
            f"{path} was edited, or holds something else; name another file with --out, or"
            " overwrite it with --force"
        )


def content_hash(path: Path) -> str:
    """Of what a file holds; empty where there is none."""
    return _hash(path.read_bytes()) if path.exists() else ""


def path_for(path: Path, before: str) -> Path:
    """Where to write: FILE.new.jsonl where the file no longer holds what it held `before`."""
    if content_hash(path) == before:
        return path
    names = (path.with_name(f"{path.stem}.new{number}.jsonl") for number in ("", *range(2, 1000)))
    return next(other for other in names if not other.exists())


def write_questions(
    path: Path, questions: Sequence[MadeQuestion], made_with: Mapping[str, Any]
) -> None:
    """Writes the file whole, and beside it what it was made with. Killed in between, the next run
    may overwrite what is there.
    """
    text = "".join(json.dumps(question.row(), ensure_ascii=False) + "\n" for question in questions)
    hashes = [_hash(text.encode())]
    if path.exists():
        hashes.append(_hash(path.read_bytes()))
    about = {"written": hashes, **made_with}
    _replace(made_with_path(path), json.dumps(about, ensure_ascii=False, indent=1) + "\n")
    _replace(path, text)


def _replace(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    write_text(new, text)
    os.replace(new, path)


def _written(path: Path) -> Sequence[str]:
    """Hashes of what was written to a file; none where that can't be told."""
    try:
        written = json.loads(made_with_path(path).read_bytes())["written"]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return written if isinstance(written, list) else ()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
