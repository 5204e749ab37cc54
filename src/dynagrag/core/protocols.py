"""The verbs: what the folders know of each other. `wiring.py` chooses the implementations that a
workspace uses; contract suites in tests/contracts hold stores, models, embedders, retrievers,
pruners, traversals and checkers to their protocols.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from dynagrag.core.model_protocols import (
    Asker,
    ChatModel,
    Embedder,
    FirstWord,
    FirstWordModel,
    ModelReply,
    Prompt,
    Reranker,
    ScaledEmbedder,
    ServedEmbedder,
    TokenEmbedder,
)
from dynagrag.core.schema import (
    Chunk,
    ChunkWork,
    Claim,
    ClaimCheck,
    Consolidation,
    Document,
    Edit,
    EmbedderIdentity,
    Finding,
    Graph,
    Mention,
    Neighbourhood,
    Overview,
    Passage,
    PruneScores,
    Question,
    Records,
    RelationRecord,
    Retrieval,
    Subgraph,
    Turn,
    Vector,
    VectorKind,
    Vectors,
    Walk,
)

__all__ = [
    "Asker",
    "ChatModel",
    "Embedder",
    "FirstWord",
    "FirstWordModel",
    "ModelReply",
    "Prompt",
    "Reranker",
    "ScaledEmbedder",
    "ServedEmbedder",
    "TokenEmbedder",
]
"""Protocols of models, from `core.model_protocols`."""

# -------------------------------------------------------------------------------------------- store


SPLIT_EXTRACTOR = "split"
"""The extractor of speaker mentions, which every document has whatever else extracted it."""
SENTENCE_EXTRACTOR, PARSING_EXTRACTOR, TYPING_EXTRACTOR = "fast", "spacy", "gliner"
SENTENCE_EXTRACTORS = (SENTENCE_EXTRACTOR, PARSING_EXTRACTOR, TYPING_EXTRACTOR)
"""Names of extractors whose mentions carry their sentence's span begin with one of them."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The records of one chunk's live extraction. The chunk is named by its span. `dropped`: what
    its extractor refused in it, by reason; no store keeps it.
    """

    document_id: str
    start: int
    end: int
    extractor: str
    mentions: tuple[Mention, ...]
    relations: tuple[RelationRecord, ...]
    dropped: Mapping[str, int] = field(default_factory=dict, compare=False)


class RecordStore(Protocol):
    """The records of one workspace: the truth, and notes that are kept with them."""

    @property
    def workspace(self) -> str:
        """The workspace's name."""

    def put_document(
        self, document: Document, turns: Sequence[Turn], passages: Sequence[Passage]
    ) -> None:
        """Stores a document whole, or replaces its turns and passages, and drops speaker mentions
        (extractor `split`) of passages that go.

        Other extractions stay until they are replaced or dropped, also where their span no longer
        tiles onto the passages.
        """

    def put_extractions(self, extractions: Sequence[Extraction]) -> None:
        """Replaces the live extraction of each chunk span, and of every span of the same document
        that overlaps it. Speaker and title mentions (extractor `split`) overlap nothing but their
        own span.
        """

    def drop_extractions(
        self, document_id: str, keep_spans: Iterable[tuple[int, int]], extractor: str
    ) -> int:
        """Drops a document's live extractions (but those of extractor `split`) whose span or
        extractor is not among those given.

        Returns how many were dropped.
        """

    def delete_document(self, document_id: str) -> None:
        """Deletes a document and every record of it, vectors of its passages included. Unknown id:
        StoreError.
        """

    def documents(self) -> tuple[Document, ...]:
        """All documents, by title then id."""

    def turns(self, document_id: str | None = None) -> tuple[Turn, ...]:
        """Turns in order, of one document or all."""

    def passages(self, document_id: str | None = None) -> tuple[Passage, ...]:
        """Passages by document (title, id), then index."""

    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, by id."""

    def relation_records(self) -> tuple[RelationRecord, ...]:
        """All relation records, by id."""

    def extractions(self, document_id: str) -> tuple[Extraction, ...]:
        """The document's live extractions with their records, those of `split` and those that
        yielded nothing included, by (start, end, extractor); records by id.
        """

    def live_spans(self, document_id: str) -> dict[tuple[int, int], str]:
        """Chunk span -> extractor of the document's live extractions (extractor `split` left out).
        A chunk that yielded nothing is listed too.
        """

    def num_chunks(self) -> int:
        """How many chunks have a live extraction."""

    def records_of(self, ids: Iterable[str]) -> tuple[RelationRecord, ...]:
        """Those of the relation records that are there, in the order asked: what states a
        relation.
        """

    def put_edit(self, edit: Edit) -> None:
        """Stores a person's correction."""

    def edits(self) -> tuple[Edit, ...]:
        """All edits in order of time, then id."""

    def drop_edits(self, ids: Iterable[str]) -> int:
        """Deletes edits; how many were there."""

    def records(self, step: Callable[[], None] = lambda: None) -> Records:
        """All records as they were at one moment, also while others write. `step` is called again
        and again; what it raises ends it.
        """

    def version(self) -> str:
        """Changes whenever records, vectors or the derived view change."""

    def reading(self) -> AbstractContextManager[None]:
        """Inside, this thread's reads may be answered as of the beginning: if `version` is still
        the same afterwards, at one moment.
        """

    def note(self, name: str) -> str:
        """A note kept with the workspace ("" for none), e.g. that a copy into it is under way."""

    def set_note(self, name: str, value: str) -> None:
        """Keeps or (with "") drops a note. Not a change of the workspace: its version stays."""


