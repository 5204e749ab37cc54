"""A question that was made of a workspace, with what answers it, as its line in a file of questions
has it.
"""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class QuestionKind(StrEnum):
    """Kind of a question. A cloze takes one thing out of a line; an unanswerable question has no
    answer in the workspace.
    """

    SPECIFIC = "specific"
    TWO_HOP = "two_hop"
    COMPARISON = "comparison"
    THEMATIC = "thematic"
    UNANSWERABLE = "unanswerable"
    CLOZE = "cloze"


class Split(StrEnum):
    """Use of a question. All questions of a document are in one split."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class GoldTurns(BaseModel):
    """Turns that answer a question, both ends included, counted from 0; `document` is a title, or
    an id where titles repeat.
    """

    model_config = ConfigDict(frozen=True)

    document: str
    first: int
    last: int


class Provenance(BaseModel):
    """Sources of a question: ids of passages, of relation records and of entities, those that it
    asks about first.
    """

    model_config = ConfigDict(frozen=True)

    passages: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


class MadeQuestion(BaseModel):
    """A question with its answer. `answers`: other forms of it. Of `turns` and `documents` one is
    filled, none where nothing answers it.

    `made_by`: `records`, or the model's name.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    kind: QuestionKind
    answer: str = ""
    answers: tuple[str, ...] = ()
    turns: tuple[GoldTurns, ...] = ()
    documents: tuple[str, ...] = ()
    answerable: bool = True
    provenance: Provenance = Provenance()
    made_by: str
    split: Split

    def row(self) -> dict[str, Any]:
        """Its line as an object: what is empty is left out, and `answerable` where it is true."""
        values = self.model_dump(mode="json")
        return {
            name: value
            for name, value in values.items()
            if value not in ("", [], ()) and (name, value) != ("answerable", True)
        }
