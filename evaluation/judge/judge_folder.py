"""The folder of a run that judges answers: answers.jsonl (what each arm answered), judgements.jsonl
(what the judge said, as it came).
"""

from typing import Any, ClassVar

from pydantic import Field

from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import ANSWERS
from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.evaluation.judge.judge_replies import JudgeLine


class JudgedLine(JudgeLine):
    """What a judge said: grades of an answer in one sample (`against` is empty), or which of two
    answers is better, in both orders.

    `verdict`: 1 the arm's, 2 the other's, 0 a tie, None unreadable. `note`: why something can't be
    read.
    """

    question: str
    arm: str
    against: str = ""
    sample: int = 0
    grades: dict[str, float | None] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What it is about."""
        return self.question, self.arm, self.against, self.sample

    @property
    def why_unreadable(self) -> str:
        """Why nothing of it could be read; empty where something could."""
        return (
            super().why_unreadable if all(grade is None for grade in self.grades.values()) else ""
        )


class JudgeRun(KeptRun[JudgedLine]):
    """The folder of a run that judges answers."""

    line_kind = JudgedLine
    lines_file: ClassVar[str] = "judgements.jsonl"
    command: ClassVar[str] = "dynagrag evaluate judge"
    evaluates: ClassVar[str] = "answers judged"
    figures: ClassVar[tuple[str, ...]] = ("baseline", "arms")

    def answer_file(self) -> LinesFile[AnswerLine]:
        """Where the answers are."""
        return LinesFile(self.path / ANSWERS, AnswerLine)

    def answers(self) -> dict[tuple[str, str], AnswerLine]:
        """(Question, arm) -> its answer; the last, where one was tried again."""
        return {
            (question, arm): line
            for (_, question, arm), line in last_lines(self.answer_file().lines()).items()
        }

    def judged(self) -> dict[tuple[str, str, str, int], JudgedLine]:
        """All judgements by what they are about."""
        return {line.key: line for line in self.lines()}

    def finish(self, summary: dict[str, Any]) -> None:
        """Writes the summary, with which the run is done."""
        self.write_summary(summary)