class VectorStore(Protocol):
    """The workspace's vectors, all of one embedder."""

    def put_vectors(self, kind: VectorKind, ids: Sequence[str], vectors: Vectors) -> None:
        """Stores or replaces vectors (n, d) of passages, mentions, records or labels; those of the
        graph come with `write_graph`.

        A passage's vector needs its passage: one that isn't stored (any more) is passed over.
        """

    def vectors(self, kind: VectorKind, ids: Sequence[str]) -> Vectors:
        """(n, d) in the order asked. A missing id: StoreError."""

    def vector_ids(self, kind: VectorKind) -> tuple[str, ...]:
        """The ids that have a vector, sorted."""

    def keep_vectors(self, kind: VectorKind, ids: Iterable[str]) -> int:
        """Deletes the kind's vectors whose id is not among these; how many."""

    def embedder(self) -> EmbedderIdentity | None:
        """The embedder of the vectors; None before the first."""

    def set_embedder(self, identity: EmbedderIdentity) -> None:
        """Fixes the embedder. Another name or dimension than the stored: EmbedderMismatchError,
        nothing written.
        """

    def nearest(
        self, kind: VectorKind, vector: Vector, limit: int = 10
    ) -> tuple[tuple[str, float], ...]:
        """Passages or entities by cosine: (id, cosine -1 to 1), best first. May be approximate
        where the store has an index of its own.
        """


class DerivedGraph(Protocol):
    """The graph as derived from the records: a view. Questions are answered from all of it in
    memory; bounded looks into it are for screens and people.
    """

    def write_graph(self, graph: Graph, consolidation: Consolidation, records: Records) -> None:
        """Makes the derived view equal to this one, writing only what differs. `records`: those it
        was derived from.

        May be several transactions where a store can't take all in one: killed in between,
        `is_derived_current` is false.
        """

    def replace_vectors(self, staged: "GraphStore", records: Records) -> bool:
        """Takes the embedder, all vectors, the merges and the graph of another store that holds the
        same records, in one transaction. False, and nothing is written, where the records have
        changed since.
        """

    def graph(self) -> Graph:
        """The derived view as last written; empty before."""

    def consolidation(self) -> Consolidation:
        """The merges as last written."""

    def digest(self) -> str:
        """Hash of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail
        key, weight, support).
        """

    def is_derived_current(self) -> bool:
        """Whether the derived view is that of the records as they are."""

    def lease(
        self, holder: str, wait_s: float, on_wait: Callable[[str], None]
    ) -> AbstractContextManager[None]:
        """Holds the right to derive this workspace's graph, over all processes and machines that
        share the store. `holder` names this machine's folder of the workspace, whose own lock the
        caller has. Waits for another holder, and says so once; a dead one's right ends by itself.
        WorkspaceError after `wait_s`.
        """

    def neighbourhood(
        self,
        entity_id: str,
        *,
        num_hops: int = 1,
        fan_out: int = 25,
        max_relations: int = 200,
        min_weight: int = 1,
        timeout_s: float = 10.0,
    ) -> Neighbourhood:
        """Up to `num_hops` hops around an entity: of each node the `fan_out` heaviest relations
        (ties by id), `max_relations` in all.

        The same every time, also next to a hub. Unknown id: StoreError. StoreError when it takes
        longer than `timeout_s`.
        """

    def overview(self, max_entities: int = 5000, max_relations: int = 20_000) -> Overview:
        """The heaviest entities, the heaviest relations between them, and counts of the whole
        graph. No vector is read.
        """

    def passages_of(self, entity_id: str) -> tuple[Passage, ...]:
        """The passages that hold an entity, by (document id, index). Unknown id: StoreError."""

    def search_entities(self, text: str, limit: int = 20) -> tuple[tuple[str, float], ...]:
        """Entities whose name, aliases or summaries hold whole words of the text, in any case: (id,
        score), best first; the scale is the store's own. Words are what stands between spaces; one
        with a dash in it must occur with all its parts.
        """


