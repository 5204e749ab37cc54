"""The run of an experiment as it is kept: the folder, with the lines, the result and the report of
one kind.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from dynagrag.core.text import plural
from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.report import Report, shortened
from dynagrag.evaluation.frame.results import Result

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


class ExperimentRun(KeptRun[Line], ABC, Generic[Line, R]):
    """See the module. The app and the messages have a kind's names from here; its command is named
    again in its row of `evaluation/kinds.py`, its folders by `Experiment.name`.
    """

    what: ClassVar[str]
    """The kind in words, in lists: "claims checked"."""
    noun: ClassVar[str] = "item"
    """The noun for an item, in messages."""
    tells_failures: ClassVar[bool] = False
    """Whether `report` itself tells what failed; else `whole_report` does."""
    result_kind: type[R]

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
        self.write_summary_file(result.to_file())


AnyRun = ExperimentRun[Any, Any]
"""A run of any kind that the frame knows."""
