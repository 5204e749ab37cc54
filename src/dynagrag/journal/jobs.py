"""The journal's jobs: what was asked for, how far it is, how it ended; and whether the process that
is at it still lives.

A process holds the lock of a file of its own while it is at a job (`jobs/7.lock`). The system lets
go of it however the process ends, so a job that says "running" and whose lock is free was
interrupted; a process id could have gone to another program by then.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dynagrag.config.own_seal import opened, sealed
from dynagrag.core.errors import BudgetError, StoreError, UsageError, WorkspaceError
from dynagrag.core.files.private_files import make_folder, private
from dynagrag.journal.journal_file import JournalFile, now, storable

_LOCK_WAIT_S = 2.0
"""Somebody who looks whether a job is alive holds its lock for an instant."""
_MAX_REASON = 500
_CANCEL, _PAUSE = 1, 2
"""Values of a job's `is_cancelled` but for 0."""


class JobCancelledError(BudgetError):
    """Somebody cancelled the job; like a spent budget it ends the run with its work kept."""


class JobStatus(StrEnum):
    """How a job stands."""

    RUNNING = "running"
    DONE = "done"
    SET_ASIDE = "set aside"
    """Done, but for some chunks."""
    STOPPED = "stopped"
    """Its budget is spent."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """Its process ended before it did."""


RESUMABLE = (JobStatus.INTERRUPTED, JobStatus.STOPPED, JobStatus.FAILED, JobStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A job's task: absolute paths, or places (document id, start, end) of chunks that were set
    aside; all options, and the names of models and store; never a secret.
    """

    paths: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    llm: str | None = None
    embedder: str = ""
    store: str = ""
    places: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One ingest. `done` of `total` steps of its `stage`; `counts` by what was counted; times in
    UTC, "" for not yet.

    `is_cancelled`: somebody asked for its end and means to leave it there; `is_paused`: somebody
    did, and means to go on with it. `is_own`: this user has asked for it, so its request may name
    files and servers; else it came from elsewhere, or is of an older version.
    """

    id: int
    kind: str
    status: JobStatus
    request: JobRequest
    stage: str
    done: int
    total: int
    counts: Mapping[str, int]
    started_at: str
    updated_at: str
    finished_at: str
    reason: str
    is_cancelled: bool = False
    is_paused: bool = False
    is_own: bool = False

    @property
    def is_to_go_on(self) -> bool:
        """Whether it ended before it was done, and nobody has said that it shall stay so."""
        return (
            self.status in RESUMABLE
            and not self.is_cancelled
            and (self.is_paused or self.status is not JobStatus.CANCELLED)
        )


_REQUEST = TypeAdapter(JobRequest)


class JobBook:
    """The jobs of a workspace. `folder`: where the locks are. Thread-safe as the journal is; see
    the module.
    """

    def __init__(self, file: JournalFile, folder: Path) -> None:
        self._file = file
        self._folder = folder
        self._held: dict[int, TextIOWrapper] = {}

    def start(self, kind: str, request: JobRequest, counts: Mapping[str, int] | None = None) -> int:
        """Notes that this process begins a job; its number."""
        with self._file.write() as db:
            cursor = db.execute(
                "INSERT INTO jobs (kind, detail, status, started_at, updated_at, request) VALUES"
                " (?,?,?,?,?,?)",
                (
                    kind,
                    json.dumps(dict(counts or {})),
                    JobStatus.RUNNING,
                    now(),
                    now(),
                    _request_text(request),
                ),
            )
            job_id = int(cursor.lastrowid or 0)
            self._hold(job_id)  # before anybody can see the row
        return job_id

    def reopen(self, job_id: int, request: JobRequest) -> None:
        """Notes that this process goes on with a job that had ended. WorkspaceError where a process
        is at it.
        """
        with self._file.write() as db:
            self._hold(job_id)
            db.execute(
                "UPDATE jobs SET status = ?, request = ?, updated_at = ?, finished_at = NULL,"
                " reason = '', is_cancelled = 0 WHERE id = ?",
                (JobStatus.RUNNING, _request_text(request), now(), job_id),
            )

    def claim(self, job_id: int, document_ids: Iterable[str]) -> None:
        """Notes which documents a job is at: others leave them alone until it ends."""
        with self._file.write() as db:
            db.execute("DELETE FROM job_documents WHERE job_id = ?", (job_id,))
            db.executemany(
                "INSERT OR IGNORE INTO job_documents VALUES (?,?)",
                [(job_id, d) for d in document_ids],
            )

    def claims(self, but: int | None = None) -> dict[str, int]:
        """Document id -> a job whose process is alive and at it; `but`: the caller's own job."""
        alive = {job_id for job_id in self._running() if job_id != but}
        rows = self._file.rows("SELECT document_id, job_id FROM job_documents") if alive else []
        return {str(document): int(job_id) for document, job_id in rows if job_id in alive}

    def note(self, job_id: int, stage: str, done: int, total: int) -> bool:
        """Notes how far a job is; whether somebody has cancelled it."""
        with self._file.write() as db:
            db.execute(
                "UPDATE jobs SET stage = ?, done = ?, total = ?, updated_at = ? WHERE id = ?",
                (stage, done, total, now(), job_id),
            )
            return bool(
                db.execute("SELECT is_cancelled FROM jobs WHERE id = ?", (job_id,)).fetchone()[0]
            )

    def finish(
        self,
        job_id: int,
        status: JobStatus,
        *,
        counts: Mapping[str, int] | None = None,
        reason: str = "",
    ) -> None:
        """Notes how a job ended; its number may be picked up by another process then."""
        try:
            with self._file.write() as db:
                db.execute(
                    "UPDATE jobs SET status = ?, detail = coalesce(?, detail), reason = ?,"
                    " updated_at = ?, finished_at = ? WHERE id = ?",
                    (
                        status,
                        json.dumps(dict(counts)) if counts else None,
                        storable(reason)[:_MAX_REASON],
                        now(),
                        now(),
                        job_id,
                    ),
                )
                db.execute("DELETE FROM job_documents WHERE job_id = ?", (job_id,))
        finally:
            self._let_go(job_id, is_over=True)

    def cancel(self, job_id: int, *, is_pause: bool = False) -> Job:
        """Asks the process that is at a job to stop, or marks an interrupted one; the job as it is
        then. `is_pause`: somebody means to go on with it; the run ends all the same.

        UsageError where there is nothing to cancel.
        """
        job = self.job(job_id)
        if job.status is JobStatus.RUNNING:
            wish = _PAUSE if is_pause else _CANCEL
            with self._file.write() as db:
                db.execute(
                    "UPDATE jobs SET is_cancelled = ? WHERE id = ? AND status = ?",
                    (wish, job_id, JobStatus.RUNNING),
                )
        elif job.status is JobStatus.INTERRUPTED:
            self._hold(job_id)  # not where another process goes on with it just now
            self.finish(job_id, JobStatus.CANCELLED, reason="cancelled after it was interrupted")
        else:
            raise UsageError(
                f"job {job_id} isn't running: it ended {job.finished_at} ({job.status}); `dynagrag"
                " jobs` lists all"
            )
        return self.job(job_id)

    def leave(self, job_id: int) -> Job:
        """Notes that nobody means to go on with a job that ended before it was done; it can be
        resumed by its number all the same.
        """
        if self.job(job_id).status is JobStatus.INTERRUPTED:
            return self.cancel(job_id)
        with self._file.write() as db:
            db.execute(
                "UPDATE jobs SET is_cancelled = ? WHERE id = ? AND status <> ?",
                (_CANCEL, job_id, JobStatus.RUNNING),
            )
        return self.job(job_id)

    def job(self, job_id: int) -> Job:
        """One job. UsageError where there is none with this number."""
        found = self._jobs("WHERE id = ?", job_id)
        if not found:
            raise UsageError(
                f"there is no job {job_id} in this workspace; `dynagrag jobs` lists them"
            )
        return found[0]

    def jobs(self) -> tuple[Job, ...]:
        """All jobs, oldest first."""
        return self._jobs("ORDER BY id")

    def to_resume(self) -> Job:
        """The last job that ended before it was done. UsageError where there is none."""
        jobs = [job for job in self.jobs() if job.status in RESUMABLE and job.request.options]
        if not jobs:
            raise UsageError(
                "there is no job to resume: none was interrupted, stopped, cancelled or failed;"
                " `dynagrag jobs` lists them"
            )
        return jobs[-1]

    def is_any_running(self) -> bool:
        """Whether a process is at a job, this one included."""
        return bool(self._running())

    def is_any_at_work_or_paused(self) -> bool:
        """Whether a process is at a job, or somebody has paused one and means to go on with it."""
        paused = self._file.rows(
            "SELECT 1 FROM jobs WHERE status = ? AND is_cancelled = ?", JobStatus.CANCELLED, _PAUSE
        )
        return bool(paused) or self.is_any_running()

    def process_of(self, job_id: int) -> int | None:
        """The id of the process that is at a job, or was until it was killed. None where none has
        said so.
        """
        with suppress(OSError, ValueError):
            return int(self._path(job_id).read_text(encoding="utf-8"))
        return None

    def move_paths(self, old: str, new: str) -> None:
        """Whatever a job was asked to read below one folder, it reads below another from now on; no
        process is at one.
        """
        with self._file.write() as db:
            for job_id, text in db.execute("SELECT id, request FROM jobs").fetchall():
                said, is_sealed = opened(_object(text))
                moved = _moved(said, f"{old}/", f"{new}/")
                request = json.dumps(sealed(moved) if is_sealed else moved, sort_keys=True)
                db.execute("UPDATE jobs SET request = ? WHERE id = ?", (request, job_id))

    def make_history(self) -> None:
        """Leaves of each job what it did and how it ended, and nothing that could be done again:
        what it would read, where it would send that, and that anybody means to go on with it.

        For a journal that came from elsewhere.
        """
        with self._file.write() as db:
            db.execute(
                "UPDATE jobs SET request = '{}', is_cancelled = ?, reason = CASE WHEN status = ?"
                " THEN ? ELSE reason END, status = CASE WHEN status = ? THEN ? ELSE status END",
                (
                    _CANCEL,
                    JobStatus.RUNNING,
                    "its backup was made while it ran",
                    JobStatus.RUNNING,
                    JobStatus.INTERRUPTED,
                ),
            )
            db.execute("DELETE FROM job_documents")

    def close(self) -> None:
        """Lets go of the jobs that this process was at: they are interrupted then."""
        for job_id in list(self._held):
            self._let_go(job_id, is_over=False)

    # inside

    def _jobs(self, where: str, *values: int) -> tuple[Job, ...]:
        statement = (
            "SELECT id, kind, status, request, stage, done, total, detail, started_at, updated_at,"
            f" finished_at, reason, is_cancelled FROM jobs {where}"
        )
        jobs = tuple(_job(row) for row in self._file.rows(statement, *values))
        dead = {
            job.id for job in jobs if job.status is JobStatus.RUNNING and not self._is_alive(job.id)
        }
        if not dead:
            return jobs
        # Read again: what ended between the look at the row and the look at its lock was not
        # interrupted.
        jobs = tuple(_job(row) for row in self._file.rows(statement, *values))
        return tuple(
            replace(
                job,
                status=JobStatus.INTERRUPTED,
                reason=job.reason or "its process ended before it did",
            )
            if job.id in dead and job.status is JobStatus.RUNNING
            else job
            for job in jobs
        )

    def _running(self) -> list[int]:
        rows = self._file.rows("SELECT id FROM jobs WHERE status = ?", JobStatus.RUNNING)
        return [int(job_id) for (job_id,) in rows if self._is_alive(int(job_id))]

    def _path(self, job_id: int) -> Path:
        return self._folder / f"{job_id}.lock"

    def _is_alive(self, job_id: int) -> bool:
        if job_id in self._held:
            return True
        try:
            with self._path(job_id).open() as handle:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        except OSError as err:
            raise StoreError(
                f"cannot look at {self._path(job_id)}: {err.strerror}; make the folder readable and"
                " writable for you"
            ) from err
        return False

    def _hold(self, job_id: int) -> None:
        path, give_up_at = self._path(job_id), time.monotonic() + _LOCK_WAIT_S
        try:
            make_folder(self._folder)
            while True:
                handle = open(path, "a", encoding="utf-8", opener=private)  # noqa: SIM115 - kept
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if _is_at(path, handle):  # else its last holder removed it
                        handle.truncate(0)
                        handle.write(f"{os.getpid()}\n")
                        handle.flush()
                        self._held[job_id] = handle
                        return
                except BlockingIOError as err:
                    if time.monotonic() > give_up_at:
                        handle.close()
                        raise WorkspaceError(
                            f"a process is at job {job_id}; wait for it, or `dynagrag jobs cancel"
                            f" {job_id}`"
                        ) from err
                handle.close()
                time.sleep(0.02)
        except OSError as err:
            raise StoreError(
                f"cannot lock {path}: {err.strerror}; make the folder writable, or set"
                " DYNAGRAG_HOME"
            ) from err

    def _let_go(self, job_id: int, is_over: bool) -> None:
        handle = self._held.pop(job_id, None)
        if handle is None:
            return
        if is_over:
            with suppress(OSError):
                self._path(job_id).unlink(missing_ok=True)
        handle.close()


