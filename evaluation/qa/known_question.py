"""A question as its answers are scored against it and shown: a line of a run's golds.jsonl."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.qa.answer_scores import WantedAnswer
from dynagrag.evaluation.question_sets.question_set import GoldAnswer

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
        """The gold that answers are scored against."""
        return WantedAnswer(
            GoldAnswer(self.answers, self.is_answerable), self.things, self.num_missing
        )
