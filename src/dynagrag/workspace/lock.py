"""The lock on a workspace's graph: one process at a time may change it, over all machines that
share the store.

First the folder's own lock, which the system lets go however a process ends; then the store's
lease, for machines that share no folder.
"""

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dynagrag.core.errors import WorkspaceError
from dynagrag.core.files.private_files import private, write_text
from dynagrag.core.protocols import DerivedGraph
from dynagrag.core.text import duration_text

MAX_WAIT_S = 600.0
"""An ingest that ends waits so long for others that are deriving the graph; each takes seconds,
with a slow model's verdicts minutes.
"""
_POLL_S = 0.05


class WorkspaceLock:
    """The right to change a workspace's graph. `hold` it; it is not reentrant."""

    def __init__(self, name: str, folder: Path, store: DerivedGraph) -> None:
        self._name = name
        self._folder = folder
        self._store = store

    @contextmanager
    def hold(
        self,
        wait_s: float = MAX_WAIT_S,
        on_wait: Callable[[str], None] = lambda text: None,
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[None]:
        """Waits for others, and says so once. `check` is called while it waits, and may raise.
        WorkspaceError after `wait_s`.
        """
        give_up_at = time.monotonic() + wait_s
        with open(self._folder / "lock", "a", encoding="utf-8", opener=private) as handle:
            self._wait_for(handle, wait_s, on_wait, check)
            with self._store.lease(
                self._holder(), max(0.0, give_up_at - time.monotonic()), on_wait
            ):
                yield

    def _wait_for(
        self,
        handle: IO[str],
        wait_s: float,
        on_wait: Callable[[str], None],
        check: Callable[[], None],
    ) -> None:
        give_up_at, is_first = time.monotonic() + wait_s, True
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError as err:
                if time.monotonic() >= give_up_at:
                    raise WorkspaceError(
                        f"another process has been changing workspace {self._name!r} for"
                        f" {wait_s:.0f} s; wait until it is done (`dynagrag jobs` shows what is at"
                        " work) and run this again: what was stored stays"
                    ) from err
            if is_first:
                on_wait(
                    f"workspace {self._name!r} is being changed by another process; waiting for it,"
                    f" {duration_text(wait_s)} at most"
                )
                is_first = False
            check()
            time.sleep(_POLL_S)

    def _holder(self) -> str:
        """A random word that stands for this folder, made at first use; the lock is held."""
        path = self._folder / "holder"
        try:
            found = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            found = ""
        if found:
            return found
        made = secrets.token_hex(16)
        partial = path.with_name("holder.partial")
        write_text(partial, f"{made}\n")
        os.replace(partial, path)
        return made
