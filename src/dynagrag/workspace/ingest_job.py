"""An ingest as a durable job: what is asked for, what it would do and cost, and its run, which the
journal follows to its end.

A job can be resumed by its number: the journal keeps its paths, its options and the names of what
it used.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dynagrag import wiring
from dynagrag.config.scrubbing import scrubbed
from dynagrag.config.settings import ChunkProfile, known_secrets
from dynagrag.core.errors import (
    BudgetError,
    DynaGragError,
    ModelError,
    StoreError,
    UsageError,
)
from dynagrag.core.protocols import Extractor
from dynagrag.core.schema import ChunkWork
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.ingest.job_follower import Follower
from dynagrag.ingest.load import find_sources
from dynagrag.ingest.load.glossary_file import GlossaryFile
from dynagrag.ingest.load.speaker_names import SpeakerNames, check_names
from dynagrag.ingest.pipeline import IngestHooks, IngestReport, Pipeline, Progress
from dynagrag.ingest.plan import (
    IngestEstimate,
    IngestPlan,
    PromptingExtractor,
    estimate_run,
    make_plan,
    make_retry_plan,
    span_tokens,
)
from dynagrag.journal.job_files import JobFile
from dynagrag.journal.jobs import Job, JobRequest, JobStatus
from dynagrag.journal.workspace_journal import Journal
from dynagrag.language.document_language import language_code
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.models.reply_room import typical_thoughts
from dynagrag.workspace.address import store_address
from dynagrag.workspace.glossaries import read_glossaries, store_glossaries
from dynagrag.workspace.parts import WorkspaceParts
from dynagrag.workspace.unread_languages import unread_languages

_LOG = logging.getLogger(__name__)
INGEST, RETRY = "ingest", "retry"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How to ingest. `chunk_profile` None: chosen by the model. `merges`: names are merged by
    `rules` alone, or the `model` is asked too;
    None: the model, unless it is small. `remove_missing`: documents go whose file was under one of
    the folders and is no longer there.
    `glossaries`: files that say which names are one (`ingest/load/glossary_file.py`); they are
    stored, and hold from then on.
    `speakers`: what speakers are called in place of their labels. `follow_links`: links are
    followed that lead out of the folders, too. `language`: the code (ISO 639-1) or English name of
    that of all the files; empty: each document's own, as it is found. `languages`: those of single
    files by their names, before `language`.
    """

    extractor: str = "llm"
    chunk_profile: str | None = None
    merges: str | None = None
    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    max_calls: int | None = None
    max_tokens: int | None = None
    remove_missing: bool = False
    speakers: SpeakerNames = field(default_factory=SpeakerNames)
    glossaries: tuple[str, ...] = ()
    follow_links: bool = False
    language: str = ""
    languages: Mapping[str, str] = field(default_factory=dict)


def check_options(options: IngestOptions) -> None:
    """UsageError where an option can have no such value. Opens nothing."""
    wiring.extractor_choice(options.extractor)
    wiring.make_chunk_profile(options.chunk_profile, None)
    if options.merges not in (None, "rules", "model"):
        raise UsageError(f"unknown way to merge {options.merges!r}; known: rules, model")
    check_names(options.speakers)
    for language in (options.language, *options.languages.values()):
        if language:
            language_code(language)


BuildIndex = Callable[[], None]
"""Brings the saved ego-graph index up to date, once the graph is written."""


@dataclass(frozen=True, slots=True)
class RetryGroup:
    """Chunks that were set aside under the same options: (document id, start, end) of each."""

    request: JobRequest
    places: tuple[tuple[str, int, int], ...]


def retry_groups(journal: Journal) -> tuple[RetryGroup, ...]:
    """The set-aside chunks by the options they were set aside under. Those of an older version have
    the last ingest's; where this user has asked for none, the defaults and the models that are set.
    """
    jobs = {job.id: job for job in journal.jobs() if job.request.options and job.is_own}
    last = jobs[max(jobs)].request if jobs else JobRequest()
    groups: dict[str, tuple[JobRequest, list[tuple[str, int, int]]]] = {}
    for item in journal.set_asides():
        request = jobs[item.job_id].request if item.job_id in jobs else last
        request = replace(
            request,
            paths=(),
            places=(),
            options=dict(request.options) | {"remove_missing": False, "glossaries": []},
        )
        # options and model, without the budget, make an extraction what it is
        how = {name: value for name, value in request.options.items() if name not in _NO_WAY}
        _, places = groups.setdefault(
            json.dumps([how, request.llm, request.store], sort_keys=True), (request, [])
        )
        places.append((item.document_id, item.start, item.end))
    return tuple(RetryGroup(request, tuple(places)) for request, places in groups.values())


