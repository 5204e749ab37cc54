"""The folder of a run of entities: missed.jsonl (the pairs of one thing that nothing can find),
summary and report.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.results.run_folder import KeptRun


class MissedLine(BaseModel):
    """A pair of one thing that nothing can find, and why. `cosine`: of the two names' vectors, -1
    to 1.
    """

    model_config = ConfigDict(frozen=True)

    a: str
    b: str
    reason: str
    cosine: float


class EntityRun(KeptRun[MissedLine]):
    """The folder of a run of entities. It is worked out in one go: what a model said is kept in the
    home folder.
    """

    line_kind = MissedLine
    lines_file: ClassVar[str] = "missed.jsonl"
    command: ClassVar[str] = "dynagrag evaluate entities"
    evaluates: ClassVar[str] = "entities"

    def finish(self, summary: dict[str, Any], missed: Sequence[MissedLine]) -> None:
        """Writes the pairs, then the summary, with which the run is done."""
        self.write_rows(self.lines_file, missed)
        self.write_summary(summary)
