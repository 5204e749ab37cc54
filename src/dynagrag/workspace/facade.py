"""The façade: a workspace is opened, fed, asked, corrected and closed. The command line and the app do nothing that it doesn't offer."""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any

from dynagrag import wiring
from dynagrag.errors import EmbedderMismatchError, SettingsError, UsageError, WorkspaceError
from dynagrag.generation.answer import Parts, answer_question, rewrite_question, split_question
from dynagrag.graph_store.derived.canonical import undo_merge
from dynagrag.graph_store.derived.derive import average_degree, average_degree_before
from dynagrag.graph_store.rules import WORKSPACE_NAME, check_workspace_name
from dynagrag.ingest.consolidate.verdicts import STAGE as CONSOLIDATION_STAGE
from dynagrag.ingest.pipeline import GraphReport, IngestReport, Pipeline, Progress
from dynagrag.ingest.plan import uri_of
from dynagrag.ingest.rederive import Deriver
from dynagrag.journal.jobs import RESUMABLE, Job
from dynagrag.journal.journal import Journal, LedgerRow, SetAside
from dynagrag.models.metered import MeteredChat
from dynagrag.protocols import ChatModel, Embedder, GraphStore, Retriever
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.filters import FILTERED, apply_filters
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.snapshots import read_snapshot
from dynagrag.schema import Answer, Document, Edit, Filters, Graph, Merge, Question, Retrieval, Snapshot
from dynagrag.settings import Profile, Settings, load_settings
from dynagrag.workspace.address import has_embedded, has_store, open_store, remember_store, store_address
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.given_job import prepare_given_files
from dynagrag.workspace.ingest_job import (
    RETRY,
    IngestOptions,
    PreparedIngest,
    RetryGroup,
    options_of,
    prepare_ingest,
    prepare_retry,
    retry_groups,
)
from dynagrag.workspace.lock import MAX_WAIT_S, WorkspaceLock

_LOG = logging.getLogger(__name__)
_MANY_ENTITIES = 5000
"""From here on `paper`'s index can take minutes where there are hubs: 10,000 entities round one took 27 s of CPU, `default` 0.7 s."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How to answer. `is_split`: for `ask` a model splits the question first, and passages are ranked by its steps too (one more call)."""

    retriever: str = "dynagrag"
    traversal: str = "dsa-bfs"
    profile: str = "default"
    filters: Filters = field(default_factory=Filters)
    max_calls: int | None = None
    is_split: bool = False


@dataclass(frozen=True, slots=True)
class Stats:
    """What a workspace holds; the names are those of `graph stats --json`."""

    documents: int
    turns: int
    passages: int
    chunks: int
    mentions: int
    entities: int
    relation_records: int
    relations: int
    average_degree_before: float
    average_degree_after: float
    digest: str


@dataclass(frozen=True, slots=True)
class _Arm:
    """What questions with the same retriever, profile and filters share."""

    snapshot: Snapshot
    passages: PassageScores
    retriever: Retriever
    profile: Profile


def workspace_names(settings: Settings) -> list[str]:
    """The workspaces there are, sorted."""
    if not settings.workspaces_dir.is_dir():
        return []
    return sorted(p.name for p in settings.workspaces_dir.iterdir() if has_store(p))


