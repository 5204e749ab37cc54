"""The replies of judges, and what is kept of them, as pydantic types: nothing is read into a reply
that isn't there.

"2 of 4", "4", 4.5 and 7 are no scores.
"""

from abc import ABC
from typing import Literal

from pydantic import ConfigDict, Field

from dynagrag.evaluation.frame.experiment_run import ExperimentLine
from dynagrag.models.reply_schema import StrictReply


class JudgeReply(StrictReply):
    """Base of the replies: no type is made of another."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    def word(self) -> str:
        """The verdict as the word that stands for it."""
        raise NotImplementedError


class RightReply(JudgeReply):
    """Whether an answer is right."""

    verdict: Literal["yes", "no"]

    def word(self) -> str:
        """As given."""
        return self.verdict


class BetterReply(JudgeReply):
    """Which of two outputs is better."""

    better: Literal["1", "2", "tie"]

    def word(self) -> str:
        """As given."""
        return self.better


class GradeReply(JudgeReply):
    """A score on one scale."""

    score: int = Field(ge=1, le=5)

    def word(self) -> str:
        """The digit."""
        return str(self.score)


METRICS = ("clarity", "depth", "nuance", "implications", "ethics")
"""DynaGRAG's five, by short names: Clarity and Brevity, Depth and Specificity, Subjectivity and
Nuance, Implication Focus, Ethical Alignment.
"""


class MetricsReply(StrictReply):
    """A score on each of the five."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    clarity: int = Field(ge=1, le=5)
    depth: int = Field(ge=1, le=5)
    nuance: int = Field(ge=1, le=5)
    implications: int = Field(ge=1, le=5)
    ethics: int = Field(ge=1, le=5)


class JudgeLine(ExperimentLine, ABC):
    """A verdict, as a line of a run has it. `verdict` None: there is none, or it could not be read,
    and `note` says why: asking again would bring the same.

    `orders`: what it said of a pair each time.
    """

    verdict: float | None = None
    orders: tuple[float | None, ...] = ()
    odds: float | None = None
    note: str = ""
    ms: float = 0.0

    @property
    def why_unreadable(self) -> str:
        """Why nothing of it could be read; empty where something could."""
        return self.note if self.verdict is None else ""

    @property
    def is_flip(self) -> bool:
        """Whether a pair's verdict changed with the order."""
        return (
            len(self.orders) == 2 and None not in self.orders and self.orders[0] != self.orders[1]
        )
