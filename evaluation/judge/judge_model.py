"""A language model as a judge: of one answer by references, of two outputs in both orders, of an
answer by grades.

A small model that tells log probabilities is asked for one word and read by them: which verdict is
likelier, or the grade that it expects (docs/decisions/0018-judges.md). Any other, and a small one
whose reply begins with another word, replies with an object. What can't be read gives no verdict.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel

from dynagrag.core.errors import CutOffReplyError, InvalidReplyError, PromptRefusedError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.judge.blind_answers import (
    BlindAnswer,
    levels_of,
    metrics_of,
    metrics_prompt,
)
from dynagrag.evaluation.judge.judge_replies import (
    METRICS,
    BetterReply,
    GradeReply,
    JudgeReply,
    MetricsReply,
    RightReply,
)
from dynagrag.evaluation.judge.judged_text import fenced, inert
from dynagrag.prompts import render

STAGE = "judge"
GRADES = ("1", "2", "3", "4", "5")
TIE = 0.0
REPLY_TOKENS = 200
"""Limit of a reply that is an object; it is some ten tokens, unless a model writes more around it.
"""
_ANSWER_CHARS = 6000
_REFERENCE_CHARS = 2400
_MAX_REFERENCES = 20
_NO_REPLY = (InvalidReplyError, CutOffReplyError, PromptRefusedError)
"""Errors that leave one question without a verdict; the next one may have one."""
Reply = TypeVar("Reply", bound=BaseModel)


class WordAsker(Protocol):
    """The part of a chat model that a judge needs: `dynagrag.models.metered_chat.MeteredChat`."""

    @property
    def is_small(self) -> bool:
        """Whether it is asked for words."""

    def ask(
        self,
        prompt: Prompt,
        schema: type[Reply],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> Reply:
        """A validated reply."""

    def first_word(
        self, prompt: Prompt, words: Sequence[str], *, stage: str, documents: Sequence[str] = ()
    ) -> tuple[float, ...] | None:
        """Log probabilities of the words; empty where it says another one, None where it doesn't
        tell.
        """


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """One call of a judge, in both of its forms. `values`: what each word stands for. `is_graded`:
    the words are a scale, not choices.
    """

    name: str
    inputs: Mapping[str, object]
    values: Mapping[str, float]
    schema: type[JudgeReply]
    is_graded: bool = False

    def prompt(self, *, is_word: bool) -> Prompt:
        """As a model is asked."""
        system, user = render(self.name, **self.inputs, is_word=is_word)
        return Prompt(self.name, system, user)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict. `value` None: it can't be read, and `note` says why. `odds`: log p(first
    value) - log p(second), where told.

    Of several calls, `parts` has what each said.
    """

    value: float | None
    odds: float | None = None
    note: str = ""
    parts: tuple[float | None, ...] = ()


def right_question(question: str, references: Sequence[str], answer: str) -> JudgeQuestion:
    """Is the answer right? 1 yes, 0 no."""
    shown = [fenced(reference, _REFERENCE_CHARS) for reference in references[:_MAX_REFERENCES]]
    inputs = {
        "question": fenced(question),
        "references": shown,
        "answer": inert(answer, _ANSWER_CHARS),
    }
    return JudgeQuestion("judge_right", inputs, {"yes": 1.0, "no": 0.0}, RightReply)


def better_questions(
    instruction: str, first: str, second: str
) -> tuple[JudgeQuestion, JudgeQuestion]:
    """Which output is better, asked in both orders? 1 the first, 2 the second, 0 a tie, as they
    stand in the arguments.
    """
    one, two = inert(first, _ANSWER_CHARS), inert(second, _ANSWER_CHARS)
    asked = fenced(instruction)
    return (
        JudgeQuestion(
            "judge_better",
            {"instruction": asked, "first": one, "second": two},
            {"1": 1.0, "2": 2.0, "tie": TIE},
            BetterReply,
        ),
        JudgeQuestion(
            "judge_better",
            {"instruction": asked, "first": two, "second": one},
            {"1": 2.0, "2": 1.0, "tie": TIE},
            BetterReply,
        ),
    )


