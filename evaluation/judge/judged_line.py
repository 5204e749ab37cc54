"""A judgement of an answer, or of two: what is judged, and the line that is kept of it."""

from dataclasses import dataclass

from pydantic import Field

from dynagrag.evaluation.judge.judge_replies import JudgeLine


@dataclass(frozen=True, slots=True)
class JudgeUnit:
    """An arm's answer to a question, in one sample by itself, or `against` another arm's."""

    question: str
    arm: str
    against: str = ""
    sample: int = 0

    @property
    def id(self) -> str:
        """It names the unit among those of its arm."""
        return f"{self.against} {self.sample} {self.question}"


class JudgedLine(JudgeLine):
    """The judgement of a unit: grades of an answer by itself, or which of two answers is better, in
    both orders.

    `verdict`: 1 the arm's, 2 the other's, 0 a tie, None unreadable. `note`: why something can't be
    read.
    """

    question: str
    arm: str
    against: str = ""
    sample: int = 0
    grades: dict[str, float | None] = Field(default_factory=dict)

    @property
    def unit(self) -> JudgeUnit:
        """The unit that it is about."""
        return JudgeUnit(self.question, self.arm, self.against, self.sample)

    @property
    def key(self) -> tuple[str, str]:
        """The arm, and the unit."""
        return self.arm, self.unit.id

    @property
    def why_unreadable(self) -> str:
        """Why nothing of it could be read; empty where something could."""
        return (
            super().why_unreadable if all(grade is None for grade in self.grades.values()) else ""
        )
