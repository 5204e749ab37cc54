"""Answers as a judge is shown them: nothing tells which arm wrote one. Citation marks, what stands in their place, and lay-out go."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judged_text import fenced, inert
from dynagrag.prompts import render
from dynagrag.protocols import Prompt

_MARK = re.compile(r"\s{0,8}[\[(](?:found:\s*)?(?:[A-Z]{0,2}\d{1,4}(?:\s*[,;]\s*)?)+[\])]")
_LAYOUT = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)]|#{1,6})[ \t]+|\*\*|__|`", re.MULTILINE)
_SOURCE = re.compile(
    r"\b(?:according to|based on|as (?:stated|mentioned|said|shown) in|from|in)\s+(?:the\s+)?(?:provided\s+|given\s+|cited\s+)*"
    r"(?:sub-?graphs?|graphs?|knowledge graphs?|passages?|excerpts?|evidence(?: lines?)?|context|entities|relations)\b,?\s*",
    re.IGNORECASE,
)
_MAX_CHARS = 6000
_LEVEL_ORDERS = ((1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (3, 1, 5, 2, 4))
"""How a scale is written in each sample: a small judge leans to what stands last."""


@dataclass(frozen=True, slots=True)
class BlindAnswer:
    """A question with an answer that tells nothing of its arm."""

    question: str
    text: str

    @classmethod
    def of(cls, line: AnswerLine) -> "BlindAnswer":
        """The answer of a line."""
        return cls(line.text, blind(line.plain or line.answer))

    @property
    def num_words(self) -> int:
        """How long it is."""
        return len(self.text.split())


def blind(text: str) -> str:
    """The words of an answer in one paragraph: without marks, lay-out, and talk of graphs or passages."""
    plain = _LAYOUT.sub("", _SOURCE.sub("", _MARK.sub("", text)))
    plain = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(plain.split()))
    return plain[:1].upper() + plain[1:]


def metrics_prompt(answer: BlindAnswer, metrics: Sequence[str], levels: Sequence[int], *, is_word: bool) -> Prompt:
    """What a judge is asked of an answer by itself. Prompts of one answer begin alike, so that a local model reads it once."""
    shown = {"question": fenced(answer.question), "answer": inert(answer.text, _MAX_CHARS)}
    system, user = render("judge_metrics", **shown, metrics=list(metrics), levels=list(levels), is_word=is_word)
    return Prompt("judge_metrics", system, user)


def levels_of(sample: int) -> tuple[int, ...]:
    """The order of the scale in a sample: up, down, mixed, then drawn by the sample's number."""
    if sample < len(_LEVEL_ORDERS):
        return _LEVEL_ORDERS[sample]
    order = list(_LEVEL_ORDERS[0])
    random.Random(sample).shuffle(order)
    return tuple(order)


def metrics_of(answer: BlindAnswer, sample: int) -> tuple[str, ...]:
    """The order of the metrics in a sample, another for each answer and sample, the same each time."""
    order = list(METRICS)
    random.Random(f"{sample} {answer.question} {answer.text}").shuffle(order)
    return tuple(order)
