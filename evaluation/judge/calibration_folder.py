"""The folder of a run that calibrates a judge: verdicts.jsonl (what it said of each row),
rows.jsonl (the rows, for people).
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.judge.calibration_sets import CalibrationSet, RowKind
from dynagrag.evaluation.judge.judge_replies import JudgeLine

_ROWS = "rows.jsonl"


class VerdictLine(JudgeLine):
    """What a judge said of a row."""

    set: str
    row: str
    verdict: float | None
    ms: float


class KnownRow(BaseModel):
    """A row as people read it."""

    model_config = ConfigDict(frozen=True)

    set: str
    id: str
    kind: RowKind
    subset: str
    question: str
    texts: tuple[str, ...]
    references: tuple[str, ...]
    people: float


class CalibrationRun(KeptRun[VerdictLine]):
    """The folder of a run that calibrates a judge."""

    line_kind = VerdictLine
    lines_file = "verdicts.jsonl"
    command = "dynagrag evaluate judge --calibrate"
    evaluates = "calibration"

    def by_row(self) -> dict[tuple[str, str], VerdictLine]:
        """(Set, row) -> line."""
        return {(line.set, line.row): line for line in self.lines()}

    def rows(self) -> list[KnownRow]:
        """The rows in their order."""
        return read_lines(self.path / _ROWS, KnownRow)

    def finish(self, summary: dict[str, Any], sets: Sequence[CalibrationSet]) -> None:
        """Writes the rows, then the summary, with which the run is done."""
        self.write_rows(
            _ROWS,
            [
                KnownRow(
                    set=row.set,
                    id=row.id,
                    kind=row.kind,
                    subset=row.subset,
                    question=shortened(row.question),
                    texts=tuple(map(shortened, row.texts)),
                    references=tuple(map(shortened, row.references)),
                    people=row.people,
                )
                for own in sets
                for row in own.rows
            ],
        )
        self.write_summary(summary)
