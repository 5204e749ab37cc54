"""The embedder of one open workspace: the one that was handed in, or the one that the settings name
and, where nobody named one, that of its vectors (`own_embedder`).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import Embedder, GraphStore
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.workspace.own_embedder import (
    is_named,
    is_remembered,
    remember_embedder,
    with_own_embedder,
)


@dataclass(frozen=True, slots=True)
class EmbedderOpener:
    """Opens the embedder of settings in place of `wiring`, and closes it itself."""

    open: Callable[[Settings], Embedder]


EmbedderSource = Embedder | EmbedderOpener | None
"""An embedder, what opens it, or None for that of the settings."""


class WorkspaceEmbedder:
    """Opened at first use; one that was handed in, or that an opener made, is not closed.

    Attributes:
        settings: Those of the workspace, with its own embedder where nobody named one.
    """

    def __init__(
        self, folder: Path, store: GraphStore, settings: Settings, source: EmbedderSource
    ) -> None:
        self.settings = self._named = settings
        self._folder, self._store, self._source = folder, store, source
        self._is_handed_in = source is not None and not isinstance(source, EmbedderOpener)
        self._current: Embedder | None = None
        self._to_close: list[Any] = []
        self._seen: EmbedderIdentity | None = None
        self._remembered = ""
        with suppress(StoreError):  # what is wrong with it is said by whoever reads it next
            self.follow()

    def current(self) -> Embedder:
        """The embedder."""
        if self._current is None:
            if self._source is None:
                self._current = wiring.make_embedder(self.settings)
                self._to_close.append(self._current)
            elif isinstance(self._source, EmbedderOpener):
                self._current = self._source.open(self.settings)
            else:
                self._current = self._source
        return self._current

    def follow(self) -> None:
        """Takes the workspace's own embedder, where it got another one since the last time."""
        if self._is_handed_in or is_named(self._named):
            return
        stored = self._store.embedder()
        if stored == self._seen:
            return
        self._seen, before = stored, self.settings.embedder
        self.settings = with_own_embedder(self._folder, stored, self._named)
        if self.settings.embedder != before:
            self._current = None  # the one of before stays open for questions that are at it

    def remember(self) -> None:
        """Keeps how the embedder is opened, where it is the one of the workspace's vectors."""
        spec = self.settings.embedder
        if self._is_handed_in or spec == self._remembered:
            return
        identity = self._store.embedder()
        if identity is None:
            return
        is_kept = is_remembered(self._folder, spec, identity)
        if is_kept or identity == self.current().identity:
            remember_embedder(self._folder, spec, identity)
            self._remembered = spec

    def close(self) -> None:
        """Releases those that were opened here."""
        for embedder in self._to_close:
            if hasattr(embedder, "close"):
                embedder.close()
        self._to_close.clear()
