"""The runs that are kept of a workspace, when that gets another name: they are of the workspace of
the new name from then on.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dynagrag.config.own_seal import opened, sealed
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.files.private_files import replace_text
from dynagrag.evaluation.frame.experiment_run import UnknownRun

_FILES = ("run.json", "request.json")
"""Files that hold the settings of a run, and the options chosen in the app."""


def check_no_run(home: Path, workspace: str) -> None:
    """UsageError where a process is at work on a run of this workspace."""
    for folder in _runs_of(home, workspace):
        if UnknownRun.at(folder).is_held():
            raise UsageError(
                f"the evaluation in {folder} is at work on workspace {workspace!r}; wait for its"
                " end, or stop it first"
            )


def rename_in_runs(home: Path, old: str, new: str) -> int:
    """Writes the new name into the runs of a workspace below HOME/evaluation/runs; how many there
    are. Reports keep the name they have.
    """
    found = list(_runs_of(home, old))
    for folder in found:
        for path in (folder / name for name in _FILES if (folder / name).is_file()):
            said, is_own = opened(json.loads(path.read_text(encoding="utf-8")))
            form = _renamed(said, old, new)
            text = json.dumps(sealed(form) if is_own else form, ensure_ascii=False, indent=1)
            replace_text(path, text)
    return len(found)


def _runs_of(home: Path, workspace: str) -> Iterator[Path]:
    for path in sorted((home / "evaluation" / "runs").glob("*/run.json")):
        try:
            if UnknownRun.at(path.parent).settings.get("workspace") == workspace:
                yield path.parent
        except LoadError:  # a damaged one, or another version's: it stays as it is
            continue


def _renamed(form: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """`workspace` at the head of a request, or in the settings of a run."""
    made = {**form, "workspace": new} if form.get("workspace") == old else dict(form)
    settings = made.get("settings")
    return made | ({"settings": _renamed(settings, old, new)} if isinstance(settings, dict) else {})
