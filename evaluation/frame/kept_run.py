"""A run is a folder: run.json (what it was made with), its lines, summary.json and report.html.

Lines are appended as they are made, so a run that was stopped is resumed where it was; a line that
was torn is dropped. A folder is only resumed under the very settings that it was begun with, and by
one process at a time: while it measures, run.json is locked.
"""

import fcntl
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel

from dynagrag.checkpoints.versions import library_versions
from dynagrag.core.errors import BudgetError, DynaGragError, LoadError, ModelError, UsageError
from dynagrag.core.files.private_files import close_to_others, make_folder, replace_text, write_text
from dynagrag.evaluation.bootstrap_intervals import RESAMPLES
from dynagrag.evaluation.frame.lines_file import LinesFile

_LOG = logging.getLogger(__name__)
FORMAT = 1
_RUN, _SUMMARY, REPORT = "run.json", "summary.json", "report.html"
_HASH = re.compile("[0-9a-f]{16,}")
_MAX_SHOWN = 60
_Row = TypeVar("_Row", bound=BaseModel)


class StoppedRunError(DynaGragError):
    """Ctrl-C in a run: says how to resume it."""

    exit_code = 130


class ManyFailuresError(DynaGragError):
    """Many items failed one after the other, so that the others are not tried."""


class KeptRun(Generic[_Row]):
    """The folder of a run, of every kind. `begin` and `open` begin or resume one, `read` opens one
    that is done. Its kinds say what a line is.
    """

    line_kind: type[_Row]
    """Type of the lines."""
    lines_file: ClassVar[str]
    command: ClassVar[str]
    """The command that writes such folders, for messages."""
    evaluates: ClassVar[str] = ""
    """Value of `evaluates` in its settings. Empty: retrieval, whose settings have none."""

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path = path
        self.head = head
        self.file = LinesFile(path / self.lines_file, self.line_kind)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the run: whatever changes its lines."""
        settings: Mapping[str, Any] = self.head["settings"]
        return settings

    @property
    def num_lines(self) -> int:
        """How many lines it has in the end; 0 where that isn't known, as of runs of before."""
        found = self.head.get("num_lines")
        return found if isinstance(found, int) else 0

    @property
    def is_done(self) -> bool:
        """Whether its summary was written."""
        return self.summary_file.is_file()

    @property
    def summary_file(self) -> Path:
        """Where the summary is, once the run is done."""
        return self.path / _SUMMARY

    @classmethod
    def begin(
        cls,
        home: Path,
        called: str,
        made_with: Mapping[str, Any],
        out: Path | None = None,
        num_lines: int = 0,
    ) -> Self:
        """Begins a run in the folder `out`, or resumes the one there. By default in
        HOME/evaluation/runs: one of the same settings that was stopped, else a new one. To
        `made_with` comes what all runs have. `num_lines` and errors as in `open`.
        """
        own = {"evaluates": cls.evaluates} if cls.evaluates else {}
        settings = own | dict(made_with) | {"resamples": RESAMPLES, "dynagrag": version("dynagrag")}
        run = cls.open(
            out or cls._place(home / "evaluation" / "runs", called.replace(" ", "-"), settings),
            settings,
            library_versions(),
            num_lines,
        )
        _LOG.info("run in %s", run.path)
        return run

    @classmethod
    def _place(cls, runs: Path, called: str, settings: Mapping[str, Any]) -> Path:
        close_to_others(runs)
        found = sorted(runs.glob(f"*-{escape(called)}-*"), reverse=True)
        return next(
            (path for path in found if cls.is_unfinished(path, settings)), None
        ) or new_folder(runs, called)

    @classmethod
    def open(
        cls,
        path: Path,
        settings: Mapping[str, Any],
        versions: Mapping[str, str],
        num_lines: int = 0,
    ) -> Self:
        """Begins a run, or resumes the one in the folder. `num_lines`: how many it has in the end;
        0 where that isn't known.

        Raises UsageError where the folder holds something else or can't be made, another process is
        at work on it, or its run has other settings: it names what differs.
        """
        settings = json.loads(json.dumps(settings))
        check_folder(path)
        if (path / _RUN).is_file():
            run = cls(path, _head(path))
            differing = [
                _difference(name, run.settings.get(name), settings.get(name))
                for name in dict.fromkeys([*run.settings, *settings])
                if run.settings.get(name) != settings.get(name)
            ]
            if differing:
                raise UsageError(
                    f"the run in {path} was made with other settings: {'; '.join(differing)};"
                    " choose another folder with --out"
                )
            if run.is_held():
                raise run._at_work()
            run.file.drop_torn_line()
            return run
        try:
            make_folder(path)
        except OSError as err:
            raise UsageError(
                f"{path} cannot be made: {err.strerror or err}; name another folder with --out"
            ) from err
        head = {
            "format": FORMAT,
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": settings,
            "versions": dict(versions),
            **({"num_lines": num_lines} if num_lines else {}),
        }
        if not _begin(path / _RUN, json.dumps(head, ensure_ascii=False, indent=1)):
            return cls.open(path, settings, versions, num_lines)
        return cls(path, head)

    @classmethod
    def at(cls, path: Path) -> Self:
        """The run in a folder, done or not. LoadError where it holds none."""
        return cls(path, _head(path))

    @contextmanager
    def held(self, num_lines: int) -> Iterator[None]:
        """Holds the run for this process, and drops a torn line. Where a done run lacks some of its
        `num_lines`, it is no longer done.

        Raises UsageError where another process is at work on it, StoppedRunError on Ctrl-C
        meanwhile. What failures or a spent budget raise meanwhile says how to resume.
        """
        with (self.path / _RUN).open("rb") as handle:
            if not _is_locked(handle.fileno()):
                raise self._at_work()
            self.file.drop_torn_line()
            if len(self.lines()) < num_lines:
                self.summary_file.unlink(missing_ok=True)
            try:
                yield
            except KeyboardInterrupt:
                raise StoppedRunError(f"interrupted; {self._how_to_resume()}") from None
            except ModelError as err:
                raise type(err)(f"{err}; {self._how_to_resume()}") from err
            except ManyFailuresError as err:
                raise ManyFailuresError(f"{err}; {self._how_to_resume()}") from err
            except BudgetError as err:
                raise BudgetError(f"{err}, with --out {self.path}") from err

    def _how_to_resume(self) -> str:
        return f"what was done is kept: resume with the same command and --out {self.path}"

    @classmethod
    def read(cls, path: Path) -> Self:
        """A run that is done. LoadError where the folder holds none of this kind, UsageError where
        it was stopped before its end.
        """
        run = cls(path, _head(path))
        if not run.is_done:
            raise run.stopped()
        if not (path / cls.lines_file).is_file():
            raise LoadError(
                f"{path} holds a run of another kind (it has no {cls.lines_file}); name a folder"
                f" that `{cls.command}` wrote"
            )
        return run

    def stopped(self) -> UsageError:
        """The error that it lacks something."""
        return UsageError(
            f"the run in {self.path} was stopped before its end; resume it with the same command"
            f" and --out {self.path}"
        )

    @classmethod
    def is_unfinished(cls, path: Path, settings: Mapping[str, Any]) -> bool:
        """Whether a folder holds a run of these settings that was stopped before its end, and that
        nobody is at work on.
        """
        try:
            run = cls(path, _head(path))
        except LoadError:
            return False
        return (
            not run.is_done
            and run.settings == json.loads(json.dumps(settings))
            and not run.is_held()
        )

    def is_held(self) -> bool:
        """Whether a process is at work on it."""
        with (self.path / _RUN).open("rb") as handle:
            return not _is_locked(handle.fileno())

    def _at_work(self) -> UsageError:
        return UsageError(
            f"another process is at work on the run in {self.path}; wait until it is done, or"
            " choose another folder with --out"
        )

    def lines(self) -> list[_Row]:
        """All whole lines, in the order in which they were made. LoadError where one is damaged."""
        return self.file.lines()

    def append(self, lines: Iterable[_Row]) -> None:
        """Adds lines that belong together, all in one write."""
        self.file.append(lines)

    def no_summary(self, why: str) -> LoadError:
        """The error that the summary can't be read, with what to do."""
        path = self.summary_file
        return LoadError(
            f"{path} cannot be read: {why}; delete that file and run the same command with --out"
            f" {self.path} again"
        )

    def write_rows(self, name: str, rows: Iterable[BaseModel]) -> None:
        """Writes a file of rows beside the lines, whole or not at all."""
        replace_text(self.path / name, "".join(f"{row.model_dump_json()}\n" for row in rows))

    def write_summary_file(self, text: str) -> None:
        """Writes summary.json, with which the run is done."""
        replace_text(self.summary_file, text)

    def write_report(self, html: str) -> Path:
        """Writes the report; its path."""
        replace_text(self.path / REPORT, html)
        return self.path / REPORT


