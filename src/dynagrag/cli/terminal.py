"""How commands speak with the terminal: lines, errors, questions, progress; and how they read
settings and open a workspace.
"""

import io
import json
import logging
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import typer

from dynagrag.core.text import STEERING, collapse, duration_text

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.workspace.facade import Workspace
    from dynagrag.workspace.workspace_embedder import EmbedderSource

EXIT_SET_ASIDE = 3
_SECONDS_A_LINE = 10
"""Of progress, where there is no terminal."""
EXIT_INTERRUPTED = 130
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{STEERING}]")
"""C0 but for tab and line feed, DEL, C1, which some terminals obey too, and what isn't seen but
steers what is.
"""


class _Outlet(io.FileIO):
    """A standard stream whose reader may go: what is written then is dropped. So `| head -1` ends
    no work halfway, and the exit code is that of the work.
    """

    def write(self, data: Any) -> int:
        """All of it, or what the system takes at once."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes


def outlet(stream: TextIO) -> TextIO:
    """A standard stream that outlives its reader and writes whatever letters it is given; a stream
    of another kind as it is.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    buffer = io.BufferedWriter(_Outlet(stream.fileno(), "w", closefd=False))
    # a file's name may be no text, a terminal may not know a letter
    return io.TextIOWrapper(
        buffer,
        encoding=stream.encoding,
        errors="backslashreplace",
        # stderr writes through, without a buffer below; ours has one, which would keep its lines
        line_buffering=stream.line_buffering or stream.write_through,
    )


def complain(message: str) -> None:
    """One line on stderr, without keys."""
    from dynagrag.config.scrubbing import scrubbed
    from dynagrag.config.settings import known_secrets

    sys.stderr.write("dynagrag: " + printable(collapse(scrubbed(message, known_secrets()))) + "\n")


def say(text: str = "") -> None:
    """A line on stdout."""
    sys.stdout.write(printable(text) + "\n")


def printable(text: str) -> str:
    """Without control characters: words of a document or a model must not steer the terminal."""
    return _CONTROLS.sub("\ufffd", text)


def in_line(text: str) -> str:
    """A title or a path within a line: a path may hold line breaks, with which it would write lines
    of its own.
    """
    return text.replace("\n", "\ufffd").replace("\t", "\ufffd")


def say_json(value: Any) -> None:
    """A JSON value on stdout, in one line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    escaped = _CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(escaped.replace("\x7f", r"\u007f") + "\n")  # JSON leaves DEL alone


def set_up_log(verbose: bool) -> None:
    """Logging to stderr: warnings, and with `verbose` a line a stage."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_PrintableFormatter("%(message)s"))
    logging.basicConfig(
        level=logging.WARNING, handlers=[handler]
    )  # others' INFO lines may hold an address with a key
    for name in (
        "httpx",
        "httpcore",
        "openai",
        "urllib3",
        "sentence_transformers",
        "transformers",
        "bm25s",
        "pypdf",
    ):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings(
        "ignore", message="Pydantic serializer warnings"
    )  # of replies that are none, which are said anyway
    logging.getLogger("neo4j").setLevel(
        logging.CRITICAL
    )  # it logs lost connections as errors before they are tried again
    if verbose:
        logging.getLogger("dynagrag").setLevel(logging.INFO)


class _PrintableFormatter(logging.Formatter):
    """Warnings name paths, and what a server said."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, printable."""
        return printable(super().format(record))


def is_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str, yes: bool, without_terminal: bool) -> bool:
    """Asks; without a terminal the answer is `without_terminal`."""
    if yes:
        return True
    if not is_terminal():
        return without_terminal
    return typer.confirm(printable(in_line(question)), err=True)


def read_settings(
    llm: str | None = None, embedder: str | None = None, store: str | None = None, **more: Any
) -> "Settings":
    """Settings, with what the command line gives."""
    from dynagrag.config.settings import load_settings

    settings = load_settings(llm=llm, embedder=embedder, store=store, **more)
    # without a yes, whatever needs the key refuses
    if is_terminal():
        from dynagrag.config.key_hosts import allow, key_hosts

        for host in key_hosts(settings):
            if typer.confirm(printable(host.question), err=True):
                allow(host)
    return settings


