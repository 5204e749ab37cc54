"""Questions on their way, each in a thread of its own: a reload neither loses nor repeats it. The answer goes into the conversation."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dynagrag.errors import DynaGragError
from dynagrag.generation.stored_answer import answer_json
from dynagrag.protocols import ChatModel
from dynagrag.schema import Answer
from dynagrag.settings import Settings
from dynagrag.ui import background
from dynagrag.ui.background import Key, Work, WorkStoppedError
from dynagrag.ui.state import Desk
from dynagrag.workspace.conversations import Arm, Conversation, ConversationBook, Exchange, new_id, now
from dynagrag.workspace.facade import AskOptions

_LOG = logging.getLogger(__name__)
MAX_CHARACTERS = 4_000
"""Of a question: 1,000 tokens, more than a prompt's whole budget of evidence."""


@dataclass
class Asking:
    """A question on its way. `arm`: the row of the retriever that is at it, `pieces` what came of its answer."""

    exchange: Exchange
    options: Sequence[AskOptions]
    arm: int = 0
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)


def _key(desk: Desk, conversation_id: str) -> Key:
    return background.key_of(desk.space.settings, desk.name, "ask", conversation_id)


def work_of(desk: Desk, conversation_id: str) -> Work | None:
    """The question that is on its way in a conversation, or has just ended, with its `Asking` under `notes["asking"]`."""
    return background.find(_key(desk, conversation_id))


def ask(
    desk: Desk, conversation: Conversation, text: str, options: Sequence[AskOptions], model: ChatModel | None, prices: Settings
) -> None:
    """Starts a question with one retriever after the other. One that is on its way in this conversation already is not asked again.

    The question is kept at once: it is there, as interrupted, where its answer never comes.
    """
    if work_of(desk, conversation.id) is not None:
        return
    asking = Asking(Exchange(new_id(), text, now(), ()), options)
    ConversationBook(desk.space.folder).put(conversation.id, asking.exchange)
    run = partial(_answer, desk, conversation, asking, model, prices)
    background.start(_key(desk, conversation.id), "Answering", run, {"asking": asking})


def stop(desk: Desk, conversation: Conversation, work: Work) -> None:
    """Ends a question; a call to a model that is on its way is waited for by nobody."""
    asking: Asking = work.notes["asking"]
    background.abandon(work.key)
    stopped = Arm(asking.options[asking.arm].retriever, error="Stopped before it was answered.")
    ConversationBook(desk.space.folder).put(conversation.id, replace(asking.exchange, arms=(stopped,)))


def _answer(desk: Desk, conversation: Conversation, asking: Asking, model: ChatModel | None, prices: Settings, work: Work) -> None:
    arms: list[Arm] = []
    version = desk.space.store.version()
    for arm, options in enumerate(asking.options):
        asking.arm, asking.pieces = arm, []
        arms.append(_arm(desk, conversation, asking, options, model, prices, work))
    if work.is_stopped:
        return
    ConversationBook(desk.space.folder).put(conversation.id, replace(asking.exchange, arms=tuple(arms)))
    if desk.space.store.version() != version:  # a document may have been deleted after the answer was made of it
        desk.space.forget_conversations()


def _arm(
    desk: Desk,
    conversation: Conversation,
    asking: Asking,
    options: AskOptions,
    model: ChatModel | None,
    prices: Settings,
    work: Work,
) -> Arm:
    start = time.monotonic()
    llm = model.name if model else ""

    def on_text(piece: str) -> None:
        if work.is_stopped:
            raise WorkStoppedError
        asking.pieces.append(piece)

    try:
        answer = desk.space.ask(asking.exchange.asked, options, conversation.history(), on_text, work.progress, model)
    except DynaGragError as err:
        return Arm(options.retriever, error=str(err), llm=llm, seconds=time.monotonic() - start)
    except WorkStoppedError:
        raise
    except Exception as err:  # noqa: BLE001 - a thread's edge: the conversation says so, the log has it
        _LOG.exception("a question failed")
        return Arm(options.retriever, error=background.unexpected(err), llm=llm, seconds=time.monotonic() - start)
    return Arm(options.retriever, answer_json(answer), "", llm, time.monotonic() - start, cost_of(answer, prices))


def cost_of(answer: Answer, prices: Settings) -> float | None:
    """In the currency of the settings' prices; None where they have none."""
    if prices.price_per_million_prompt_tokens is None or prices.price_per_million_completion_tokens is None:
        return None
    usage = answer.usage
    prompt = usage.prompt_tokens * prices.price_per_million_prompt_tokens
    return (prompt + usage.completion_tokens * prices.price_per_million_completion_tokens) / 1e6