_NO_WAY = ("max_calls", "max_tokens", "remove_missing", "speakers", "glossaries", "follow_links")


def options_of(request: JobRequest, **changes: Any) -> IngestOptions:
    """The options of a job, with those given (None: not given). UsageError where a job of an older
    version has none.
    """
    if not request.options:
        raise UsageError(
            "this job has neither paths nor options: it came with a backup, or is of an older"
            " dynagrag; run the ingest itself again (replies that are stored are not asked for"
            " again)"
        )
    overrides = {name: value for name, value in changes.items() if value is not None}
    try:
        return replace(
            TypeAdapter(IngestOptions).validate_python(dict(request.options)), **overrides
        )
    except ValidationError as err:
        raise UsageError(
            "this job's options cannot be read by this version of dynagrag; run the ingest itself"
            " again"
        ) from err


def check_own(job: Job) -> None:
    """Raises UsageError where this user hasn't asked for a job: then its journal, and with it what
    it would read and where it would send that, may come from elsewhere.
    """
    if not job.is_own:
        raise UsageError(
            f"{demands_of(job)}; if that is right, run `dynagrag jobs resume {job.id}` in a"
            " terminal and say yes, or run the ingest itself"
        )


def demands_of(job: Job) -> str:
    """What a job that this user hasn't asked for would do, in a line."""
    request = job.request
    glossaries = request.options.get("glossaries")
    files = [*request.paths, *(glossaries if isinstance(glossaries, list) else ())]
    more = f" and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else ""
    shown = ", ".join(map(str, files[:_MAX_FILES])) + more
    return (
        f"job {job.id} was not begun by you on this machine: it would read"
        f" {shown or 'chunks that were set aside'}, with the language model"
        f" {request.llm or 'none'}, the embedder {request.embedder or 'of the settings'} and the"
        f" store {request.store or 'of the settings'}"
    )


_MAX_FILES = 5


def prepare_ingest(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    paths: Sequence[str | Path],
    options: IngestOptions,
    job: Job | None = None,
    progress: Progress = lambda *_: None,
) -> "PreparedIngest":
    """Reads the sources and says what an ingest would do and cost, before it does anything. `job`:
    the one that is resumed.
    """
    sources = find_sources(paths, follows_links=options.follow_links)
    folders = [Path(p) for p in paths if Path(p).is_dir()]
    request = _request(parts, tuple(str(Path(p).absolute()) for p in paths), options)

    def plan(tools: _Tools) -> IngestPlan:
        return make_plan(
            sources.files,
            parts.store,
            tools.profile,
            tools.extractor.name,
            folders,
            options.remove_missing,
            options.speakers,
            progress,
            sources.left_out,
            language_code(options.language) if options.language else "",
            {file: language_code(name) for file, name in options.languages.items()},
        )

    return _prepared(parts, build_index, INGEST, request, options, plan, job)


def prepare_retry(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    places: Sequence[tuple[str, int, int]],
    options: IngestOptions,
    job: Job | None = None,
) -> "PreparedIngest":
    """The set-aside chunks at these places again, from the stored documents; their files are not
    needed.
    """
    request = replace(_request(parts, (), options), places=tuple(places))
    return _prepared(
        parts,
        build_index,
        RETRY,
        request,
        options,
        lambda tools: make_retry_plan(places, parts.store),
        job,
    )


def _request(parts: WorkspaceParts, paths: tuple[str, ...], options: IngestOptions) -> JobRequest:
    model = (
        parts.models.chat_model if wiring.extractor_choice(options.extractor).needs_model else None
    )
    return JobRequest(
        paths=paths,
        options=TypeAdapter(IngestOptions).dump_python(options, mode="json"),
        llm=model.name if model else None,
        embedder=parts.settings.embedder,
        store=store_address(parts.folder, parts.settings).shown,
    )


@dataclass(frozen=True, slots=True)
class _Tools:
    chat: MeteredChat | None
    extractor: Extractor
    profile: ChunkProfile


