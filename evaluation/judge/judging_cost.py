"""What judging will cost, before anything is asked: the prompts are written and counted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynagrag.evaluation.judge.judge_model import REPLY_TOKENS, JudgeQuestion
from dynagrag.models.metered_chat import MeteredChat, prompt_tokens
from dynagrag.protocols import FirstWordModel
from dynagrag.settings import Settings


@dataclass(frozen=True, slots=True)
class JudgingCost:
    """At most so much, but for repairs: a reply in the cache costs nothing. `money` only where prices are set; `seconds` once known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        money = "" if self.money is None else f", price {self.money:.2f}"
        time = "" if self.seconds is None else f", {_duration(self.seconds)}"
        return f"at most {self.calls:,} calls, {self.prompt_tokens:,} prompt + {self.completion_tokens:,} reply tokens{money}{time}"

    def after_first(self, seconds: float, num_rows: int) -> "JudgingCost":
        """With the time that all rows take if each takes as long as the first did."""
        return replace(self, seconds=seconds * num_rows)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"about {max(1, round(seconds))} s by the first one"
    minutes = round(seconds / 60)
    return f"about {minutes} min by the first one" if minutes < 120 else f"about {minutes / 60:.1f} h by the first one"


def judging_cost(questions: Sequence[JudgeQuestion], chat: MeteredChat, settings: Settings) -> JudgingCost:
    """The cost of these questions. A small model that tells log probabilities replies with one token."""
    is_word = chat.is_small and isinstance(chat.model, FirstWordModel)
    prompt = sum(prompt_tokens(question.prompt(is_word=is_word), None if is_word else question.schema) for question in questions)
    reply = len(questions) * (1 if is_word else REPLY_TOKENS)
    prompt_price, reply_price = settings.price_per_million_prompt_tokens, settings.price_per_million_completion_tokens
    money = None
    if prompt_price is not None or reply_price is not None:
        money = (prompt * (prompt_price or 0) + reply * (reply_price or 0)) / 1e6
    return JudgingCost(len(questions), prompt, reply, money)
