"""The parts of an open workspace: folder, settings, store, journal, models and lock. All that works
on a workspace gets them.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.protocols import ChatModel, Embedder, GraphStore, Reranker
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.graph_store.transfer import is_unfinished
from dynagrag.ingest.consolidate.verdicts import STAGE as CONSOLIDATION_STAGE
from dynagrag.ingest.graph_deriver import Deriver, Progress
from dynagrag.ingest.job_follower import StoppableJudge
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.workspace.address import open_store, restoring_folder
from dynagrag.workspace.bare_derivation import derive_without_models
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.deletion import DocumentDeletions
from dynagrag.workspace.lock import MAX_WAIT_S, WorkspaceLock
from dynagrag.workspace.own_embedder import (
    is_named,
    is_remembered,
    remember_embedder,
    with_own_embedder,
)

_LOG = logging.getLogger(__name__)


EmbedderOf = Callable[[Settings], Embedder]
"""Opens the embedder of settings, and closes it itself."""


class OpenModels:
    """The models of a workspace, opened at first use. Those that were handed in are not closed."""

    def __init__(
        self,
        settings: Settings,
        chat_model: ChatModel | None,
        embedder: Embedder | None,
        embedder_of: EmbedderOf | None = None,
    ) -> None:
        self._settings = settings
        self._chat_model = chat_model
        self._embedder = embedder
        self._reranker: Reranker | None = None
        self._embedder_of = embedder_of
        self._opened: list[Any] = []
        self.embedder_spec = settings.embedder if embedder is None else ""
        """How the embedder is opened again; empty where it was handed in."""

    @property
    def embedder(self) -> Embedder:
        """The embedder."""
        if self._embedder is None and self._embedder_of is not None:
            self._embedder = self._embedder_of(self._settings)
        elif self._embedder is None:
            self._embedder = wiring.make_embedder(self._settings)
            self._opened.append(self._embedder)
        return self._embedder

    def reopen_embedder(self, settings: Settings) -> None:
        """The embedder of these settings from now on."""
        self._settings, self.embedder_spec = settings, settings.embedder
        self._embedder = None  # the one of before stays open for questions that are at it

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model; None where none is configured."""
        if self._chat_model is None:
            self._chat_model = wiring.make_chat_model(self._settings)
            self._opened.extend([self._chat_model] if self._chat_model else [])
        return self._chat_model

    @property
    def reranker(self) -> Reranker | None:
        """The reranker; None where none is set."""
        if self._reranker is None:
            self._reranker = wiring.make_reranker(self._settings)
        return self._reranker

    def close(self) -> None:
        """Releases the models that it opened itself."""
        for model in self._opened:
            if hasattr(model, "close"):
                model.close()
        self._opened.clear()


