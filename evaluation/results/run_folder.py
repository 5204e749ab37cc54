"""The folder of a run of retrieval: questions.jsonl (one line per question, scope and arm) and
passages.jsonl (the words of what was brought).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.lines_file import read_lines

_PASSAGES = "passages.jsonl"


class Brought(BaseModel):
    """A unit that an arm brought, by its best passage. The score's scale is the arm's own."""

    model_config = ConfigDict(frozen=True)

    id: str
    score: float
    gold: bool


class RetrievalLine(BaseModel):
    """What one arm made of one question. `gold`: a passage for each thing to be found; `missing`:
    gold that the corpus lacks.
    """

    model_config = ConfigDict(frozen=True)

    scope: str
    question: str
    text: str
    arm: str
    passages: tuple[Brought, ...]
    gold: tuple[str, ...]
    missing: tuple[str, ...] = ()
    measures: dict[str, float]
    recall: tuple[float, ...]
    ms: float
    prompt_tokens: int | None = None


class PassageWords(BaseModel):
    """A passage as the report shows it."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    words: str


class RunFolder(KeptRun[RetrievalLine]):
    """The folder of a run of retrieval."""

    line_kind = RetrievalLine
    lines_file = "questions.jsonl"
    command = "dynagrag evaluate retrieval"
    figures = ("measure", "baseline", "arms", "scopes")

    def passages(self) -> dict[str, PassageWords]:
        """The words of all passages that were brought or should have been, by id."""
        return {p.id: p for p in read_lines(self.path / _PASSAGES, PassageWords)}

    def finish(self, summary: Mapping[str, Any], passages: Sequence[PassageWords]) -> None:
        """Writes the words of the passages, then the summary, with which the run is done."""
        self.write_rows(_PASSAGES, passages)
        self.write_summary(summary)