def _prepared(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    kind: str,
    request: JobRequest,
    options: IngestOptions,
    plan: Callable[[_Tools], IngestPlan],
    job: Job | None,
) -> "PreparedIngest":
    parts.check_whole()
    check_options(options)
    glossaries = read_glossaries(options.glossaries, parts.store if job else None)
    needs_model = wiring.extractor_choice(options.extractor).needs_model
    chat = parts.metered(options.max_calls, options.max_tokens) if needs_model else None
    model = parts.models.chat_model if needs_model else None
    profile = wiring.make_chunk_profile(options.chunk_profile, model)
    extractor = wiring.make_extractor(
        options.extractor, chat, model, profile, options.extraction, parts.settings
    )
    # No small model judges which names are one: of seven merges by one of 1.5 billion parameters
    # five were wrong.
    is_wanted = options.merges == "model" or (
        options.merges is None and chat is not None and not chat.model.is_small
    )
    judge = chat if is_wanted else None
    version = parts.store.version()
    tools = _Tools(chat, extractor, profile)
    return PreparedIngest(
        parts,
        kind,
        request,
        plan(tools),
        version,
        extractor,
        partial(plan, tools),
        chat=chat,
        judge=judge,
        job_id=job.id if job else None,
        build_index=build_index,
        glossaries=glossaries,
    )