class AnyFolder(KeptRun[BaseModel]):
    """The folder of a run of whichever kind, whose lines aren't read."""

    line_kind = BaseModel
    lines_file = _RUN
    command = "dynagrag evaluate"


def differing_settings(first: KeptRun[Any], second: KeptRun[Any]) -> dict[str, list[Any]]:
    """The settings in which two runs differ, each as the first and the second have it; None where
    one has none.
    """
    names = dict.fromkeys([*first.settings, *second.settings])
    return {
        n: [first.settings.get(n), second.settings.get(n)]
        for n in names
        if first.settings.get(n) != second.settings.get(n)
    }


def what_is_evaluated(path: Path) -> str:
    """The kind of the run in a folder, from its settings: "qa" and so on; empty for retrieval.
    LoadError where there is no run.
    """
    return str(_head(path)["settings"].get("evaluates", ""))


def check_folder(path: Path) -> None:
    """Raises UsageError where a run can't be begun or gone on with here: it is a file, or holds
    something else, or no folder can be made.

    What is missing is not made: a run's folder comes with its first line.
    """
    try:
        if (path / _RUN).is_file():
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


def _is_locked(descriptor: int) -> bool:
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


def _head(path: Path) -> dict[str, Any]:
    try:
        head = json.loads((path / _RUN).read_text(encoding="utf-8"))
    except FileNotFoundError as err:
        raise LoadError(
            f"{path} is no run's folder (it has no {_RUN}); name a folder that `dynagrag evaluate`"
            " wrote"
        ) from err
    except (OSError, ValueError) as err:
        raise LoadError(f"{path / _RUN} cannot be read: {err}") from err
    if (
        not isinstance(head, dict)
        or head.get("format") != FORMAT
        or not isinstance(head.get("settings"), dict)
    ):
        raise LoadError(
            f"{path / _RUN} was written by another version of dynagrag; run the evaluation again in"
            " a new folder"
        )
    if not isinstance(head.get("begun"), str):
        raise LoadError(
            f"{path / _RUN} is damaged: it doesn't say when it was begun; run the evaluation again"
            " in a new folder"
        )
    if head["settings"].get("evaluates") == "judge":  # as calibrations were called at first
        head["settings"]["evaluates"] = "calibration"
    return head


def _difference(name: str, old: object, new: object) -> str:
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


def _begin(path: Path, text: str) -> bool:
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