@dataclass(slots=True)
class WorkspaceParts:
    """The parts of one open workspace. `given`: the settings before they got the workspace's own
    embedder, which is `seen`; `remembered`: the spec that this opening has kept. `max_wait_s`: how
    long `writing` waits for others unless it is told otherwise.
    """

    name: str
    folder: Path
    settings: Settings
    store: GraphStore
    journal: Journal
    models: OpenModels
    lock: WorkspaceLock
    deletions: DocumentDeletions
    given: Settings
    seen: EmbedderIdentity | None
    remembered: str = ""
    max_wait_s: float = MAX_WAIT_S

    @classmethod
    def open(
        cls,
        name: str,
        folder: Path,
        settings: Settings,
        chat_model: ChatModel | None,
        embedder: Embedder | None,
        embedder_of: EmbedderOf | None = None,
    ) -> "WorkspaceParts":
        """Opens store and journal; the models wait for their first use. Where nobody named an
        embedder, the settings get the workspace's own.
        """
        store = open_store(folder, name, settings)
        try:
            given, seen = settings, None
            if embedder is None and not is_named(given):
                with suppress(StoreError):  # what is wrong with it is said by whoever reads it next
                    seen = store.embedder()
                    settings = with_own_embedder(folder, seen, given)
            journal = wiring.make_journal(folder)
        except BaseException:
            store.close()
            raise
        models = OpenModels(settings, chat_model, embedder, embedder_of)
        lock = WorkspaceLock(name, folder, store)
        deletions = DocumentDeletions(
            folder, store, journal, restoring_folder(store.workspace, settings)
        )
        return cls(name, folder, settings, store, journal, models, lock, deletions, given, seen)

    def close(self) -> None:
        """Releases files, and the models that were opened here."""
        self.store.close()
        self.journal.close()
        self.models.close()

    def metered(
        self, max_calls: int | None, max_tokens: int | None = None, model: ChatModel | None = None
    ) -> MeteredChat | None:
        """A language model, else the workspace's, with cache, ledger and budget; None where none is
        configured.
        """
        model = model or self.models.chat_model
        return (
            None
            if model is None
            else wiring.make_metered(
                model, self.journal, self.store.workspace, max_calls, max_tokens
            )
        )

    def previous_judge(self) -> MeteredChat | None:
        """The model again, where it was asked before: blocks that a deletion changed are judged
        anew, as a fresh ingest would have them.
        """
        was_asked = any(row.stage == CONSOLIDATION_STAGE for row in self.journal.ledger())
        return self.metered(None) if was_asked else None

    def deriver(
        self,
        judge: MeteredChat | None,
        progress: Progress | None = None,
        check: Callable[[], None] | None = None,
    ) -> Deriver:
        """The consolidation that makes the graph of the records. `judge`: the model that decides
        which names are one; None: rules, and verdicts that are kept.

        `check` is called before each question to the judge, and may raise.
        """
        return Deriver(
            self.store,
            self.models.embedder,
            self.journal,
            judge=StoppableJudge(judge, check) if judge and check else judge,
            judge_name=judge.model.identity if judge else "",
            is_small_judge=judge is not None and judge.model.is_small,
            max_concurrency=wiring.concurrency_of(judge.model if judge else None, self.settings),
            progress=progress or (lambda *_: None),
        )

    def follow_embedder(self) -> None:
        """Opens the workspace's own embedder anew, where it got another one since it was opened."""
        if not self.models.embedder_spec or is_named(self.given):
            return
        stored = self.store.embedder()
        if stored == self.seen:
            return
        self.seen, before = stored, self.settings.embedder
        self.settings = with_own_embedder(self.folder, stored, self.given)
        if self.settings.embedder != before:
            self.models.reopen_embedder(self.settings)

    def remember_embedder(self) -> None:
        """Keeps how the embedder is opened, where it is the one of the workspace's vectors."""
        models = self.models
        if not models.embedder_spec or models.embedder_spec == self.remembered:
            return
        identity = self.store.embedder()
        if identity is None:
            return
        is_kept = is_remembered(self.folder, models.embedder_spec, identity)
        if is_kept or identity == models.embedder.identity:
            remember_embedder(self.folder, models.embedder_spec, identity)
            self.remembered = models.embedder_spec

    def check_whole(self) -> None:
        """Raises WorkspaceError where a copy into the workspace was not ended: half of it would be
        taken for all.
        """
        if is_unfinished(self.store):
            raise WorkspaceError(
                f"a copy or restore into workspace {self.name!r} is under way, or was stopped; let"
                " it end, or run it again, before you use it"
            )

    @contextmanager
    def writing(
        self,
        wait_s: float | None = None,
        progress: Progress | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[None]:
        """Holds the workspace: nobody else changes its graph or deletes from it meanwhile. The
        system lets go however the process ends. A deletion that a killed process left is finished
        first.

        Waits for others, which is logged once and shown as a stage of `progress`; WorkspaceError
        after `wait_s` (None: `max_wait_s`). `check` is called while it waits, and may raise.
        """
        wait_s = self.max_wait_s if wait_s is None else wait_s
        show = progress or (lambda *_: None)
        waits: list[str] = []

        def on_wait(text: str) -> None:
            _LOG.warning("%s", text)
            waits.append(text)
            show("wait", 0, 1)

        with self.lock.hold(wait_s, on_wait if wait_s else lambda text: None, check):
            if waits:
                show("wait", 1, 1)
            self.deletions.recover(lambda: derive_without_models(self.store, self.journal))
            yield

    def finish_deletions(self, wait_s: float = 0.0, insists: bool = True) -> None:
        """Finishes deletions that a killed process left, on this machine or another one.

        WorkspaceError where somebody else has held the workspace for `wait_s`: a document would be
        shown that is being deleted. With `insists` false that is left to whoever holds it.
        """
        self.deletions.catch_up()
        pending = self.deletions.pending()
        if not pending:
            return
        is_shown = all(
            d.is_replaced for d in pending
        )  # an old version may be seen until the ingest is done
        try:
            with self.writing(0.0 if is_shown else wait_s):
                return
        except WorkspaceError as err:
            if (
                insists
                and not is_shown
                and any(not d.is_replaced for d in self.deletions.pending())
            ):
                raise WorkspaceError(
                    f"a document is being deleted from workspace {self.name!r}, and another process"
                    f" has held the workspace for {wait_s:.0f} s; wait until it is done (`dynagrag"
                    " jobs` shows what is at work) and run this again"
                ) from err

    def forget_conversations(self) -> None:
        """Drops the kept answers that quote documents which are gone."""
        ConversationBook(self.folder).keep_documents([d.id for d in self.store.documents()])
