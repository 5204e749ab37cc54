"""Cost of checking claims with a language model, before anything is asked: the checkers are run
with a model that only counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Never, TypeVar

from pydantic import BaseModel

from dynagrag.config.settings import Settings
from dynagrag.core.errors import BudgetError, ModelError
from dynagrag.core.protocols import ClaimChecker, Prompt
from dynagrag.core.schema import Claim, Usage
from dynagrag.core.text import plural
from dynagrag.models.metered_chat import prompt_tokens

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class CheckingCost:
    """At most so much, but for repairs: a reply in the cache costs nothing, a yes or no one token.
    `money` only where prices are set.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None = None

    def __str__(self) -> str:
        money = "" if self.money is None else f", price {self.money:.2f}"
        return (
            f"at most {plural(self.calls, 'call')}, {self.prompt_tokens:,} prompt +"
            f" {self.completion_tokens:,} reply tokens{money}"
        )


class CountingAsker:
    """Stands in for a model: counts what it is asked, as far as estimates go, and answers
    nothing. `thoughts`: tokens that the model thinks before each answer.
    """

    is_small = False

    def __init__(self, thoughts: int = 0) -> None:
        self._thoughts = thoughts
        self.calls = self.prompt_tokens = self.completion_tokens = 0

    def ask(
        self,
        prompt: Prompt,
        schema: type[R],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> R:
        """Counts, then raises BudgetError."""
        self._count(prompt, schema, max_tokens)

    def stream(
        self, prompt: Prompt, *, stage: str, max_tokens: int, documents: Sequence[str] = ()
    ) -> Iterator[str]:
        """Counts, then raises BudgetError."""
        self._count(prompt, None, max_tokens)

    def yes_no(self, prompt: Prompt, *, stage: str, documents: Sequence[str] = ()) -> float | None:
        """None, so that the costlier way is counted."""
        return None

    def usage(self, stage: str | None = None) -> Usage:
        """Nothing is spent."""
        return Usage()

    def _count(self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int) -> Never:
        self.calls += 1
        self.prompt_tokens += prompt_tokens(prompt, schema)
        self.completion_tokens += max_tokens + self._thoughts
        raise BudgetError("counted, not asked")


def checking_cost(
    checker: ClaimChecker, asker: CountingAsker, claims: Iterable[Claim], settings: Settings
) -> CheckingCost:
    """The cost of checking these claims with a checker that was made with this asker."""
    for claim in claims:
        try:
            checker.check([claim])
        except (BudgetError, ModelError):
            continue
    money = settings.price_of(asker.prompt_tokens, asker.completion_tokens)
    return CheckingCost(asker.calls, asker.prompt_tokens, asker.completion_tokens, money)
