"""An ingest from plan to graph. Every step is idempotent and stored as it is done, so a run that
was killed is resumed by running it again.

    without the workspace's lock:
        store documents -> extract chunks (each stored at once)
    under the lock:
        -> put back what another run took away -> drop what was replaced
        -> derive the graph -> index

A cancelled run ends where it is, as a killed one does, but for model calls in flight, whose replies
are kept.

Several runs may be at one workspace. Each stores what it makes; whoever ends last has all its
documents in place, and the graph is that of all records.
"""

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from dynagrag.core.errors import BudgetError, DynaGragError, ModelError, StoreError
from dynagrag.core.protocols import (
    SPLIT_EXTRACTOR,
    Extraction,
    Extractor,
    GraphStore,
    ServedEmbedder,
)
from dynagrag.core.schema import Chunk, ChunkWork, Document, LoadedSource, Mention
from dynagrag.ingest.earlier_readings import keep_marks
from dynagrag.ingest.graph_deriver import Deriver, GraphReport, Progress
from dynagrag.ingest.inherited_vectors import inherit_vectors
from dynagrag.ingest.load.speaker_names import NAMES_KEY
from dynagrag.ingest.plan import IngestPlan, PlannedDocument, find_missing
from dynagrag.ingest.split import speaker_mentions
from dynagrag.ingest.whole_files import keep_whole_files
from dynagrag.journal.jobs import JobCancelledError

_LOG = logging.getLogger(__name__)
_MAX_ROUNDS = 3
SPLIT = SPLIT_EXTRACTOR
_KEEP_EVERY_S, _KEEP_AT_ONCE = 0.2, 50
"""Chunks that come faster than this, from the cache or without a model, are stored together. A
reply that was paid for is cached anyway.
"""


class IngestJournal(Protocol):
    """The part of the journal that the pipeline uses: failed chunks, and dropping them."""

    def set_aside(
        self, document_id: str, start: int, end: int, reason: str, job_id: int | None = None
    ) -> None:
        """Puts a chunk on the list."""

    def forget_documents(self, document_ids: Iterable[str]) -> int:
        """Drops all that was kept of documents; how many entries went."""

    def clear_set_aside(self, document_id: str, start: int, end: int) -> None:
        """Takes a chunk off the list, if it is there."""


@dataclass(frozen=True, slots=True)
class SetAsideChunk:
    """A chunk that could not be extracted."""

    document: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Result of a run. `stopped_by` is the reason when it ended early with its work kept;
    `removed`: their files are gone; `moved`: they are stored under another path, as they were;
    `replaced`: an earlier version has gone, or their speakers have other names.
    """

    added: tuple[Document, ...]
    replaced: tuple[Document, ...]
    moved: tuple[Document, ...]
    unchanged: tuple[Document, ...]
    refused: tuple[LoadedSource, ...]
    num_chunks: int
    set_aside: tuple[SetAsideChunk, ...]
    graph: GraphReport
    seconds: Mapping[str, float]
    dropped: Mapping[str, int] = field(default_factory=dict)
    mended: Mapping[str, int] = field(default_factory=dict)
    num_doubles: int = 0
    stopped_by: DynaGragError | None = None
    removed: tuple[Document, ...] = ()
    remarks: Mapping[str, int] = field(default_factory=dict)


class DeleteDocuments(Protocol):
    """Deletes documents so that a killed run's next one, or any other opening, finishes it."""

    def __call__(self, documents: Sequence[Document], *, is_replaced: bool) -> None:
        """`is_replaced`: new versions of them are stored; else their files are gone."""


@dataclass(slots=True)
class _ExtractionRun:
    """Progress of a run: extractions so far, by document and span, and the chunks that failed."""

    plan: IngestPlan
    extractor: Extractor
    done: dict[str, dict[tuple[int, int], Extraction]] = field(default_factory=dict)
    failed: list[tuple[Chunk, str]] = field(default_factory=list)
    num_done: int = 0
    stopped_by: DynaGragError | None = None


