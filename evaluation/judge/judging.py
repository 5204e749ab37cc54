"""The judging of what a run has left, of answers and of rows alike: what it will cost, as prompts
are written and counted, and the asking. Each judgement is written down as it comes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import InvalidReplyError
from dynagrag.core.protocols import ChatModel, FirstWordModel
from dynagrag.core.text import duration_text, plural
from dynagrag.evaluation.batches import FailedInARow, in_batches
from dynagrag.evaluation.frame.experiment import Keep
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.judge.blind_answers import (
    BlindAnswer,
    levels_of,
    metrics_of,
    metrics_prompt,
)
from dynagrag.evaluation.judge.judge_model import REPLY_TOKENS, JudgeQuestion, better_questions
from dynagrag.evaluation.judge.judge_options import JudgePlan
from dynagrag.evaluation.judge.judge_replies import METRICS, BetterReply, JudgeLine, MetricsReply
from dynagrag.evaluation.judge.judged_line import JudgeUnit
from dynagrag.models.metered_chat import MeteredChat, prompt_tokens
from dynagrag.models.reply_room import typical_thoughts

T = TypeVar("T")
AnyJudgeLine = TypeVar("AnyJudgeLine", bound=JudgeLine)
JUDGE = "judge"
"""Replies lie in HOME/evaluation/judge, and verdicts are cached for all runs alike."""
_WORDS = 100
"""Of an answer that is not made yet."""


@dataclass(frozen=True, slots=True)
class JudgingCost:
    """At most so much, but for repairs: a reply in the cache costs nothing. `money` only where
    prices are set; `seconds` once known.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    money: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        money = "" if self.money is None else f", price {self.money:.2f}"
        time = (
            ""
            if self.seconds is None
            else f", about {duration_text(max(1, self.seconds))} by the first one"
        )
        return (
            f"at most {plural(self.calls, 'call')}, {self.prompt_tokens:,} prompt +"
            f" {self.completion_tokens:,} reply tokens{money}{time}"
        )

    def after_first(self, seconds: float, num_rows: int) -> "JudgingCost":
        """With the time that all rows take if each takes as long as the first did."""
        return replace(self, seconds=seconds * num_rows)


def judging_cost(
    questions: Sequence[JudgeQuestion], chat: MeteredChat, settings: Settings
) -> JudgingCost:
    """The cost of these questions. A small model that tells log probabilities replies with one
    token.
    """
    is_word = _replies_a_word(chat.model)
    prompt = sum(
        prompt_tokens(question.prompt(is_word=is_word), None if is_word else question.schema)
        for question in questions
    )
    return _cost(len(questions), prompt, chat.model, settings)


def units_cost(
    units: Sequence[JudgeUnit],
    answers: Mapping[tuple[str, str], BlindAnswer],
    chat: MeteredChat,
    settings: Settings,
) -> JudgingCost:
    """The cost of judging answers."""
    return _units_cost(units, answers, chat.model, settings)


def expected_cost(plan: JudgePlan, model: ChatModel, settings: Settings) -> JudgingCost:
    """About the cost of judging answers that aren't made yet, as if each had 100 words."""
    words = " ".join(["word"] * _WORDS)
    answers = {
        (question.id, arm): BlindAnswer(question.text, f"{arm} {words}")
        for question in plan.questions
        for arm in plan.arm_names
    }
    return _units_cost(plan.units, answers, model, settings)


def _units_cost(
    units: Sequence[JudgeUnit],
    answers: Mapping[tuple[str, str], BlindAnswer],
    model: ChatModel,
    settings: Settings,
) -> JudgingCost:
    is_word = _replies_a_word(model)
    calls = prompt = 0
    for unit in units:
        own = answers[unit.question, unit.arm]
        if unit.against:
            other = answers[unit.question, unit.against]
            asked = [
                question.prompt(is_word=is_word)
                for question in better_questions(own.question, own.text, other.text)
            ]
            tokens = sum(prompt_tokens(one, None if is_word else BetterReply) for one in asked)
        elif is_word:
            levels = levels_of(unit.sample)
            asked = [metrics_prompt(own, [metric], levels, is_word=True) for metric in METRICS]
            tokens = sum(map(prompt_tokens, asked))
        else:
            levels, metrics = levels_of(unit.sample), metrics_of(own, unit.sample)
            asked = [metrics_prompt(own, metrics, levels, is_word=False)]
            tokens = prompt_tokens(asked[0], MetricsReply)
        calls, prompt = calls + len(asked), prompt + tokens
    return _cost(calls, prompt, model, settings)


def _replies_a_word(model: ChatModel) -> bool:
    """Whether the log probabilities of a first word are its reply: not of one that thinks first."""
    return model.is_small and isinstance(model, FirstWordModel) and not typical_thoughts(model)


def _cost(calls: int, prompt: int, model: ChatModel, settings: Settings) -> JudgingCost:
    reply = calls * (1 if _replies_a_word(model) else REPLY_TOKENS + typical_thoughts(model))
    return JudgingCost(calls, prompt, reply, settings.price_of(prompt, reply))


def judge_left(
    left: Sequence[T],
    judge: Callable[[T], AnyJudgeLine],
    keep: Keep[AnyJudgeLine],
    chat: MeteredChat,
    settings: Settings,
) -> None:
    """Judges what is left, as much at once as the model takes calls, and keeps each judgement. What
    can't be read is a line too, which is counted in the end.

    Raises InvalidReplyError where too many in a row can't be read; what the judge raises else.
    """
    unreadable = FailedInARow()
    for lines in in_batches(left, judge, wiring.concurrency_of(chat.model, settings)):
        keep(lines)
        for line in lines:
            if unreadable.are_enough(bool(line.why_unreadable)):
                raise InvalidReplyError(
                    f"the last {unreadable.num} judgements of {chat.model.name} could not be read,"
                    f" e.g. {shortened(line.why_unreadable)}: name another judge"
                )
