"""Questions on their way, each in a thread of its own: a reload neither loses nor repeats it. The answer goes into the conversation."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from dynagrag.cli_output import answer_json
from dynagrag.conversations import Arm, Conversation, ConversationBook, Exchange, new_id, now
from dynagrag.errors import DynaGragError
from dynagrag.protocols import ChatModel
from dynagrag.schema import Answer
from dynagrag.settings import Settings
from dynagrag.ui import background
from dynagrag.ui.background import Key, Work
from dynagrag.ui.state import Desk
from dynagrag.workspace import AskOptions

_LOG = logging.getLogger(__name__)
MAX_CHARACTERS = 4_000
"""Of a question: 1,000 tokens, more than a prompt's whole budget of evidence."""


@dataclass
class Asking:
    """A question on its way. `arm`: the row of the retriever that is at it, `stage` how far it is, `pieces` what came of its answer."""

    asked: str
    options: Sequence[AskOptions]
    arm: int = 0
    is_waiting: bool = True
    stage: tuple[str, int, int] = ("", 0, 0)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)


def _key(desk: Desk, conversation_id: str) -> Key:
    return (str(desk.space.settings.home), desk.name, "ask", conversation_id)


def work_of(desk: Desk, conversation_id: str) -> Work | None:
    """The question that is on its way in a conversation, or has just ended, with its `Asking` under `notes["asking"]`."""
    return background.find(_key(desk, conversation_id))


def ask(
    desk: Desk, conversation: Conversation, text: str, options: Sequence[AskOptions], model: ChatModel | None, prices: Settings
) -> None:
    """Starts a question with one retriever after the other. One that is on its way in this conversation already is not asked again."""
    asking = Asking(text, options)
    run = partial(_answer, desk, conversation, asking, model, prices)
    background.start(_key(desk, conversation.id), "Answering", run, {"asking": asking})


def _answer(desk: Desk, conversation: Conversation, asking: Asking, model: ChatModel | None, prices: Settings, _: Work) -> None:
    arms: list[Arm] = []
    version = desk.space.store.version()
    with desk.lock:  # another visitor's question may be on its way
        asking.is_waiting = False
        desk.space.use_chat_model(model)
        for arm, options in enumerate(asking.options):
            asking.arm, asking.pieces = arm, []
            arms.append(_arm(desk, conversation, asking, options, model, prices))
    ConversationBook(desk.space.folder).add(conversation.id, Exchange(new_id(), asking.asked, now(), tuple(arms)))
    if desk.space.store.version() != version:  # a document may have been deleted after the answer was made of it
        desk.space.forget_conversations()


def _arm(desk: Desk, conversation: Conversation, asking: Asking, options: AskOptions, model: ChatModel | None, prices: Settings) -> Arm:
    start = time.monotonic()
    llm = model.name if model else ""
    try:
        answer = desk.space.ask(asking.asked, options, conversation.history(), asking.pieces.append, lambda *stage: _note(asking, stage))
    except DynaGragError as err:
        return Arm(options.retriever, error=str(err), llm=llm, seconds=time.monotonic() - start)
    except Exception as err:  # noqa: BLE001 - a thread's edge: the conversation says so, the log has it
        _LOG.exception("a question failed")
        return Arm(
            options.retriever, error=f"Something went wrong ({type(err).__name__}); the terminal that runs dynagrag has the details."
        )
    return Arm(options.retriever, answer_json(answer), "", llm, time.monotonic() - start, cost_of(answer, prices))


def _note(asking: Asking, stage: tuple[str, int, int]) -> None:
    asking.stage = stage


def cost_of(answer: Answer, prices: Settings) -> float | None:
    """In the currency of the settings' prices; None where they have none."""
    if prices.price_per_million_prompt_tokens is None or prices.price_per_million_completion_tokens is None:
        return None
    usage = answer.usage
    prompt = usage.prompt_tokens * prices.price_per_million_prompt_tokens
    return (prompt + usage.completion_tokens * prices.price_per_million_completion_tokens) / 1e6
