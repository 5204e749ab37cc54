"""What each intermediate answer is asked from: one hard prompt a subgraph for graph arms, one
prompt of passages for plain arms.

Evidence labels run through all prompts of a question, so that the merged answer can cite any of
them by its label alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from dynagrag.config.settings import Profile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import Prompt, Pruner, Traversal
from dynagrag.core.schema import (
    Evidence,
    HardPrompt,
    PromptTrace,
    Question,
    Retrieval,
    ScoredPassage,
    Snapshot,
    SubgraphTrace,
)
from dynagrag.generation.citations import checked_marks, cited_labels, known_labels
from dynagrag.generation.evidence import QuestionEvidence, line_of, passage_evidence
from dynagrag.generation.hard_prompt import (
    LEFT_OUT_CHARS,
    room_for_walk,
    write_evidence_prompt,
    write_hard_prompt,
)
from dynagrag.generation.lines.line_fit import NUM_PASSAGES
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.generation.retrieval_trace import subgraph_trace
from dynagrag.generation.spread import spread_passages
from dynagrag.generation.stretches import in_stretches
from dynagrag.generation.traversal import first_nodes
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.retrieval.passages import PassageScores

_LABEL_CHARS = 6
"""What a label and a line's end take beyond those of the first label."""


@dataclass(frozen=True, slots=True)
class Context:
    """One prompt, where it comes from and what the trace tells of it."""

    prompt: HardPrompt
    centre: str
    score: float
    order: tuple[str, ...] = ()
    num_unvisited: int = 0
    pruner: str = "none"
    drawn: SubgraphTrace | None = None
    """None for passages."""

    def lines(self) -> dict[str, str]:
        """The evidence lines by label."""
        return {e.label: line_of(e) for e in self.prompt.evidence}

    def cited_text(self, reply: IntermediateReply, max_characters: int) -> str:
        """The reply's answer with its checked marks; labels that it listed and marked nowhere stand
        at the end.
        """
        own = {e.label: e for e in self.prompt.evidence}
        text = checked_marks(reply.answer.strip()[:max_characters], own).strip()
        listed = [
            label for label in known_labels(reply.citations, own) if label not in cited_labels(text)
        ]
        return f"{text} {''.join(f'[{label}]' for label in listed)}" if text and listed else text

    def trace(self) -> PromptTrace:
        """What the answer's trace tells of it."""
        return PromptTrace(
            centre=self.centre,
            score=round(self.score, 4),
            walked=self.order,
            num_unvisited=self.num_unvisited,
            pruner=self.pruner,
            num_tokens=estimate_tokens(self.prompt.text),
            num_lines_cut=self.prompt.num_lines_cut,
            labels=tuple(e.label for e in self.prompt.evidence),
            evidence_ids=tuple(e.id for e in self.prompt.evidence),
            text=self.prompt.text,
            num_nodes_in=self.prompt.num_nodes,
            num_relations_in=self.prompt.num_edges,
            subgraph=self.drawn,
        )


def build_contexts(
    snapshot: Snapshot,
    question: Question,
    retrieval: Retrieval,
    passages: PassageScores,
    pruner: Pruner,
    traversal: Traversal,
    profile: Profile,
) -> list[Context]:
    """The prompts of a question: that of the ranked passages where the profile has one, then the
    subgraphs', best first; a subgraph without any evidence has none. Budgets include the
    instructions. Where a profile has no ego-graphs, so that passages would have all the room, they
    have what the retriever's subgraphs leave of it.
    """
    budget = profile.subgraph_token_budget - _frame_tokens(
        question.text, intermediate_prompt(profile)
    )
    if profile.num_spread:
        return _spread_contexts(snapshot, retrieval, profile.num_spread, budget)
    if not retrieval.subgraphs:
        return _plain_context(snapshot, retrieval, profile, budget)
    contexts: list[Context] = []
    evidence = QuestionEvidence(passages, question, retrieval.passages)
    if (
        profile.passage_ranking == "bridge"
    ):  # first, and under a budget of their own: no ego-graph displaces them
        left = (
            budget
            if profile.has_ego_graphs
            else budget * max(1, profile.num_prompts - len(retrieval.subgraphs))
        )
        best = in_stretches(that_fit(snapshot, retrieval.passages, left))
        contexts = _passage_context(snapshot, replace(retrieval, passages=tuple(best)), left)
        evidence.show(e for context in contexts for e in context.prompt.evidence)
    scores = pruner.score(retrieval.subgraphs, question.vector)
    for subgraph, relevance in zip(retrieval.subgraphs, scores, strict=True):
        nearest = partial(_nearest, snapshot, question)
        if profile.max_walked is None:
            own = evidence.of_subgraph(subgraph, range(len(subgraph.nodes)))
            room = room_for_walk(
                snapshot, subgraph, relevance, own, token_budget=budget, nearest=nearest
            )
            walk = traversal.walk(subgraph, question.vector, relevance, room.takes)
        else:
            walk = traversal.walk(
                subgraph, question.vector, relevance, first_nodes(profile.max_walked)
            )
            own = evidence.of_subgraph(subgraph, walk.order)
        if not own:
            continue
        prompt = write_hard_prompt(
            snapshot, subgraph, walk, relevance, own, token_budget=budget, nearest=nearest
        )
        evidence.show(prompt.evidence)
        names = [snapshot.graph.entities[subgraph.nodes[node]].name for node in walk.order]
        drawn = subgraph_trace(snapshot, subgraph, walk, relevance, prompt)
        contexts.append(
            Context(
                prompt,
                names[0],
                subgraph.score,
                tuple(names),
                walk.num_unvisited,
                relevance.label,
                drawn,
            )
        )
    return contexts


