"""Processes of Python that need not import what they use: each is forked from one that has.

    process = WarmProcess(["-m", "dynagrag.cli", "ingest", "talk.vtt"])
    out, err = process.communicate(timeout=60)

A process that is started cold imports for seconds, and tests start many. Forked ones are processes
all the same, with an environment, a working directory, streams and a death of their own. Tests of
the start itself, of limits and of an interpreter that is set up otherwise start one cold.
"""

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock, Thread
from typing import IO, Any

COMMAND = (
    "dynagrag.cli.main",
    "dynagrag.cli.ingest",
    "dynagrag.fakes",
    "dynagrag.generation.claims.model_checker",
    "dynagrag.graph_store.derived.graph_digest",
    "dynagrag.graph_store.neo4j_store.neo4j_store",
    "dynagrag.graph_store.sqlite_store.sqlite_store",
    "dynagrag.models.embedders",
    "dynagrag.models.langchain_chat",
    "dynagrag.models.reasoning_chat",
    "dynagrag.retrieval.bridge.bridge_search",
    "dynagrag.retrieval.pruning.untrained_prior",
    "dynagrag.workspace.facade",
    "anyio.abc",
    "bm25s",
    "h11",
    "httpcore2",
    "langchain_openai",
    "lemminflect",
    "openai.resources.chat",
    "py3langid",
    "rich.progress",
)
"""What commands import, and programs of tests that open a workspace."""
APP = (*COMMAND, "dynagrag.ui.serving.server", "pandas")
_NUM_STREAMS = 4  # stdin, stdout, stderr, and where the process's end is told
_NUMBER = struct.Struct("!i")


# ---------------------------------------------------------------------------------- in the test


