"""How an answer came about, as values: what `ask --trace` tells, and the page Why shows.

Scores and cosines are rounded to four digits, so that a trace is the same after it was stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTrace:
    """A centre that was looked at, and what became of it."""

    entity: str
    score: float
    is_accepted: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTrace:
    """A fact near the question."""

    text: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageTrace:
    """A ranked passage. Its score is the sum of `first_stage`, `graph`, `bridge`, `around` and
    `steps` (None: the question was not split).

    `words`: how it begins. `over`: the entity of the best bridge into it, if there is one, from the
    passage of `from_rank` (None: one that is not among the ranked).
    """

    document: str
    id: str
    document_id: str = ""
    start: int
    end: int
    start_s: float | None
    words: str
    score: float
    first_stage: float
    graph: float
    bridge: float
    around: float
    steps: float | None = None
    over: str | None = None
    from_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingTrace:
    """Why passages stand as they do: entities that the question names, its nearest facts, the gate
    on the graph's share, its steps.
    """

    linked: tuple[str, ...]
    facts: tuple[FactTrace, ...]
    gate: float
    steps: tuple[str, ...] = ()
    passages: tuple[PassageTrace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTrace:
    """A node of a drawn subgraph. `score` is the pruner's. `place` in the walk from 1 (None: not
    visited), `depth` there, and `parent`: the row of the node that it was reached from. `mask`:
    what a trained GRAG's soft pruning left of it, from 0 to 1. `prize`: what it got for its
    likeness to the question where a tree was chosen by prizes.
    """

    id: str
    name: str
    type: str
    weight: int
    hops: int
    score: float
    place: int | None
    depth: int | None
    parent: int | None
    is_in_prompt: bool
    mask: float | None = None
    prize: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeTrace:
    """All relations from one node to another, as one arrow. `source` and `target` are rows of the
    drawn nodes; `mask` and `prize` as a node's.
    """

    source: int
    target: int
    labels: tuple[str, ...]
    weight: int
    score: float
    is_in_prompt: bool
    mask: float | None = None
    prize: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgraphTrace:
    """The drawn part of a subgraph, the centre first, and the sizes of the whole. `edges` are
    arrows, each with its labels; `num_edges` counts relations, parallel and reverse ones each.
    """

    nodes: tuple[NodeTrace, ...]
    edges: tuple[EdgeTrace, ...]
    num_nodes: int
    num_edges: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTrace:
    """The prompt of one intermediate answer. `subgraph` None: a prompt of passages, whose `centre`
    is the retriever's name.

    `num_nodes_in` and `num_relations_in`: how many of them the prompt holds; `num_tokens` are those
    of its text.
    """

    centre: str
    score: float
    walked: tuple[str, ...]
    num_unvisited: int
    pruner: str
    num_tokens: int
    num_lines_cut: int
    labels: tuple[str, ...]
    evidence_ids: tuple[str, ...]
    text: str
    num_nodes_in: int
    num_relations_in: int
    subgraph: SubgraphTrace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftTrace:
    """The input of a trained soft prompt in place of the language model's prompts, and its costs.

    Args:
        label: The system and its language model.
        num_soft_tokens: Tokens that are vectors of their own: of the graph, or learned ones.
        text_tokens: Of the prompts' text, as far as it was read.
        prompt_tokens: All that it read: soft tokens, text, question and the chat's own.
        reply_tokens: Of its reply.
        seconds: Of the reply.
        labels: The evidence that stood in the text.
        num_lines_read: Lines of the text, evidence and graph.
        num_lines: Lines that the prompts would have under their own budget, with those that are
        left out there.
    """

    label: str
    num_soft_tokens: int
    text_tokens: int
    prompt_tokens: int
    reply_tokens: int
    seconds: float
    labels: tuple[str, ...] = ()
    num_lines_read: int = 0
    num_lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTrace:
    """How an answer came about.

    Args:
        retriever: What found the evidence.
        notes: What was out of the ordinary on the way, a sentence each.
        num_passages: How many were retrieved.
        candidates: Centres of subgraphs in the order of their score; none for plain retrievers.
        subgraph_kind: What the retriever's subgraphs are called.
        ranking: Why the passages stand as they do; None where the retriever tells nothing of it.
        profile: The profile's name.
        instructions: What every intermediate answer was told first.
        merge_prompt: The prompt of the merged answer, whole; empty where nothing was merged.
        document_ids: The document of each evidence id.
        doubtful: The titles of those documents whose speakers are doubtful.
        prompts: What was put before the model, in the order of retrieval.
        failures: Why intermediate answers could not be had.
        reason: Why nothing was answered.
        merge: How several intermediate answers became one.
        languages: By label the language of each line that claims were checked against (ISO 639-1;
        "und" where it can't be told).
        labels: The evidence labels of the answer's citations, in their order.
        soft: What a trained soft prompt read, where one answered; its `prompts` are its text, as it
        was before it was cut.
        fallback: What the retriever brought instead of the graph's parts where none is near the
        question, and that, in words.
    """

    retriever: str
    notes: tuple[str, ...] = ()
    num_passages: int = 0
    candidates: tuple[CandidateTrace, ...] = ()
    ranking: RankingTrace | None = None
    profile: str = ""
    instructions: str = ""
    merge_prompt: str = ""
    document_ids: Mapping[str, str] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()
    prompts: tuple[PromptTrace, ...] = ()
    failures: tuple[str, ...] = ()
    reason: str = ""
    merge: str = ""
    labels: tuple[str, ...] = ()
    subgraph_kind: str = "ego-graph"
    soft: SoftTrace | None = None
    languages: Mapping[str, str] = field(default_factory=dict)
    fallback: str = ""
