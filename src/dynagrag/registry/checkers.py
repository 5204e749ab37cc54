"""Checkers, which find out whether lines state a claim: the setting `checker`, and `evaluate
citations`.
"""

from typing import TYPE_CHECKING, Protocol

from dynagrag.core.errors import SettingsError
from dynagrag.registry.choices import Choice, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.core.protocols import Asker, ClaimChecker

NO_MODEL_TO_CHECK = (
    "no language model is configured; name one, e.g. --llm openai:NAME or --llm qwen, or check by"
    " `rules` alone"
)


class MakeChecker(Protocol):
    """Makes a checker, of what stands after its name's colon, the language model, and settings."""

    def __call__(self, rest: str, chat: "Asker | None", settings: "Settings", /) -> "ClaimChecker":
        """The checker."""


def rules_checker(rest: str, chat: "Asker | None", settings: "Settings") -> "ClaimChecker":
    """The rules."""
    from dynagrag.generation.claims.rules_checker import RulesChecker

    return RulesChecker()


def model_checker(rest: str, chat: "Asker | None", settings: "Settings") -> "ClaimChecker":
    """The language model, which must be there."""
    from dynagrag.generation.claims.model_checker import ModelChecker

    if chat is None:
        raise SettingsError(f"checking claims by `model`: {NO_MODEL_TO_CHECK}")
    return ModelChecker(chat)


def nli_checker(rest: str, chat: "Asker | None", settings: "Settings") -> "ClaimChecker":
    """A classifier."""
    from dynagrag.generation.claims.nli_checker import open_nli_checker

    return open_nli_checker(rest, settings)


class CheckerChoice(Choice[MakeChecker]):
    """A checker of claims."""


CHECKERS = table(
    CheckerChoice(
        name="rules",
        sentence="numbers, names, denials and words, without a model",
        label="Rules",
        make=rules_checker,
    ),
    CheckerChoice(
        name="model",
        sentence="the language model",
        label="The language model",
        make=model_checker,
        needs_model=True,
    ),
    CheckerChoice(
        name="nli",
        sentence="nli:FOLDER or nli:HUB-ID, a classifier (with an .onnx file: without torch)",
        label="A classifier",
        make=nli_checker,
        needs_weights=True,
    ),
)
