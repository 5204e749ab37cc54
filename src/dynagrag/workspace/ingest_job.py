"""An ingest as a durable job: what is asked for, what it would do and cost, and its run, which the journal follows to its end.

A job can be resumed by its number: the journal keeps its paths, its options and the names of what it used.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from dynagrag import wiring
from dynagrag.errors import BudgetError, DynaGragError, StoreError, UsageError, WorkspaceError
from dynagrag.graph_store.transfer import is_unfinished
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions, LLMExtractor
from dynagrag.ingest.job_follower import Follower, StoppableJudge, cancelled
from dynagrag.ingest.load import find_sources
from dynagrag.ingest.pipeline import IngestReport, Pipeline, Progress
from dynagrag.ingest.plan import Estimate, IngestPlan, estimate_run, make_plan, make_retry_plan, span_tokens
from dynagrag.journal.jobs import Job, JobCancelledError, JobRequest, JobStatus
from dynagrag.journal.workspace_journal import Journal, LedgerRow
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.protocols import ChatModel, Embedder, Extractor, GraphStore
from dynagrag.settings import ChunkProfile, Settings
from dynagrag.workspace.address import shown_address, store_address

INGEST, RETRY = "ingest", "retry"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How to ingest. `chunk_profile` None: chosen by the model. `merges`: names are merged by `rules` alone, or the `model` is asked too;
    None: the model, unless it is small. `remove_missing`: documents go whose file was under one of the folders and is no longer there.
    """

    extractor: str = "llm"
    chunk_profile: str | None = None
    merges: str | None = None
    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    max_calls: int | None = None
    max_tokens: int | None = None
    remove_missing: bool = False


class Host(Protocol):
    """What a run needs of its workspace."""

    name: str
    folder: Path
    settings: Settings
    store: GraphStore
    journal: Journal

    @property
    def chat_model(self) -> ChatModel | None:
        """The language model; None where none is configured."""

    @property
    def embedder(self) -> Embedder:
        """The embedder."""

    def metered(self, max_calls: int | None, max_tokens: int | None = None) -> MeteredChat | None:
        """The language model with cache, ledger and budget."""

    def pipeline(self, judge: MeteredChat | None, progress: Progress | None = None) -> Pipeline:
        """What carries out a plan."""

    def writing(
        self, wait_s: float | None = None, progress: Progress | None = None, check: Callable[[], None] = lambda: None
    ) -> AbstractContextManager[None]:
        """Holds the workspace."""

    def build_index(self) -> None:
        """Brings the saved index up to date."""

    def ledger(self) -> tuple[LedgerRow, ...]:
        """Calls and tokens by stage and document."""

    def forget_conversations(self) -> None:
        """Drops the kept answers that quote documents which are gone."""


@dataclass(frozen=True, slots=True)
class RetryGroup:
    """Chunks that were set aside under the same options: (document id, start, end) of each."""

    request: JobRequest
    places: tuple[tuple[str, int, int], ...]


def retry_groups(journal: Journal) -> tuple[RetryGroup, ...]:
    """The set-aside chunks by the options they were set aside under. Those of an older version have the last ingest's."""
    jobs = {job.id: job for job in journal.jobs() if job.request.options}
    last = jobs[max(jobs)].request if jobs else JobRequest()
    groups: dict[str, tuple[JobRequest, list[tuple[str, int, int]]]] = {}
    for item in journal.set_asides():
        request = jobs[item.job_id].request if item.job_id in jobs else last
        request = replace(request, paths=(), places=(), options=dict(request.options) | {"remove_missing": False})
        _, places = groups.setdefault(_way(request), (request, []))
        places.append((item.document_id, item.start, item.end))
    return tuple(RetryGroup(request, tuple(places)) for request, places in groups.values())


def _way(request: JobRequest) -> str:
    """What makes an extraction what it is: options and model, without the budget."""
    how = {name: value for name, value in request.options.items() if name not in ("max_calls", "max_tokens", "remove_missing")}
    return json.dumps([how, request.llm, request.store], sort_keys=True)


