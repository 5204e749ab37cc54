"""The facade: a workspace is opened, fed, asked, corrected and closed. What is done lies in
`asking`, `changing` and `current_graph`.
"""

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Profile, Settings, load_settings
from dynagrag.core.errors import SettingsError, WorkspaceError
from dynagrag.core.files.private_files import make_folder
from dynagrag.core.protocols import ChatModel, Embedder, Extractor, GraphStore
from dynagrag.core.schema import (
    Answer,
    Document,
    Edit,
    Graph,
    Merge,
    Question,
    Retrieval,
    Snapshot,
    Vector,
)
from dynagrag.graph_store.derived.average_degree import average_degree, average_degree_before
from dynagrag.graph_store.derived.linking_words import num_words
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.ingest.graph_deriver import GraphReport
from dynagrag.ingest.imported.imported_corpus import ImportedCorpus, ImportedDocuments, as_corpus
from dynagrag.ingest.pipeline import IngestReport, Progress
from dynagrag.journal.jobs import Job
from dynagrag.journal.workspace_journal import Journal, LedgerRow, SetAside
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.workspace.address import (
    has_embedded,
    has_store,
    remember_store,
    store_address,
    workspace_meant,
)
from dynagrag.workspace.asking import AskOptions, Instead, QuestionAnswering
from dynagrag.workspace.changing import GraphChanging
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.ingest_job import IngestOptions, PreparedIngest, RetryGroup, retry_groups
from dynagrag.workspace.parts import WorkspaceParts
from dynagrag.workspace.workspace_catalog import (
    check_name_on_server,
    unknown_workspace,
    workspace_names,
)

DELETION_WAIT_S = 40.0
"""How long an opening waits where somebody else is deleting: seconds, and half a minute longer than
a dead machine's lease on a server.
"""


@dataclass(frozen=True, slots=True)
class Stats:
    """What a workspace holds; the names are those of `graph stats --json`."""

    documents: int
    turns: int
    passages: int
    chunks: int
    mentions: int
    entities: int
    words: int
    """Plain words that count; they link passages, and are no entities."""
    relation_records: int
    relations: int
    average_degree_before: float
    average_degree_after: float
    digest: str


def open_workspace(
    name: str | None = None,
    *,
    settings: Settings | None = None,
    create: bool = True,
    chat_model: ChatModel | None = None,
    embedder: Embedder | str | None = None,
    **overrides: Any,
) -> "Workspace":
    """Opens a workspace; by default it is made when it isn't there.

    Args:
        name: The workspace's name (default: the setting `workspace`).
        settings: Settings to use; without, they are read from the environment, `.env` and the
        settings file.
        create: Whether a workspace that isn't there is made.
        chat_model: A language model of your own, in place of the setting `llm`.
        embedder: An embedder of your own, in place of the setting `embedder`; a string is that
        setting.
        **overrides: Single settings, e.g. `llm="openai:gpt-5-mini"`, `home=Path(...)`; not together
        with `settings`.

    Raises:
        WorkspaceError: The name can't be one, there is no such workspace and `create` is false, or
        somebody else is deleting from it.
        SettingsError: A setting is wrong, or single settings were given beside `settings`.
        StoreError: The store is unusable or was written by a newer version.
    """
    if isinstance(embedder, str):
        overrides["embedder"], embedder = embedder, None
    if settings is not None and overrides:
        raise SettingsError(
            f"settings= and {', '.join(overrides)}= were both given, and one would be ignored; give"
            " one of them"
        )
    settings = settings or load_settings(**overrides)
    name = workspace_meant(name, settings)
    folder = settings.workspaces_dir / name
    is_embedded = store_address(folder, settings) == wiring.EMBEDDED
    if not create and is_embedded and not has_embedded(folder):
        raise unknown_workspace(name, str(settings.workspaces_dir), settings)
    is_new = not folder.is_dir()
    check_name_on_server(name, settings)
    _make_folder(folder)
    try:
        space = Workspace(name, folder, settings, chat_model=chat_model, embedder=embedder)
        _look_over(space, create)
    except BaseException:
        if is_new and not has_store(folder):
            shutil.rmtree(
                folder, ignore_errors=True
            )  # nothing was made of it: a mistyped name, a server that is down
        raise
    if create:  # a look at another store doesn't move the workspace there
        remember_store(folder, settings)
    return space


