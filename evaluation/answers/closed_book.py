"""Answers of a model without any evidence: how much of a set it knows by heart."""

from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import Answer, AnswerTrace
from dynagrag.generation.answer import ABSTENTION
from dynagrag.models.reply_schema import StrictReply
from dynagrag.prompts import render

_MAX_TOKENS = 400
"""As an intermediate answer has."""


class ClosedBookReply(StrictReply):
    """An answer from memory. `is_known`: whether the model says that it knows."""

    answer: str
    is_known: bool = True


def closed_book_answer(chat: Asker, question: str) -> Answer:
    """The answer in one call: it cites nothing, and none of its claims is checked, since there are
    no lines.
    """
    system, user = render("closed_book", question=question)
    reply = chat.ask(
        Prompt("closed_book", system, user), ClosedBookReply, stage="answer", max_tokens=_MAX_TOKENS
    )
    text = " ".join(reply.answer.split())
    is_abstained = not (reply.is_known and text)
    return Answer(
        question=question,
        text=ABSTENTION if is_abstained else text,
        is_abstained=is_abstained,
        citations=(),
        intermediate=(),
        evidence=(),
        trace=AnswerTrace(
            retriever="closed-book",
            instructions=system,
            reason="the model doesn't know" if is_abstained else "",
        ),
        usage=chat.usage(),
    )
