"""Ingests, resumed jobs, retries and deletions in threads of this process. What they do is in the
journal: any process shows it, and a reload or the end of this process loses nothing of it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from dynagrag.core.protocols import Extraction, Extractor
from dynagrag.core.schema import Chunk, ChunkWork, Document
from dynagrag.core.text import plural
from dynagrag.ingest.consolidate.verdicts import STAGE as CONSOLIDATION_STAGE
from dynagrag.ingest.graph_deriver import GraphReport, Progress
from dynagrag.ingest.plan import IngestEstimate
from dynagrag.journal.jobs import Job, JobCancelledError, JobRequest
from dynagrag.journal.workspace_journal import Journal, LedgerRow
from dynagrag.ui import background, state
from dynagrag.ui.background import Work
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.glossaries import lines_once_made
from dynagrag.workspace.ingest_job import (
    IngestOptions,
    PreparedIngest,
    RetryGroup,
    check_own,
    retry_groups,
)
from dynagrag.workspace.own_embedder import embedder_of_job
from dynagrag.workspace.text_reports import ingest_report_lines
from dynagrag.workspace.unread_languages import unread_line

Opener = Callable[[], AbstractContextManager[Workspace]]
_INTERACTIVE_WAIT_S = 60.0
TIMING = "time a call"
"""The stage of a plan in which a model in this process is timed."""


@dataclass(frozen=True, slots=True)
class IngestPlanView:
    """Work and cost of an ingest. `estimate` None: no model is asked. `call_s`: seconds of a call
    that was timed for it. `extracted_before`: extractors whose records are replaced, with the
    number of their documents. `unread`: that the embedder doesn't read some language of the files;
    empty where it does.
    """

    num_new: int
    num_changed: int
    num_moved: int
    num_unchanged: int
    num_doubles: int
    num_chunks: int
    missing: tuple[str, ...]
    removes_missing: bool
    estimate: IngestEstimate | None
    call_s: float | None = None
    extracted_before: Mapping[str, int] = field(default_factory=dict)
    unread: str = ""

    @property
    def has_work(self) -> bool:
        """Whether a run would change anything."""
        return bool(
            self.num_new
            or self.num_changed
            or self.num_moved
            or self.num_chunks
            or (self.removes_missing and self.missing)
        )


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended: its job, what stopped it ("": nothing did), what the graph is now, and its
    report line by line.
    """

    job_id: int | None
    stopped_by: str
    graph: str
    lines: tuple[str, ...] = ()


# --------------------------------------------------------------------------------------------- plan


def plan(ticket: str, paths: Sequence[str], options: IngestOptions) -> Work:
    """Plans an ingest of these paths; the work's result is an `IngestPlanView`. Nothing is stored
    but an empty workspace.

    A call of a model in this process is timed for it, and its reply forgotten, since nobody may
    want the run.
    """
    settings, name = state.settings(), state.workspace_name()
    open_space = _opener(options)

    def run(work: Work) -> IngestPlanView:
        work.progress("read", 0, 1)
        with open_space() as space:
            prepared = space.prepare_ingest(paths, options, work.progress)
            work.progress(TIMING, 0, 1)
            seconds = prepared.time_one_call()
            prepared.forget_timed_call()
            made = prepared.plan
            return IngestPlanView(
                num_new=len(made.new),
                num_changed=len(made.changed),
                num_moved=len(made.moved),
                num_unchanged=len(made.unchanged),
                num_doubles=made.num_doubles,
                num_chunks=made.num_chunks,
                missing=tuple(document.title for document in made.missing),
                removes_missing=made.removes_missing,
                estimate=prepared.estimate(seconds) if made.num_chunks else None,
                call_s=seconds,
                extracted_before=made.extracted_before,
                unread=unread_line(prepared.parts, prepared.unread_languages()),
            )

    return background.start(
        background.key_of(settings, name, "plan", ticket), "IngestEstimate", run
    )


def _opener(options: IngestOptions) -> Opener:
    return state.opener(create=True, has_model=options.extractor == "llm")


# --------------------------------------------------------------------------------------------- runs


def start_ingest(ticket: str, paths: Sequence[str], options: IngestOptions) -> Work:
    """Begins an ingest; with a ticket that was used already nothing begins."""
    open_space = _opener(options)
    return _start(
        f"ingest-{ticket}",
        named(paths),
        lambda work: _each(
            work, [(open_space, lambda s: s.prepare_ingest(paths, options, work.progress))]
        ),
    )


def resume(
    job: Job, llm: str | None = None, max_calls: int | None = None, max_tokens: int | None = None
) -> Work:
    """Goes on with a job that ended before it was done, with the options and models it had but
    those given. UsageError where this user hasn't asked for it.
    """
    check_own(job)  # before what it names is opened
    open_space = _as_before(job.request, llm, None)

    def prepare(space: Workspace, progress: Progress) -> PreparedIngest:
        return space.prepare_resume(job.id, progress, max_calls=max_calls, max_tokens=max_tokens)

    return _start(
        f"resume-{job.id}-{job.updated_at}",
        f"Job {job.id}",
        lambda work: _each(work, [(open_space, partial(prepare, progress=work.progress))]),
    )


def retry(
    journal: Journal, ticket: str, llm: str | None = None, extractor: str | None = None
) -> Work:
    """The set-aside chunks again, with the options and models they were set aside under but those
    given.
    """

    def prepare(group: RetryGroup) -> Callable[[Workspace], PreparedIngest]:
        return lambda space: space.ingest_jobs.prepare_retry(group, extractor=extractor)

    runs = [
        (_as_before(group.request, llm, extractor), prepare(group))
        for group in retry_groups(journal)
    ]
    return _start(f"retry-{ticket}", "Chunks that were set aside", lambda work: _each(work, runs))


