"""Whether a language model and an embedder answer: one tiny call each, with its time."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.protocols import ChatModel, Prompt
from dynagrag.models.known_models import CATALOG
from dynagrag.ui.state import QUICK

_PROMPT = Prompt(
    "connection-test", "You are asked whether you can be reached.", "Reply with the one word: ready"
)
_MAX_TOKENS = 16
_MAX_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Trial:
    """An answer to the test call, and its seconds; the first call of a model on this machine loads
    it.
    """

    name: str
    reply: str
    seconds: float


def try_chat_model(settings: Settings, load: Callable[[], ChatModel | None]) -> Trial | None:
    """Asks the language model of the settings; None where none is set. `load` gives the shared one,
    for a model on this machine, which is not loaded twice. Raises what the model raises.
    """
    if settings.llm is None:
        return None
    is_here = settings.llm in CATALOG or settings.llm.startswith(("gguf:", "local:"))
    model = load() if is_here else wiring.make_chat_model(settings.model_copy(update=QUICK))
    assert model is not None
    try:
        begun = time.monotonic()
        reply = model.complete(_PROMPT, None, _MAX_TOKENS)
        return Trial(
            model.name, " ".join(reply.text.split())[:_MAX_SHOWN], time.monotonic() - begun
        )
    finally:
        if not is_here:
            model.close()


def try_embedder(settings: Settings) -> Trial:
    """Embeds one word. Raises what the embedder raises."""
    embedder = wiring.make_embedder(settings.model_copy(update=QUICK))
    begun = time.monotonic()
    length = len(embedder.embed_query("ready?"))
    return Trial(embedder.identity.name, f"{length} dimensions", time.monotonic() - begun)
