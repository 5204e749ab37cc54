"""The language model of a run of answers, with cache, ledger and one budget. Replies lie in HOME/evaluation/answers, so that no call is
paid twice, whatever run it was made for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dynagrag import wiring
from dynagrag.errors import SettingsError
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.protocols import ChatModel
from dynagrag.settings import Settings

_JOURNAL = Path("evaluation") / "answers"
_CACHE_NAME = "evaluate-answers"


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers, and what all its calls share. `num_at_once`: questions that are answered at the same time."""

    model: ChatModel
    journal: Journal
    budget: Budget
    num_at_once: int

    def chat(self) -> MeteredChat:
        """The model with a count of its own, for one answer."""
        return MeteredChat(self.model, self.journal, workspace=_CACHE_NAME, budget=self.budget)


@contextmanager
def open_answering(settings: Settings, max_calls: int | None, model: ChatModel | None = None) -> Iterator[Answering]:
    """The given model, which is not closed, else that of the settings. SettingsError where none is configured."""
    opened = model or wiring.make_chat_model(settings)
    if opened is None:
        raise SettingsError("a language model gives the answers: name one with --llm, e.g. --llm openai:NAME or --llm qwen")
    try:
        journal = wiring.make_journal(settings.home / _JOURNAL)
        try:
            yield Answering(opened, journal, Budget(max_calls), wiring.concurrency_of(opened, settings))
        finally:
            journal.close()
    finally:
        if model is None:
            opened.close()
