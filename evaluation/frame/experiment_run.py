"""The run of an experiment, a folder: run.json (what it was made with), its lines, summary.json and
report.html.

Lines are appended as they are made, so a run that was stopped is resumed where it was; a line that
was torn is dropped. A folder is only resumed under the very settings that it was begun with, and by
one process at a time: while it measures, run.json is locked.
"""

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from dynagrag.checkpoints.versions import library_versions
from dynagrag.core.errors import BudgetError, LoadError, ModelError, UsageError
from dynagrag.core.files.private_files import close_to_others, make_folder, replace_text
from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import RESAMPLES
from dynagrag.evaluation.frame.kept_run import (
    FORMAT,
    REPORT,
    RUN,
    SUMMARY,
    ManyFailuresError,
    StoppedRunError,
    check_folder,
    difference_text,
    is_locked,
    new_folder,
    read_head,
    write_new,
)
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.evaluation.frame.report import Report, shortened
from dynagrag.evaluation.frame.results import Result

_LOG = logging.getLogger(__name__)
ONE_ARM = ""
"""The arm of a kind that measures one thing alone, which its lines don't name."""


class ExperimentLine(BaseModel, ABC):
    """The measurement of one item by one arm, as a line of the run's file."""

    model_config = ConfigDict(frozen=True)

    @property
    @abstractmethod
    def key(self) -> tuple[str, str]:
        """The arm, and the id of the item."""

    @property
    def failure(self) -> str:
        """Why nothing came of it, so that a resumed run tries it again; empty of what counts."""
        return ""


Line = TypeVar("Line", bound=BaseModel)
R = TypeVar("R", bound=Result)


class ExperimentRun(ABC, Generic[Line, R]):
    """The folder of a run. `begin` and `open` begin or resume one, `read` opens one that is done.

    The app and the messages have a kind's names from here; its command is named again in its row of
    `evaluation/kinds.py`, its folders by `Experiment.name`.
    """

    evaluates: ClassVar[str] = ""
    """Value of `evaluates` in its settings. Empty: retrieval, whose settings have none."""
    command: ClassVar[str]
    """The command that writes such folders, for messages."""
    lines_file: ClassVar[str]
    line_kind: type[Line]
    """Type of the lines."""
    result_kind: type[R]
    what: ClassVar[str]
    """The kind in words, in lists: "claims checked"."""
    noun: ClassVar[str] = "item"
    """The noun for an item, in messages."""
    tells_failures: ClassVar[bool] = False
    """Whether `report` itself tells what failed; else `whole_report` does."""

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
        return self.path / SUMMARY

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
        if (path / RUN).is_file():
            run = cls(path, read_head(path))
            differing = [
                difference_text(name, run.settings.get(name), settings.get(name))
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
        if not write_new(path / RUN, json.dumps(head, ensure_ascii=False, indent=1)):
            return cls.open(path, settings, versions, num_lines)
        return cls(path, head)

    @classmethod
    def at(cls, path: Path) -> Self:
        """The run in a folder, done or not. LoadError where it holds none."""
        return cls(path, read_head(path))

    @contextmanager
    def held(self, num_lines: int) -> Iterator[None]:
        """Holds the run for this process, and drops a torn line. Where a done run lacks some of its
        `num_lines`, it is no longer done.

        Raises UsageError where another process is at work on it, StoppedRunError on Ctrl-C
        meanwhile. What failures or a spent budget raise meanwhile says how to resume.
        """
        with (self.path / RUN).open("rb") as handle:
            if not is_locked(handle.fileno()):
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
        run = cls(path, read_head(path))
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
            run = cls(path, read_head(path))
        except LoadError:
            return False
        return (
            not run.is_done
            and run.settings == json.loads(json.dumps(settings))
            and not run.is_held()
        )

    def is_held(self) -> bool:
        """Whether a process is at work on it."""
        with (self.path / RUN).open("rb") as handle:
            return not is_locked(handle.fileno())

    def _at_work(self) -> UsageError:
        return UsageError(
            f"another process is at work on the run in {self.path}; wait until it is done, or"
            " choose another folder with --out"
        )

    def lines(self) -> list[Line]:
        """All whole lines, in the order in which they were made. LoadError where one is damaged."""
        return self.file.lines()

    def write_rows(self, name: str, rows: Iterable[BaseModel]) -> None:
        """Writes a file of rows beside the lines, whole or not at all."""
        replace_text(self.path / name, "".join(f"{row.model_dump_json()}\n" for row in rows))

    def write_report(self, html: str) -> Path:
        """Writes the report; its path."""
        replace_text(self.path / REPORT, html)
        return self.path / REPORT

    @abstractmethod
    def report(self) -> Report:
        """A done run, to read: of its result, and of its lines where cases are shown."""

    def whole_report(self) -> Report:
        """The report, with a note on what failed."""
        report = self.report()
        if self.tells_failures or not (reasons := self.failures()):
            return report
        note = (
            f"{len(reasons)} of {plural(max(self.num_lines, len(reasons)), 'line')} failed, the"
            f" first: {shortened(reasons[0])}; the same command with --out {self.path} tries what"
            " failed again"
        )
        return replace(report, notes=(*report.notes, note))

    def failures(self) -> list[str]:
        """Reasons of the lines that failed; of an item that was tried again the last one counts."""
        lines = (line for line in self.lines() if isinstance(line, ExperimentLine))
        return [line.failure for line in {own.key: own for own in lines}.values() if line.failure]

    def result(self) -> R:
        """The result as it was written. LoadError where it can't be read."""
        try:
            return self.result_kind.of_file(self.summary_file.read_bytes())
        except (OSError, ValueError) as err:  # a pydantic error is a ValueError
            first_lines = " ".join(str(err).split("\n")[:2])
            raise self.no_summary(first_lines) from err

    def keep_result(self, result: R) -> None:
        """Writes it, with which the run is done: the last but for the report."""
        replace_text(self.summary_file, result.to_file())

    def no_summary(self, why: str) -> LoadError:
        """The error that the summary can't be read, with what to do."""
        path = self.summary_file
        return LoadError(
            f"{path} cannot be read: {why}; delete that file and run the evaluation again with"
            f" --out {self.path}"
        )


AnyRun = ExperimentRun[Any, Any]
"""A run of any kind that the frame knows."""


class UnknownRun(ExperimentRun[BaseModel, Result]):
    """The folder of a run of whichever kind, whose lines and result aren't read."""

    what = "unknown"
    command = "dynagrag evaluate"
    lines_file, line_kind, result_kind = RUN, BaseModel, Result
    tells_failures = True

    def report(self) -> Report:
        """Says that there is none."""
        kind = self.settings.get("evaluates")
        return Report("", "", f"This version of dynagrag can't show runs of {kind}.")


def differing_settings(first: AnyRun, second: AnyRun) -> dict[str, list[Any]]:
    """The settings in which two runs differ, each as the first and the second have it; None where
    one has none.
    """
    names = dict.fromkeys([*first.settings, *second.settings])
    return {
        n: [first.settings.get(n), second.settings.get(n)]
        for n in names
        if first.settings.get(n) != second.settings.get(n)
    }
