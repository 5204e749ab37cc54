"""The folder of a run of pruners: measured.jsonl (what each pruner's scores are worth on each
question), summary and report.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.frame.kept_run import KeptRun


class MeasuredLine(BaseModel):
    """The measures of a pruner on one question, 0 to 1 each."""

    model_config = ConfigDict(frozen=True)

    question: str
    text: str
    pruner: str
    measures: dict[str, float]


class PrunerRun(KeptRun[MeasuredLine]):
    """The folder of a run of pruners. It is worked out in one go, without a language model."""

    line_kind = MeasuredLine
    lines_file: ClassVar[str] = "measured.jsonl"
    command: ClassVar[str] = "dynagrag evaluate pruner"
    evaluates: ClassVar[str] = "pruners"
    figures: ClassVar[tuple[str, ...]] = ("pruners", "intervals")

    def finish(self, summary: dict[str, Any], lines: Sequence[MeasuredLine]) -> None:
        """Writes what was measured, then the summary, with which the run is done."""
        self.write_rows(self.lines_file, lines)
        self.write_summary(summary)
