"""Questions that a model rewords before they are answered: a follow-up is made to stand alone, one
of several steps is split into them.
"""

from collections.abc import Sequence

from dynagrag.core.errors import CutOffReplyError, InvalidReplyError
from dynagrag.core.protocols import Asker, Prompt
from dynagrag.generation.reply_types import RewriteReply, SplitReply
from dynagrag.prompts import render

_MAX_STEP = 300
"""Characters of a step that a model split a question into."""


def rewrite_question(chat: Asker, history: Sequence[tuple[str, str]], question: str) -> str:
    """The question standing alone; the last three exchanges are what it may refer to."""
    if not history:
        return question
    turns = [{"question": q, "answer": a[:600]} for q, a in history[-3:]]
    system, user = render("rewrite", history=turns, question=question)
    reply = chat.ask(Prompt("rewrite", system, user), RewriteReply, stage="rewrite", max_tokens=200)
    return reply.question.strip() or question


def split_question(chat: Asker, question: str) -> tuple[str, ...]:
    """The questions of one step that a question is made of, at most four; none where it is one
    itself, or the model's reply is no list.

    Steps of over 300 characters are passed over. Raises ModelError where the model can't be had.
    """
    system, user = render("split", question=question)
    try:
        reply = chat.ask(Prompt("split", system, user), SplitReply, stage="split", max_tokens=400)
    except (InvalidReplyError, CutOffReplyError):
        return ()  # it is asked whole, and the trace says so
    steps: dict[str, str] = {}
    for step in reply.steps:
        steps.setdefault(_bare(step), " ".join(step.split()))
    return tuple(
        step
        for bare, step in steps.items()
        if bare and bare != _bare(question) and len(step) <= _MAX_STEP
    )


def _bare(question: str) -> str:
    """Its words alone: what differs in case or in the marks around it is the same question."""
    return " ".join(question.casefold().split()).strip(" .?!\"'")