def _look_over(space: "Workspace", create: bool) -> None:
    """Before anybody reads from it: that it is there, and that nothing is half deleted. Closes it
    where it can't be used.
    """
    try:
        if not create and not space.store.exists():
            raise unknown_workspace(space.name, space.store.address(), space.settings)
        space.finish_deletions(DELETION_WAIT_S)
    except BaseException:
        space.close()
        raise


def _make_folder(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as err:
        raise WorkspaceError(
            f"the workspace folder {folder} cannot be made: {err.strerror}; set DYNAGRAG_HOME to a"
            " folder you may write to"
        ) from err


def open_journal(name: str | None, settings: Settings) -> Journal:
    """A workspace's journal alone, for what needs no store: the list of jobs, a cancellation.
    WorkspaceError where it has none.
    """
    name = workspace_meant(name, settings)
    if not (settings.workspaces_dir / name).is_dir():
        raise unknown_workspace(name, str(settings.workspaces_dir), settings)
    return wiring.make_journal(settings.workspaces_dir / name)


class Workspace:
    """One workspace. Use `open_workspace`. A context manager. Several threads may ask at once; all
    else is for one thread at a time.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        settings: Settings,
        *,
        chat_model: ChatModel | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.parts = WorkspaceParts.open(name, folder, settings, chat_model, embedder)
        self.name = name
        self.folder = folder
        self.settings = settings
        self.store: GraphStore = self.parts.store
        self.journal: Journal = self.parts.journal
        self._graph = CurrentGraph(self.parts)
        self._questions = QuestionAnswering(self.parts, self._graph)
        self._changes = GraphChanging(self.parts, self._graph)

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Releases files, and the models that it opened itself."""
        self.parts.close()

    @property
    def embedder(self) -> Embedder:
        """The embedder, opened at first use."""
        return self.parts.models.embedder

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model, opened at first use; None where none is configured."""
        return self.parts.models.chat_model

    def metered(self, max_calls: int | None, max_tokens: int | None = None) -> MeteredChat | None:
        """The language model with cache, ledger and budget; None where none is configured."""
        return self.parts.metered(max_calls, max_tokens)

    def writing(
        self, wait_s: float | None = None, progress: Progress | None = None
    ) -> AbstractContextManager[None]:
        """Holds the workspace: nobody else changes its graph or deletes from it meanwhile. The
        system lets go however the process ends.

        Waits for others, which is logged once and shown as a stage of `progress`; WorkspaceError
        after `wait_s` (None: `parts.max_wait_s`).
        """
        return self.parts.writing(wait_s, progress)

    # --------------------------------------------------------------------------------------- ingest

    def ingest(
        self,
        paths: Sequence[str | Path],
        options: IngestOptions | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Reads, extracts, consolidates and stores. Safe to repeat: only what is new or changed is
        worked on.

        Raises what stopped the run (BudgetError, ModelError) after its work was kept.
        """
        return self.prepare_ingest(paths, options).run_to_its_end(progress)

    def ingest_imported(
        self, documents: ImportedDocuments, extractor: Extractor, progress: Progress | None = None
    ) -> IngestReport:
        """Stores given passages and documents of turns, and makes the graph of them. Names are
        merged by rules alone.

        Safe to repeat: what is there is left alone, and a killed run is resumed. Documents that are
        given again under the same source replace those that stood in their places before; those at
        places that are no more stay.

        Args:
            documents: A corpus that was read, or documents in memory, whose source is then called
            `given`.
            extractor: Of these documents: `ImportedExtractor(documents)`, or
            `FastExtractor(titles=corpus.titles)`.
            progress: Told of each step.

        Raises:
            LoadError: A document has no words.
            WorkspaceError: A copy into this workspace was not ended.
        """
        return self.prepare_imported([as_corpus(documents)], extractor).run_to_its_end(progress)

    def prepare_ingest(
        self,
        paths: Sequence[str | Path],
        options: IngestOptions | None = None,
        progress: Progress | None = None,
    ) -> PreparedIngest:
        """Reads the sources and says what an ingest would do and cost, before it does anything.

        Raises LoadError when nothing is there to read, SettingsError when the extractor needs a
        model and none is configured.
        """
        return self._changes.prepare(paths, options or IngestOptions(), progress=progress)

    def prepare_imported(
        self, corpora: Sequence[ImportedCorpus], extractor: Extractor, has_index: bool = True
    ) -> PreparedIngest:
        """What an ingest of these corpora would do, before it does anything. Its job can be
        repeated, but not resumed by its number.

        `has_index`: whether the ego-graph index is brought up to date at the end.
        """
        return self._changes.prepare_imported(corpora, extractor, has_index)

    def prepare_resume(
        self, job_id: int | None = None, progress: Progress | None = None, **changes: Any
    ) -> PreparedIngest:
        """A job again that ended before it was done (None: the last such), with its paths and
        options but those given.

        Raises UsageError where there is none, or it is at work or done.
        """
        return self._changes.prepare_resume(job_id, progress, **changes)

    def prepare_retries(self, options: IngestOptions | None = None) -> list[PreparedIngest]:
        """The set-aside chunks again, from the stored documents: a run for each set of options they
        were set aside under, or with these.
        """
        return self._changes.prepare_retries(options)

    def prepare_retry(self, group: RetryGroup, **changes: Any) -> PreparedIngest:
        """A group of the set-aside chunks again, with the options they were set aside under but
        those given (None: not given).
        """
        return self._changes.prepare_retry(group, **changes)

    def jobs(self) -> tuple[Job, ...]:
        """All ingests of this workspace with how they stand, oldest first."""
        return self.journal.jobs()

    def cancel_job(self, job_id: int) -> Job:
        """Asks a running job, in whatever process, to stop after its calls in flight; marks an
        interrupted one. UsageError for others.
        """
        return self.journal.job_book.cancel(job_id)

    # --------------------------------------------------------------------------- delete and correct

    def delete(
        self, reference: str, progress: Progress | None = None
    ) -> tuple[Document, GraphReport]:
        """Deletes a document by id, path or title, with all that came from it: records, vectors,
        cached replies, index, conversations that quote it, its uploaded file, and corrections of
        names that only it held.

        Killed, it is finished by whoever opens the workspace next; a repeated deletion does no
        harm. Raises UsageError when it names none or several, WorkspaceError when an ingest is at
        work on it.
        """
        return self._changes.delete(reference, progress)

    def is_deleted(self, reference: str) -> bool:
        """Whether this id, path or title is that of a document that has been deleted, and of none
        that is there: `delete` does no harm.
        """
        return self._changes.is_deleted(reference)

    def finish_deletions(self, wait_s: float = 0.0, *, insists: bool = True) -> None:
        """Finishes deletions that a killed process left, on this machine or on another one that
        shares the store. `open_workspace` does.

        WorkspaceError where another process has held the workspace for `wait_s`, unless `insists`
        is false: that one is at it.
        """
        self.parts.finish_deletions(wait_s, insists)

    def find_document(self, reference: str) -> Document:
        """The one document with this id, path or title. UsageError where it names none or
        several.
        """
        return self._changes.find_document(reference)

    def forget_conversations(self) -> None:
        """Drops the kept answers that quote documents which are gone."""
        self.parts.forget_conversations()

    def store_edits(self, edits: Iterable[Edit]) -> GraphReport:
        """Stores a person's corrections, which `curation` makes, and derives the graph again. The
        caller holds `writing`.
        """
        return self._changes.store_edits(edits)

    def rederive(self, judge: MeteredChat | None = None) -> GraphReport:
        """Makes the graph again of the records as they are. The caller holds `writing`.

        `judge`: who is asked which names are one; None: rules, and verdicts that are kept.
        """
        return self.parts.deriver(judge).rederive()

    # ------------------------------------------------------------------------------------------ ask

    def ask(
        self,
        text: str,
        options: AskOptions | None = None,
        history: Sequence[tuple[str, str]] = (),
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        chat_model: ChatModel | None = None,
    ) -> Answer:
        """Answers a question with checked citations; without a model, the evidence it would answer
        from.

        Args:
            text: The question; with a history, a follow-up is first rewritten to stand alone.
            options: Retriever, traversal, profile, filters, budget.
            history: Earlier (question, answer) pairs.
            on_text: Gets the answer's pieces as they come, with evidence marks such as [E3].
            progress: Gets the stage (`asking.STAGES`) with how much of it is done; also from
            threads of its own.
            chat_model: The language model of this question, in place of the workspace's.

        Several threads may ask at once.
        """
        return self._questions.ask(
            text, options or AskOptions(), history, on_text, progress, chat_model
        )

    def answer(
        self,
        text: str,
        options: AskOptions,
        chat: MeteredChat | None,
        instead: Instead | None = None,
    ) -> Answer:
        """Answers a question that stands alone with a model whose cache and budget are the
        caller's, as evaluations do.

        `instead`: parts in place of those that the options name; `options.max_calls` is not looked
        at.
        """
        return self._questions.answer(text, options, chat, instead=instead)

    def evidence(self, text: str, options: AskOptions | None = None) -> Answer:
        """The evidence that an answer would rest on, whether a model is configured or not."""
        return self._questions.answer(text, options or AskOptions(), None)

    def retrieve(
        self, text: str, options: AskOptions | None = None, num_passages: int = 10
    ) -> Retrieval:
        """Evidence for a question, without a language model."""
        return self._questions.retrieve(text, options or AskOptions(), num_passages)

    def split(self, question: Question, chat: MeteredChat) -> Question:
        """The question with the steps that a model splits it into."""
        return self._questions.split(question, chat)

    def query_vector(self, text: str) -> Vector:
        """A question's vector (d,), to be compared with those of this workspace.

        EmbedderMismatchError where another embedder made these.
        """
        return self._questions.query_vector(text)

    def pruner_identity(self, name: str | None = None) -> str:
        """What the pruner called so, else that of the settings, scores with now: the name of an
        untrained one, a checkpoint's digest.

        Raises UsageError for a name that is none and where there is no trained pruner, LoadError
        for what is no checkpoint.
        """
        return self._questions.pruner_identity(name)

    def snapshot(self) -> Snapshot:
        """All that a question needs, read once per version of the store."""
        return self._graph.snapshot()

    def ego_index(self, profile: str | Profile) -> EgoIndex:
        """The ego-graphs that questions under a profile, or one of this name, get."""
        return self._graph.index(
            self.snapshot(), wiring.make_profile(profile) if isinstance(profile, str) else profile
        )

    # ---------------------------------------------------------------------------------------- graph

    def stats(self) -> Stats:
        """Counts, average degree before and after consolidation, and the digest."""
        with self.store.reading():
            mentions, records, graph = (
                self.store.mentions(),
                self.store.relation_records(),
                self.store.graph(),
            )
            num_passages = len(self.store.passages())
            return Stats(
                documents=len(self.store.documents()),
                turns=len(self.store.turns()),
                passages=num_passages,
                chunks=self.store.num_chunks(),
                mentions=len(mentions),
                entities=len(graph.entities),
                words=num_words(counting_mentions(mentions, num_passages)),
                relation_records=len(records),
                relations=len(graph.relations),
                average_degree_before=round(
                    average_degree_before(mentions, records, num_passages), 4
                ),
                average_degree_after=round(average_degree(graph), 4),
                digest=self.store.digest(),
            )

    def graph(self) -> Graph:
        """The derived graph."""
        return self.store.graph()

    def merges(self) -> tuple[Merge, ...]:
        """The merges in force, with the rule or verdict that made each."""
        return self.store.consolidation().merges

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Calls and tokens by stage and document."""
        return self.journal.ledger()

    def set_asides(self) -> tuple[SetAside, ...]:
        """Chunks that failed, with their reasons; `prepare_retries`, or the next ingest of their
        source, tries them again.
        """
        return self.journal.set_asides()


__all__ = [
    "AskOptions",
    "IngestOptions",
    "Instead",
    "PreparedIngest",
    "RetryGroup",
    "Stats",
    "Workspace",
    "open_journal",
    "open_workspace",
    "retry_groups",
    "workspace_names",
]