def grade_question(question: str, references: Sequence[str], answer: str) -> JudgeQuestion:
    """How good is the answer, held against references? 1 to 5."""
    shown = [fenced(reference, _REFERENCE_CHARS) for reference in references]
    inputs = {
        "question": fenced(question),
        "references": shown,
        "answer": inert(answer, _ANSWER_CHARS),
    }
    return JudgeQuestion(
        "judge_grade", inputs, {grade: float(grade) for grade in GRADES}, GradeReply, is_graded=True
    )


class JudgeModel:
    """See the module."""

    def __init__(self, chat: WordAsker) -> None:
        self._chat = chat

    def judge(self, question: JudgeQuestion) -> Judgement:
        """The verdict of one call; a reply that doesn't fit and a prompt that is refused give none.
        Raises ModelUnavailableError, ModelRefusedError of every prompt, and BudgetError.
        """
        try:
            return self._asked(question)
        except _NO_REPLY as err:
            return Judgement(None, note=str(err))

    def _asked(self, question: JudgeQuestion) -> Judgement:
        words = tuple(word for word in question.values if word != "tie")
        if self._chat.is_small:
            logprobs = self._chat.first_word(question.prompt(is_word=True), words, stage=STAGE)
            if logprobs:
                return _by_words(
                    logprobs,
                    [question.values[word] for word in words],
                    is_graded=question.is_graded,
                )
        reply = self._chat.ask(
            question.prompt(is_word=False), question.schema, stage=STAGE, max_tokens=REPLY_TOKENS
        )
        return Judgement(question.values[reply.word()])

    def judge_both(self, question: JudgeQuestion, turned: JudgeQuestion) -> Judgement:
        """The verdict of a pair asked in both orders: a tie unless both say the same. `odds` are
        those of both orders together.
        """
        found = [self.judge(question), self.judge(turned)]
        values = tuple(own.value for own in found)
        if note := next((own.note for own in found if own.value is None), ""):
            return Judgement(None, None, note, values)
        there, back = (own.odds for own in found)
        both = None if there is None or back is None else round(there - back, 4)
        return Judgement(values[0] if values[0] == values[1] else TIE, both, "", values)


def judge_metrics(
    chat: WordAsker, answer: BlindAnswer, sample: int
) -> tuple[dict[str, float | None], str]:
    """(A grade by metric, None where it can't be read; why not) of one sample. Errors as in
    `JudgeModel.judge`.

    A small model that tells log probabilities is asked for a digit by metric; whatever it doesn't
    give is asked for in an object, as any other model is asked for all of it.
    """
    found = dict[str, float | None]()
    try:
        _grade(chat, answer, sample, found)
    except _NO_REPLY as err:
        return {metric: found.get(metric) for metric in METRICS}, str(err)
    return found, ""


def _grade(
    chat: WordAsker, answer: BlindAnswer, sample: int, found: dict[str, float | None]
) -> None:
    """Puts each grade into `found` as soon as it is there."""
    levels = levels_of(sample)
    if chat.is_small:
        for metric in METRICS:
            logprobs = chat.first_word(
                metrics_prompt(answer, [metric], levels, is_word=True), GRADES, stage=STAGE
            )
            if logprobs is None:
                break
            if logprobs:
                found[metric] = _by_words(
                    logprobs, [float(grade) for grade in GRADES], is_graded=True
                ).value
    if len(found) < len(METRICS):
        prompt = metrics_prompt(answer, metrics_of(answer, sample), levels, is_word=False)
        reply = chat.ask(prompt, MetricsReply, stage=STAGE, max_tokens=REPLY_TOKENS)
        for metric in METRICS:
            found.setdefault(metric, float(getattr(reply, metric)))


def _by_words(logprobs: Sequence[float], values: Sequence[float], *, is_graded: bool) -> Judgement:
    if is_graded:
        shares = [math.exp(own) for own in logprobs]
        expected = sum(share * value for share, value in zip(shares, values, strict=True)) / sum(
            shares
        )
        return Judgement(round(expected, 4))
    best = max(range(len(values)), key=lambda i: logprobs[i])
    return Judgement(values[best], round(logprobs[0] - logprobs[1], 4))


def prompts_digest(*names: str) -> str:
    """A hash of these prompts as they are written, so that a verdict is only compared with those of
    the same wording.
    """
    from importlib import resources

    texts = [
        resources.files("dynagrag.prompts").joinpath(f"{name}.jinja").read_text(encoding="utf-8")
        for name in names
    ]
    return content_id(*texts)
