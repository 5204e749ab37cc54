"""Models' replies while answering, as pydantic types; the prompts name them."""

import json
from functools import cache
from typing import Any, Literal

from pydantic import Field, create_model, field_validator, model_validator
from pydantic_core import from_json

from dynagrag.language.sentences import sentence_spans
from dynagrag.models.reply_schema import StrictReply


class IntermediateReply(StrictReply):
    """An answer from one subgraph. An object that neither answers nor says that it can't is no
    reply. More citations than are asked for are forgiven; a small model that may, lists them to its
    limit of tokens, and its reply is cut off.
    """

    answer: str = ""
    citations: list[str] = Field(default_factory=list, json_schema_extra={"maxItems": 12})
    enough_evidence: bool = True

    @classmethod
    def whole_part(cls, reply: str) -> str | None:
        """The answer, where it is whole, or up to where it began to repeat itself. Small models go
        on to their limit with citations, which then say nothing, or with the same sentences.
        """
        try:
            found = from_json(reply, allow_partial="trailing-strings")
        except ValueError:
            return None
        answer = found.get("answer") if isinstance(found, dict) else None
        if not isinstance(answer, str):
            return None
        if found.keys() == {"answer"}:
            answer = _before_its_loop(answer)
        return json.dumps({"answer": answer}, ensure_ascii=False) if answer.strip() else None

    @model_validator(mode="before")
    @classmethod
    def _is_answer(cls, reply: Any) -> Any:
        if isinstance(reply, dict) and not {"answer", "enough_evidence"} & reply.keys():
            raise ValueError("it has neither answer nor enough_evidence")
        return reply


def _before_its_loop(text: str) -> str:
    """An unfinished text up to where it goes round in circles: all whole sentences after the first
    that comes again stood before. Empty where it doesn't.
    """
    sentences = [text[start:end] for start, end in sentence_spans(text)][:-1]
    first = next((i for i, own in enumerate(sentences) if own in sentences[:i]), len(sentences))
    new, again = sentences[:first], sentences[first:]
    return " ".join(new) if again and {*again} <= {*new} else ""


class ScoreReply(StrictReply):
    """One answer's scores, 1 to 5."""

    id: str
    relevance: int = Field(ge=1, le=5)
    coherence: int = Field(ge=1, le=5)
    detail: int = Field(ge=1, le=5)


class HelpfulnessReply(StrictReply):
    """All answers' scores."""

    scores: list[ScoreReply]


@cache
def helpfulness_reply(num_answers: int) -> type[HelpfulnessReply]:
    """The reply with exactly so many scores: a judge that leaves one out is asked again."""
    scores = (list[ScoreReply], Field(min_length=num_answers, max_length=num_answers))
    return create_model("HelpfulnessReply", __base__=HelpfulnessReply, scores=scores)


class SplitReply(StrictReply):
    """The questions of one step that a question is made of."""

    steps: list[str] = Field(min_length=1, max_length=4)

    @field_validator("steps", mode="before")
    @classmethod
    def _first_four(cls, steps: Any) -> Any:
        return steps[:4] if isinstance(steps, list) else steps


class RewriteReply(StrictReply):
    """A question that stands alone."""

    question: str


class ClaimReply(StrictReply):
    """A model's verdict on one claim; `id` and `lines` as they are numbered in the prompt."""

    id: int
    lines: list[int] = Field(default_factory=list)
    verdict: Literal["yes", "no", "contradicted"]


class ClaimsReply(StrictReply):
    """A model's verdicts on all claims; some may be missing."""

    checks: list[ClaimReply]