@dataclass(slots=True)
class PreparedIngest:
    """A plan with the parts that will carry it out. `job_id`: the job's number, once it runs or
    where one is resumed; `build_index` is called at the end, with the workspace held.
    """

    parts: WorkspaceParts
    kind: str
    request: JobRequest
    plan: IngestPlan
    version: str
    extractor: Extractor
    plan_again: Callable[[], IngestPlan]
    chat: MeteredChat | None = None
    judge: MeteredChat | None = None
    job_id: int | None = None
    build_index: BuildIndex = lambda: None
    glossaries: tuple[GlossaryFile, ...] = ()

    def time_one_call(self) -> float | None:
        """The seconds of one call that the run will make, by a model in this process: the next
        finds its reply in the cache. None for any other model, where nothing is to be extracted,
        and where the model gives no reply, which the run will say.
        """
        work = self._typical_work()
        if (
            work is None
            or self.chat is None
            or not wiring.runs_here(self.chat.model)
            or not isinstance(self.extractor, PromptingExtractor)
        ):
            return None
        try:
            self.extractor.ask_once(work)
        except ModelError as err:  # also of a reply that can't be read, which took its time
            _LOG.info("one call was timed: %s", err)
        spent, saved = self.chat.usage(), self.chat.saved()
        took = spent.seconds + saved.seconds
        return took / (spent.calls + saved.calls) if took else None

    def forget_timed_call(self) -> None:
        """Where the run isn't wanted after all: the reply goes from the cache, unless its document
        is stored.
        """
        work = self._typical_work()
        if work is not None and all(
            document.id != work.document.id for document in self.parts.store.documents()
        ):
            self.parts.journal.forget_documents([work.document.id])

    def unread_languages(self) -> list[str]:
        """Languages of the documents to ingest that the embedder was not trained on."""
        return unread_languages(self.parts, (planned.document for planned in self.plan.documents))

    def _typical_work(self) -> ChunkWork | None:
        """The chunk of middle length."""
        by_length = sorted(
            (item for planned in self.plan.documents for item in planned.work), key=span_tokens
        )
        return by_length[len(by_length) // 2] if by_length else None

    def estimate(self, seconds_per_call: float | None = None) -> IngestEstimate | None:
        """Calls, tokens, time and money at most; None for an extractor without a model.
        `seconds_per_call`: as it was timed; else that of the workspace's earlier runs.
        """
        if not isinstance(self.extractor, PromptingExtractor):
            return None
        settings = self.parts.settings
        work = [item for planned in self.plan.documents for item in planned.work]
        rows = [r for r in self.parts.journal.ledger() if r.stage == "extract" and r.calls]
        calls, seconds = sum(r.calls for r in rows), sum(r.seconds for r in rows)
        return estimate_run(
            [self.extractor.prompt_tokens(item) for item in work],
            [span_tokens(item) for item in work],
            is_small=self.chat is not None and self.chat.model.is_small,
            is_judged=self.judge is not None,
            max_concurrency=wiring.concurrency_of(self.chat.model if self.chat else None, settings),
            seconds_per_call=seconds_per_call or (seconds / calls if calls else None),
            price_of=settings.price_of,
            thoughts_per_call=typical_thoughts(self.chat.model if self.chat else None),
        )

    def run(self, progress: Progress | None = None) -> IngestReport:
        """Carries out the plan; what stopped it early is in the report. The journal knows of the
        job from here on.

        Raises JobCancelledError once somebody has paused or stopped it.
        """
        book = self.parts.journal.job_book
        if self.job_id is None:
            self.job_id = book.start(self.kind, self.request, self._counts())
        else:
            book.reopen(self.job_id, self.request)
        follower = Follower(
            book, self.parts.journal.job_files, self.job_id, progress or (lambda *_: None)
        )
        try:
            report = self._carry_out(follower, self.job_id)
        except BaseException as err:
            # where it was stopped the journal says so, and another run may be at the job by now
            if not follower.has_stopped:
                with suppress(StoreError):  # the failure is the news, not that it can't be noted
                    book.finish(self.job_id, _status_of(err), reason=_reason_of(err))
            raise
        if report.stopped_by is not None:
            status = _status_of(report.stopped_by)
        else:
            status = JobStatus.SET_ASIDE if report.set_aside else JobStatus.DONE
        book.finish(
            self.job_id,
            status,
            counts=self._counts(report),
            reason=str(report.stopped_by or ""),
        )
        return report

    def run_to_its_end(self, progress: Progress | None = None) -> IngestReport:
        """Runs, and raises what stopped it early (BudgetError, ModelError) after its work was
        kept.
        """
        report = self.run(progress)
        if report.stopped_by is not None:
            raise report.stopped_by
        return report

    def _carry_out(self, follower: Follower, job_id: int) -> IngestReport:
        parts, book = self.parts, self.parts.journal.job_book
        book.claim(job_id, [d.document.id for d in self.plan.documents])
        if parts.store.version() != self.version:
            # another process wrote while this one waited for a yes
            self.plan = self.plan_again()
            book.claim(job_id, [d.document.id for d in self.plan.documents])
        planned = [
            JobFile(d.document.title, d.document.id, len(d.to_extract)) for d in self.plan.documents
        ]
        unchanged = [JobFile(document.title, document.id) for document in self.plan.unchanged]
        refused = [
            JobFile(Path(s.path).name or s.path, reason=s.refused or "") for s in self.plan.refused
        ]
        parts.journal.job_files.start(job_id, [*planned, *unchanged, *refused])
        if self.glossaries:
            with parts.writing(progress=follower, check=follower.check):
                store_glossaries(parts.store, self.glossaries)
        hooks = IngestHooks(
            hold=partial(parts.writing, progress=follower, check=follower.check),
            claimed=lambda: book.claims(but=job_id).keys(),
            check=follower.check,
            on_extracted=follower.extracted,
            on_set_aside=follower.set_aside,
            job_id=job_id,
            build_index=self.build_index,
            delete=parts.deletions.begin_and_delete,
            end_deletion=parts.deletions.end,
        )
        deriver = parts.deriver(self.judge, follower, follower.check)
        report = Pipeline(parts.store, parts.journal, deriver, hooks).run(self.plan, self.extractor)
        parts.embedder.remember()
        follower.end()
        return report

    def _counts(self, report: IngestReport | None = None) -> dict[str, int]:
        counts = {
            "documents": len(self.plan.documents),
            "unchanged": len(self.plan.unchanged),
            "chunks": self.plan.num_chunks,
        }
        if report is None:
            return counts
        graph = report.graph
        made = {
            "extracted": report.num_chunks,
            "set_aside": len(report.set_aside),
            "removed": len(report.removed),
        }
        return counts | made | {"entities": graph.num_entities, "relations": graph.num_relations}


def _status_of(err: BaseException) -> JobStatus:
    if isinstance(err, BudgetError):
        return JobStatus.STOPPED
    return JobStatus.FAILED if isinstance(err, Exception) else JobStatus.INTERRUPTED


def _reason_of(err: BaseException) -> str:
    """Only our own errors, and the system's, are fit to be kept: their texts hold no secrets."""
    if isinstance(err, KeyboardInterrupt):
        return "Ctrl-C"
    if isinstance(err, OSError) and err.strerror:
        return err.strerror
    if isinstance(err, DynaGragError):
        return scrubbed(str(err), known_secrets())
    return type(err).__name__
