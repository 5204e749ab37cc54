"""The folder of a run over GraphQA: answers.jsonl (what the method said to each question, and its
scores) and the summary.
"""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.graphqa.hallucination import NamedSupport


class GraphAnswerLine(BaseModel):
    """What a method said to one question, and what each scorer makes of it, by measure. `support`:
    what it named, where it was asked.
    """

    model_config = ConfigDict(frozen=True)

    question: str
    text: str
    answer: str
    gold: tuple[str, ...]
    scores: dict[str, dict[str, float]]
    support: NamedSupport | None = None


class GraphQaRun(KeptRun[GraphAnswerLine]):
    """A run of one method. What was answered is kept as it comes; a run that was stopped goes
    on.
    """

    line_kind = GraphAnswerLine
    lines_file: ClassVar[str] = "answers.jsonl"
    command: ClassVar[str] = "dynagrag evaluate graphqa"
    evaluates: ClassVar[str] = "graphqa"
    figures: ClassVar[tuple[str, ...]] = ("measures",)