@dataclass(frozen=True, slots=True)
class IngestHooks:
    """A run's ties to the rest of the program. By default none: it runs alone, and nobody stops it.

    Args:
        hold: Holds the workspace: what is inside runs alone, over all processes.
        claimed: Documents that other runs are at now; they are left alone.
        check: Called between chunks, and while a model is waited for; raises JobCancelledError
        where the run shall end.
        on_extracted: Called with the document of each chunk that is done.
        on_set_aside: Called with the document of each chunk that failed, and the reason.
        job_id: The job that chunks are set aside in.
        build_index: Called with the workspace held, once the graph is written.
        delete: Deletes documents; None: from store and journal, without a note that a killed run
        leaves.
        end_deletion: Called after that, once the graph is written.
    """

    hold: Callable[[], AbstractContextManager[None]] = nullcontext
    claimed: Callable[[], Collection[str]] = tuple
    check: Callable[[], None] = lambda: None
    on_extracted: Callable[[str], None] = lambda document_id: None
    on_set_aside: Callable[[str, str], None] = lambda document_id, reason: None
    job_id: int | None = None
    build_index: Callable[[], None] = lambda: None
    delete: "DeleteDocuments | None" = None
    end_deletion: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Runs a plan.

    Args:
        store: Where records and graph are.
        journal: Where failed chunks are noted.
        deriver: Makes the graph of the records; its seconds and progress are the run's.
        hooks: What the run is bound to.
    """

    store: GraphStore
    journal: IngestJournal
    deriver: Deriver
    hooks: IngestHooks = field(default_factory=IngestHooks)

    def run(self, plan: IngestPlan, extractor: Extractor) -> IngestReport:
        """Carries out the plan. A stop by budget or by a refusing model is in the report's
        `stopped_by`, with the graph of what was done. JobCancelledError where `check` or the
        progress raised it: what was stored by then stays, and no graph is made.
        """
        if plan.documents:
            self.store.set_embedder(self.deriver.embedder.identity)
            self._try_embedder(plan)
        run = _ExtractionRun(plan, extractor)
        with self.deriver.timed("store"):
            # Also those that are stored: killed between the two steps, one lacks its speakers.
            for number, planned in enumerate(plan.documents):
                self.deriver.progress("store", number, len(plan.documents))
                if planned.is_whole:
                    self._store_document(planned, run.extractor.name)
        self._extract(run, [item for planned in plan.documents for item in planned.work])
        for is_last in (*[False] * (_MAX_ROUNDS - 1), True):
            with self.hooks.hold():
                lacking = [] if run.stopped_by else self._put_back(run)
                if not lacking or is_last:
                    return self._finish(run)
            self._extract(run, lacking)
        raise AssertionError("the last round returns")

    def _try_embedder(self, plan: IngestPlan) -> None:
        """What a server's embedder refuses is better known before the model's calls are paid for
        than after.
        """
        embedder = self.deriver.embedder
        if plan.num_chunks and isinstance(embedder, ServedEmbedder):
            embedder.try_out(
                [d.document.text[p.start : p.end] for d in plan.documents for p in d.passages]
            )

    def _finish(self, run: _ExtractionRun) -> IngestReport:
        plan, deriver = run.plan, self.deriver
        removed: tuple[Document, ...] = ()
        if run.stopped_by is None:
            removed = self._drop_what_was_replaced(run)
        else:
            deriver = replace(deriver, judge=None)  # the model is asked no more
        is_as_before = (
            not plan.documents
            and not removed
            and deriver.judge is None
            and self.store.is_derived_current()
        )
        graph = deriver.report_of_before() if is_as_before else deriver.rederive()
        self.hooks.end_deletion()
        if plan.marks or not is_as_before:
            keep_marks(self.store, plan.marks)
        if run.stopped_by is None:
            unsure = {chunk.document_id for chunk, _ in run.failed} | {*self.hooks.claimed()}
            keep_whole_files(self.store, plan.whole, plan.files, plan.planned_ns, unsure)
        with deriver.timed("index"):
            deriver.progress("index", 0, 1)
            self.hooks.build_index()
            deriver.progress("index", 1, 1)
        titles = {d.document.id: d.as_stored.title for d in plan.documents}
        return IngestReport(
            added=tuple(d.as_stored for d in plan.new),
            replaced=tuple(d.as_stored for d in plan.changed),
            moved=tuple(d.as_stored for d in plan.moved),
            unchanged=plan.unchanged,
            refused=plan.refused,
            num_chunks=run.num_done,
            set_aside=tuple(
                SetAsideChunk(titles[c.document_id], c.start, c.end, reason)
                for c, reason in run.failed
            ),
            graph=graph,
            seconds=deriver.seconds,
            dropped=dict(run.extractor.dropped),
            mended=dict(run.extractor.mended),
            num_doubles=plan.num_doubles,
            stopped_by=run.stopped_by,
            removed=removed,
            remarks=dict(run.extractor.remarks),
        )

    # ------------------------------------------------------------------------------ storing records

    def _store_document(self, planned: PlannedDocument, extractor: str) -> None:
        # Extractions that name the old speakers go first: killed after this, its next run still has
        # these chunks to extract.
        if planned.has_other_speakers:
            keep = [c.span[1:] for c in planned.chunks if c not in planned.to_extract]
            self.store.drop_extractions(planned.document.id, keep, extractor)
        self.store.put_document(planned.as_stored, planned.turns, planned.passages)
        # A passage in which nobody speaks any more has its speakers taken away by an extraction
        # without any.
        has_renamed = planned.has_other_speakers or NAMES_KEY in planned.document.meta
        by_span: dict[tuple[int, int], list[Mention]] = {}
        if has_renamed:
            by_span = {(p.start, p.end): [] for p in planned.passages}
        for mention in speaker_mentions(planned.document, planned.turns, planned.passages):
            by_span.setdefault((mention.chunk_start, mention.chunk_end), []).append(mention)
        self.store.put_extractions(
            [
                Extraction(planned.document.id, start, end, SPLIT, tuple(made), ())
                for (start, end), made in by_span.items()
            ]
        )

    def _extract(self, run: _ExtractionRun, work: Sequence[ChunkWork]) -> None:
        num_before = run.num_done
        waiting: list[Extraction] = []
        last_kept = 0.0

        def keep() -> None:
            nonlocal last_kept
            some, last_kept = list(waiting), time.monotonic()
            waiting.clear()
            try:
                self.store.put_extractions(some)
            except StoreError:
                there = {d.id for d in self.store.documents()}
                if all(e.document_id in there for e in some):
                    raise
                _LOG.info(
                    "a document was deleted while it was extracted; it is put back at the end"
                )
                self.store.put_extractions([e for e in some if e.document_id in there])
            # After the records are there: killed in between, a chunk is tried again rather than
            # forgotten.
            for made in some:
                self.journal.clear_set_aside(made.document_id, made.start, made.end)

        def on_chunk(extraction: Extraction) -> None:
            waiting.append(extraction)
            if time.monotonic() - last_kept > _KEEP_EVERY_S or len(waiting) >= _KEEP_AT_ONCE:
                keep()
            done = run.done.setdefault(extraction.document_id, {})
            done[extraction.start, extraction.end] = extraction
            run.num_done += 1
            self.hooks.on_extracted(extraction.document_id)
            self.deriver.progress("extract", run.num_done - num_before, len(work))

        with self.deriver.timed("extract"):
            self.deriver.progress("extract", 0, len(work))
            try:
                self.hooks.check()
                failed = run.extractor.extract(work, on_chunk, self.hooks.check)
            except JobCancelledError:
                raise
            except (BudgetError, ModelError) as err:
                run.stopped_by = err
                return
            finally:
                keep()
        for chunk, reason in failed:
            self.journal.set_aside(
                chunk.document_id, chunk.start, chunk.end, reason, self.hooks.job_id
            )
            self.hooks.on_set_aside(chunk.document_id, reason)
        run.failed.extend(failed)

    # ---------------------------------------------------------------------- with the workspace held

    def _put_back(self, run: _ExtractionRun) -> list[ChunkWork]:
        """Stores this run's documents again where other runs took something away meanwhile. Returns
        the chunks that must be extracted for that.
        """
        lacking: list[ChunkWork] = []
        name = run.extractor.name
        failed = {chunk.span for chunk, _ in run.failed}
        for planned in run.plan.documents:
            if not planned.is_whole:
                continue
            document = planned.document
            done = run.done.get(document.id, {})
            live = self.store.live_spans(document.id)
            stored = {passage.id for passage in self.store.passages(document.id)}
            if stored != {passage.id for passage in planned.passages}:
                self._store_document(planned, name)
            gone = [extraction for span, extraction in done.items() if live.get(span) != name]
            if gone:
                self.store.put_extractions(gone)
            there = done.keys() | {span for span, extractor in live.items() if extractor == name}
            lacking += [
                ChunkWork(document, planned.turns, chunk)
                for chunk in planned.chunks
                if chunk.span not in failed and chunk.span[1:] not in there
            ]
        return lacking

    def _drop_what_was_replaced(self, run: _ExtractionRun) -> tuple[Document, ...]:
        """Old records go where new ones came: those of a chunk that failed stay, and so does a
        version whose successor yielded nothing.

        Which versions are old is decided now, not when the plan was made. Returns the documents
        that went because their file is gone.
        """
        plan = run.plan
        stored = {document.id: document for document in self.store.documents()}
        kept = plan.document_ids | set(self.hooks.claimed())
        failed = Counter(chunk.document_id for chunk, _ in run.failed)
        replaced: list[Document] = []
        by_uri: dict[str, list[Document]] = {}
        for document in stored.values():
            by_uri.setdefault(document.uri, []).append(document)
        for planned in plan.documents:
            own, num_failed = planned.document, failed[planned.document.id]
            if not num_failed and planned.is_whole:
                spans = [(c.start, c.end) for c in planned.chunks]
                self.store.drop_extractions(own.id, spans, run.extractor.name)
            if num_failed and num_failed == len(planned.chunks):
                continue
            others = [d for d in by_uri.get(own.uri, ()) if d.id in stored and d.id not in kept]
            if not planned.is_whole:
                others = [d for d in others if d.id in planned.replaces]
            newer = _version_on_disk(own, others) if planned.is_whole else None
            for old in (own, *(d for d in others if d is not newer)) if newer else others:
                replaced.append(stored.pop(old.id))
        uris = {document.uri for document in replaced}
        inherit_vectors(self.store, replaced, [d for d in stored.values() if d.uri in uris])
        self._delete(replaced, is_replaced=True)
        if not plan.removes_missing:
            return ()
        here = [d for d in plan.missing if d.id in stored and d.id not in kept]
        # Looked for again: some may have come back since.
        gone = find_missing(here, [Path(d.uri).parent for d in here])
        self._delete(gone, is_replaced=False)
        return gone

    def _delete(self, documents: Sequence[Document], *, is_replaced: bool) -> None:
        if documents and self.hooks.delete is not None:
            self.hooks.delete(documents, is_replaced=is_replaced)
        elif documents:
            # The journal first: killed in between, the next run still finds them to delete.
            self.journal.forget_documents([d.id for d in documents])
            for document in documents:
                self.store.delete_document(document.id)


def _version_on_disk(own: Document, others: Sequence[Document]) -> Document | None:
    """The version that another run stored, where the file has changed to it since this run read it;
    None: this run's stands.
    """
    if not others:
        return None
    try:
        sha256 = hashlib.sha256(Path(own.uri).read_bytes()).hexdigest()
    except OSError:
        return None
    return next((d for d in others if d.sha256 == sha256), None) if sha256 != own.sha256 else None


__all__ = [
    "SPLIT",
    "GraphReport",
    "IngestHooks",
    "IngestJournal",
    "IngestReport",
    "Pipeline",
    "Progress",
    "SetAsideChunk",
]
