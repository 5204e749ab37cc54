"""The folder of a run of answers to scored questions: answers.jsonl (what each arm answered),
golds.jsonl (what should be answered).
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import ANSWERS
from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.qa.answer_scores import WantedAnswer
from dynagrag.evaluation.question_sets.question_set import GoldAnswer

_GOLDS = "golds.jsonl"
_Place = tuple[str, int, int]


class KnownQuestion(BaseModel):
    """A question with what should be answered and cited. `things`: as `WantedAnswer` has them.
    `document`: the title of the only one that was searched, empty where all were.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    kind: str = ""
    answers: tuple[str, ...] = ()
    is_answerable: bool = True
    things: tuple[tuple[tuple[_Place, ...], ...], ...] | None = None
    num_missing: int = 0
    document: str = ""
    provenance: Mapping[str, Any] = {}

    def wanted(self) -> WantedAnswer:
        """What answers are scored against."""
        return WantedAnswer(
            GoldAnswer(self.answers, self.is_answerable), self.things, self.num_missing
        )


class QaRun(KeptRun[AnswerLine]):
    """The folder of a run of answers."""

    line_kind = AnswerLine
    lines_file: ClassVar[str] = ANSWERS
    command: ClassVar[str] = "dynagrag evaluate qa"
    evaluates: ClassVar[str] = "qa"
    figures: ClassVar[tuple[str, ...]] = ("measure", "baseline", "arms", "costs")

    def answers(self) -> list[AnswerLine]:
        """The line of each answer; the last, where one was tried again."""
        return list(last_lines(self.lines()).values())

    def questions(self) -> list[KnownQuestion]:
        """The questions in their order."""
        return read_lines(self.path / _GOLDS, KnownQuestion)

    def finish(self, summary: Mapping[str, Any], questions: Iterable[KnownQuestion]) -> None:
        """Writes the questions, then the summary, with which the run is done."""
        self.write_rows(_GOLDS, questions)
        self.write_summary(summary)
