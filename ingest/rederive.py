"""From records to the graph: embed what is new, consolidate, derive, write. The same after an ingest, a deletion and a correction, so the
graph is always a function of the records.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from dynagrag.errors import StoreError
from dynagrag.graph_store.derived.average_degree import average_degree, average_degree_before
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, own_titles, passage_text, record_texts, text_id
from dynagrag.graph_store.derived.fact_texts import fact_texts, read_said
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.senses import mentions_in_senses, read_senses, records_in_senses
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.ingest.consolidate.consolidation import Judge, VerdictStore, consolidate
from dynagrag.protocols import Embedder, GraphStore
from dynagrag.schema import Consolidation, Graph, Records, VectorKind, Vectors

_LOG = logging.getLogger(__name__)
_EMBED_BATCH = 512
_MAX_TRIES = 3

Progress = Callable[[str, int, int], None]
"""(stage, done, total); called from the thread that runs the ingest."""


@dataclass(frozen=True, slots=True)
class GraphReport:
    """The graph as it is after a run. `average_degree_before`: without any merge."""

    num_entities: int
    num_relations: int
    average_degree_before: float
    average_degree_after: float
    num_merges: int
    notes: tuple[str, ...]


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
class Deriver:
    """Makes a workspace's graph of its records. `judge` None: only safe merges; `embedder` fixes the vectors at the first write."""

    store: GraphStore
    embedder: Embedder
    verdicts: VerdictStore
    judge: Judge | None = None
    judge_name: str = ""
    is_small_judge: bool = False
    max_concurrency: int = 1
    progress: Progress = lambda stage, done, total: None
    seconds: dict[str, float] = field(default_factory=dict)

    def report_of_before(self) -> GraphReport:
        """Nothing came and nothing went: the graph as it is stored."""
        mentions, records, num_passages = self.store.mentions(), self.store.relation_records(), len(self.store.passages())
        return _report(self.store.graph(), average_degree_before(mentions, records, num_passages), self.store.consolidation(), ())

    def rederive(self) -> GraphReport:
        """Embeds what is new, consolidates, derives and writes the graph; vectors that no record needs any more go.

        The caller has the workspace's lock. Records come and go all the same: what comes meanwhile leaves `is_derived_current` false, and
        whoever stored it derives it. Where records go, and their vectors with them, it is tried again.
        """
        for _ in range(_MAX_TRIES - 1):
            stored = self.store.records()
            try:
                return self._derive(stored)
            except StoreError as err:
                if self.store.records().version == stored.version:
                    raise
                _LOG.info("the records changed while the graph was derived (%s); again", err)
        return self._derive(self.store.records())

    def _derive(self, stored: Records) -> GraphReport:
        documents = {d.id: d for d in stored.documents}
        passages, mentions, records, edits = stored.passages, stored.mentions, stored.relations, stored.edits
        counted = counting_mentions(mentions, len(passages))
        with self.timed("embed"):
            titles = own_titles(documents)
            self._embed(VectorKind.PASSAGE, {p.id: passage_text(documents[p.document_id], p, titles[p.document_id]) for p in passages})
            mention_vectors = self._embed(VectorKind.MENTION, mention_texts(counted))
            keys = {m.key for m in counted}
            used = [r for r in records if r.head in keys and r.tail in keys]
            facts = fact_texts(read_said(counted, used, documents).facts)
            record_vectors = self._embed(VectorKind.RECORD, record_texts(used, documents) | facts)
        senses = read_senses(edits, documents)
        labels: dict[str, str] = {}

        def embed_labels(texts: Sequence[str]) -> Vectors:
            labels.update((text_id(text), text) for text in texts)
            self._embed(VectorKind.LABEL, labels)
            return self.store.vectors(VectorKind.LABEL, [text_id(text) for text in texts])

        with self.timed("consolidate"):
            self.progress("consolidate", 0, 1)
            result = consolidate(
                mentions_in_senses(counted, senses),
                records_in_senses(used, senses),
                mention_vectors=mention_vectors,
                embed=embed_labels,
                judge=self.judge,
                judge_name=self.judge_name,
                verdicts=self.verdicts,
                edits=edits,
                texts=[d.text for d in documents.values()],
                one_block_a_call=self.is_small_judge,
                max_concurrency=self.max_concurrency,
            )
            self.store.keep_vectors(VectorKind.LABEL, labels)
            self.progress("consolidate", 1, 1)
        with self.timed("derive"):
            self.progress("derive", 0, 1)
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
            self.progress("derive", 1, 1)
        with self.timed("write graph"):
            self.progress("write graph", 0, 1)
            self.store.write_graph(graph, result.consolidation, stored)
            self.progress("write graph", 1, 1)
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
    def timed(self, stage: str) -> Iterator[None]:
        """Adds what is inside to the stage's seconds."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start
            _LOG.info("%s: %.2f s", stage, self.seconds[stage])
