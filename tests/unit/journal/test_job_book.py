"""The journal's book of jobs: who is at what, how it ended, and whether the process that is at it
lives.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path
from types import SimpleNamespace

import pytest

from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.journal.jobs import JobBook, JobRequest, JobStatus
from dynagrag.journal.workspace_journal import Journal

REQUEST = JobRequest(
    ("/talks/a.txt", "/talks/\udcff.txt"),
    {"extractor": "llm", "max_calls": 5},
    "openai:fake",
    "minilm",
    "sqlite",
)
AT_WORK = (
    "import sys; from pathlib import Path; from dynagrag.journal.workspace_journal import Journal\n"
    "from dynagrag.journal.jobs import JobRequest\n"
    "book = Journal(Path(sys.argv[1])).job_book\n"
    "number = book.start('ingest', JobRequest(('/talks',), {'extractor': 'llm'}), {'chunks': 9})\n"
    "book.claim(number, ['a', 'b']); book.note(number,"
    " 'extract', 3, 9); print(number, flush=True)\n"
    "sys.stdin.read()\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w" / "journal.sqlite"


@pytest.fixture
def book(path: Path) -> Iterator[JobBook]:
    journal = Journal(path)
    yield journal.job_book
    journal.close()


@pytest.fixture
def other(path: Path) -> Iterator[JobBook]:
    """The same book as another process has it open."""
    journal = Journal(path)
    yield journal.job_book
    journal.close()


@pytest.fixture
def worker(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that is at job 1 until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", AT_WORK, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    yield process
    process.kill()
    process.communicate()


def test_a_job_is_kept_with_all_that_it_takes_to_resume_it(book: JobBook, other: JobBook) -> None:
    number = book.start("ingest", REQUEST, {"documents": 2})
    book.note(number, "extract", 3, 9)
    job = other.job(number)
    assert (job.kind, job.status, job.request, dict(job.counts)) == (
        "ingest",
        "running",
        REQUEST,
        {"documents": 2},
    )
    assert (job.stage, job.done, job.total, job.finished_at) == ("extract", 3, 9, "")
    book.finish(
        number,
        JobStatus.STOPPED,
        counts={"documents": 2, "extracted": 3},
        reason="the budget \ud800 is spent",
    )
    job = other.job(number)
    assert (job.status, dict(job.counts), job.reason) == (
        "stopped",
        {"documents": 2, "extracted": 3},
        "the budget ? is spent",
    )
    assert job.finished_at >= job.started_at > ""
    assert other.jobs() == (job,)


def test_a_job_whose_process_was_killed_is_interrupted_at_once(
    worker: "subprocess.Popen[str]", book: JobBook
) -> None:
    assert (book.job(1).status, book.job(1).done, book.is_any_running()) == ("running", 3, True)
    worker.send_signal(signal.SIGKILL)
    worker.wait(10)
    assert (book.job(1).status, book.job(1).reason, book.is_any_running()) == (
        "interrupted",
        "its process ended before it did",
        False,
    )
    assert book.to_resume() == book.job(1)


def test_a_process_that_is_stopped_for_a_while_is_not_dead(
    worker: "subprocess.Popen[str]", book: JobBook
) -> None:
    worker.send_signal(signal.SIGSTOP)
    assert book.job(1).status == "running"
    worker.send_signal(signal.SIGCONT)


def test_a_reused_process_id_brings_no_job_back_to_life(
    worker: "subprocess.Popen[str]", book: JobBook
) -> None:
    worker.kill()
    worker.wait(10)
    lock = book._folder / "1.lock"
    assert lock.exists()
    lock.write_text(str(os.getpid()))  # whatever stands in it, only who holds it counts
    assert book.job(1).status == "interrupted"


def test_a_running_job_learns_that_it_was_cancelled(book: JobBook, other: JobBook) -> None:
    number = book.start("ingest", REQUEST)
    assert not book.note(number, "extract", 1, 9)
    assert other.cancel(number).status == "running"
    assert book.note(number, "extract", 2, 9)
    book.finish(number, JobStatus.CANCELLED)
    with pytest.raises(
        UsageError, match=f"job {number} isn't running: it ended .* \\(cancelled\\)"
    ):
        other.cancel(number)
    with pytest.raises(UsageError, match="there is no job 99"):
        other.cancel(99)


def test_an_interrupted_job_is_marked_as_cancelled(
    worker: "subprocess.Popen[str]", book: JobBook
) -> None:
    worker.kill()
    worker.wait(10)
    assert book.cancel(1).status == "cancelled"
    assert book.claims() == {}
    assert list(book._folder.iterdir()) == []


def test_only_one_process_at_a_time_goes_on_with_a_job(
    worker: "subprocess.Popen[str]", book: JobBook, other: JobBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynagrag.journal.jobs._LOCK_WAIT_S", 0.1)
    with pytest.raises(WorkspaceError, match="a process is at job 1"):
        book.reopen(1, REQUEST)
    assert book.job(1).request.paths == ("/talks",)
    worker.kill()
    worker.wait(10)
    book.reopen(1, REQUEST)
    assert (other.job(1).status, other.job(1).request) == ("running", REQUEST)
    with pytest.raises(WorkspaceError, match="a process is at job 1"):
        other.reopen(1, REQUEST)
    book.finish(1, JobStatus.DONE)
    assert other.job(1).status == "done"


@pytest.mark.parametrize("is_taken", [False, True])
def test_a_lock_whose_file_its_last_holder_removes_in_between_is_no_lock(
    book: JobBook, other: JobBook, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    """Between one's opening of the file and one's locking of it; by then a third may even hold a
    new one of that name.
    """
    monkeypatch.setattr("dynagrag.journal.jobs._LOCK_WAIT_S", 0.1)
    number = book.start("ingest", REQUEST)
    book.finish(number, JobStatus.FAILED)
    path = book._folder / f"{number}.lock"
    with ExitStack() as holders:
        last = holders.enter_context(path.open("a"))
        fcntl.flock(last, fcntl.LOCK_EX)

        def flock(handle: TextIOWrapper, operation: int) -> None:
            if not last.closed:
                path.unlink()
                last.close()
                if is_taken:
                    fcntl.flock(holders.enter_context(path.open("a")), fcntl.LOCK_EX)
            fcntl.flock(handle, operation)

        names = ("LOCK_EX", "LOCK_SH", "LOCK_NB")
        monkeypatch.setattr(
            "dynagrag.journal.jobs.fcntl",
            SimpleNamespace(**{name: getattr(fcntl, name) for name in names}, flock=flock),
        )
        if is_taken:
            with pytest.raises(WorkspaceError, match=f"a process is at job {number}"):
                book.reopen(number, REQUEST)
        else:
            book.reopen(number, REQUEST)
            assert other.job(number).status == "running"
            with pytest.raises(WorkspaceError, match=f"a process is at job {number}"):
                other.reopen(number, REQUEST)


def test_a_cancellation_of_before_does_not_stop_the_job_that_is_resumed(book: JobBook) -> None:
    number = book.start("ingest", REQUEST)
    book.cancel(number)
    book.finish(number, JobStatus.CANCELLED)
    book.reopen(number, REQUEST)
    assert not book.note(number, "extract", 0, 1)


def test_documents_are_claimed_while_the_process_lives(
    worker: "subprocess.Popen[str]", book: JobBook
) -> None:
    number = book.start("ingest", REQUEST)
    book.claim(number, ["c"])
    assert book.claims() == {"a": 1, "b": 1, "c": number}
    assert book.claims(but=number) == {"a": 1, "b": 1}
    book.claim(number, ["d"])
    worker.kill()
    worker.wait(10)
    assert book.claims() == {"d": number}
    book.finish(number, JobStatus.DONE)
    assert book.claims() == {}


def test_a_journal_that_is_closed_leaves_its_job_interrupted(path: Path, book: JobBook) -> None:
    journal = Journal(path)
    number = journal.job_book.start("ingest", REQUEST)
    assert book.job(number).status == "running"
    journal.close()
    assert book.job(number).status == "interrupted"


def test_the_last_job_that_can_go_on_is_the_one_to_resume(book: JobBook) -> None:
    with pytest.raises(UsageError, match="no job to resume"):
        book.to_resume()
    numbers = [book.start("ingest", REQUEST) for _ in range(4)]
    for number, status in zip(
        numbers,
        (JobStatus.FAILED, JobStatus.STOPPED, JobStatus.SET_ASIDE, JobStatus.DONE),
        strict=True,
    ):
        book.finish(number, status)
    assert book.to_resume().id == numbers[1]


def test_looking_at_a_job_all_the_time_keeps_nobody_from_it(path: Path, book: JobBook) -> None:
    code = (
        "import sys; from pathlib import Path; from dynagrag.journal.workspace_journal import"
        " Journal\n"
        "book = Journal(Path(sys.argv[1])).job_book; print('looking', flush=True)\n"
        "while True: book.jobs()\n"
    )
    number = book.start("ingest", REQUEST)
    looker = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert looker.stdout is not None
    assert looker.stdout.readline() == "looking\n"
    ends = time.monotonic() + 1.0
    while time.monotonic() < ends:
        book.finish(number, JobStatus.FAILED)
        book.reopen(number, REQUEST)
    looker.kill()
    looker.communicate()


def test_a_pause_ends_a_job_that_is_to_go_on_and_a_cancellation_one_that_is_not(
    book: JobBook, other: JobBook
) -> None:
    paused, cancelled, failed = (book.start("ingest", JobRequest()) for _ in range(3))
    other.cancel(paused, is_pause=True)
    other.cancel(cancelled)
    assert [job.is_paused for job in other.jobs()] == [True, False, False]
    for number in (paused, cancelled):
        assert book.note(number, "extract", 1, 2)
        book.finish(number, JobStatus.CANCELLED)
    book.finish(failed, JobStatus.FAILED)
    assert [job.is_to_go_on for job in other.jobs()] == [True, False, True]
    other.leave(paused)
    assert not other.leave(failed).is_to_go_on
    assert not any(job.is_to_go_on for job in other.jobs())
    book.reopen(failed, JobRequest())
    assert not book.job(failed).is_cancelled
    book.finish(failed, JobStatus.INTERRUPTED)
    assert book.job(failed).is_to_go_on
