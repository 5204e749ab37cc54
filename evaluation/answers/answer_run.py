"""Makes the answers that a run lacks, question by question and arm by arm. Each is written down as
it comes, so a killed run is resumed where it was; the calls of a half-made answer lie in the cache.

What fails is kept in its line with the reason, and tried again by the next run, but for replies
that were cut off.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from dynagrag.config.settings import Settings
from dynagrag.core.errors import CutOffReplyError, ModelError, ModelUnavailableError
from dynagrag.core.schema import Answer, Usage
from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_arms import AnswerArm, AskedQuestion
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate, estimates_of
from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines, line_of
from dynagrag.evaluation.answers.answering import Answering
from dynagrag.evaluation.answers.short_answer import short_answer
from dynagrag.evaluation.batches import MAX_FAILED, FailedInARow
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.facade import Workspace

ANSWERS = "answers.jsonl"
"""The file of a run's folder that has its answers."""
Missing = tuple[AskedQuestion, AnswerArm]


def missing_answers(
    questions: Sequence[AskedQuestion], arms: Sequence[AnswerArm], lines: Iterable[AnswerLine]
) -> list[Missing]:
    """Answers without a line, or with only one that failed: question by question, arm by arm."""
    done = {key for key, line in last_lines(lines).items() if not line.has_failed}
    return [
        (question, arm)
        for question in questions
        for arm in arms
        if (question.scope, question.id, arm.name) not in done
    ]


def make_answers(
    space: Workspace,
    answering: Answering,
    questions: Sequence[AskedQuestion],
    arms: Sequence[AnswerArm],
    lines: LinesFile[AnswerLine],
    settings: Settings,
    progress: Progress | None = None,
    on_estimate: Callable[[AnswersEstimate], None] | None = None,
) -> None:
    """Makes what is missing and adds it to the lines; `on_estimate` is told before what that will
    take, and after a first call how long.

    Raises BudgetError where the budget is spent, ModelUnavailableError where the last 20 answers
    failed. What was made is kept then, as it is on Ctrl-C.
    """
    missing = missing_answers(questions, arms, lines.lines())
    if missing and on_estimate:
        for estimate in estimates_of(space, answering, missing, settings):
            on_estimate(estimate)
    total = len(questions) * len(arms)
    work = _AnswerWork(
        space, answering, lines, progress or (lambda *_: None), total - len(missing), total
    )
    by_question: dict[tuple[str, str], list[Missing]] = {}
    for question, arm in missing:
        by_question.setdefault((question.scope, question.id), []).append((question, arm))
    work.make(list(by_question.values()))


class _AnswerWork:
    """Answers that are being made, by several threads where the model takes several calls at
    once.
    """

    def __init__(
        self,
        space: Workspace,
        answering: Answering,
        lines: LinesFile[AnswerLine],
        progress: Progress,
        num_done: int,
        total: int,
    ) -> None:
        self._space = space
        self._answering = answering
        self._lines = lines
        self._progress = progress
        self._num_done = num_done
        self._total = total
        self._failed = FailedInARow()
        self._is_stopped = False
        self._lock = Lock()

    def make(self, questions: Sequence[Sequence[Missing]]) -> None:
        """Makes all of them. What is in flight when one of them stops the run is waited for, so
        that its replies are kept.
        """
        self._progress("answer", self._num_done, self._total)
        if self._answering.num_at_once == 1:
            for own in questions:
                self._answer_one(own)
        else:
            self._answer_at_once(questions)
        made = self._lines.lines() if questions else []
        if made and all(line.has_failed for line in made):
            raise ModelUnavailableError(
                f"all of {plural(len(made), 'answer')} failed: {made[-1].error}"
            )

    def _answer_at_once(self, questions: Sequence[Sequence[Missing]]) -> None:
        pool = ThreadPoolExecutor(self._answering.num_at_once, thread_name_prefix="question")
        try:
            for _ in pool.map(self._answer_one, questions):
                pass
        finally:
            self._is_stopped = True
            pool.shutdown(wait=True, cancel_futures=True)

    def _answer_one(self, own: Sequence[Missing]) -> None:
        """One question's missing answers, one after the other: what arms ask alike is then in the
        cache.
        """
        for question, arm in own:
            if self._is_stopped:
                return
            line = self._line(question, arm)
            with self._lock:
                self._lines.append([line])
                self._num_done += 1
                self._progress("answer", self._num_done, self._total)
                if self._failed.are_enough(bool(line.error)):
                    self._is_stopped = True
                    raise ModelUnavailableError(
                        f"the last {MAX_FAILED} answers failed: {line.error}"
                    )

    def _line(self, question: AskedQuestion, arm: AnswerArm) -> AnswerLine:
        """The arm's answer; a model's failure is an error of this answer alone."""
        chat = self._answering.chat()
        begun = time.perf_counter()
        try:
            answer = arm.flow(self._space, question, chat)
            short, failed = _short(chat, answer) if chat and question.is_short else (None, 0)
        except ModelError as err:
            line = AnswerLine(
                scope=question.scope,
                question=question.id,
                text=question.text,
                arm=arm.name,
                error=str(err) or repr(err),
            )
            if chat is None or not isinstance(err, CutOffReplyError):
                return line
            spent, saved = chat.usage(), chat.saved()  # until a reply had no end
            cost = {
                "is_cut_off": True,
                "prompt_tokens": spent.prompt_tokens + saved.prompt_tokens,
                "completion_tokens": spent.completion_tokens + saved.completion_tokens,
                "calls": spent.calls,
                "cached": spent.cached,
                "seconds": round(time.perf_counter() - begun + saved.seconds, 3),
            }
            return line.model_copy(update=cost)
        wall_s = time.perf_counter() - begun
        return line_of(
            answer,
            question=question.id,
            scope=question.scope,
            arm=arm.name,
            short=short,
            spent=chat.usage() if chat else Usage(),
            saved=chat.saved() if chat else Usage(),
            wall_s=wall_s,
            failed_parts=len(answer.trace.failures) + failed,
        )


def _short(chat: MeteredChat, answer: Answer) -> tuple[str, int]:
    """The answer in a few words, and whether (1) that reply had no end: then it is empty, and the
    answer itself is kept.
    """
    try:
        return short_answer(chat, answer), 0
    except CutOffReplyError:
        return "", 1