def open_space(
    workspace: str | None,
    settings: "Settings",
    create: bool = False,
    embedder: "EmbedderSource" = None,
) -> "Workspace":
    """Opens a workspace that is there, or makes it."""
    from dynagrag.workspace.facade import open_workspace

    return open_workspace(workspace, settings=settings, create=create, embedder=embedder)


def open_to_read(
    workspace: str | None, settings: "Settings", embedder: "EmbedderSource" = None
) -> "Workspace":
    """Opens a workspace that is there for a command that changes nothing; says on stderr what is at
    work in it.
    """
    tell_of_work(workspace, settings)
    return open_space(workspace, settings, embedder=embedder)


def tell_of_work(workspace: str | None, settings: "Settings") -> None:
    """A line on stderr where a job is at work in a workspace."""
    from dynagrag.workspace.active_jobs import describe_active_jobs
    from dynagrag.workspace.address import workspace_meant

    active = describe_active_jobs(workspace_meant(workspace, settings), settings)
    if active:
        complain(active)


class ProgressBars:
    """Progress on stderr: one bar per stage, and without a terminal a line every ten seconds."""

    def __init__(self, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        from dynagrag.ingest.time_left import TimeLeft

        columns = (
            TextColumn("{task.description:<12}"),
            BarColumn(),
            TextColumn("{task.fields[so_far]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        is_terminal = sys.stderr.isatty()
        self._progress = Progress(
            *columns, console=Console(stderr=True), disable=quiet or not is_terminal
        )
        self._tasks: dict[str, Any] = {}
        self._left = TimeLeft()
        self._says_lines = not quiet and not is_terminal
        self._said_at = self._began = time.monotonic()

    def __enter__(self) -> Callable[[str, int, int], None]:
        self._progress.start()
        return self._update

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _update(self, stage: str, done: int, total: int) -> None:
        if not self._tasks:
            self._said_at = self._began = time.monotonic()
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total, so_far="", left="")
        # what is embedded is counted in work, which means something as a share alone
        so_far = f"{done / total:.0%}" if stage == "embed" and total else f"{done:,} of {total:,}"
        now = time.monotonic()
        self._left.tell(stage, done, total, now)
        left = self._left.text(now) if done < total else ""
        self._progress.update(
            self._tasks[stage], completed=done, total=total, so_far=so_far, left=left
        )
        if self._says_lines and now - self._said_at >= _SECONDS_A_LINE:
            self._said_at = now
            then = f", {left}" if left else ""
            complain(f"{stage}: {so_far} after {duration_text(now - self._began)}{then}")


class Waiting:
    """The work that is waited for, on stderr, until `stop` or the block's end; without a terminal a
    line every ten seconds, so that a slow model can be told from one that stands still.
    """

    def __init__(self, text: str, quiet: bool = False) -> None:
        from rich.console import Console

        is_shown = not quiet and sys.stderr.isatty() and sys.stdout.isatty()
        self._text = text
        self._status = Console(stderr=True).status(f"{text} ...") if is_shown else None
        self._is_over = threading.Event()
        self._lines = (
            None if quiet or is_shown else threading.Thread(target=self._say_lines, daemon=True)
        )

    def __enter__(self) -> "Waiting":
        if self._status is not None:
            self._status.start()
        if self._lines is not None:
            self._lines.start()
        return self

    def tell(self, text: str) -> None:
        """Names the work that is waited for from now on."""
        self._text = text
        if self._status is not None:
            self._status.update(f"{text} ...")

    def stop(self) -> None:
        """Takes the line away, and says no more."""
        self._is_over.set()
        if self._status is not None:
            self._status.stop()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _say_lines(self) -> None:
        began = time.monotonic()
        while not self._is_over.wait(_SECONDS_A_LINE):
            complain(
                f"{self._text[:1].lower()}{self._text[1:]} after"
                f" {duration_text(time.monotonic() - began)}"
            )
