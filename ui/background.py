"""Long work in threads of this process, so that no page waits for it: each piece has a key, and of
one key only one is at work.

A page that is reloaded, or another visitor's, finds a piece by its key again. Nothing here outlives
the process: what must is a job of the journal. A thread must not touch `st.session_state`; whatever
it needs of a visitor is handed to it.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError

_LOG = logging.getLogger(__name__)
Key = tuple[str, ...]
"""(home folder, workspace, kind, ...): what is at work in a workspace is found by the first two."""


def key_of(settings: Settings, workspace: str, *what: str) -> Key:
    """The key of a piece of work in a workspace."""
    return (str(settings.home), workspace, *what)


class WorkStoppedError(Exception):
    """Somebody stopped a piece of work; raised where it says how far it is."""


@dataclass
class Work:
    """A piece of work. `done` of `total` steps of its `stage`; once `ended` it has a `result` or an
    `error`, which is fit to be shown, or neither where it was stopped.
    """

    key: Key
    title: str
    stage: str = ""
    done: int = 0
    total: int = 0
    result: Any = None
    error: str = ""
    notes: dict[str, Any] = field(default_factory=dict)
    """Values that the thread reports before its end, such as its job's number."""
    started_at: float = field(default_factory=time.monotonic)
    ended: Event = field(default_factory=Event)
    is_stopped: bool = False

    @property
    def is_running(self) -> bool:
        """Whether its thread is at it."""
        return not self.ended.is_set()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started_at

    def progress(self, stage: str, done: int, total: int) -> None:
        """Notes how far it is. Raises WorkStoppedError once somebody has set `is_stopped`."""
        if self.is_stopped:
            raise WorkStoppedError
        self.stage, self.done, self.total = stage, done, total

    def wait(self, seconds: float) -> bool:
        """Waits for its end so long; whether it came. What takes an instant then needs no second
        look at the page.
        """
        return self.ended.wait(seconds)


_works: dict[Key, Work] = {}
_lock = Lock()


def start(
    key: Key, title: str, function: Callable[[Work], Any], notes: dict[str, Any] | None = None
) -> Work:
    """Begins a piece of work, unless one of this key is at work, or has ended and was not dropped:
    then that one. `notes`: its first.
    """
    with _lock:
        if key in _works:
            return _works[key]
        work = _works[key] = Work(key, title, notes=notes or {})
    Thread(target=_run, args=(work, function), name="/".join(key[1:]), daemon=True).start()
    return work


def _run(work: Work, function: Callable[[Work], Any]) -> None:
    try:
        work.result = function(work)
    except WorkStoppedError:
        _LOG.info("%s was stopped", work.title)
    except DynaGragError as err:
        work.error = str(err)
    except OSError as err:
        _LOG.warning("%s: %s", work.title, err)
        work.error = not_written(err)
    except Exception as err:  # noqa: BLE001 - the edge of a thread
        _LOG.exception("%s failed", work.title)
        work.error = unexpected(err)
    finally:
        work.ended.set()


def not_written(err: OSError) -> str:
    """Message for a full disk or a folder that can't be written to."""
    return (
        f"{err.strerror or type(err).__name__}; free some space, or make the folder writable, and"
        " try again"
    )


def unexpected(err: Exception) -> str:
    """Message for an error that is not ours; its own text may hold secrets."""
    return (
        f"Something went wrong ({type(err).__name__}); the terminal that runs dynagrag has the"
        " details."
    )


def find(key: Key) -> Work | None:
    """The work with this key, running or ended; None if there is none."""
    return _works.get(key)


def found_under(key: Key) -> list[Work]:
    """All works whose keys begin with `key`, in the order they were started."""
    with _lock:
        return [work for work in _works.values() if work.key[: len(key)] == key]


def active_work(settings: Settings, workspace: str) -> list[Work]:
    """The running works of a workspace: ingests, questions, corrections, reads."""
    return [work for work in found_under(key_of(settings, workspace)) if work.is_running]


def job_key(settings: Settings, workspace: str, *what: str) -> Key:
    """The key of what changes a workspace: an ingest, a resumed job, a retry, a deletion."""
    return key_of(settings, workspace, "jobs", *what)


def jobs_of(settings: Settings, workspace: str) -> list[Work]:
    """The works of this process that change a workspace, running or just ended, oldest first."""
    return found_under(job_key(settings, workspace))


def has_job_at_work(settings: Settings, workspace: str) -> bool:
    """Whether this process changes a workspace now."""
    return any(work.is_running for work in jobs_of(settings, workspace))


def abandon(key: Key) -> None:
    """Stops and forgets a work at once; its thread may go on until it next reports progress."""
    with _lock:
        work = _works.pop(key, None)
    if work is not None:
        work.is_stopped = True


def drop(key: Key) -> None:
    """Forgets a work that has ended."""
    with _lock:
        if key in _works and not _works[key].is_running:
            del _works[key]


def wait_for_all(seconds: float = 60.0) -> None:
    """Waits for all running works, `seconds` at most, and forgets those that have ended."""
    give_up_at = time.monotonic() + seconds
    for work in list(_works.values()):
        work.wait(max(0.0, give_up_at - time.monotonic()))
        drop(work.key)
