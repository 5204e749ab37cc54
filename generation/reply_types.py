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
        """The answer, or its whole sentences up to where it began to repeat itself. Small models go
        on to their limit with citations, which then say nothing, or with sentences.
        """
        try:
            found = from_json(reply, allow_partial="trailing-strings")
            ended = from_json(reply, allow_partial=True)
        except ValueError:
            return None
        answer = found.get("answer") if isinstance(found, dict) else None
        if not isinstance(answer, str):
            return None
        if found.keys() == {"answer"}:
            answer = _whole_sentences(answer, is_ended="answer" in ended)
        return json.dumps({"answer": answer}, ensure_ascii=False) if answer.strip() else None

    @model_validator(mode="before")
    @classmethod
    def _is_answer(cls, reply: Any) -> Any:
        if isinstance(reply, dict) and not {"answer", "enough_evidence"} & reply.keys():
            raise ValueError("it has neither answer nor enough_evidence")
        return reply


def _whole_sentences(text: str, is_ended: bool) -> str:
    """A text's sentences, each once; of one that isn't ended without the last, which may be half of
    one.
    """
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return " ".join(dict.fromkeys(sentences if is_ended else sentences[:-1]))


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