class WarmProcess:
    """`python` with these arguments, `-m module ...` or `-c code ...`; as `subprocess.Popen` with
    text for what of it is here. None outlives `kill`.

    Args:
        arguments: Those of `python`.
        env: Its environment; this process's own without one.
        stdin, stdout, stderr: `PIPE`, `DEVNULL` or a file's number.
        is_alone: Whether it begins a session, so that a signal to its group meets only it and its
            children.
        modules: What has been imported when it begins.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        is_alone: bool = False,
        modules: tuple[str, ...] = COMMAND,
    ) -> None:
        self.returncode: int | None = None
        self._said: dict[str, str] = {}
        self._readers: list[Thread] = []
        theirs: list[int] = []
        self.stdin = _piped(stdin, theirs, is_input=True)
        self.stdout = _piped(stdout, theirs)
        self.stderr = _piped(stderr, theirs)
        self._end, told = os.pipe()
        job = {
            "arguments": list(arguments),
            "env": dict(os.environ if env is None else env),
            "folder": os.getcwd(),
            "is_alone": is_alone,
        }
        _parent(modules, sys.executable).ask(job, [*theirs, told])
        for number, given in zip([*theirs, told], (stdin, stdout, stderr, -1), strict=True):
            if given < 0:
                os.close(number)
        self.pid: int = self._told()

    def _told(self) -> int:
        told = os.read(self._end, _NUMBER.size)
        assert len(told) == _NUMBER.size, "the process that others are forked from has died"
        return int(_NUMBER.unpack(told)[0])

    def poll(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None while it runs."""
        if self.returncode is None and select.select([self._end], [], [], 0)[0]:
            self.returncode = os.waitstatus_to_exitcode(self._told())
            os.close(self._end)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """As `poll`, once it has ended. Raises TimeoutExpired after so many seconds."""
        if self.returncode is None:
            if not select.select([self._end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("python", timeout or 0.0)
            self.poll()
        assert self.returncode is not None
        return self.returncode

    def communicate(
        self, words: str | None = None, timeout: float | None = None
    ) -> tuple[str, str]:
        """Writes to its stdin, and gives all of its stdout and stderr once it has ended. Raises
        TimeoutExpired after so many seconds; it may be called again then.
        """
        ends_at = None if timeout is None else time.monotonic() + timeout
        if not self._readers:
            for name in ("stdout", "stderr"):
                self._readers.append(Thread(target=self._read, args=(name,), daemon=True))
                self._readers[-1].start()
            if self.stdin is not None:
                with suppress(BrokenPipeError), self.stdin:
                    self.stdin.write(words or "")
        for reader in self._readers:
            reader.join(None if ends_at is None else max(0.0, ends_at - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired("python", timeout or 0.0)
        self.wait(None if ends_at is None else max(0.0, ends_at - time.monotonic()))
        return self._said.get("stdout", ""), self._said.get("stderr", "")

    def _read(self, name: str) -> None:
        if (stream := getattr(self, name)) is not None:
            with stream:
                self._said[name] = stream.read()

    def send_signal(self, sign: int) -> None:
        """Sends it a signal; none once it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sign)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)


def run_warm(
    arguments: Sequence[str], *, timeout: float = 240
) -> "subprocess.CompletedProcess[str]":
    """Runs it to its end. Raises TimeoutExpired after so many seconds."""
    process = WarmProcess(arguments)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return subprocess.CompletedProcess(list(arguments), process.wait(), out, err)


def _piped(given: int, theirs: list[int], is_input: bool = False) -> IO[str] | None:
    """Our end of a stream, where it is a pipe; the other is added to theirs."""
    if given == subprocess.PIPE:
        reading, writing = os.pipe()
        theirs.append(reading if is_input else writing)
        return open(writing if is_input else reading, "w" if is_input else "r")
    is_none = given == subprocess.DEVNULL
    theirs.append(os.open(os.devnull, os.O_RDWR) if is_none else given)
    return None


class _Parent:
    """The process that has imported the modules; it ends when this one does."""

    def __init__(self, modules: Sequence[str], python: str) -> None:
        self._socket, theirs = socket.socketpair()
        self._lock = Lock()
        with theirs:
            self._process = subprocess.Popen(
                [python, __file__, str(theirs.fileno()), *modules],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        atexit.register(self._end)

    def _end(self) -> None:
        self._socket.close()
        self._process.wait(10)

    def ask(self, job: Mapping[str, Any], streams: Sequence[int]) -> None:
        data = json.dumps(job).encode()
        with self._lock:
            socket.send_fds(self._socket, [_NUMBER.pack(len(data))], list(streams))
            self._socket.sendall(data)


@cache
def _parent(modules: tuple[str, ...], python: str) -> _Parent:
    return _Parent(modules, python)


# -------------------------------------------------------------------------------- in the parent


def next_job(asking: socket.socket) -> dict[str, Any] | None:
    """Forks for each job, and tells how its process ended. Comes back in such a process with its
    job, and in the parent with None when nobody can ask any more.
    """
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    told: dict[int, int] = {}
    while True:
        ready = select.select([asking, woken], [], [])[0]
        if woken in ready:
            os.read(woken, 1024)
            _tell_ends(told)
        if asking not in ready:
            continue
        head, streams, _, _ = socket.recv_fds(asking, _NUMBER.size, _NUM_STREAMS)
        if not head:
            return None
        data = b""
        while len(data) < _NUMBER.unpack(head)[0]:
            data += asking.recv(_NUMBER.unpack(head)[0] - len(data))
        if pid := os.fork():
            told[pid] = streams.pop()
            os.write(told[pid], _NUMBER.pack(pid))
            for number in streams:
                os.close(number)
            continue
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        asking.close()
        for number in (woken, waking, *told.values()):
            os.close(number)
        return _begun(json.loads(data), streams)


def _tell_ends(told: dict[int, int]) -> None:
    while told:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with suppress(BrokenPipeError):
            os.write(told[pid], _NUMBER.pack(status))
        os.close(told.pop(pid))


def _begun(job: dict[str, Any], streams: Sequence[int]) -> dict[str, Any]:
    """The process is as one that was just started."""
    if job["is_alone"]:
        os.setsid()
    for number, given in enumerate(streams[:3]):
        os.dup2(given, number)
    for given in streams:
        os.close(given)
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["env"])
    time.tzset()
    return job


def main() -> None:
    """Imports the modules that are named, and forks."""
    sys.path[0] = ""  # as `-m` and `-c` have it
    # a runner in the background ignores it, and its children would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asking = socket.socket(fileno=int(sys.argv[1]))
    from dynagrag.language.identification import language_of

    for name in sys.argv[2:]:
        with suppress(ImportError):  # of an extra that is not installed
            import_module(name)
    language_of("What every process would read first.")
    gc.collect()
    gc.freeze()
    job = next_job(asking)
    if job is None:
        return
    kind, what, *rest = job["arguments"]
    sys.argv = [kind, *rest]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    main()
