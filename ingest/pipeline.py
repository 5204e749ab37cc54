"""An ingest from plan to graph. Every step is idempotent and stored as it is done, so a run that was killed is resumed by running it again.

    store documents -> extract chunks (each stored at once) -> drop what was replaced -> embed -> consolidate -> derive -> write the graph

The same last three steps follow a deletion (`rederive`), so the graph is always a function of the records.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from dynagrag.errors import BudgetError, DynaGragError, ModelError
from dynagrag.graph_store.derive import (
    VectorTable,
    average_degree,
    average_degree_before,
    counting_mentions,
    derive,
    mention_texts,
    record_texts,
)
from dynagrag.graph_store.two_step import text_id
from dynagrag.ingest.consolidate import Judge, VerdictStore, consolidate
from dynagrag.ingest.plan import IngestPlan, PlannedDocument
from dynagrag.ingest.split import speaker_mentions
from dynagrag.protocols import Embedder, Extraction, Extractor, GraphStore
from dynagrag.schema import Chunk, Consolidation, Document, Graph, LoadedSource, Mention, VectorKind, Vectors

_LOG = logging.getLogger(__name__)
_EMBED_BATCH = 2048
SPLIT = "split"
"""The extractor name of mentions that the splitter makes: speakers."""

Progress = Callable[[str, int, int], None]
"""(stage, done, total); called from the thread that runs the ingest."""


class IngestJournal(VerdictStore, Protocol):
    """What the pipeline needs of the journal: a model's verdicts, and the list of chunks that failed."""

    def set_aside(self, document_id: str, start: int, end: int, reason: str) -> None:
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
class GraphReport:
    """The graph as it is after a run. `average_degree_before`: without any merge."""

    num_entities: int
    num_relations: int
    average_degree_before: float
    average_degree_after: float
    num_merges: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What a run did. `stopped_by` is the reason when it ended early with its work kept."""

    added: tuple[Document, ...]
    replaced: tuple[Document, ...]
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


def _report(graph: Graph, average_degree_before: float, consolidation: Consolidation, notes: tuple[str, ...]) -> GraphReport:
    return GraphReport(
        num_entities=len(graph.entities),
        num_relations=len(graph.relations),
        average_degree_before=average_degree_before,
        average_degree_after=average_degree(graph),
        num_merges=len(consolidation.merges),
        notes=notes,
    )


@dataclass(slots=True)
class Pipeline:
    """Runs a plan. `judge` None: only safe merges; `embedder` fixes the workspace's vectors at the first write."""

    store: GraphStore
    embedder: Embedder
    journal: IngestJournal
    judge: Judge | None = None
    judge_name: str = ""
    is_small_judge: bool = False
    max_concurrency: int = 1
    progress: Progress = lambda stage, done, total: None
    seconds: dict[str, float] = field(default_factory=dict)

    def run(self, plan: IngestPlan, extractor: Extractor) -> IngestReport:
        """Carries out the plan. A stop by budget or by a refusing model is in the report's `stopped_by`, with the graph of what was
        done.
        """
        if plan.documents:
            self.store.set_embedder(self.embedder.identity)
        with self._timed("store"):
            self._store_documents(plan)
        with self._timed("extract"):
            num_done, set_aside, stopped_by = self._extract(plan, extractor)
        if stopped_by is None:
            failed = Counter(chunk.document_id for chunk, _ in set_aside)
            for planned in plan.documents:
                self._drop_what_was_replaced(planned, extractor.name, failed[planned.document.id])
        if stopped_by is not None:
            self.judge = None
        is_as_before = not plan.documents and self.judge is None and self.store.is_derived_current()
        graph = self._report_of_before() if is_as_before else self.rederive()
        titles = {d.document.id: d.document.title for d in plan.documents}
        return IngestReport(
            added=tuple(d.document for d in plan.documents if not d.replaces),
            replaced=tuple(d.document for d in plan.documents if d.replaces),
            unchanged=plan.unchanged,
            refused=plan.refused,
            num_chunks=num_done,
            set_aside=tuple(SetAsideChunk(titles[c.document_id], c.start, c.end, reason) for c, reason in set_aside),
            graph=graph,
            seconds=self.seconds,
            dropped=dict(extractor.dropped),
            mended=dict(extractor.mended),
            num_doubles=plan.num_doubles,
            stopped_by=stopped_by,
        )

    def _drop_what_was_replaced(self, planned: PlannedDocument, extractor: str, num_failed: int) -> None:
        """Old records go where new ones came: those of a chunk that failed stay, and so does a version whose successor yielded nothing."""
        if not num_failed:
            self.store.drop_extractions(planned.document.id, [(c.start, c.end) for c in planned.chunks], extractor)
        if num_failed and num_failed == len(planned.chunks):
            return
        for old in planned.replaces:
            self.journal.forget_documents([old])  # first: killed in between, the next run still finds it to delete
            self.store.delete_document(old)

    def _store_documents(self, plan: IngestPlan) -> None:
        for planned in plan.documents:  # also those that are there: killed between the next two steps, a document lacks its speakers
            self.store.put_document(planned.document, planned.turns, planned.passages)
            speakers = speaker_mentions(planned.document, planned.turns, planned.passages)
            by_span: dict[tuple[int, int], list[Mention]] = {}
            for mention in speakers:
                by_span.setdefault((mention.chunk_start, mention.chunk_end), []).append(mention)
            self.store.put_extractions(
                [Extraction(planned.document.id, start, end, SPLIT, tuple(made), ()) for (start, end), made in by_span.items()]
            )

    def _extract(self, plan: IngestPlan, extractor: Extractor) -> tuple[int, list[tuple[Chunk, str]], DynaGragError | None]:
        work = [item for planned in plan.documents for item in planned.work]
        num_done = 0

        def on_chunk(extraction: Extraction) -> None:
            nonlocal num_done
            self.store.put_extractions([extraction])
            self.journal.clear_set_aside(extraction.document_id, extraction.start, extraction.end)
            num_done += 1
            self.progress("extract", num_done, len(work))

        self.progress("extract", 0, len(work))
        try:
            set_aside = extractor.extract(work, on_chunk)
        except (BudgetError, ModelError) as err:
            return num_done, [], err
        for chunk, reason in set_aside:
            self.journal.set_aside(chunk.document_id, chunk.start, chunk.end, reason)
        return num_done, set_aside, None

    # ------------------------------------------------------------------------------------------------ records to graph

    def _report_of_before(self) -> GraphReport:
        """Nothing came and nothing went: the graph as it is stored."""
        mentions, records, num_passages = self.store.mentions(), self.store.relation_records(), len(self.store.passages())
        return _report(self.store.graph(), average_degree_before(mentions, records, num_passages), self.store.consolidation(), ())

    def rederive(self) -> GraphReport:
        """Embeds what is new, consolidates, derives and writes the graph; vectors that no record needs any more go."""
        stored = self.store.records()
        documents = {d.id: d for d in stored.documents}
        passages, mentions, records, edits = stored.passages, stored.mentions, stored.relations, stored.edits
        counted = counting_mentions(mentions, len(passages))
        with self._timed("embed"):
            self._embed(VectorKind.PASSAGE, {p.id: documents[p.document_id].text[p.start : p.end] for p in passages})
            mention_vectors = self._embed(VectorKind.MENTION, mention_texts(counted))
            keys = {m.key for m in counted}
            used = [r for r in records if r.head in keys and r.tail in keys]
            record_vectors = self._embed(VectorKind.RECORD, record_texts(used, documents))
        labels: dict[str, str] = {}

        def embed_labels(texts: Sequence[str]) -> Vectors:
            labels.update((text_id(text), text) for text in texts)
            self._embed(VectorKind.LABEL, labels)
            return self.store.vectors(VectorKind.LABEL, [text_id(text) for text in texts])

        with self._timed("consolidate"):
            self.progress("consolidate", 0, 1)
            result = consolidate(
                counted,
                used,
                mention_vectors=mention_vectors,
                embed=embed_labels,
                judge=self.judge,
                judge_name=self.judge_name,
                verdicts=self.journal,
                edits=edits,
                texts=[d.text for d in documents.values()],
                one_block_a_call=self.is_small_judge,
                max_concurrency=self.max_concurrency,
            )
            self.store.keep_vectors(VectorKind.LABEL, labels)
            self.progress("consolidate", 1, 1)
        with self._timed("derive"):
            graph = derive(
                self.store.workspace,
                mentions,
                records,
                documents=documents,
                num_passages=len(passages),
                consolidation=result.consolidation,
                edits=edits,
                mention_vectors=mention_vectors,
                record_vectors=record_vectors,
            )
            self.store.write_graph(graph, result.consolidation, stored)
        before = average_degree_before(mentions, records, len(passages))
        return _report(graph, before, result.consolidation, result.notes)

    def _embed(self, kind: VectorKind, texts: Mapping[str, str]) -> VectorTable:
        """The vectors of these texts by id; those that are missing are made, those of other ids deleted."""
        ids = tuple(texts)
        self.store.keep_vectors(kind, ids)
        missing = self.store.missing_vectors(kind, ids)
        if missing:
            self.store.set_embedder(self.embedder.identity)
        for start in range(0, len(missing), _EMBED_BATCH):
            self.progress(f"embed {kind}s", start, len(missing))
            batch = missing[start : start + _EMBED_BATCH]
            self.store.put_vectors(kind, batch, self.embedder.embed_documents([texts[i] for i in batch]))
        if missing:
            self.progress(f"embed {kind}s", len(missing), len(missing))
        return VectorTable.of(ids, self.store.vectors(kind, ids))

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start
            _LOG.info("%s: %.2f s", stage, self.seconds[stage])
