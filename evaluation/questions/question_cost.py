"""Cost of questions that a model writes, before it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from dynagrag.config.settings import Settings
from dynagrag.core.protocols import Prompt
from dynagrag.core.text import duration_text, plural
from dynagrag.evaluation.answers.closed_book import ClosedBookReply
from dynagrag.evaluation.questions.drafts import SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.question_writing import (
    MAX_REPLY_TOKENS,
    Request,
    UnansweredReply,
    WrittenReply,
    requests,
)
from dynagrag.generation.evidence import line_of
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render

_QUESTION = "x" * 120
"""Stands for a question that nobody has written yet."""
_SEARCHED = 3
"""An unanswerable question is held against so many times its own passages: those that a search
brings too.
"""


@dataclass(frozen=True, slots=True)
class QuestionCost:
    """If every question passes its checks; each that doesn't costs another one. Replies that are
    kept cost nothing. `reply_tokens`: at most. `money` only where prices are set.
    """

    questions: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    money: float | None = None
    seconds: float | None = None
    """As long as the first call took by the tokens of its prompt; None before it, and where it
    failed.
    """

    def __str__(self) -> str:
        time = "" if self.seconds is None else f", {duration_text(self.seconds)}"
        money = "" if self.money is None else f", price at most {self.money:.2f}"
        amount = (
            f"{plural(self.questions, 'question')}, {plural(self.calls, 'call')},"
            f" {self.prompt_tokens:,} prompt tokens"
        )
        return (
            f"{amount}, at most {self.reply_tokens:,} reply tokens{time}{money}; each question that"
            " is left out takes as many calls again"
        )


def question_cost(
    evidence: SplitSayings,
    kinds: Sequence[QuestionKind],
    num: int,
    seed: int,
    asks_checker: bool,
    settings: Settings,
    thoughts: int = 0,
) -> QuestionCost:
    """The cost of the first requests, the kinds in turn. `asks_checker`: whether the checker of
    claims asks the model too; `thoughts`: tokens that the model thinks before each answer.
    """
    in_turn = chain.from_iterable(zip_longest(*(requests(evidence, kind, seed) for kind in kinds)))
    first = list(islice((request for request in in_turn if request is not None), num))
    calls = prompt = 0
    for request in first:
        tokens = _tokens(request)
        if asks_checker and request.kind is not QuestionKind.UNANSWERABLE:
            tokens.append(tokens[-1])  # the checker is shown as much as the answer was made from
        calls += len(tokens)
        prompt += sum(tokens)
    reply = calls * (MAX_REPLY_TOKENS + thoughts)
    return QuestionCost(len(first), calls, prompt, reply, settings.price_of(prompt, reply))


def _tokens(request: Request) -> list[int]:
    """Prompt tokens of each call for a question that passes: it is written, answered without its
    passages, and from them.
    """
    is_unanswerable = request.kind is QuestionKind.UNANSWERABLE
    written = prompt_tokens(request.prompt, UnansweredReply if is_unanswerable else WrittenReply)
    context = "\n".join(line_of(line) for line in request.shown.values()) * (
        _SEARCHED if is_unanswerable else 1
    )
    answered = prompt_tokens(
        Prompt(
            "intermediate", *render("intermediate", question=_QUESTION, note="", context=context)
        ),
        IntermediateReply,
    )
    if is_unanswerable:
        return [written, answered]
    return [
        written,
        prompt_tokens(
            Prompt("closed_book", *render("closed_book", question=_QUESTION)), ClosedBookReply
        ),
        answered,
    ]
