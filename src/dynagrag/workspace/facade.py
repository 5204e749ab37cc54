"""The facade: a workspace is opened, and offers its parts by name: `questions`, `documents`,
`ingest_jobs`, `current_graph`. What docs/library.md shows is at hand on the workspace itself.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.errors import SettingsError, WorkspaceError
from dynagrag.core.files.private_files import make_folder
from dynagrag.core.protocols import ChatModel, Embedder, GraphStore
from dynagrag.core.schema import Answer, Filters, Graph
from dynagrag.generation.statement_check import CheckedStatement
from dynagrag.graph_store.derived.average_degree import average_degree, average_degree_before
from dynagrag.graph_store.derived.linking_words import num_words
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.ingest.pipeline import IngestReport, Progress
from dynagrag.journal.jobs import Job
from dynagrag.journal.workspace_journal import Journal
from dynagrag.workspace.address import (
    agree_to_store,
    has_embedded,
    has_store,
    remember_store,
    store_address,
    workspace_meant,
)
from dynagrag.workspace.asking import AnswerOverrides, AskOptions, QuestionAnswering
from dynagrag.workspace.changing import IngestJobs, WorkspaceDocuments
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.ingest_job import IngestOptions, PreparedIngest, RetryGroup, retry_groups
from dynagrag.workspace.parts import WorkspaceParts
from dynagrag.workspace.workspace_catalog import (
    check_name_on_server,
    unknown_workspace,
    workspace_names,
)
from dynagrag.workspace.workspace_embedder import EmbedderSource

DELETION_WAIT_S = 40.0
"""How long an opening waits where somebody else is deleting: seconds, and half a minute longer than
a dead machine's lease on a server.
"""


@dataclass(frozen=True, slots=True)
class Stats:
    """The contents of a workspace in numbers; the names are those of `graph stats --json`."""

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
    embedder: EmbedderSource | str = None,
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
        setting, an `EmbedderOpener` opens what the settings name. Without any the workspace's own
        is opened.
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
    is_embedded = store_address(folder, settings).is_embedded
    if not create and is_embedded and not has_embedded(folder):
        raise unknown_workspace(name, str(settings.workspaces_dir), settings)
    is_new = not folder.is_dir()
    check_name_on_server(name, settings)
    try:
        make_folder(folder)
    except OSError as err:
        raise WorkspaceError(
            f"the workspace folder {folder} cannot be made: {err.strerror}; set DYNAGRAG_HOME to a"
            " folder you may write to"
        ) from err
    try:
        space = Workspace(
            name,
            folder,
            settings,
            chat_model=chat_model,
            embedder=embedder,
        )
        try:  # before anybody reads from it: it is there, and nothing is half deleted
            if not create and not space.store.exists():
                raise unknown_workspace(name, space.store.address(), settings)
            space.parts.finish_deletions(DELETION_WAIT_S)
        except BaseException:
            space.close()
            raise
    except BaseException:
        if is_new and not has_store(folder):
            # nothing was made of it: a mistyped name, a server that is down
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if create:  # a look at another store doesn't move the workspace there
        remember_store(folder, settings)
    else:
        agree_to_store(folder, settings)
    return space


def open_journal(name: str | None, settings: Settings) -> Journal:
    """A workspace's journal alone, for what needs no store: the list of jobs, a cancellation.
    WorkspaceError where it has none.
    """
    name = workspace_meant(name, settings)
    if not (settings.workspaces_dir / name).is_dir():
        raise unknown_workspace(name, str(settings.workspaces_dir), settings)
    return wiring.make_journal(settings.workspaces_dir / name)


class Workspace:
    """One workspace, by its parts. Use `open_workspace`. A context manager. Several threads may ask
    at once; all else is for one thread at a time.

    Attributes:
        questions: Answers, evidence and retrieval; what scores with which pruner.
        documents: Finds, renames and deletes documents.
        ingest_jobs: Prepares ingests, resumptions and retries, each a job of its own.
        current_graph: The graph as questions need it, its indexes, and a person's corrections.
        store: The store itself: records, vectors, the derived graph.
        journal: Jobs, ledger, set-aside chunks, cached replies.
        models: The embedder and the language model, opened at first use.
        parts: All that these rest on, with the lock (`parts.writing`) and the metered model.
    """

    def __init__(
        self,
        name: str,
        folder: Path,
        settings: Settings,
        *,
        chat_model: ChatModel | None = None,
        embedder: EmbedderSource = None,
    ) -> None:
        self.parts = WorkspaceParts.open(name, folder, settings, chat_model, embedder)
        self.name = name
        self.folder = folder
        self.store: GraphStore = self.parts.store
        self.journal: Journal = self.parts.journal
        self.models = self.parts.models
        self.current_graph = CurrentGraph(self.parts)
        self.questions = QuestionAnswering(self.parts, self.current_graph)
        self.documents = WorkspaceDocuments(self.parts, self.current_graph)
        self.ingest_jobs = IngestJobs(self.parts, self.current_graph)

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
    def settings(self) -> Settings:
        """As they were given; the embedder is the workspace's own where nobody named one."""
        return self.parts.settings

    @property
    def embedder(self) -> Embedder:
        """The embedder, opened at first use."""
        return self.models.embedder

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
        return self.ingest_jobs.prepare(paths, options or IngestOptions(), progress=progress)

    def prepare_resume(
        self,
        job_id: int | None = None,
        progress: Progress | None = None,
        *,
        is_agreed: bool = False,
        **changes: Any,
    ) -> PreparedIngest:
        """A job again that ended before it was done (None: the last such), with its paths and
        options but those given.

        Raises UsageError where there is none, it is at work or done, or this user hasn't asked for
        it (its journal came from elsewhere) and hasn't agreed to it either.
        """
        return self.ingest_jobs.prepare_resume(job_id, progress, is_agreed=is_agreed, **changes)

    def prepare_retries(self, options: IngestOptions | None = None) -> list[PreparedIngest]:
        """The set-aside chunks again, from the stored documents: a run for each set of options they
        were set aside under, or with these.
        """
        return self.ingest_jobs.prepare_retries(options)

    def jobs(self) -> tuple[Job, ...]:
        """All ingests of this workspace with how they stand, oldest first."""
        return self.journal.jobs()

    def cancel_job(self, job_id: int) -> Job:
        """Asks a running job, in whatever process, to stop after its calls in flight; marks an
        interrupted one. UsageError for others.
        """
        return self.journal.job_book.cancel(job_id)

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
        return self.questions.ask(
            text, options or AskOptions(), history, on_text, progress, chat_model
        )

    def evidence(self, text: str, options: AskOptions | None = None) -> Answer:
        """The evidence that an answer would rest on, whether a model is configured or not."""
        return self.questions.answer(text, options or AskOptions(), None)

    def check(
        self, text: str, filters: Filters | None = None, max_calls: int | None = None
    ) -> CheckedStatement:
        """Whether the transcripts state what a text says, contradict it, or have nothing of it,
        claim by claim, with the lines. A model checks where one is configured that is large enough.

        Raises UsageError for a text that states nothing, WorkspaceError where there is nothing
        inside the filters.
        """
        return self.questions.check(text, filters, max_calls)

    # ---------------------------------------------------------------------------------------- graph

    def graph(self) -> Graph:
        """The derived graph."""
        return self.store.graph()

    def stats(self) -> Stats:
        """Counts, average degree before and after consolidation, and the digest."""
        with self.store.reading():
            mentions, records, graph = (
                self.store.mentions(),
                self.store.relation_records(),
                self.store.graph(),
            )
            num_passages = len(self.store.passages())
            counted = counting_mentions(mentions, num_passages)
            return Stats(
                documents=len(self.store.documents()),
                turns=len(self.store.turns()),
                passages=num_passages,
                chunks=self.store.num_chunks(),
                mentions=len(mentions),
                entities=len(graph.entities),
                words=num_words(counted),
                relation_records=len(records),
                relations=len(graph.relations),
                average_degree_before=round(average_degree_before(counted, records), 4),
                average_degree_after=round(average_degree(graph), 4),
                digest=self.store.digest(),
            )


__all__ = [
    "AnswerOverrides",
    "AskOptions",
    "IngestOptions",
    "PreparedIngest",
    "RetryGroup",
    "Stats",
    "Workspace",
    "open_journal",
    "open_workspace",
    "retry_groups",
    "workspace_names",
]