def _plain_context(
    snapshot: Snapshot, retrieval: Retrieval, profile: Profile, budget: int
) -> list[Context]:
    """Passages alone get one call with the context that the prompts of a profile have together
    (docs/papers.md, Answers, step 6).
    """
    if profile.num_dealt:
        return _dealt_contexts(snapshot, retrieval, profile.num_dealt, budget)
    return _passage_context(snapshot, retrieval, profile.num_prompts * budget)


def that_fit(
    snapshot: Snapshot, passages: Sequence[ScoredPassage], token_budget: int
) -> list[ScoredPassage]:
    """The best passages that fit the budget whole, in their order; at least one."""
    chosen: list[ScoredPassage] = []
    room = 4 * token_budget - LEFT_OUT_CHARS
    for scored in passages:
        # labels are longer later on
        room -= sum(len(line_of(e)) + _LABEL_CHARS for e in passage_evidence(snapshot, [scored]))
        if chosen and room < 0:
            break
        chosen.append(scored)
    return chosen


def _passage_context(snapshot: Snapshot, retrieval: Retrieval, room: int) -> list[Context]:
    if not retrieval.passages:
        return []
    prompt = write_evidence_prompt(passage_evidence(snapshot, retrieval.passages), room)
    return [Context(prompt, retrieval.retriever, retrieval.passages[0].score)]


def _dealt_contexts(
    snapshot: Snapshot, retrieval: Retrieval, num_prompts: int, budget: int
) -> list[Context]:
    """The best passages' lines in one prompt, as far as they fit it, of those that are left the
    best in another, and so on.
    """
    contexts: list[Context] = []
    scores = {scored.passage.id: scored.score for scored in retrieval.passages}
    left = passage_evidence(snapshot, retrieval.passages)
    while left and len(contexts) < num_prompts:
        own = write_evidence_prompt(left, budget).evidence
        contexts.append(
            Context(
                write_evidence_prompt(own),
                f"{retrieval.retriever} {len(contexts) + 1}",
                scores[own[0].id],
            )
        )
        taken = {evidence.label for evidence in own}
        left = tuple(evidence for evidence in left if evidence.label not in taken)
    return contexts


def _spread_contexts(
    snapshot: Snapshot, retrieval: Retrieval, num_prompts: int, budget: int
) -> list[Context]:
    """A prompt for each part of what is spread, in the order of the text."""
    contexts: list[Context] = []
    first_label = 1
    for passages in spread_passages(snapshot, retrieval.passages, num_prompts, budget):
        prompt = write_evidence_prompt(passage_evidence(snapshot, passages, first_label), budget)
        first_label += len(prompt.evidence)
        titles = dict.fromkeys(
            snapshot.documents[scored.passage.document_id].title for scored in passages
        )
        contexts.append(
            Context(
                prompt,
                f"part {len(contexts) + 1}: {', '.join(titles)}",
                max(scored.score for scored in passages),
            )
        )
    return contexts


def intermediate_prompt(profile: Profile) -> str:
    """The prompt that asks for an intermediate answer: the whole one, or what one part adds to
    it.
    """
    return "partial" if profile.num_spread else "intermediate"


def _frame_tokens(question: str, prompt: str) -> int:
    """Tokens of the instructions, the question and the reply's schema."""
    system, user = render(prompt, question=question, context="")
    return prompt_tokens(Prompt(prompt, system, user), IntermediateReply)


def _nearest(snapshot: Snapshot, question: Question, summaries: Sequence[str]) -> Sequence[float]:
    """Cosines of summaries with the question, from the vectors made at ingest: embedding them would
    take longer than all the rest.

    A summary that has none (a person's edit) comes last.
    """
    rows = [snapshot.summary_rows.get(summary, -1) for summary in summaries]
    return [
        float(snapshot.summary_vectors[row] @ question.vector) if row >= 0 else -1.0 for row in rows
    ]


def all_evidence(contexts: Sequence[Context]) -> dict[str, Evidence]:
    """Every evidence line of a question by its label."""
    return {e.label: e for context in contexts for e in context.prompt.evidence}


def looked_at(
    retrieval: Retrieval, contexts: Sequence[Context], passages: PassageScores
) -> list[int]:
    """Rows of the passages that were ranked, best first, then of those that prompts hold besides.
    Where passages are spread over many prompts, the ranked ones alone: sentences are embedded for
    it.
    """
    ids = [scored.passage.id for scored in retrieval.passages[:NUM_PASSAGES]]
    ids += [evidence.id for context in contexts for evidence in context.prompt.evidence]
    return [passages.row_of[id_] for id_ in dict.fromkeys(ids) if id_ in passages.row_of]
