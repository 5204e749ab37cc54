"""The nouns: the values that every part of dynagrag passes around. All are frozen; none does any work.

Two worlds, in this order:

    records (the truth)     Document, Turn, Passage, Mention, RelationRecord, Edit; Records is all of them at one moment
    derived (a view)        Merge, Entity, Relation, Graph, Neighbourhood; recomputed from the records at any time

and what a question makes of them: Snapshot, Filters, Question, Subgraph, Retrieval, Evidence, Answer.
All offsets are half-open character ranges of `Document.text`. Vectors are float32, one row a thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
"""(n, d) float32."""
Vector: TypeAlias = NDArray[np.float32]
"""(d,) float32."""


# ---------------------------------------------------------------------------------------------------------- loading


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """One cue or turn as the source has it, unmerged. What the form doesn't have is None. Seconds from the source's own zero."""

    text: str
    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """How one file was read. `refused` is the reason when nothing was read; then `turns` is empty."""

    path: str
    format: str | None
    turns: tuple[SourceTurn, ...] = ()
    sha256: str = ""
    title: str = ""
    encoding: str | None = None
    notes: tuple[str, ...] = ()
    refused: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict)


# ---------------------------------------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class Document:
    """A source as it was read. `text` is canonical: the turns' texts joined by newlines. id of (workspace, source sha256)."""

    id: str
    workspace: str
    title: str
    uri: str
    sha256: str
    text: str
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn's span in its document's text. id of (document, index)."""

    id: str
    document_id: str
    index: int
    start: int
    end: int
    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """What is retrieved, embedded and cited: whole sentences of at most about 120 words. id of (document, start, end, splitter)."""

    id: str
    document_id: str
    index: int
    start: int
    end: int
    first_turn: int
    last_turn: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one extraction call reads: consecutive passages of one document. Not stored: its span is on the records made from it."""

    document_id: str
    start: int
    end: int
    passages: tuple[Passage, ...]

    @property
    def span(self) -> tuple[str, int, int]:
        """(document id, start, end): what identifies the live extraction."""
        return (self.document_id, self.start, self.end)


class MentionKind(StrEnum):
    """Where a mention comes from. Only `SAID` counts towards an entity's weight."""

    SAID = "said"
    TITLE = "title"
    SPEAKER = "speaker"


class Flag(StrEnum):
    """What the fast extractor leaves to be decided on the whole corpus (retrieval spec, sections 3 and 4)."""

    SENTENCE_START = "sentence_start"
    """A single capitalised word that opens its sentence: counts only if seen capitalised inside one, or if it is a title."""
    CONTENT_WORD = "content_word"
    """A lower-case content word: counts only inside the frequency band."""
    SEEN_CAPITALISED = "seen_capitalised"
    """A capitalised word inside a sentence: evidence for SENTENCE_START."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as one chunk has it. id of (chunk span, key, kind, summary)."""

    id: str
    document_id: str
    chunk_start: int
    chunk_end: int
    passage_ids: tuple[str, ...]
    name: str
    key: str
    type: str
    summary: str
    kind: MentionKind
    extractor: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation as one chunk states it, with the source's own words. id of (chunk span, head, label, tail, quote span)."""

    id: str
    document_id: str
    chunk_start: int
    chunk_end: int
    passage_id: str
    head: str
    tail: str
    label: str
    summary: str
    quote_start: int
    quote_end: int
    turn_index: int
    extractor: str


