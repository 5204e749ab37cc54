"""The parts of an open workspace: folder, settings, store, journal, models and lock. All that works
on a workspace gets them.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import WorkspaceError
from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.protocols import ChatModel, Embedder, GraphStore, Reranker
from dynagrag.graph_store.transfer import is_unfinished
from dynagrag.ingest.consolidate.verdicts import STAGE as CONSOLIDATION_STAGE
from dynagrag.ingest.graph_deriver import Derived, Deriver, Progress
from dynagrag.ingest.job_follower import StoppableJudge
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.retrieval.bridge.fact_arrays import facts_of
from dynagrag.retrieval.corpus_words import keep_words
from dynagrag.retrieval.kept_texts import MentionedTexts, stamp_of, texts_of_summaries
from dynagrag.workspace.address import open_store, restoring_folder
from dynagrag.workspace.bare_derivation import derive_without_models
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.deletion import DocumentDeletions
from dynagrag.workspace.lock import MAX_WAIT_S, WorkspaceLock
from dynagrag.workspace.workspace_embedder import EmbedderSource, WorkspaceEmbedder

_LOG = logging.getLogger(__name__)


class OpenModels:
    """The models of a workspace, opened at first use. Those that were handed in are not closed."""

    def __init__(
        self, settings: Settings, chat_model: ChatModel | None, embedder: WorkspaceEmbedder
    ) -> None:
        self._settings, self._chat_model, self._embedder = settings, chat_model, embedder
        self._reranker: Reranker | None = None
        self._opened: list[Any] = []

    @property
    def embedder(self) -> Embedder:
        """The embedder."""
        return self._embedder.current()

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
        """Releases the models that were opened here."""
        self._embedder.close()
        for model in self._opened:
            if hasattr(model, "close"):
                model.close()
        self._opened.clear()


@dataclass(slots=True)
class WorkspaceParts:
    """The parts of one open workspace. `max_wait_s`: how long `writing` waits for others unless
    told otherwise.
    """

    name: str
    folder: Path
    store: GraphStore
    journal: Journal
    embedder: WorkspaceEmbedder
    models: OpenModels
    lock: WorkspaceLock
    deletions: DocumentDeletions
    max_wait_s: float = MAX_WAIT_S

    @classmethod
    def open(
        cls,
        name: str,
        folder: Path,
        settings: Settings,
        chat_model: ChatModel | None,
        embedder_source: EmbedderSource,
    ) -> "WorkspaceParts":
        """Opens store and journal; the models wait for their first use."""
        store = open_store(folder, name, settings)
        try:
            embedder = WorkspaceEmbedder(folder, store, settings, embedder_source)
            journal = wiring.make_journal(folder)
        except BaseException:
            store.close()
            raise
        models = OpenModels(settings, chat_model, embedder)
        lock = WorkspaceLock(name, folder, store)
        deletions = DocumentDeletions(
            folder, store, journal, restoring_folder(store.workspace, settings)
        )
        return cls(name, folder, store, journal, embedder, models, lock, deletions)

    @property
    def settings(self) -> Settings:
        """The settings, with the workspace's own embedder where nobody named one."""
        return self.embedder.settings

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
            on_derived=self._leave_for_questions,
        )

    def _leave_for_questions(self, derived: Derived) -> None:
        """Facts, and where words are kept those of documents that came or changed. Whoever derives
        holds the workspace.
        """
        records, graph, store = derived.records, derived.graph, self.store
        files = KeptArrays(self.index_folder, lambda: nullcontext(True))
        mentioned = MentionedTexts(
            facts_of(derived.facts, store, records.passages, graph, has_vectors=False),
            texts_of_summaries(records.mentions),
        )
        mentioned.keep(files, stamp_of(store.version(), records.passages, graph))
        keep_words(store, records.documents, records.passages, files)

    @property
    def index_folder(self) -> Path:
        """Where a process leaves for the next what it made of the graph."""
        return self.folder / "index"

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
