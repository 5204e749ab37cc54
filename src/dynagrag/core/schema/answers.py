"""Values on the way from a question to its answer: snapshot, filters, retrieval, prompts,
evidence, and the answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.schema.arrays import Vector, Vectors, no_ids, no_vectors
from dynagrag.core.schema.claims import CheckedClaim, Verdict
from dynagrag.core.schema.graph import Graph
from dynagrag.core.schema.records import Document, Passage, RelationRecord, Turn
from dynagrag.core.schema.scales import UNMEASURED, CosineScale
from dynagrag.core.schema.trace import AnswerTrace


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a snapshot's passages, for Bridge-PPR (docs/papers.md, Bridge-PPR).

    Fact i is `texts[i]` with the unit vector `vectors[i]` (f, d); it stands in the snapshot's
    passage `passage_rows[i]` and holds the entities `entities[ptr[i]:ptr[i + 1]]`: indices into the
    graph's n, and n + i for `words[i]`, a plain word that links passages and is no entity, with the
    vector `word_vectors[i]` (w, d). Passage j holds the entities `held[held_ptr[j]:held_ptr[j +
    1]]` and is about entity `subjects[j]`, or -1. `starts[i]`: where the words that say fact i
    begin in their document, or -1; empty where no place is known.
    """

    texts: tuple[str, ...] = ()
    passage_rows: NDArray[np.int64] = field(default_factory=no_ids)
    ptr: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    entities: NDArray[np.int64] = field(default_factory=no_ids)
    vectors: Vectors = field(default_factory=no_vectors)
    held_ptr: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    held: NDArray[np.int64] = field(default_factory=no_ids)
    subjects: NDArray[np.int64] = field(default_factory=no_ids)
    words: tuple[str, ...] = ()
    word_vectors: Vectors = field(default_factory=no_vectors)
    starts: NDArray[np.int64] = field(default_factory=no_ids)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a question needs of a workspace, read once per store version. Filters make a smaller
    one of it.

    `passage_vectors` (p, d) in the order of `passages` (document title, then index).
    `summary_rows`: where the vector of a mention's or relation's summary stands in
    `summary_vectors` (s, d), unit rows of the texts that were embedded with it.
    `scale`: of the vectors' cosines.
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
    summary_vectors: Vectors = field(default_factory=no_vectors)
    facts: Facts = field(default_factory=Facts)
    scale: CosineScale = UNMEASURED

    def text(self, document_id: str, start: int, end: int) -> str:
        """The source's own words in a span."""
        return self.documents[document_id].text[start:end]

    def passage_text(self, passage: Passage) -> str:
        """The words of a passage."""
        return self.text(passage.document_id, passage.start, passage.end)