def _as_before(request: JobRequest, llm: str | None, extractor: str | None) -> Opener:
    """Opens the workspace with the models that a job used where none are given now."""
    kind = extractor or request.options.get("extractor")
    folder = state.settings().workspaces_dir / state.workspace_name()
    return state.opener(
        has_model=kind == "llm",
        llm=llm or request.llm,
        embedder=embedder_of_job(folder, request),
    )


def delete(document: Document) -> Work:
    """Deletes a document with all that came from it, its uploaded file too."""
    opened = state.session()
    was_asked = opened is not None and any(
        row.stage == CONSOLIDATION_STAGE for row in opened.space.journal.ledger()
    )
    open_space = state.opener(has_model=was_asked)

    def run(work: Work) -> RunOutcome:
        with open_space() as space:
            space.parts.max_wait_s = _INTERACTIVE_WAIT_S
            _, report = space.documents.delete(document.id, work.progress)
        return RunOutcome(None, "", "Deleted. " + _graph(report))

    return _start(f"delete-{document.id}", document.title, run)


def _start(what: str, title: str, function: Callable[[Work], RunOutcome]) -> Work:
    settings, name = state.settings(), state.workspace_name()
    key = background.job_key(settings, name, what)
    for ended in background.jobs_of(settings, name):  # news of before
        if ended.key != key or not what.startswith("ingest-"):  # a ticket is good once
            background.drop(ended.key)
    return background.start(key, title, function)


def _each(
    work: Work, runs: Sequence[tuple[Opener, Callable[[Workspace], PreparedIngest]]]
) -> RunOutcome:
    """One run after the other, to the first that is stopped."""
    outcome = RunOutcome(None, "", "Nothing to do.")
    for open_space, prepare in runs:
        work.progress("read", 0, 1)
        with open_space() as space:
            made = _run(work, prepare(space))
        outcome = replace(made, lines=(*outcome.lines, *made.lines))
        if outcome.stopped_by:
            break
    return outcome


def _run(work: Work, prepared: PreparedIngest) -> RunOutcome:
    def progress(stage: str, done: int, total: int) -> None:
        work.notes["job"] = prepared.job_id
        work.progress(stage, done, total)

    work.notes["spent_before"] = _spent(prepared.parts.journal.ledger())
    prepared.extractor = _CountedFiles(prepared.extractor, work)
    try:
        report = prepared.run(progress)
    except JobCancelledError as err:
        return RunOutcome(prepared.job_id, str(err), "")
    work.notes["job"] = prepared.job_id
    notes = (
        lines_once_made(prepared.glossaries, prepared.parts.store)
        if report.stopped_by is None
        else []
    )
    lines = (
        *ingest_report_lines(report, prepared.chat.usage() if prepared.chat else None),
        *(f"note: {note}" for note in notes),
    )
    aside = (
        f"{plural(len(report.set_aside), 'chunk')} set aside, see below. "
        if report.set_aside
        else ""
    )
    return RunOutcome(
        prepared.job_id, str(report.stopped_by or ""), f"Done. {aside}{_graph(report.graph)}", lines
    )


@dataclass(slots=True)
class _CountedFiles:
    """An extractor whose work is counted as it comes: (mentions, relations)."""

    extractor: Extractor
    work: Work

    @property
    def name(self) -> str:
        """The extractor's own."""
        return self.extractor.name

    @property
    def dropped(self) -> Mapping[str, int]:
        """The extractor's own."""
        return self.extractor.dropped

    @property
    def remarks(self) -> Mapping[str, int]:
        """The extractor's own."""
        return self.extractor.remarks

    @property
    def mended(self) -> Mapping[str, int]:
        """The extractor's own."""
        return self.extractor.mended

    def extract(
        self,
        work: Sequence[ChunkWork],
        on_chunk: Callable[[Extraction], None],
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[Chunk, str]]:
        """The extractor's own."""

        def counted(made: Extraction) -> None:
            mentions, relations = self.work.notes.get("found", (0, 0))
            self.work.notes["found"] = (
                mentions + len(made.mentions),
                relations + len(made.relations),
            )
            on_chunk(made)

        return self.extractor.extract(work, counted, check)


def _graph(report: GraphReport) -> str:
    return (
        f"The graph has {plural(report.num_entities, 'entity', 'entities')} and"
        f" {plural(report.num_relations, 'relation')}."
    )


def _spent(ledger: Sequence[LedgerRow]) -> tuple[int, int]:
    return sum(row.calls for row in ledger), sum(
        row.prompt_tokens + row.completion_tokens for row in ledger
    )


def spent_since(work: Work, ledger: Sequence[LedgerRow]) -> tuple[int, int] | None:
    """Calls and tokens since a run of this process began; None where it has not."""
    before = work.notes.get("spent_before")
    if before is None:
        return None
    now = _spent(ledger)
    return now[0] - before[0], now[1] - before[1]


def named(paths: Sequence[str]) -> str:
    """Paths in a few words."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{Path(paths[0]).name or paths[0]}{more}" if paths else ""


# ------------------------------------------------------------------------------------------ offered


def to_go_on(jobs: Sequence[Job]) -> list[Job]:
    """The jobs to offer for resumption, the last first; not those whose paths a later job took
    up.
    """
    offered = []
    for at, job in enumerate(jobs):
        is_taken_up = any(
            later.request.paths == job.request.paths
            and later.request.places == job.request.places
            and (later.status in ("running", "done", "set aside") or later.is_to_go_on)
            for later in jobs[at + 1 :]
        )
        if job.is_to_go_on and job.request.options and not is_taken_up:
            offered.append(job)
    return offered[::-1]