def open_workspace(
    name: str | None = None,
    *,
    settings: Settings | None = None,
    create: bool = True,
    chat_model: ChatModel | None = None,
    embedder: Embedder | None = None,
    **overrides: Any,
) -> "Workspace":
    """Opens a workspace; by default it is made when it isn't there.

    Args:
        name: The workspace's name (default: the setting `workspace`).
        settings: Settings to use; without, they are read from the environment, `.env` and the settings file.
        create: Whether a workspace that isn't there is made.
        chat_model: A language model of your own, in place of the setting `llm`.
        embedder: An embedder of your own, in place of the setting `embedder`.
        **overrides: Single settings, e.g. `llm="openai:gpt-5-mini"`, `home=Path(...)`.

    Raises:
        WorkspaceError: The name can't be one, or there is no such workspace and `create` is false.
        SettingsError: A setting is wrong.
        StoreError: The store is unusable or was written by a newer version.
    """
    settings = settings or load_settings(**overrides)
    name = name or settings.workspace
    check_workspace_name(name)
    folder = settings.workspaces_dir / name
    is_embedded = store_address(folder, settings) == wiring.EMBEDDED
    if not create and is_embedded and not has_embedded(folder):
        raise _unknown_workspace(name, str(settings.workspaces_dir), settings)
    is_new = not folder.is_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise WorkspaceError(
            f"the workspace folder {folder} cannot be made: {err.strerror}; set DYNAGRAG_HOME to a folder you may write to"
        ) from err
    try:
        space = Workspace(name, folder, settings, chat_model=chat_model, embedder=embedder)
        if not create and not space.store.exists():
            address = space.store.address()
            space.close()
            raise _unknown_workspace(name, address, settings)
    except BaseException:
        if is_new and not has_store(folder):
            shutil.rmtree(folder, ignore_errors=True)  # nothing was made of it: a mistyped name, a server that is down
        raise
    if create:  # a look at another store doesn't move the workspace there
        remember_store(folder, settings)
    return space


def open_journal(name: str | None, settings: Settings) -> Journal:
    """A workspace's journal alone, for what needs no store: the list of jobs, a cancellation. WorkspaceError where it has none."""
    name = name or settings.workspace
    if not WORKSPACE_NAME.fullmatch(name) or not (settings.workspaces_dir / name).is_dir():
        raise _unknown_workspace(name, str(settings.workspaces_dir), settings)
    return wiring.make_journal(settings.workspaces_dir / name)


def _unknown_workspace(name: str, where: str, settings: Settings) -> WorkspaceError:
    known = ", ".join(workspace_names(settings)) or "none yet"
    return WorkspaceError(
        f"there is no workspace {name!r} in {where} (known in this home: {known}); make it with `dynagrag ingest`, or say where it is "
        "with --store or NEO4J_URI"
    )