@dataclass(frozen=True, slots=True)
class Filters:
    """Only records inside all given bounds count. Empty tuples and None mean no bound. Times in
    seconds of the source.
    """

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
    """A question that stands alone, with its query vector (d,), and the questions of one step that
    a model split it into, if one did.
    """

    text: str
    vector: Vector
    steps: tuple["Question", ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage and how well it fits; the scale is its retriever's own."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """A turn of a document by its number and how well it fits; the scale is its retriever's own."""

    document_id: str
    index: int
    score: float


@dataclass(frozen=True, slots=True)
class Subgraph:
    """An ego-graph cut out of a Graph. Node i is `graph.entities[nodes[i]]`; node 0 is the centre.

    `pairs` (m, 2) int64: local node indices of the undirected edges; `pair_relations[j]`: indices
    into `graph.relations` of all parallel and reverse relations on pair j. `x` (n, d) unit node
    vectors, `y` (m, d) unit edge vectors, `weights` (m,) number of records, `hops` (n,).
    `node_prizes` (n,) and `pair_prizes` (m,): what a tree was chosen by; None for other subgraphs.
    """

    nodes: tuple[int, ...]
    hops: tuple[int, ...]
    pairs: NDArray[np.int64]
    pair_relations: tuple[tuple[int, ...], ...]
    x: Vectors
    y: Vectors
    weights: Vector
    score: float
    node_prizes: tuple[float, ...] | None = None
    pair_prizes: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line of the retrieval trace: a centre in the order of its cosine, and what became of
    it.
    """

    entity_id: str
    name: str
    score: float
    is_accepted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Bridge:
    """A step from one passage to another over an entity that both hold, or over a plain word (id
    ""). `gain`: what it adds to the second one's score.
    """

    source_id: str
    entity_id: str
    name: str
    passage_id: str
    gain: float


@dataclass(frozen=True, slots=True)
class PassageParts:
    """The parts of a passage's score (docs/papers.md, Bridge-PPR), in units of the score, to which
    they add up: first stage, PageRank, the best bridge, the change by its surroundings (neighbours,
    named speakers) and the bounds on sinking, and that by the steps of a question that was split.
    """

    passage_id: str
    first: float
    graph: float
    bridge: float
    around: float
    steps: float = 0.0


@dataclass(frozen=True, slots=True)
class BridgeTrace:
    """Why Bridge-PPR ranked as it did: entities that the question names, the facts that it is
    nearest to with their cosine, the gate on the graph's share, the bridges taken, the parts of
    each passage's score, and the steps that the question was split into.
    """

    linked: tuple[str, ...]
    facts: tuple[tuple[str, float], ...]
    gate: float
    bridges: tuple[Bridge, ...]
    parts: tuple[PassageParts, ...]
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A retriever's result: ranked passages, subgraphs (graph arms only), and a trace of why.
    `turns`: the best turns, of a retriever that ranks them too. `subgraph_kind`: users' word for
    one. `fallback`: where nothing of the graph is near the question, that, and what was brought
    instead, in words. `ranked_alone`: the ranking that needs no graph, where `passages` has those
    of subgraphs between.
    """

    retriever: str
    passages: tuple[ScoredPassage, ...]
    subgraphs: tuple[Subgraph, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()
    trace: BridgeTrace | None = None
    subgraph_kind: str = "ego-graph"
    turns: tuple[ScoredTurn, ...] = ()
    fallback: str = ""
    ranked_alone: tuple[ScoredPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class PruneScores:
    """Relevance of nodes (n,) and edges (m,), 0 to 1. `label` tells a user what made them
    ("untrained prior").
    """

    nodes: Vector
    edges: Vector
    label: str
    is_trained: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """A traversal of a Subgraph from node 0: `order` of visit; `parent[v]` (-1 for the root),
    `depth[v]`; unvisited nodes are in neither.

    `children[v]` in visit order. `num_unvisited` nodes of the subgraph were not reached within the
    budget.
    """

    order: tuple[int, ...]
    parent: Mapping[int, int]
    depth: Mapping[int, int]
    children: Mapping[int, tuple[int, ...]]
    num_unvisited: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A citable span: a relation record's quote or a passage. `label` is what the model sees (E3);
    `id` the record's or passage's.
    """

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
    """A subgraph in words, its evidence, and how much was left out to fit. `nodes` and `relations`
    that are in it: local indices of the subgraph's nodes, indices of the graph's relations.
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
class EvidenceLine(Citation):
    """Evidence by how well it fits the question: whole sentences of one turn around the one that
    fits, `match_start` to `match_end` of the document, and what was said before and after them.
    `fit`: on a scale of this question's own, the higher the better.
    """

    match_start: int = 0
    match_end: int = 0
    fit: float = 0.0
    before: Citation | None = None
    after: Citation | None = None


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of talk that is shown and cited: what each speaker says in it, `turns`, from
    `start` to `end` of the document; sentences that fit the question, `hits`, the best of them
    `best`, as (start, end) of the document. `id`: of the passage that holds the best. `side`: of
    a question that compares, whom or what it is shown for; else empty.
    """

    id: str
    document: str
    start: int
    end: int
    turns: tuple[Citation, ...]
    hits: tuple[tuple[int, int], ...]
    best: tuple[int, int]
    fit: float = 0.0
    side: str = ""

    @property
    def start_s(self) -> float | None:
        """When it begins."""
        return self.turns[0].start_s

    @property
    def best_turn(self) -> Citation:
        """The turn with the best sentence."""
        return next(t for t in self.turns if t.start <= self.best[0] < t.end)

    def pieces(self, turn: Citation) -> Iterator[tuple[str, bool]]:
        """The words of one of its turns in pieces, each with whether it is a hit."""
        at = turn.start
        for start, end in self.hits:
            if turn.start <= start and end <= turn.end:
                yield turn.quote[at - turn.start : start - turn.start], False
                yield turn.quote[start - turn.start : end - turn.start], True
                at = end
        yield turn.quote[at - turn.start :], False


@dataclass(frozen=True, slots=True)
class OtherPerson:
    """Lines say of `other`, `line` above all, what is asked of `asked`, both speakers' labels."""

    asked: str
    other: str
    line: Citation


@dataclass(frozen=True, slots=True)
class PassageWindow:
    """Evidence lines that stand together in a document: turns `first_turn` to `last_turn`,
    characters `start` to `end`.
    """

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
    """Spending on model calls; `cached` replies are not calls. Tokens as the provider counts, else
    characters / 4.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class IntermediateAnswer:
    """An answer from one subgraph alone. helpfulness 0..100; `scored_by` judge, claims or none
    (earlier versions: formula); `score_parts`: the judge's marks of 1 to 5, or the terms of 0 to 1
    that its claims gave. `evidence_ids`: the labels that the model cited.
    """

    answer: str
    evidence_ids: tuple[str, ...]
    has_enough_evidence: bool
    helpfulness: float
    scored_by: str
    centre: str
    retrieval_score: float
    score_parts: Mapping[str, float] = field(default_factory=dict)
    claims: tuple[CheckedClaim, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a user gets it. When `is_abstained`, `text` says so and `citations` is empty.

    Args:
        citations: What the model cited, in the order of `trace.labels`.
        evidence: The lines that fit the question best, best first, answered or not. Where several
            speakers are asked for, their lines alternate.
        clips: The stretches of talk in which the best of these lines stand, best first.
        windows: The runs of lines that stand together among the citations (without any: among the
        first prompt's evidence).
        claims: What the text claims, in its order, each with its verdict.
        lines: By label, the lines that verdicts name and the model did not cite.
        checked_by: The checker's name; empty where nothing was checked.
        left_out: What a strict answer leaves out; places are those in the model's own text.
        answerable: How likely the sources answer the question at all, 0 to 1; None where that can't
        be told.
        is_nothing_fitting: Whether the best line is too weak to answer the question.
        unknown_names: Names in the question that stand nowhere in the documents, each with those
        that are spelt most like it; or what somebody's words are asked of, in small letters.
        quiet_speakers: Of several speakers who are asked for, or things that are compared, those
            without a line that fits.
        other_person: Of whom lines say what is asked of one speaker, where they don't say it of
            that one.
        unread_language: The name of the question's language, else that of most of the lines that
        were looked at, where the embedder was trained on English and it is another; else empty.
        unjudged_language: The name of the language of the question, the lines or the clips, where
            it keeps `answerable` from being told; else empty.
        question_language, lines_language: The names of the question's language and of that of the
            clips, where the question is surely in another than they are; else empty, both.
    """

    question: str
    text: str
    is_abstained: bool
    citations: tuple[Citation, ...]
    intermediate: tuple[IntermediateAnswer, ...]
    evidence: tuple[EvidenceLine, ...]
    trace: AnswerTrace
    usage: Usage
    is_answered_by_model: bool = True
    windows: tuple[PassageWindow, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    lines: Mapping[str, Citation] = field(default_factory=dict)
    checked_by: str = ""
    left_out: tuple[CheckedClaim, ...] = ()
    answerable: float | None = None
    is_nothing_fitting: bool = False
    unknown_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    quiet_speakers: tuple[str, ...] = ()
    other_person: OtherPerson | None = None
    unread_language: str = ""
    unjudged_language: str = ""
    question_language: str = ""
    lines_language: str = ""
    clips: tuple[Clip, ...] = ()

    @property
    def shown_clips(self) -> tuple[Clip, ...]:
        """The clips as a reader is shown them: nothing is marked where nothing fits."""
        if not self.is_nothing_fitting:
            return self.clips
        return tuple(replace(clip, hits=()) for clip in self.clips)

    @property
    def is_unsupported(self) -> bool:
        """Whether no line states any of its claims, but for short answers that weren't checked:
        lines are then shown first, and it behind them.
        """
        unsupported = (Verdict.NOT_FOUND, Verdict.CONTRADICTED)
        verdicts = [
            claim.verdict
            for claim in self.claims
            if not (claim.question and claim.verdict is Verdict.NOT_CHECKED)
        ]
        return (
            not self.is_abstained
            and bool(verdicts)
            and all(verdict in unsupported for verdict in verdicts)
        )