class StoreUpkeep(Protocol):
    """Looking after a store."""

    def address(self) -> str:
        """Where it is, for people: no user, no password."""

    def exists(self) -> bool:
        """Whether the workspace is there; opening a store alone makes none on a server."""

    def health(self) -> tuple[Finding, ...]:
        """Checks schema, indexes and records; changes nothing."""

    def repair(self) -> tuple[str, ...]:
        """Mends what `health` finds, where a program can; what was done. The graph is derived again
        by the caller.
        """

    def wipe(self) -> None:
        """Leaves nothing of what was deleted in files of this machine, or, where another process is
        in the way, does so later.
        """

    def clear(self) -> None:
        """Deletes the workspace from the store, whole."""

    def close(self) -> None:
        """Releases files and connections."""


class GraphStore(RecordStore, VectorStore, DerivedGraph, StoreUpkeep, Protocol):
    """Holds one workspace's records and the graph derived from them. Thread-safe.

    Every change of records is one transaction: a killed process leaves the state before or after
    it. Vectors, `write_graph`, `repair` and `clear` may take several; each can be run again, and
    completes what is there. Reading while another process writes is allowed. Writes are idempotent:
    the same call twice changes nothing.
    """


# ------------------------------------------------------------------------------------------- ingest


class Extractor(Protocol):
    """Makes records of chunks."""

    @property
    def name(self) -> str:
        """Identity of the extraction: model, prompt and settings. Another name replaces the records
        of a chunk.
        """

    @property
    def dropped(self) -> Mapping[str, int]:
        """Refusals so far, by reason: "relation: its quote is not in the source" -> 3. Those of a
        chunk also stand in its Extraction.
        """

    @property
    def mended(self) -> Mapping[str, int]:
        """Numbers of items that a second call repaired, by how: "quotes repaired" -> 2."""

    @property
    def remarks(self) -> Mapping[str, int]:
        """Remarks on the documents that were read, each with their number: "all in capitals: ..."
        -> 1.
        """

    def extract(
        self,
        work: Sequence[ChunkWork],
        on_chunk: Callable[[Extraction], None],
        check: Callable[[], None] = lambda: None,
    ) -> list[tuple[Chunk, str]]:
        """Calls `on_chunk` for each chunk as it is done (never two at once); returns the chunks set
        aside with their reasons.

        `check` is called between chunks, and several times a second while a model is waited for.
        What it raises ends the extraction; calls in flight are then waited for and handed on, since
        they are paid for.

        Raises BudgetError, ModelRefusedError or ModelUnavailableError when going on makes no sense;
        what was done by then was handed on.
        """


# ----------------------------------------------------------------------------- retrieval and claims


class Retriever(Protocol):
    """Brings evidence for a question."""

    @property
    def name(self) -> str:
        """The arm's name, as `--retriever` has it."""

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Best first. Subgraphs that tie: weight desc, id asc; passages that tie: by their place in
        the corpus. An empty graph or corpus gives an empty Retrieval.
        """


class Pruner(Protocol):
    """Scores nodes and edges of a question's subgraphs."""

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Of each subgraph. Scores stand in the prompt, and decide what goes where a token budget
        cuts. Where the profile has `walk_follows_pruner`, a trained pruner's also order the walk.
        """


Takes = Callable[[int, int], bool]
"""(local node, its parent in the walk, -1 for the centre) -> whether it is taken. Nodes are asked
in the order of the visit; the first that is not taken ends the walk.
"""


class Traversal(Protocol):
    """Orders a subgraph's nodes from its centre."""

    def walk(self, subgraph: Subgraph, query: Vector, scores: PruneScores, takes: Takes) -> Walk:
        """Visits the centre, whatever `takes` says of it, then others until one is not taken."""


class ClaimChecker(Protocol):
    """Finds out whether lines state a claim."""

    @property
    def name(self) -> str:
        """As a user names it: `rules`, `model`, `nli:FOLDER` or `nli:HUB-ID`, or several with +
        between them.
        """

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim, in order; a claim without lines is not found. Raises ModelError and
        BudgetError where a model is asked.
        """
