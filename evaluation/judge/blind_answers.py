"""Answers as a judge is shown them: nothing tells which arm wrote one. Citation marks, what stands
in their place, and lay-out go.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judged_text import fenced, inert
from dynagrag.language.english.source_talk import BARE_LABEL, MARK, OPEN_MARK, SOURCE, SOURCE_DENIES
from dynagrag.prompts import render

_LAYOUT = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)]|#{1,6})[ \t]+|\*\*|__|`", re.MULTILINE)
_MAX_CHARS = 6000
_LEVEL_ORDERS = ((1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (3, 1, 5, 2, 4))
"""How a scale is written in each sample: a small judge leans to what stands last."""


@dataclass(frozen=True, slots=True)
class BlindAnswer:
    """A question with an answer that tells nothing of its arm; without words where it was cut
    off.
    """

    question: str
    text: str
    is_cut_off: bool = False

    @classmethod
    def of(cls, line: AnswerLine) -> "BlindAnswer":
        """The answer of a line."""
        return cls(line.text, blind(line.plain or line.answer), line.is_cut_off)

    @property
    def num_words(self) -> int:
        """In words."""
        return len(self.text.split())


def blind(text: str) -> str:
    """The words of an answer in one paragraph: without marks, lay-out, and talk of graphs or
    passages.
    """
    unmarked = OPEN_MARK.sub("", MARK.sub("", text))
    unsourced = BARE_LABEL.sub("", SOURCE_DENIES.sub("the text does not", SOURCE.sub("", unmarked)))
    plain = _LAYOUT.sub("", unsourced)
    plain = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(plain.split())).lstrip(",;: ")
    return plain[:1].upper() + plain[1:]


def metrics_prompt(
    answer: BlindAnswer, metrics: Sequence[str], levels: Sequence[int], *, is_word: bool
) -> Prompt:
    """The prompt by which an answer is graded by itself. Prompts of one answer begin alike, so that
    a local model reads it once.
    """
    shown = {"question": fenced(answer.question), "answer": inert(answer.text, _MAX_CHARS)}
    system, user = render(
        "judge_metrics", **shown, metrics=list(metrics), levels=list(levels), is_word=is_word
    )
    return Prompt("judge_metrics", system, user)


def levels_of(sample: int) -> tuple[int, ...]:
    """The order of the scale in a sample: up, down, mixed, then drawn by the sample's number."""
    if sample < len(_LEVEL_ORDERS):
        return _LEVEL_ORDERS[sample]
    order = list(_LEVEL_ORDERS[0])
    random.Random(sample).shuffle(order)
    return tuple(order)


def metrics_of(answer: BlindAnswer, sample: int) -> tuple[str, ...]:
    """The order of the metrics in a sample, another for each answer and sample, the same each
    time.
    """
    order = list(METRICS)
    random.Random(f"{sample} {answer.question} {answer.text}").shuffle(order)
    return tuple(order)