def options_of(request: JobRequest, **changes: Any) -> IngestOptions:
    """The options of a job, with those given (None: not given). UsageError where a job of an older version has none."""
    if not request.options:
        raise UsageError("this job was noted by an older dynagrag, without its paths and options; run the ingest itself again")
    given = {name: value for name, value in changes.items() if value is not None}
    try:
        return replace(TypeAdapter(IngestOptions).validate_python(dict(request.options)), **given)
    except ValidationError as err:
        raise UsageError("this job's options cannot be read by this version of dynagrag; run the ingest itself again") from err


def prepare_ingest(host: Host, paths: Sequence[str | Path], options: IngestOptions, job: Job | None = None) -> "PreparedIngest":
    """Reads the sources and says what an ingest would do and cost, before it does anything. `job`: the one that is resumed."""
    sources = find_sources(paths)
    folders = [Path(p) for p in paths if Path(p).is_dir()]
    request = _request(host, tuple(str(Path(p).absolute()) for p in paths), options)

    def plan(tools: _Tools) -> IngestPlan:
        return make_plan(sources, host.store, tools.profile, tools.extractor.name, folders, options.remove_missing)

    return _prepared(host, INGEST, request, options, plan, job)


def prepare_retry(host: Host, places: Sequence[tuple[str, int, int]], options: IngestOptions, job: Job | None = None) -> "PreparedIngest":
    """The set-aside chunks at these places again, from the stored documents; their files are not needed."""
    request = replace(_request(host, (), options), places=tuple(places))
    return _prepared(host, RETRY, request, options, lambda tools: make_retry_plan(places, host.store), job)


def _request(host: Host, paths: tuple[str, ...], options: IngestOptions) -> JobRequest:
    model = host.chat_model if options.extractor == "llm" else None
    return JobRequest(
        paths=paths,
        options=TypeAdapter(IngestOptions).dump_python(options, mode="json"),
        llm=model.name if model else None,
        embedder=host.settings.embedder,
        store=shown_address(store_address(host.folder, host.settings)),
    )


@dataclass(frozen=True, slots=True)
class _Tools:
    chat: MeteredChat | None
    extractor: Extractor
    profile: ChunkProfile


def _prepared(
    host: Host, kind: str, request: JobRequest, options: IngestOptions, plan: Callable[[_Tools], IngestPlan], job: Job | None
) -> "PreparedIngest":
    if is_unfinished(host.store):
        raise WorkspaceError(
            f"a copy or restore into workspace {host.name!r} is under way, or was stopped; let it end, or run it again, before you ingest"
        )
    chat = host.metered(options.max_calls, options.max_tokens) if options.extractor == "llm" else None
    model = host.chat_model if options.extractor == "llm" else None
    profile = wiring.make_chunk_profile(options.chunk_profile, model)
    extractor = wiring.make_extractor(options.extractor, chat, model, profile, options.extraction, host.settings)
    judge = _judge(chat, options.merges)
    version = host.store.version()
    tools = _Tools(chat, extractor, profile)
    return PreparedIngest(host, kind, request, plan(tools), version, extractor, chat, judge, partial(plan, tools), job.id if job else None)


def _judge(chat: MeteredChat | None, merges: str | None) -> MeteredChat | None:
    """Who is asked which names are one. Not a small model: of seven merges by one of 1.5 billion parameters five were wrong."""
    if merges not in (None, "rules", "model"):
        raise UsageError(f"unknown way to merge {merges!r}; known: rules, model")
    is_wanted = merges == "model" or (merges is None and chat is not None and not chat.model.is_small)
    return chat if is_wanted else None


