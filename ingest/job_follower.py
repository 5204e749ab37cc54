"""A run and its job in the journal: progress goes there, and a cancellation comes from there."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.ingest.consolidate.verdicts import Judge
from dynagrag.ingest.graph_deriver import Progress
from dynagrag.journal.jobs import JobBook, JobCancelledError
from dynagrag.protocols import Prompt

_NOTE_EVERY_S = 1.0

T = TypeVar("T", bound=BaseModel)


def cancelled(job_id: int) -> JobCancelledError:
    """What ends a job that somebody cancelled."""
    return JobCancelledError(f"job {job_id} was cancelled; what was done is kept")


class Follower:
    """A run's progress: handed on as it comes, noted in the journal once a second, where a cancellation is seen."""

    def __init__(self, book: JobBook, job_id: int, progress: Progress) -> None:
        self._book = book
        self._job_id = job_id
        self._progress = progress
        self._place = ("", 0, 0)
        self._noted_at = float("-inf")
        self._is_cancelled = False
        self.has_stopped = False
        """Whether `check` has ended something."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """A step of the run: `Progress`."""
        self._progress(stage, done, total)
        self._place = (stage, done, total)
        self._note_when_due()

    def check(self) -> None:
        """Raises JobCancelledError once somebody has cancelled the job. May be called from any thread."""
        self._note_when_due()
        if self._is_cancelled:
            self.has_stopped = True
            raise cancelled(self._job_id)

    def note(self) -> None:
        """Notes how far the run is, now."""
        self._noted_at = time.monotonic()
        self._is_cancelled = self._book.note(self._job_id, *self._place) or self._is_cancelled

    def _note_when_due(self) -> None:
        if time.monotonic() - self._noted_at >= _NOTE_EVERY_S:
            self.note()


@dataclass(frozen=True, slots=True)
class StoppableJudge:
    """Asks no more once the job is cancelled."""

    judge: Judge
    check: Callable[[], None]

    def ask(self, prompt: Prompt, schema: type[T], *, stage: str, max_tokens: int, documents: Sequence[str] = ()) -> T:
        """As the judge's own."""
        self.check()
        return self.judge.ask(prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents)