class Workspace:
    """One workspace. Use `open_workspace`. A context manager. Several threads may ask at once; all else is for one thread at a time."""

    def __init__(
        self, name: str, folder: Path, settings: Settings, *, chat_model: ChatModel | None = None, embedder: Embedder | None = None
    ) -> None:
        self.name = name
        self.folder = folder
        self.settings = settings
        self.store: GraphStore = open_store(folder, name, settings)
        try:
            self.journal: Journal = wiring.make_journal(folder)
        except BaseException:
            self.store.close()
            raise
        self.max_wait_s = MAX_WAIT_S
        self._lock = WorkspaceLock(name, folder, self.store)
        self._opened: list[Any] = []  # models that were not handed in, and so are closed here
        self._chat_model = chat_model
        self._embedder = embedder
        self._reading = RLock()
        self._snapshot: Snapshot | None = None
        self._indexes: dict[tuple[str, str], EgoIndex] = {}
        self._arms: dict[tuple[str, str, Filters], _Arm] = {}

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Releases files, and the models that it opened itself."""
        self.store.close()
        self.journal.close()
        for model in self._opened:
            if hasattr(model, "close"):
                model.close()
        self._opened.clear()

    @property
    def embedder(self) -> Embedder:
        """The embedder, opened at first use."""
        if self._embedder is None:
            self._embedder = wiring.make_embedder(self.settings)
            self._opened.append(self._embedder)
        return self._embedder

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model, opened at first use; None where none is configured."""
        if self._chat_model is None:
            self._chat_model = wiring.make_chat_model(self.settings)
            self._opened.extend([self._chat_model] if self._chat_model else [])
        return self._chat_model

    def metered(self, max_calls: int | None, max_tokens: int | None = None) -> MeteredChat | None:
        """The language model with cache, ledger and budget; None where none is configured."""
        model = self.chat_model
        return None if model is None else wiring.make_metered(model, self.journal, self.name, max_calls, max_tokens)

    @contextmanager
    def writing(
        self, wait_s: float | None = None, progress: Progress | None = None, check: Callable[[], None] = lambda: None
    ) -> Iterator[None]:
        """Holds the workspace: nobody else changes its graph or deletes from it meanwhile. The system lets go however the process ends.

        Waits for others, which is logged once and shown as a stage of `progress`; WorkspaceError after `wait_s` (None: `max_wait_s`).
        `check` is called while it waits, and may raise.
        """
        wait_s = self.max_wait_s if wait_s is None else wait_s
        show = progress or (lambda *_: None)
        waits: list[str] = []

        def on_wait(text: str) -> None:
            _LOG.warning("%s", text)
            waits.append(text)
            show("wait", 0, 1)

        with self._lock.hold(wait_s, on_wait if wait_s else lambda text: None, check):
            if waits:
                show("wait", 1, 1)
            yield

    # ------------------------------------------------------------------------------------------------------ ingest

    def prepare_ingest(self, paths: Sequence[str | Path], options: IngestOptions | None = None) -> PreparedIngest:
        """Reads the sources and says what an ingest would do and cost, before it does anything.

        Raises LoadError when nothing is there to read, SettingsError when the extractor needs a model and none is configured.
        """
        return self._prepared(paths, options or IngestOptions())

    def _prepared(self, paths: Sequence[str | Path], options: IngestOptions, job: Job | None = None) -> PreparedIngest:
        prepare = prepare_given_files if options.extractor == "file" else prepare_ingest
        return prepare(self, paths, options, job)

    def prepare_resume(self, job_id: int | None = None, **changes: Any) -> PreparedIngest:
        """A job again that ended before it was done (None: the last such), with its paths and options but those given.

        Raises UsageError where there is none, or it is at work or done.
        """
        job = self.journal.job_book.to_resume() if job_id is None else self.journal.job_book.job(job_id)
        if job.status not in RESUMABLE:
            raise UsageError(f"job {job.id} is {job.status}: only a job that was interrupted, stopped, cancelled or failed can be resumed")
        options = options_of(job.request, **changes)
        if job.kind == RETRY:
            aside = {(item.document_id, item.start, item.end) for item in self.set_asides()}
            return prepare_retry(self, [place for place in job.request.places if place in aside], options, job)
        return self._prepared(job.request.paths, options, job)

    def prepare_retries(self, options: IngestOptions | None = None) -> list[PreparedIngest]:
        """The set-aside chunks again, from the stored documents: a run for each set of options they were set aside under, or with these."""
        groups = retry_groups(self.journal)
        if groups and options is not None:
            return [prepare_retry(self, [place for group in groups for place in group.places], options)]
        return [self.prepare_retry(group) for group in groups]

    def prepare_retry(self, group: RetryGroup, **changes: Any) -> PreparedIngest:
        """A group of the set-aside chunks again, with the options they were set aside under but those given (None: not given)."""
        return prepare_retry(self, group.places, options_of(group.request, **changes))

    def jobs(self) -> tuple[Job, ...]:
        """All ingests of this workspace with how they stand, oldest first."""
        return self.journal.jobs()

    def cancel_job(self, job_id: int) -> Job:
        """Asks a running job, in whatever process, to stop after its calls in flight; marks an interrupted one. UsageError for others."""
        return self.journal.job_book.cancel(job_id)

    def ingest(self, paths: Sequence[str | Path], options: IngestOptions | None = None, progress: Progress | None = None) -> IngestReport:
        """Reads, extracts, consolidates and stores. Safe to repeat: only what is new or changed is worked on.

        Raises what stopped the run (BudgetError, ModelError) after its work was kept.
        """
        report = self.prepare_ingest(paths, options).run(progress)
        if report.stopped_by is not None:
            raise report.stopped_by
        return report

    def delete(self, reference: str, progress: Progress | None = None) -> tuple[Document, GraphReport]:
        """Deletes a document by id, path or title, with all that came from it: records, vectors, cached replies, index.

        Raises UsageError when it names none or several, WorkspaceError when an ingest is at work on it.
        """
        with self.writing(progress=progress):
            document = self.find_document(reference)
            job_id = self.journal.job_book.claims().get(document.id)
            if job_id is not None:
                raise WorkspaceError(
                    f"job {job_id} is at work on {document.title!r} and would bring it back; wait, or `dynagrag jobs cancel {job_id}`"
                )
            pipeline = self.pipeline(self._judge_of_before(), progress)
            self.journal.forget_documents([document.id])
            self.store.delete_document(document.id)
            report = pipeline.rederive()
            self.forget_conversations()
            self._forget_index()
        return document, report

    def forget_conversations(self) -> None:
        """Drops the kept answers that quote documents which are gone."""
        ConversationBook(self.folder).keep_documents([d.id for d in self.store.documents()])

    def pipeline(self, judge: MeteredChat | None, progress: Progress | None = None) -> Pipeline:
        """What turns sources into records and records into the graph. `judge`: who is asked which names are one; None: rules, and verdicts
        that are kept.
        """
        deriver = Deriver(
            self.store,
            self.embedder,
            self.journal,
            judge=judge,
            judge_name=judge.model.identity if judge else "",
            is_small_judge=judge is not None and judge.model.is_small,
            max_concurrency=wiring.concurrency_of(judge.model if judge else None, self.settings),
            progress=progress or (lambda *_: None),
        )
        return Pipeline(self.store, self.journal, deriver)

    def _judge_of_before(self) -> MeteredChat | None:
        """The model again, where it was asked before: blocks that a deletion changed are judged anew, as a fresh ingest would have them."""
        was_asked = any(row.stage == CONSOLIDATION_STAGE for row in self.ledger())
        return self.metered(None) if was_asked else None

    def find_document(self, reference: str) -> Document:
        """The one document with this id, path or title."""
        documents = self.store.documents()
        path = uri_of(reference)
        found = [d for d in documents if reference == d.id] or [d for d in documents if path == d.uri]
        found = found or [d for d in documents if d.title.casefold() == reference.casefold()]
        found = found or [d for d in documents if Path(d.uri).name == reference or (len(reference) >= 8 and d.id.startswith(reference))]
        if not found:
            raise UsageError(f"no document {reference!r} in workspace {self.name!r}; `dynagrag graph stats` lists them")
        if len(found) > 1:
            ids = ", ".join(d.id[:12] for d in found)
            raise UsageError(f"{len(found)} documents are called {reference!r}; name one by its id: {ids}")
        return found[0]

    # --------------------------------------------------------------------------------------------------------- ask

    def snapshot(self) -> Snapshot:
        """All that a question needs, read once per version of the store."""
        self._derive_if_interrupted()
        if self._snapshot is None or self._snapshot.version != self.store.version():
            self._snapshot = self._read_snapshot()
            self._arms.clear()
            self._indexes.clear()
        return self._snapshot

    def _read_snapshot(self) -> Snapshot:
        with self.store.reading():
            made = read_snapshot(self.store)
        # Else somebody wrote meanwhile, and whether the graph is that of the records must be asked after they were read.
        return made if self.store.version() == made.version else read_snapshot(self.store)

    def _derive_if_interrupted(self) -> None:
        """A run that was killed left records that the graph doesn't show yet, or shows though they are gone: derived now, by rules alone.

        While another process is at work, that is its business; the graph is then shown as far as its records are there.
        """
        if self.store.is_derived_current() or self.store.embedder() not in (None, self.embedder.identity):
            return
        if self.journal.job_book.is_any_running():  # it derives at its end
            return
        try:
            with self.writing(wait_s=0):
                if self.store.documents():
                    self.pipeline(None).rederive()
        except WorkspaceError:
            return

    def retrieve(self, text: str, options: AskOptions | None = None, num_passages: int = 10) -> Retrieval:
        """Evidence for a question, without a language model."""
        options = options or AskOptions()
        arm = self._arm(options)
        self._check_not_empty(arm.snapshot)
        question = Question(text, self._query_vector(text))
        return arm.retriever.retrieve(question, num_passages=num_passages, num_subgraphs=arm.profile.num_subgraphs)

    def ask(
        self,
        text: str,
        options: AskOptions | None = None,
        history: Sequence[tuple[str, str]] = (),
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        chat_model: ChatModel | None = None,
    ) -> Answer:
        """Answers a question with checked citations; without a model, the evidence it would answer from.

        Args:
            text: The question; with a history, a follow-up is first rewritten to stand alone.
            options: Retriever, traversal, profile, filters, budget.
            history: Earlier (question, answer) pairs.
            on_text: Gets the answer's pieces as they come, with evidence marks such as [E3].
            progress: Gets the stage (split, retrieve, answer, score, merge) with how much of it is done; also from threads of its own.
            chat_model: The language model of this question, in place of the workspace's.

        Several threads may ask at once.
        """
        options = options or AskOptions()
        if not text.strip():
            raise UsageError("the question is empty")
        chat = wiring.make_metered(chat_model, self.journal, self.name, options.max_calls, None) if chat_model else None
        chat = chat or self.metered(options.max_calls)
        if options.is_split and not wiring.can_split(options.retriever, options.profile):
            raise UsageError(
                f"a question can be split for dynagrag, dynagrag-cosine (profile default) and bridge-ppr, not for {options.retriever} "
                f"under the profile {options.profile}"
            )
        if options.is_split and chat is None:
            raise SettingsError("a model splits the question; name one, e.g. --llm openai:NAME or --llm qwen, or ask it whole")
        if chat is not None and history:
            text = rewrite_question(chat, history, text)
        return self._answer(text, options, chat, on_text, progress)

    def _answer(
        self,
        text: str,
        options: AskOptions,
        chat: MeteredChat | None,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        arm = self._arm(options)
        self._check_not_empty(arm.snapshot)
        parts = Parts(
            retriever=arm.retriever,
            passages=arm.passages,
            pruner=wiring.make_pruner(),
            traversal=wiring.make_traversal(options.traversal, arm.profile),
            embedder=self.embedder,
            chat=chat,
            profile=arm.profile,
            max_concurrency=self.settings.max_concurrency,
        )
        question = Question(text, self._query_vector(text))
        notes: list[str] = []
        if options.is_split and chat is not None:
            if progress:
                progress("split", 0, 1)
            question = self.split(question, chat)
            steps = " / ".join(step.text for step in question.steps)
            notes.append(f"split into: {steps}" if steps else "the model found no steps in it")
        answer = answer_question(arm.snapshot, question, parts, on_text, progress, notes)
        self._check_not_deleted(arm.snapshot, answer)
        return answer

    def split(self, question: Question, chat: MeteredChat) -> Question:
        """The question with the steps that a model splits it into."""
        steps = split_question(chat, question.text)
        return replace(question, steps=tuple(Question(step, self.embedder.embed_query(step)) for step in steps))

    def _check_not_deleted(self, snapshot: Snapshot, answer: Answer) -> None:
        """A document that was deleted while a question was being answered leaves neither the answer nor the replies to its prompts."""
        if self.store.version() == snapshot.version.removesuffix(FILTERED):
            return
        gone = set(answer.trace.document_ids.values()) - {d.id for d in self.store.documents()}
        if gone:
            self.journal.forget_documents(gone)
            raise WorkspaceError("a document that this answer quotes was deleted meanwhile; ask again")

    def evidence(self, text: str, options: AskOptions | None = None) -> Answer:
        """The evidence that an answer would rest on, whether a model is configured or not."""
        return self._answer(text, options or AskOptions(), None)

    def _check_not_empty(self, snapshot: Snapshot) -> None:
        if not self.store.documents():
            raise WorkspaceError(f"workspace {self.name!r} is empty; add something first: `dynagrag ingest PATH`")
        if not snapshot.passages:
            raise WorkspaceError(
                "nothing is inside these filters, or the ingest did not get as far as embedding; widen them or run it again"
            )

    def _query_vector(self, text: str) -> Any:
        vector = self.embedder.embed_query(text)  # first: a server's identity is known by its first reply
        stored, mine = self.store.embedder(), self.embedder.identity
        if stored is not None and stored != mine:
            raise EmbedderMismatchError(
                f"workspace {self.name!r} was embedded by {stored.name} ({stored.dimension} dimensions), but the embedder is {mine.name} "
                f"({mine.dimension}); use --embedder {stored.name}"
            )
        return vector

    def _arm(self, options: AskOptions) -> _Arm:
        """The snapshot inside the filters with its lookups and retriever, kept until the store changes."""
        profile = wiring.make_profile(options.profile)
        with self._reading:
            whole = self.snapshot()
            key = (options.retriever, options.profile, options.filters)
            if key not in self._arms:
                snapshot = apply_filters(whole, self.store, options.filters)
                passages = PassageScores(snapshot)
                retriever = wiring.make_retriever(options.retriever, snapshot, profile, passages, lambda: self._index(snapshot, profile))
                self._arms[key] = _Arm(snapshot, passages, retriever, profile)
            return self._arms[key]

    def _index(self, snapshot: Snapshot, profile: Profile) -> EgoIndex:
        key = (snapshot.version, profile.name)
        if snapshot.version.endswith(FILTERED):
            return EgoIndex.build(snapshot.graph, profile)
        if key not in self._indexes:
            num_entities = len(snapshot.graph.entities)
            if profile.max_ego_nodes is None and num_entities > _MANY_ENTITIES:
                _LOG.warning("profile %s cuts no hubs, as the paper has it: indexing %d entities takes long", profile.name, num_entities)
            self._indexes[key] = EgoIndex.open(self.folder / "index" / profile.name, snapshot, profile)
        return self._indexes[key]

    def build_index(self) -> None:
        """Brings the saved ego-graph index up to date, so that the next question doesn't wait for it."""
        snapshot = self.snapshot()
        if snapshot.graph.entities:
            self._index(snapshot, wiring.make_profile("default"))

    def _forget_index(self) -> None:
        """After a deletion no trace of the old graph stays in saved indexes."""
        shutil.rmtree(self.folder / "index", ignore_errors=True)
        self._snapshot = None
        self.build_index()

    # ------------------------------------------------------------------------------------------------------- graph

    def stats(self) -> Stats:
        """Counts, average degree before and after consolidation, and the digest."""
        with self.store.reading():
            mentions, records, graph = self.store.mentions(), self.store.relation_records(), self.store.graph()
            num_passages = len(self.store.passages())
            return Stats(
                documents=len(self.store.documents()),
                turns=len(self.store.turns()),
                passages=num_passages,
                chunks=self.store.num_chunks(),
                mentions=len(mentions),
                entities=len(graph.entities),
                relation_records=len(records),
                relations=len(graph.relations),
                average_degree_before=round(average_degree_before(mentions, records, num_passages), 4),
                average_degree_after=round(average_degree(graph), 4),
                digest=self.store.digest(),
            )

    def graph(self) -> Graph:
        """The derived graph."""
        return self.store.graph()

    def merges(self) -> tuple[Merge, ...]:
        """The merges in force, with the rule or verdict that made each."""
        return self.store.consolidation().merges

    def undo_merge(self, reference: str, by: str, at: str) -> tuple[Merge, GraphReport]:
        """Takes a merge back, by its id or its canonical name. Stored as a person's edit, so it survives later ingests."""
        with self.writing():
            found = [m for m in self.merges() if m.id.startswith(reference) or m.canonical == reference.casefold()]
            if len(found) != 1:
                raise UsageError(f"{len(found)} merges match {reference!r}; `dynagrag graph merges` lists them with their ids")
            return found[0], self.store_edits([undo_merge(found[0], by=by, at=at)])

    def store_edits(self, edits: Iterable[Edit]) -> GraphReport:
        """Stores a person's corrections, which `curation.py` makes, and derives the graph again. The caller holds `writing`."""
        for edit in edits:
            self.store.put_edit(edit)
        return self.pipeline(self._judge_of_before()).rederive()

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Calls and tokens by stage and document."""
        return self.journal.ledger()

    def set_asides(self) -> tuple[SetAside, ...]:
        """Chunks that failed, with their reasons; `prepare_retries`, or the next ingest of their source, tries them again."""
        return self.journal.set_asides()


__all__ = [
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
