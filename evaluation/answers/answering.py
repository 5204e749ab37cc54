"""The language model of a run of answers, with cache, ledger and one budget. Replies lie in
HOME/evaluation/answers, so that no call is paid twice, whatever run it was made for.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError
from dynagrag.core.protocols import ChatModel
from dynagrag.evaluation.answers.answer_arms import AnswerArm
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import Budget, MeteredChat

_JOURNAL = Path("evaluation") / "answers"
_CACHE_NAME = "evaluate-answers"


@dataclass(frozen=True, slots=True)
class Answering:
    """A model that answers, and what all its calls share. `model`: None where all arms have one of
    their own. `num_at_once`: questions that are answered at the same time.
    """

    model: ChatModel | None
    journal: Journal
    budget: Budget
    num_at_once: int

    @property
    def identity(self) -> str | None:
        """The model's, for a run's settings."""
        return self.model.identity if self.model else None

    def chat(self) -> MeteredChat | None:
        """The model with a count of its own, for one answer."""
        return (
            MeteredChat(self.model, self.journal, workspace=_CACHE_NAME, budget=self.budget)
            if self.model
            else None
        )


def answerer(llm: str | None) -> str:
    """The answerer in a report's words, by the identity of the model in a run's settings."""
    return llm.partition(" ")[0] if llm else "the arms' own models"


@contextmanager
def open_answering(
    settings: Settings,
    max_calls: int | None,
    model: ChatModel | None = None,
    arms: Iterable[AnswerArm] = (),
) -> Iterator[Answering]:
    """The given model, which is not closed, else that of the settings. SettingsError where none is
    configured and one of the arms needs it.
    """
    opened = model or wiring.make_chat_model(settings)
    if opened is None and (needing := [arm.name for arm in arms if arm.needs_model]):
        raise SettingsError(
            f"a language model gives the answers of {', '.join(needing)}: name one with --llm, e.g."
            " --llm openai:NAME or --llm qwen"
        )
    try:
        journal = wiring.make_journal(settings.home / _JOURNAL)
        try:
            yield Answering(
                opened,
                journal,
                Budget(max_calls),
                wiring.concurrency_of(opened, settings) if opened else 1,
            )
        finally:
            journal.close()
    finally:
        if model is None and opened is not None:
            opened.close()