@dataclass(slots=True)
class PreparedIngest:
    """A plan with what will carry it out. `job_id`: the job's number, once it runs or where one is resumed; `has_index`: whether the
    ego-graph index is brought up to date at the end.
    """

    host: Host
    kind: str
    request: JobRequest
    plan: IngestPlan
    version: str
    extractor: Extractor
    chat: MeteredChat | None
    judge: MeteredChat | None
    plan_again: Callable[[], IngestPlan]
    job_id: int | None = None
    has_index: bool = True

    def estimate(self) -> Estimate | None:
        """Calls, tokens, time and money at most; None for an extractor without a model."""
        if not isinstance(self.extractor, LLMExtractor):
            return None
        settings = self.host.settings
        work = [item for planned in self.plan.documents for item in planned.work]
        rows = [r for r in self.host.ledger() if r.stage == "extract" and r.calls]
        calls, seconds = sum(r.calls for r in rows), sum(r.seconds for r in rows)
        return estimate_run(
            [self.extractor.prompt_tokens(item) for item in work],
            [span_tokens(item) for item in work],
            is_small=self.chat is not None and self.chat.model.is_small,
            is_judged=self.judge is not None,
            max_concurrency=wiring.concurrency_of(self.chat.model if self.chat else None, settings),
            seconds_per_call=seconds / calls if calls else None,
            prompt_price=settings.price_per_million_prompt_tokens,
            completion_price=settings.price_per_million_completion_tokens,
        )

    def run(self, progress: Progress | None = None) -> IngestReport:
        """Carries out the plan; what stopped it early is in the report. The journal knows of the job from here on."""
        book = self.host.journal.job_book
        if self.job_id is None:
            self.job_id = book.start(self.kind, self.request, self._counts())
        else:
            book.reopen(self.job_id, self.request)
        follower = Follower(book, self.job_id, progress or (lambda *_: None))
        try:
            report = self._carry_out(follower, self.job_id)
        except BaseException as err:
            with suppress(StoreError):  # what failed is the news, not that it can't be noted
                book.finish(self.job_id, _status_of(err), reason=_reason_of(err))
            raise
        book.finish(self.job_id, _status_of_report(report), counts=self._counts(report), reason=str(report.stopped_by or ""))
        return report

    def _carry_out(self, follower: "Follower", job_id: int) -> IngestReport:
        host, book = self.host, self.host.journal.job_book
        book.claim(job_id, [d.document.id for d in self.plan.documents])
        if host.store.version() != self.version:  # another process wrote while this one waited for a yes
            self.plan = self.plan_again()
            book.claim(job_id, [d.document.id for d in self.plan.documents])
        pipeline = host.pipeline(self.judge, follower)
        pipeline.deriver.judge = None if self.judge is None else StoppableJudge(self.judge, follower.check)
        pipeline.hold = partial(host.writing, progress=follower, check=follower.check)
        pipeline.claimed = lambda: book.claims(but=job_id).keys()
        pipeline.check = follower.check
        pipeline.job_id = job_id
        if self.has_index:
            pipeline.build_index = host.build_index
        report = pipeline.run(self.plan, self.extractor)
        if report.removed:
            host.forget_conversations()
        follower.note()
        if follower.has_stopped and report.stopped_by is None:
            report = replace(report, stopped_by=cancelled(job_id))
        return report

    def _counts(self, report: IngestReport | None = None) -> dict[str, int]:
        counts = {"documents": len(self.plan.documents), "unchanged": len(self.plan.unchanged), "chunks": self.plan.num_chunks}
        if report is None:
            return counts
        graph = report.graph
        made = {"extracted": report.num_chunks, "set_aside": len(report.set_aside), "removed": len(report.removed)}
        return counts | made | {"entities": graph.num_entities, "relations": graph.num_relations}


def _status_of_report(report: IngestReport) -> JobStatus:
    if report.stopped_by is not None:
        return _status_of(report.stopped_by)
    return JobStatus.SET_ASIDE if report.set_aside else JobStatus.DONE


def _status_of(err: BaseException) -> JobStatus:
    if isinstance(err, JobCancelledError):
        return JobStatus.CANCELLED
    if isinstance(err, BudgetError):
        return JobStatus.STOPPED
    return JobStatus.FAILED if isinstance(err, Exception) else JobStatus.INTERRUPTED


def _reason_of(err: BaseException) -> str:
    """Only our own errors are fit to be kept: their texts hold no secrets."""
    if isinstance(err, KeyboardInterrupt):
        return "Ctrl-C"
    return str(err) if isinstance(err, DynaGragError) else type(err).__name__
