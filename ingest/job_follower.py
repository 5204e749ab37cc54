"""A run and its job in the journal: progress goes there, and a cancellation comes from there."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import TypeVar

from pydantic import BaseModel

from dynagrag.core.protocols import Prompt
from dynagrag.ingest.consolidate.verdicts import Judge
from dynagrag.ingest.graph_deriver import Progress
from dynagrag.journal.job_files import JobFiles
from dynagrag.journal.jobs import JobBook, JobCancelledError, JobStatus

_NOTE_EVERY_S = 0.4
"""So that a pause is seen within a second."""

T = TypeVar("T", bound=BaseModel)


class Follower:
    """Hands a run's progress on as it comes, and notes it in the journal twice a second and with
    each stage, where it sees a cancellation. Then the job has ended, and every further step raises
    JobCancelledError; calls in flight may still be waited for.
    """

    def __init__(self, book: JobBook, files: JobFiles, job_id: int, progress: Progress) -> None:
        self._book = book
        self._files = files
        self._job_id = job_id
        self._progress = progress
        self._place = ("", 0, 0)
        self._extracted: Counter[str] = Counter()
        self._unnoted: set[str] = set()
        self._noted_at = float("-inf")
        self._lock = RLock()
        self._is_pause = False
        self.has_stopped = False
        """Whether somebody has cancelled the job, and the journal says so."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """A step of the run: `Progress`. Raises as `check` does."""
        self._progress(stage, done, total)
        is_new_stage = stage != self._place[0]
        self._place = (stage, done, total)
        if is_new_stage:
            self.note()
        self.check()

    def extracted(self, document_id: str) -> None:
        """A chunk of a document is done."""
        self._extracted[document_id] += 1
        self._unnoted.add(document_id)

    def set_aside(self, document_id: str, reason: str) -> None:
        """A chunk of a document failed."""
        self._files.set_aside(self._job_id, document_id, reason)

    def check(self) -> None:
        """Raises JobCancelledError once somebody has cancelled the job. May be called from any
        thread.
        """
        with self._lock:
            if not self.has_stopped and time.monotonic() - self._noted_at >= _NOTE_EVERY_S:
                self.note()
            if self.has_stopped:
                how = "paused" if self._is_pause else "stopped"
                raise JobCancelledError(f"job {self._job_id} was {how}; what was done is kept")

    def end(self) -> None:
        """All is done: the last note. A cancellation comes too late."""
        with self._lock:
            self._note_files()

    def _note_files(self) -> None:
        self._files.note(self._job_id, {d: self._extracted[d] for d in self._unnoted})

    def note(self) -> None:
        """Notes how far the run is, now; where somebody has cancelled the job, that it has
        ended.
        """
        with self._lock:
            if self.has_stopped:  # the job may be another run's by now
                return
            self._noted_at = time.monotonic()
            is_cancelled = self._book.note(self._job_id, *self._place)
            self._note_files()
            self._unnoted.clear()
            if is_cancelled:
                self._is_pause = self._book.job(self._job_id).is_paused
                reason = "paused" if self._is_pause else "stopped"
                self._book.finish(self._job_id, JobStatus.CANCELLED, reason=reason)
                self.has_stopped = True


@dataclass(frozen=True, slots=True)
class StoppableJudge:
    """Asks no more once the job is cancelled."""

    judge: Judge
    check: Callable[[], None]

    def ask(
        self,
        prompt: Prompt,
        schema: type[T],
        *,
        stage: str,
        max_tokens: int,
        documents: Sequence[str] = (),
    ) -> T:
        """As the judge's own."""
        self.check()
        return self.judge.ask(
            prompt, schema, stage=stage, max_tokens=max_tokens, documents=documents
        )
