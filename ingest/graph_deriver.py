"""From records to the graph: embed new texts, consolidate, derive, write. The same after an ingest,
a deletion and a correction, so the graph is always a function of the records.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from dynagrag.core.collection import without_collection
from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import Embedder, GraphStore
from dynagrag.core.schema import (
    UNMEASURED,
    Consolidation,
    Document,
    Graph,
    Mention,
    Records,
    RelationRecord,
    VectorKind,
)
from dynagrag.graph_store.derived.average_degree import average_degree, average_degree_before
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import (
    mention_texts,
    own_titles,
    passage_text,
    record_texts,
)
from dynagrag.graph_store.derived.fact_texts import CorpusFacts, corpus_facts, fact_texts
from dynagrag.graph_store.derived.linking_words import merges_of_things
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.senses import mentions_in_senses, read_senses, records_in_senses
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.graph_store.rules import missing_ids
from dynagrag.ingest.consolidate.consolidation import consolidate
from dynagrag.ingest.consolidate.consolidation_plan import ConsolidationInput
from dynagrag.ingest.consolidate.judge_calls import Judging
from dynagrag.ingest.consolidate.relation_labels import label_texts
from dynagrag.ingest.consolidate.verdicts import Judge, VerdictStore
from dynagrag.ingest.embedding_batches import BatchSizes, embedding_work
from dynagrag.models.cosine_scales import kept_scale, scale_of

_LOG = logging.getLogger(__name__)
_REPORT = "graph report"
"""The name of the note: JSON of a GraphReport, and the version of the store that it is of."""
_MAX_TRIES = 3
_STEP_S = 0.1

Progress = Callable[[str, int, int], None]
"""(stage, done, total); called from the thread that runs the ingest."""


@dataclass(frozen=True, slots=True)
class GraphReport:
    """The graph as it is after a run. `average_degree_before`: without any merge; `num_merges`: of
    things, not of plain words.
    """

    num_entities: int
    num_relations: int
    average_degree_before: float
    average_degree_after: float
    num_merges: int
    notes: tuple[str, ...]


def _report(
    graph: Graph, average_degree_before: float, consolidation: Consolidation, notes: tuple[str, ...]
) -> GraphReport:
    return GraphReport(
        num_entities=len(graph.entities),
        num_relations=len(graph.relations),
        average_degree_before=average_degree_before,
        average_degree_after=average_degree(graph),
        num_merges=len(merges_of_things(consolidation.merges, graph)),
        notes=notes,
    )


def _kept_report(store: GraphStore) -> GraphReport | None:
    """The report of the run that wrote the store's graph, without its notes; None where something
    was written since.
    """
    try:
        kept = json.loads(store.note(_REPORT) or "{}")
        is_of_now = kept.pop("version", None) == store.version()
        return GraphReport(**kept | {"notes": ()}) if is_of_now else None
    except (ValueError, TypeError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class _CountedRecords:
    """Stored records with those of them that count in this corpus: `mentions`, and the `relations`
    between their keys.
    """

    stored: Records
    documents: Mapping[str, Document]
    mentions: list[Mention]
    relations: list[RelationRecord]

    @classmethod
    def of(cls, stored: Records) -> "_CountedRecords":
        mentions = counting_mentions(stored.mentions, len(stored.passages))
        keys = {mention.key for mention in mentions}
        relations = [
            record for record in stored.relations if record.head in keys and record.tail in keys
        ]
        return cls(
            stored, {document.id: document for document in stored.documents}, mentions, relations
        )


@dataclass(frozen=True, slots=True)
class _CountedVectors:
    """By text id; `relations` holds those of the `facts` too, which have the keys as they were
    found.
    """

    mentions: VectorTable
    relations: VectorTable
    labels: VectorTable
    facts: CorpusFacts


@dataclass(frozen=True, slots=True)
class Derived:
    """What was derived and written: the graph, the records it is of, and their facts."""

    graph: Graph
    records: Records
    facts: CorpusFacts


@dataclass(slots=True)
class Deriver:
    """Makes a workspace's graph of its records. `judge` None: only safe merges; `embedder` fixes
    the vectors at the first write. `on_derived` is called with what was written.
    """

    store: GraphStore
    embedder: Embedder
    verdicts: VerdictStore
    judge: Judge | None = None
    judge_name: str = ""
    is_small_judge: bool = False
    max_concurrency: int = 1
    progress: Progress = lambda stage, done, total: None
    on_derived: Callable[[Derived], None] = lambda derived: None
    seconds: dict[str, float] = field(default_factory=dict)

    def report_of_before(self) -> GraphReport:
        """The graph as it is stored, where nothing came and nothing went."""
        store = self.store
        if kept := _kept_report(store):
            return kept
        counted = counting_mentions(store.mentions(), len(store.passages()))
        before = average_degree_before(counted, store.relation_records())
        return self._kept(_report(store.graph(), before, store.consolidation(), ()))

    def rederive(self) -> GraphReport:
        """Embeds new texts, consolidates, derives and writes the graph; vectors that no record
        needs any more are dropped.

        The caller has the workspace's lock. Records come and go all the same: those that come
        meanwhile leave `is_derived_current` false, and whoever stored them derives them. Where
        records go, and their vectors with them, it is tried again.
        """
        with without_collection():
            for _ in range(_MAX_TRIES - 1):
                stored = self._records()
                try:
                    return self._derive(stored)
                except StoreError as err:
                    if self.store.records().version == stored.version:
                        raise
                    _LOG.info("the records changed while the graph was derived (%s); again", err)
            return self._derive(self._records())

    def _records(self) -> Records:
        with self._stage("records"):
            return self.store.records(self._stepping("records"))

    def _derive(self, stored: Records) -> GraphReport:
        counted = _CountedRecords.of(stored)
        with self.timed("embed"):
            vectors = self._embed_counted(counted)
        with self._stage("consolidate"):
            edits = counted.stored.edits
            senses = read_senses(edits, counted.documents)
            relations = records_in_senses(counted.relations, senses)
            work = ConsolidationInput(
                mentions_in_senses(counted.mentions, senses),
                relations,
                mention_vectors=vectors.mentions,
                label_vectors=vectors.labels,
                edits=edits,
                texts=[d.text for d in counted.documents.values()],
                step=self._stepping("consolidate"),
                scale=kept_scale(self.store) or UNMEASURED,
            )
            judging = Judging(
                self.judge,
                self.judge_name,
                self.verdicts,
                self.is_small_judge,
                self.max_concurrency,
                partial(self.progress, "judge"),
            )
            result = consolidate(work, judging)
        with self._stage("derive"):
            records = counted.stored
            graph = derive(
                self.store.workspace,
                counted.mentions,
                records.relations,
                documents=counted.documents,
                num_passages=len(records.passages),
                consolidation=result.consolidation,
                edits=records.edits,
                mention_vectors=vectors.mentions,
                record_vectors=vectors.relations,
                are_counted=True,
                step=self._stepping("derive"),
            )
        with self._stage("write graph"):
            self.store.write_graph(graph, result.consolidation, stored)
        before = average_degree_before(counted.mentions, counted.relations)
        report = self._kept(_report(graph, before, result.consolidation, result.notes))
        facts = vectors.facts
        if senses:
            facts = corpus_facts(counted.mentions, counted.relations, counted.documents, senses)
        self.on_derived(Derived(graph, stored, facts))
        return report

    def _kept(self, report: GraphReport) -> GraphReport:
        kept = {"version": self.store.version(), **asdict(replace(report, notes=()))}
        self.store.set_note(_REPORT, json.dumps(kept))
        return report

    def _embed_counted(self, counted: _CountedRecords) -> _CountedVectors:
        """Embeds passages, mentions, records and facts, and labels."""
        documents, passages = counted.documents, counted.stored.passages
        titles = own_titles(documents)
        facts = corpus_facts(counted.mentions, counted.relations, documents)
        senses = read_senses(counted.stored.edits, documents)
        relations = records_in_senses(counted.relations, senses)
        texts: dict[VectorKind, Mapping[str, str]] = {
            VectorKind.PASSAGE: {
                p.id: passage_text(documents[p.document_id], p, titles[p.document_id])
                for p in passages
            },
            VectorKind.MENTION: mention_texts(counted.mentions),
            VectorKind.RECORD: record_texts(counted.relations) | fact_texts(facts.facts),
            VectorKind.LABEL: label_texts(relations),
        }
        self._embed(texts)
        mentions, records, labels = (
            VectorTable.of(tuple(texts[kind]), self.store.vectors(kind, tuple(texts[kind])))
            for kind in (VectorKind.MENTION, VectorKind.RECORD, VectorKind.LABEL)
        )
        return _CountedVectors(mentions, records, labels, facts)

    def _embed(self, texts: Mapping[VectorKind, Mapping[str, str]]) -> None:
        """Makes the vectors of these texts, by id, that are missing, and stores them batch by
        batch; deletes those of other ids.

        Texts of one length go together, since a model pads a batch to its longest. Progress counts
        the work (`embedding_work`), which texts of several lengths share fairly.
        """
        missing: dict[VectorKind, Sequence[str]] = {}
        works: dict[VectorKind, Sequence[int]] = {}
        for kind, own in texts.items():
            self.store.keep_vectors(kind, tuple(own))
            absent = missing_ids(own, set(self.store.vector_ids(kind)))
            by_length = sorted((len(own[id_]), id_) for id_ in absent)
            missing[kind] = [id_ for _, id_ in by_length]
            works[kind] = [embedding_work(own[id_]) for id_ in missing[kind]]
        total = sum(map(sum, works.values()))
        if not total:
            return
        self.progress("embed", 0, total)
        self.store.set_embedder(self.embedder.identity)
        done, sizes = 0, BatchSizes()
        for kind, ids in missing.items():
            for batch in sizes.batches(works[kind]):
                batch_texts = [texts[kind][id_] for id_ in ids[batch]]
                work = sum(works[kind][batch])
                began = time.monotonic()
                self.store.put_vectors(kind, ids[batch], self.embedder.embed_documents(batch_texts))
                sizes.took(len(batch_texts), work, time.monotonic() - began)
                done += work
                self.progress("embed", done, total)
        scale_of(self.store, self.embedder)  # measured now, kept with the vectors

    def _stepping(self, stage: str) -> Callable[[], None]:
        """Reports again that a stage of one step is at work, several times a second at most, so
        that a cancellation is obeyed.
        """
        reported_at = time.monotonic()

        def step() -> None:
            nonlocal reported_at
            if time.monotonic() - reported_at >= _STEP_S:
                reported_at = time.monotonic()
                self.progress(stage, 0, 1)

        return step

    @contextmanager
    def _stage(self, stage: str) -> Iterator[None]:
        """A stage of one step: timed, and reported when it begins and ends."""
        with self.timed(stage):
            self.progress(stage, 0, 1)
            yield
            self.progress(stage, 1, 1)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the time of its block to the stage's seconds."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start
            _LOG.info("%s: %.2f s", stage, self.seconds[stage])