class EditKind(StrEnum):
    """A person's corrections."""

    MERGE = "merge"
    SPLIT = "split"
    RENAME = "rename"
    UNDO = "undo"
    SENSE = "sense"


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's correction: never derived, never lost. `keys` are entity keys; `name` the target's; UNDO names an edit or merge in
    `what`, SENSE the documents in which its keys stand for something else, which is called `name`.
    """

    id: str
    kind: EditKind
    keys: tuple[str, ...]
    name: str
    what: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Records:
    """All that the graph is derived from, as it was at one moment: `version` names the moment and changes with every change of a record.

    `documents` by title then id, `passages` by document then index, the rest in the orders of the store's own methods.
    """

    version: str
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[RelationRecord, ...]
    edits: tuple[Edit, ...]


# ---------------------------------------------------------------------------------------------------------- derived


@dataclass(frozen=True, slots=True)
class Merge:
    """Keys that stand for one entity: which, into which, by which rule or verdict, with what it saw. id of the members."""

    id: str
    members: tuple[str, ...]
    canonical: str
    rule: str
    saw: str


@dataclass(frozen=True, slots=True)
class LabelMerge:
    """A relation label and its canonical form; `inverted` flips head and tail (owned by -> owns)."""

    label: str
    canonical: str
    inverted: bool
    rule: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A node. weight = number of mentions of kind said. id of (workspace, canonical key, sense)."""

    id: str
    key: str
    name: str
    sense: str
    keys: tuple[str, ...]
    aliases: tuple[str, ...]
    type: str
    weight: int
    summaries: tuple[str, ...]
    is_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed, labelled relation. weight = number of records, support = number of distinct documents. id of (head, label, tail)."""

    id: str
    head: str
    tail: str
    label: str
    weight: int
    support: int
    summaries: tuple[str, ...]
    record_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """Entities and relations, each sorted by id, with their vectors in the same order (two-step means, not normalised).

    `entity_vectors` (n, d), `relation_vectors` (m, d). `entity_passages[i]`: ids of the passages that hold entity i.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    entity_vectors: Vectors
    relation_vectors: Vectors
    entity_passages: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What consolidation decided, so that the graph can be derived from any subset of the records."""

    merges: tuple[Merge, ...] = ()
    labels: tuple[LabelMerge, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A bounded part of the graph around an entity, for looking at it: `entities` in order of (hops, id), the centre first; `relations` by
    (weight desc, id). `is_cut`: there was more than the bounds let through.
    """

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """The heaviest part of the graph and counts of the whole, for looking at it: `entities` by (weight desc, id), their `degrees` in the
    whole graph and the ids of the passages that hold them; `relations` between them by (weight desc, id).

    `degree_counts`, `weight_counts` and `type_counts`: how many of all entities have that degree (relations at either end), weight or type.
    """

    entities: tuple[Entity, ...]
    degrees: tuple[int, ...]
    entity_passages: tuple[tuple[str, ...], ...]
    relations: tuple[Relation, ...]
    num_relations: int
    degree_counts: Mapping[int, int]
    weight_counts: Mapping[int, int]
    type_counts: Mapping[str, int]

    @property
    def num_entities(self) -> int:
        """All there are."""
        return sum(self.weight_counts.values())


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check looked at, of a store or of the installation. `remedy` says what to do where it is not ok."""

    what: str
    is_ok: bool
    finding: str
    remedy: str = ""


class VectorKind(StrEnum):
    """What a stored vector belongs to; the id's meaning follows from it."""

    PASSAGE = "passage"
    """by passage id"""
    MENTION = "mention"
    """by content id of the embedded text "name: summary", so equal texts are embedded once"""
    RECORD = "record"
    """by content id of the embedded text "head label tail: summary" """
    ENTITY = "entity"
    """by entity id: the two-step mean"""
    LABEL = "label"
    """by content id of a relation label that consolidation compared"""
    RELATION = "relation"
    """by relation id: the mean over its labels as they were stated, each the mean over its records; a pair's is the mean over its labels"""


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which vectors a workspace holds."""

    name: str
    dimension: int


def _no_ids() -> NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64)


def _no_vectors() -> Vectors:
    return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a snapshot's passages say, for Bridge-PPR (retrieval spec, section 1).

    Fact i is `texts[i]` with the unit vector `vectors[i]` (f, d); it stands in the snapshot's passage `passage_rows[i]` and holds the
    entities `entities[ptr[i]:ptr[i + 1]]` (indices into the graph's). Passage j holds the entities
    `held[held_ptr[j]:held_ptr[j + 1]]` and is about entity `subjects[j]`, or -1.
    """

    texts: tuple[str, ...] = ()
    passage_rows: NDArray[np.int64] = field(default_factory=_no_ids)
    ptr: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    entities: NDArray[np.int64] = field(default_factory=_no_ids)
    vectors: Vectors = field(default_factory=_no_vectors)
    held_ptr: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    held: NDArray[np.int64] = field(default_factory=_no_ids)
    subjects: NDArray[np.int64] = field(default_factory=_no_ids)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a question needs of a workspace, read once per store version. Filters make a smaller one of it.

    `passage_vectors` (p, d) in the order of `passages` (document title, then index). `summary_rows`: where the vector of a mention's or
    relation's summary stands in `summary_vectors` (s, d), unit rows of the texts that were embedded with it.
    """

    workspace: str
    version: str
    documents: Mapping[str, Document]
    turns: Mapping[str, tuple[Turn, ...]]
    passages: tuple[Passage, ...]
    passage_vectors: Vectors
    records: Mapping[str, RelationRecord]
    graph: Graph
    summary_rows: Mapping[str, int] = field(default_factory=dict)
    summary_vectors: Vectors = field(default_factory=_no_vectors)
    facts: Facts = field(default_factory=Facts)

    def text(self, document_id: str, start: int, end: int) -> str:
        """The source's own words in a span."""
        return self.documents[document_id].text[start:end]

    def passage_text(self, passage: Passage) -> str:
        """The words of a passage."""
        return self.text(passage.document_id, passage.start, passage.end)


# --------------------------------------------------------------------------------------------------------- question


