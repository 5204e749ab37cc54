"""Stamps of corrections: by whom and when, each later than any before it."""

import getpass
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Edit, EditKind, Merge
from dynagrag.core.text import collapse, short
from dynagrag.graph_store.derived.canonical import make_edit, undo_merge

MAX_NAME = 200
LAST_STAMP = "9000"
"""Later ones are none that this program has made."""


def somebody() -> str:
    """The user of this machine, as far as it knows."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no such user in a container
        return "somebody"


class Stamp:
    """Makes edits of one person, each later than any that is stored: their order in time decides,
    and two may come in one second.
    """

    def __init__(self, stored: Iterable[Edit], by: str) -> None:
        self._by = collapse(by)[:MAX_NAME] or somebody()
        self._at = datetime.now(UTC)
        self._last = max((e.at for e in stored), default="")

    def edit(self, kind: EditKind, keys: Sequence[str], *, name: str = "", what: str = "") -> Edit:
        """An edit, stamped. StoreError where none can be later than what is stored."""
        return make_edit(kind, keys=keys, name=name, what=what, by=self._by, at=self._next())

    def undo(self, merge: Merge) -> Edit:
        """The undo of a merge, stamped."""
        return undo_merge(merge, by=self._by, at=self._next())

    def _next(self) -> str:
        at = self._at.isoformat(timespec="microseconds")
        if at <= self._last < LAST_STAMP:
            self._at = max(self._at, _time(self._last, self._at)) + timedelta(microseconds=1)
            at = self._at.isoformat(timespec="microseconds")
        if at <= self._last:
            raise StoreError(
                f"a correction of this workspace has the time {short(self._last, 40)}, so that none"
                " can come after it: its file was altered; restore the workspace from a backup"
            )
        self._last = at
        return at


def _time(text: str, otherwise: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return otherwise
    return found if found.tzinfo else found.replace(tzinfo=UTC)