def _is_at(path: Path, handle: TextIOWrapper) -> bool:
    """Whether the open file is the one of this name now."""
    try:
        return os.path.samestat(os.fstat(handle.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _moved(value: Any, old: str, new: str) -> Any:
    """A stored value whose texts that begin with `old` begin with `new`."""
    if isinstance(value, str):
        return new + value.removeprefix(old) if value.startswith(old) else value
    if isinstance(value, list):
        return [_moved(item, old, new) for item in value]
    return (
        {key: _moved(item, old, new) for key, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def _request_text(request: JobRequest) -> str:
    """JSON in ASCII: a path that is no text comes back as it was."""
    return json.dumps(sealed(asdict(request)), sort_keys=True)


def _job(row: tuple[Any, ...]) -> Job:
    (
        job_id,
        kind,
        status,
        request,
        stage,
        done,
        total,
        detail,
        started_at,
        updated_at,
        finished_at,
        reason,
        wish,
    ) = row
    counts = _object(detail)
    known = {s.value: s for s in JobStatus}
    asked, is_sealed = _request(_object(request))
    return Job(
        id=job_id,
        kind=kind,
        status=known.get(status, JobStatus.FAILED),
        request=asked,
        stage=stage,
        done=done,
        total=total,
        counts={str(k): v for k, v in counts.items() if isinstance(v, int)},
        started_at=started_at,
        updated_at=updated_at or finished_at or started_at,
        finished_at=finished_at or "",
        reason=reason,
        is_cancelled=wish == _CANCEL,
        is_paused=wish == _PAUSE,
        is_own=is_sealed,
    )


def _request(found: Mapping[str, Any]) -> tuple[JobRequest, bool]:
    """A request as it was stored, and whether this user has sealed it; an empty one for jobs of
    versions that stored none, and where it isn't as we write it.
    """
    said, is_sealed = opened(found)
    try:
        return _REQUEST.validate_python(said), is_sealed
    except ValidationError:
        return JobRequest(), False


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
