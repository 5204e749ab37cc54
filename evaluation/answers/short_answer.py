"""A checked answer in a few words, for sets whose gold is a name, a date or yes and no
(docs/decisions/0017-measuring-answers.md).
"""

from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import Answer
from dynagrag.generation.citations import without_marks
from dynagrag.models.reply_schema import StrictReply
from dynagrag.prompts import render

_MAX_TOKENS = 100


class ShortReply(StrictReply):
    """The fewest words of an answer that answer its question; empty where it doesn't."""

    short: str


def short_answer(chat: Asker, answer: Answer) -> str:
    """The answer in a few words, in one call; empty without a call where it abstains."""
    if answer.is_abstained:
        return ""
    system, user = render(
        "short_answer", question=answer.question, answer=without_marks(answer.text)
    )
    reply = chat.ask(
        Prompt("short_answer", system, user), ShortReply, stage="shorten", max_tokens=_MAX_TOKENS
    )
    return " ".join(reply.short.split())