@dataclass(frozen=True, slots=True)
class Filters:
    """Only records inside all given bounds count. Empty tuples and None mean no bound. Times in seconds of the source."""

    documents: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    start_s: float | None = None
    end_s: float | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filters()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that stands alone, with its query vector (d,), and the questions of one step that a model split it into, if one did."""

    text: str
    vector: Vector
    steps: tuple["Question", ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage and how well it fits; the scale is its retriever's own."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Subgraph:
    """An ego-graph cut out of a Graph. Node i is `graph.entities[nodes[i]]`; node 0 is the centre.

    `pairs` (m, 2) int64: local node indices of the undirected edges; `pair_relations[j]`: indices into `graph.relations` of all parallel
    and
    reverse relations on pair j. `x` (n, d) unit node vectors, `y` (m, d) unit edge vectors, `weights` (m,) number of records, `hops` (n,).
    """

    nodes: tuple[int, ...]
    hops: tuple[int, ...]
    pairs: NDArray[np.int64]
    pair_relations: tuple[tuple[int, ...], ...]
    x: Vectors
    y: Vectors
    weights: Vector
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line of the retrieval trace: a centre in the order of its cosine, and what became of it."""

    entity_id: str
    name: str
    score: float
    is_accepted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Bridge:
    """A step from one passage to another over an entity that both hold. `gain`: what it adds to the second one's score."""

    source_id: str
    entity_id: str
    name: str
    passage_id: str
    gain: float


@dataclass(frozen=True, slots=True)
class PassageParts:
    """What a passage's score is made of (retrieval spec, sections 1 and 4), in units of the score, to which they add up: first stage,
    PageRank, the best bridge, what its surroundings (neighbours, named speakers) and the bounds on sinking changed in the end, and what
    the steps of a question that was split did.
    """

    passage_id: str
    first: float
    graph: float
    bridge: float
    around: float
    steps: float = 0.0


@dataclass(frozen=True, slots=True)
class BridgeTrace:
    """Why Bridge-PPR ranked as it did: entities that the question names, the facts that it is nearest to with their cosine, the gate on the
    graph's share, the bridges taken, the parts of each passage's score, and the steps that the question was split into.
    """

    linked: tuple[str, ...]
    facts: tuple[tuple[str, float], ...]
    gate: float
    bridges: tuple[Bridge, ...]
    parts: tuple[PassageParts, ...]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a retriever brings: ranked passages, ego-graphs (graph arms only), and a trace of why."""

    retriever: str
    passages: tuple[ScoredPassage, ...]
    subgraphs: tuple[Subgraph, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
    trace: BridgeTrace | None = None


@dataclass(frozen=True, slots=True)
class PruneScores:
    """Relevance of nodes (n,) and edges (m,), 0 to 1. `label` tells a user what made them ("untrained prior")."""

    nodes: Vector
    edges: Vector
    label: str
    is_trained: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """A traversal of a Subgraph from node 0: `order` of visit; `parent[v]` (-1 for the root), `depth[v]`; unvisited nodes are in neither.

    `children[v]` in visit order. `num_unvisited` nodes of the subgraph were not reached within the budget.
    """

    order: tuple[int, ...]
    parent: Mapping[int, int]
    depth: Mapping[int, int]
    children: Mapping[int, tuple[int, ...]]
    num_unvisited: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A citable span: a relation record's quote or a passage. `label` is what the model sees (E3); `id` the record's or passage's."""

    label: str
    id: str
    document_id: str
    start: int
    end: int
    quote: str
    speaker: str | None = None
    start_s: float | None = None


@dataclass(frozen=True, slots=True)
class HardPrompt:
    """A subgraph in words, its evidence, and how much was left out to fit. `nodes` and `relations` that are in it: local indices of the
    subgraph's nodes, indices of the graph's relations.
    """

    text: str
    evidence: tuple[Evidence, ...]
    num_lines_cut: int = 0
    nodes: frozenset[int] = frozenset()
    relations: frozenset[int] = frozenset()

    @property
    def num_nodes(self) -> int:
        """Nodes that are in it."""
        return len(self.nodes)

    @property
    def num_edges(self) -> int:
        """Relations that are in it."""
        return len(self.relations)


@dataclass(frozen=True, slots=True)
class Citation:
    """A checked citation: `quote` is the source's text from start to end."""

    id: str
    document: str
    start: int
    end: int
    speaker: str | None
    start_s: float | None
    quote: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Evidence lines that stand together in a document: turns `first_turn` to `last_turn`, characters `start` to `end`."""

    document: str
    start: int
    end: int
    labels: tuple[str, ...]
    speakers: tuple[str, ...]
    first_turn: int | None
    last_turn: int | None
    start_s: float | None
    end_s: float | None


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent on model calls; `cached` replies are not calls. Tokens as the provider counts, else characters / 4."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class IntermediateAnswer:
    """An answer from one subgraph alone. helpfulness 0..100; `scored_by` judge, formula or none; `score_parts`: relevance, coherence and
    detail, the judge's marks of 1 to 5 or the formula's terms of 0 to 1.
    """

    answer: str
    evidence_ids: tuple[str, ...]
    has_enough_evidence: bool
    helpfulness: float
    scored_by: str
    centre: str
    retrieval_score: float
    score_parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a user gets. When `is_abstained`, `text` says so and `citations` is empty; `evidence` is what was looked at either way;
    `stretches` are the runs of lines that stand together among the citations (without any: among the first prompt's evidence).
    """

    question: str
    text: str
    is_abstained: bool
    citations: tuple[Citation, ...]
    intermediate: tuple[IntermediateAnswer, ...]
    evidence: tuple[Citation, ...]
    trace: Mapping[str, object]
    usage: Usage
    is_answered_by_model: bool = True
    stretches: tuple[Stretch, ...] = ()
