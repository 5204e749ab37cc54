"""Pending questions, each in a thread of its own: a reload neither loses nor repeats one. The
answer is stored in the conversation.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError
from dynagrag.core.protocols import ChatModel
from dynagrag.core.schema import Answer
from dynagrag.ui import background
from dynagrag.ui.background import Key, Work, WorkStoppedError
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.conversations import (
    Conversation,
    ConversationBook,
    Exchange,
    KeptAnswer,
    new_id,
    now,
)

_LOG = logging.getLogger(__name__)
MAX_CHARACTERS = 4_000
"""Of a question: 1,000 tokens, more than a prompt's whole budget of evidence."""


@dataclass
class PendingQuestion:
    """A question on its way: `row` of the options that it is being answered with, `pieces` of that
    answer so far, `answers` of those before. `version`: the store's, when it began.
    """

    exchange: Exchange
    options: Sequence[AskOptions]
    row: int = 0
    pieces: list[str] = field(default_factory=list)
    answers: list[KeptAnswer] = field(default_factory=list)
    version: str = ""

    @property
    def way(self) -> str:
        """The retriever, or the trained soft prompt, that is at it."""
        return self.options[self.row].way

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)


def _key(session: WorkspaceSession, conversation_id: str) -> Key:
    return background.key_of(session.space.settings, session.name, "ask", conversation_id)


def work_of(session: WorkspaceSession, conversation_id: str) -> Work | None:
    """The work on a conversation's pending question, or on one that has just ended."""
    return background.find(_key(session, conversation_id))


def is_answering(session: WorkspaceSession, conversation_id: str) -> bool:
    """Whether a question of the conversation is on its way."""
    work = work_of(session, conversation_id)
    return work is not None and work.is_running


def question_of(work: Work) -> PendingQuestion:
    """The question that the work is on."""
    question: PendingQuestion = work.notes["question"]
    return question


def ask(
    session: WorkspaceSession,
    conversation: Conversation,
    text: str,
    options: Sequence[AskOptions],
    model: ChatModel | None,
    prices: Settings,
) -> None:
    """Starts a question with one retriever after the other. One that is on its way in this
    conversation already is not asked again.

    The question is kept at once: it is there, as interrupted, where its answer never comes.
    """
    if work_of(session, conversation.id) is not None:
        return
    question = PendingQuestion(Exchange(new_id(), text, now(), ()), options)
    ConversationBook(session.space.folder).put(conversation.id, question.exchange)
    run = partial(_answer_all, session, conversation, question, model, prices)
    background.start(_key(session, conversation.id), "Answering", run, {"question": question})


def stop(session: WorkspaceSession, conversation: Conversation, work: Work) -> None:
    """Ends a question and keeps the answers that are done; a call to a model that is on its way is
    waited for by nobody.
    """
    question = question_of(work)
    background.abandon(work.key)
    done = tuple(question.answers)
    stopped = [
        KeptAnswer(options.way, error="Stopped before it was answered.")
        for options in question.options[len(done) :]
    ]
    _keep(session, conversation, question, (*done, *stopped[:1]))


def _answer_all(
    session: WorkspaceSession,
    conversation: Conversation,
    question: PendingQuestion,
    model: ChatModel | None,
    prices: Settings,
    work: Work,
) -> None:
    question.version = session.space.store.version()
    for row in range(len(question.options)):
        question.row, question.pieces = row, []
        question.answers.append(_answer(session, conversation, question, model, prices, work))
    if not work.is_stopped:
        _keep(session, conversation, question, tuple(question.answers))


def _keep(
    session: WorkspaceSession,
    conversation: Conversation,
    question: PendingQuestion,
    answers: tuple[KeptAnswer, ...],
) -> None:
    ConversationBook(session.space.folder).put(
        conversation.id, replace(question.exchange, answers=answers)
    )
    if question.answers and session.space.store.version() != question.version:
        # a document may be gone since it was quoted
        session.space.parts.forget_conversations()


def _answer(
    session: WorkspaceSession,
    conversation: Conversation,
    question: PendingQuestion,
    model: ChatModel | None,
    prices: Settings,
    work: Work,
) -> KeptAnswer:
    start = time.monotonic()
    options = question.options[question.row]
    llm = model.name if model and options.soft is None else ""

    def on_text(piece: str) -> None:
        if work.is_stopped:
            raise WorkStoppedError
        question.pieces.append(piece)

    try:
        answer = session.space.ask(
            question.exchange.asked, options, conversation.history(), on_text, work.progress, model
        )
    except DynaGragError as err:
        return KeptAnswer(options.way, error=str(err), llm=llm, seconds=time.monotonic() - start)
    except WorkStoppedError:
        raise
    except Exception as err:  # noqa: BLE001 - a thread's edge: shown, and logged
        _LOG.exception("a question failed")
        return KeptAnswer(
            options.way, error=background.unexpected(err), llm=llm, seconds=time.monotonic() - start
        )
    llm = answer.trace.soft.label if answer.trace.soft else llm
    way = options.way or answer.trace.retriever
    return KeptAnswer(
        way, answer, llm=llm, seconds=time.monotonic() - start, cost=cost_of(answer, prices)
    )


def cost_of(answer: Answer, prices: Settings) -> float | None:
    """In the currency of the settings' prices; None where they have none."""
    if (
        prices.price_per_million_prompt_tokens is None
        or prices.price_per_million_completion_tokens is None
    ):
        return None
    usage = answer.usage
    prompt = usage.prompt_tokens * prices.price_per_million_prompt_tokens
    return (prompt + usage.completion_tokens * prices.price_per_million_completion_tokens) / 1e6
