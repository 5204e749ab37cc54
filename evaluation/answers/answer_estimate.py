"""Estimate of the answers that are missing, before they are made: a few questions are answered by a
fake model that counts.

The first call that the real model will be asked is made then, and timed; its reply is in the cache
when it is wanted.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError
from dynagrag.core.protocols import ModelReply, Prompt
from dynagrag.core.text import duration_text, plural
from dynagrag.evaluation.answers.answer_arms import AnswerArm, AskedQuestion
from dynagrag.evaluation.answers.answering import Answering
from dynagrag.evaluation.answers.short_answer import short_answer
from dynagrag.fakes import FakeChat
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import Budget, MeteredChat, prompt_tokens
from dynagrag.models.reply_room import typical_thoughts
from dynagrag.workspace.facade import Workspace

_NUM_TRIED = 3
"""Questions that are answered by the fake model for each arm."""


@dataclass(frozen=True, slots=True)
class AnswersEstimate:
    """About what so many answers take; replies that are in the cache cost nothing of it.
    `reply_tokens`: at most.

    `seconds` None before the first call (not `is_last`), and where it failed; `money` None without
    a price. A trained soft prompt answers one question and is timed.
    """

    answers: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    seconds: float | None
    money: float | None
    is_last: bool = True

    def __str__(self) -> str:
        unknown = ", time unknown" if self.is_last else ""
        time = unknown if self.seconds is None else f", {duration_text(self.seconds)}"
        money = "" if self.money is None else f", price at most {self.money:.2f}"
        return (
            f"{plural(self.answers, 'answer')}, about {plural(self.calls, 'call')},"
            f" {self.prompt_tokens:,} prompt tokens, at most {self.reply_tokens:,} reply"
            f" tokens{time}{money}"
        )


@dataclass(frozen=True, slots=True)
class _Call:
    prompt: Prompt
    schema: type[BaseModel] | None
    max_tokens: int

    @property
    def prompt_tokens(self) -> int:
        return prompt_tokens(self.prompt, self.schema)


class _CountingModel(FakeChat):
    """Answers like the shipped fake, and keeps what it was asked."""

    def __init__(self, is_small: bool) -> None:
        super().__init__(is_small=is_small)
        self.calls: list[_Call] = []

    def complete(
        self, prompt: Prompt, schema: type[BaseModel] | None, max_tokens: int
    ) -> ModelReply:
        """The fake's reply."""
        self.calls.append(_Call(prompt, schema, max_tokens))
        return super().complete(prompt, schema, max_tokens)

    def stream(self, prompt: Prompt, max_tokens: int) -> Iterator[str]:
        """The fake's reply."""
        self.calls.append(_Call(prompt, None, max_tokens))
        yield from super().stream(prompt, max_tokens)


def estimates_of(
    space: Workspace,
    answering: Answering,
    missing: Sequence[tuple[AskedQuestion, AnswerArm]],
    settings: Settings,
) -> Iterator[AnswersEstimate]:
    """The estimate of the answers that are missing, before a real call is made; then the last one,
    with the time of a first call where that was answered. BudgetError where not even that is
    allowed.
    """
    by_arm: dict[str, list[tuple[AskedQuestion, AnswerArm]]] = {}
    for question, arm in missing:
        by_arm.setdefault(arm.name, []).append((question, arm))
    thoughts = typical_thoughts(answering.model)
    calls = prompt = reply = soft_s = 0.0
    first: _Call | None = None
    with TemporaryDirectory() as folder, closing(wiring.make_journal(Path(folder))) as journal:
        for own in by_arm.values():
            num = 1 if own[0][1].soft else _NUM_TRIED
            tried = own[:: max(1, len(own) // num)][:num]
            answered = [_calls(space, answering, question, arm, journal) for question, arm in tried]
            made = [call for found in answered for call in found.calls]
            soft_s += len(own) * sum(found.soft_s for found in answered) / len(tried)
            share = len(own) / len(tried)
            calls += share * len(made)
            prompt += share * sum(call.prompt_tokens for call in made)
            reply += share * sum(call.max_tokens + thoughts for call in made)
            first = first or next((call for call in made if call.schema is not None), None)
    counted = AnswersEstimate(
        len(missing),
        round(calls),
        round(prompt),
        round(reply),
        None,
        settings.price_of(prompt, reply),
    )
    yield replace(counted, is_last=False)
    seconds = _seconds(answering, first, prompt)
    if soft_s and (seconds is not None or first is None):
        seconds = soft_s + (seconds or 0.0)
    yield replace(counted, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _TriedAnswer:
    """Model calls of one answer, and the seconds that a trained soft prompt took for it."""

    calls: Sequence[_Call]
    soft_s: float = 0.0


def _calls(
    space: Workspace,
    answering: Answering,
    question: AskedQuestion,
    arm: AnswerArm,
    journal: Journal,
) -> _TriedAnswer:
    """Model calls of an answer, as far as a model that cites the first line can tell; fewer where
    that fails, which the run will tell.
    """
    model = _CountingModel(answering.model is not None and answering.model.is_small)
    chat = (
        MeteredChat(model, journal, workspace="estimate", budget=Budget(), use_cache=False)
        if answering.model
        else None
    )
    try:
        answer = arm.flow(space, question, chat)
        if chat and question.is_short:
            short_answer(chat, answer)
    except ModelError:
        return _TriedAnswer(model.calls)
    return _TriedAnswer(model.calls, answer.trace.soft.seconds if answer.trace.soft else 0.0)


def _seconds(answering: Answering, call: _Call | None, prompt: float) -> float | None:
    """The time of the first call, by the tokens of its prompt, for all calls; None where it failed
    or there is none.
    """
    chat = answering.chat()
    if chat is None or call is None or call.schema is None:
        return None
    try:
        chat.ask(call.prompt, call.schema, stage="answer", max_tokens=call.max_tokens)
    except ModelError:
        return None
    took = chat.usage().seconds + chat.saved().seconds
    return took * prompt / max(call.prompt_tokens, 1) / answering.num_at_once
