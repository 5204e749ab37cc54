"""Folders of runs: where they lie, how one is begun and locked, and what its run.json says."""

import fcntl
import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dynagrag.core.errors import DynaGragError, LoadError, UsageError
from dynagrag.core.files.private_files import write_text
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular

FORMAT = 1
RUN, SUMMARY, REPORT = "run.json", "summary.json", "report.html"
_HASH = re.compile("[0-9a-f]{16,}")
_MAX_SHOWN = 60
_ANEW = (
    "move {path} away, or name another folder with --out, and run the evaluation again (replies"
    " that are stored are not asked for again)"
)


class StoppedRunError(DynaGragError):
    """Ctrl-C in a run: says how to resume it."""

    exit_code = 130


class ManyFailuresError(DynaGragError):
    """Many items failed one after the other, so that the others are not tried."""


def what_is_evaluated(path: Path) -> str:
    """The kind of the run in a folder, from its settings: "qa" and so on; empty for retrieval.
    LoadError where there is no run.
    """
    return str(read_head(path)["settings"].get("evaluates", ""))


def check_folder(path: Path) -> None:
    """Raises UsageError where a run can't be begun or gone on with here: it is a file, or holds
    something else, or no folder can be made.

    What is missing is not made: a run's folder comes with its first line.
    """
    try:
        if (path / RUN).is_file():
            return
        there = next((p for p in (path, *path.parents) if p.exists()), path)
    except (OSError, ValueError) as err:  # a name that is too long, or no name
        raise UsageError(
            f"{path} cannot be made: {getattr(err, 'strerror', None) or err}; name another folder"
            " with --out"
        ) from err
    if not there.is_dir():
        raise UsageError(
            f"{there} is a file, so no run can be kept in {path}; name an empty or new folder with"
            " --out"
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"nothing can be written in {there}; name another folder with --out")
    if there == path and any(path.iterdir()):
        raise UsageError(
            f"{path} holds something else than a run; name an empty or new folder with --out"
        )


def is_locked(descriptor: int) -> bool:
    """Whether the lock is ours now; it goes with the descriptor."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def new_folder(runs: Path, dataset: str, now: datetime | None = None) -> Path:
    """The next folder for a run below `runs`: DATE-DATASET-NUMBER."""
    day = (now or datetime.now(UTC)).strftime("%Y-%m-%d")
    number = 1
    while (runs / f"{day}-{dataset}-{number}").exists():
        number += 1
    return runs / f"{day}-{dataset}-{number}"


def read_head(path: Path) -> dict[str, Any]:
    """The run.json of a run's folder. LoadError where there is none, or it is damaged."""
    if is_irregular(path / RUN):
        raise LoadError(f"{path / RUN} {IRREGULAR}, or {_ANEW.format(path=path)}")
    try:
        head = json.loads((path / RUN).read_text(encoding="utf-8"))
    except FileNotFoundError as err:
        raise LoadError(
            f"{path} is no run's folder (it has no {RUN}); name a folder that `dynagrag evaluate`"
            " wrote"
        ) from err
    except (OSError, ValueError, RecursionError) as err:
        raise LoadError(f"{path / RUN} cannot be read: {err}; {_ANEW.format(path=path)}") from err
    if (
        not isinstance(head, dict)
        or head.get("format") != FORMAT
        or not isinstance(head.get("settings"), dict)
    ):
        raise LoadError(
            f"{path / RUN} was written by another version of dynagrag; {_ANEW.format(path=path)}"
        )
    if not isinstance(head.get("begun"), str):
        raise LoadError(
            f"{path / RUN} is damaged: it doesn't say when it was begun; {_ANEW.format(path=path)}"
        )
    if head["settings"].get("evaluates") == "judge":  # as calibrations were called at first
        head["settings"]["evaluates"] = "calibration"
    return head


def difference_text(name: str, old: object, new: object) -> str:
    """The old and the new value of a setting; of hashes, which tell a reader nothing, that they
    changed.
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = (str(key) for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key))
        return f"{name}: {', '.join(keys)} changed"
    if all(isinstance(own, str) and _HASH.fullmatch(own) for own in (old, new)):
        return f"{name} changed"
    return f"{name} was {_shown(old)}, is {_shown(new)}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def write_new(path: Path, text: str) -> bool:
    """Writes a file, whole, where there is none; whether there was none."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    write_text(part, text)
    try:
        path.hardlink_to(part)
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True
