"""The prompts of subgraphs: graph lines from a walk, then evidence, under a budget (docs/papers.md,
Hard prompt, and Answers, step 6).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from dynagrag.config.settings import Profile
from dynagrag.core.protocols import Pruner, Traversal
from dynagrag.core.schema import (
    Evidence,
    PruneScores,
    Question,
    Retrieval,
    Snapshot,
    Subgraph,
)
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.evidence import (
    CHARS_PER_TOKEN,
    Span,
    evidence_that_fits,
    passage_evidence,
)
from dynagrag.generation.hard_prompt import (
    EVIDENCE_SHARE,
    walk_budget,
    write_evidence_prompt,
    write_hard_prompt,
)
from dynagrag.generation.retrieval_trace import subgraph_trace
from dynagrag.generation.traversal import first_nodes

LEAST_GATE = 0.5
"""Of Bridge-PPR's gate, for graph lines in prompts: below it, amid long talk and for long
questions, passages bring more (docs/decisions/0075-union-is-how-graphs-are-prompted.md).
"""
_MAX_TRACED = 1000
"""Names of a walk in a trace; it may be over all of a large graph."""


@dataclass(frozen=True, slots=True)
class SubgraphWriter:
    """Writes the prompts of a question's subgraphs, each of at most `token_budget` tokens."""

    snapshot: Snapshot
    question: Question
    profile: Profile
    pruner: Pruner
    traversal: Traversal
    token_budget: int

    def scored(self, subgraphs: Sequence[Subgraph]) -> Iterator[tuple[Subgraph, PruneScores]]:
        """Each subgraph with the pruner's scores, which it gives all at once."""
        scores = self.pruner.score(subgraphs, self.question.vector)
        return zip(subgraphs, scores, strict=True)

    def prompt(
        self,
        subgraph: Subgraph,
        scores: PruneScores,
        lines: Sequence[Evidence],
        evidence_share: float = EVIDENCE_SHARE,
    ) -> AnswerPrompt:
        """The subgraph's prompt with as many of the lines, best first, as fit beside it."""
        snapshot, budget = self.snapshot, self.token_budget
        takes = first_nodes(len(subgraph.nodes))
        if not self.profile.walks_all:
            takes = walk_budget(
                snapshot,
                subgraph,
                scores,
                lines,
                token_budget=budget,
                similarities=self._similarities,
                evidence_share=evidence_share,
            ).takes
        walk = self.traversal.walk(subgraph, self.question.vector, scores, takes)
        hard = write_hard_prompt(
            snapshot,
            subgraph,
            walk,
            scores,
            lines,
            token_budget=budget,
            similarities=self._similarities,
            has_all_summaries=self.profile.has_all_summaries,
            evidence_share=evidence_share,
        )
        names = [snapshot.graph.entities[subgraph.nodes[node]].name for node in walk.order]
        return AnswerPrompt(
            hard,
            centre=names[0],
            score=subgraph.score,
            order=tuple(names[:_MAX_TRACED]),
            num_unvisited=walk.num_unvisited,
            pruner=scores.label,
            drawn=subgraph_trace(snapshot, subgraph, walk, scores, hard),
        )

    def _similarities(self, summaries: Sequence[str]) -> Sequence[float]:
        # From the vectors made at ingest: embedding them would take longer than all the rest. A
        # summary that has none (a person's edit) comes last.
        rows = [self.snapshot.summary_rows.get(summary, -1) for summary in summaries]
        vectors, asked = self.snapshot.summary_vectors, self.question.vector
        return [float(vectors[row] @ asked) if row >= 0 else -1.0 for row in rows]


def takes_union(profile: Profile, retrieval: Retrieval) -> bool:
    """Whether ego-graphs are prompted as a union with ranked passages: under a profile that gives
    them a share, from a retriever that ranks passages and turns besides.
    """
    is_shared = profile.graph_share is not None and profile.passage_ranking == "bridge"
    return is_shared and bool(retrieval.turns and retrieval.candidates)


def union_note(profile: Profile, retrieval: Retrieval) -> str:
    """Why the prompts have no graph lines, where they could have; else empty."""
    if not (takes_union(profile, retrieval) and retrieval.subgraphs) or _has_graph_lines(retrieval):
        return ""
    gate = retrieval.trace.gate if retrieval.trace else 0.0
    return (
        f"no {retrieval.subgraph_kind} has lines in a prompt: passages alone bring more where the"
        f" graph counts little (gate {gate:.2f}, under {LEAST_GATE})"
    )


def _has_graph_lines(retrieval: Retrieval) -> bool:
    return retrieval.trace is not None and retrieval.trace.gate >= LEAST_GATE


def union_prompts(
    write: SubgraphWriter, retrieval: Retrieval, before: Sequence[Span]
) -> list[AnswerPrompt]:
    """A prompt of the best lines alone, the spans that come `before` first, but where a profile has
    passages beside subgraphs; then one an ego-graph: its lines in a small share of the room, and
    the next best lines that no earlier prompt has. Of those that have room in this prompt and the
    ones after it, those of passages that hold one of its nodes come first: it says which passages
    stand together, and displaces none. Where the graph counts little, and where there are fewer
    ego-graphs than prompts, the next best lines alone.

    Where every line is in an earlier prompt, those that hold an ego-graph's nodes come again.
    """
    snapshot, profile = write.snapshot, write.profile
    lines = passage_evidence(snapshot, retrieval.passages, before=before)
    score = retrieval.passages[0].score if retrieval.passages else 0.0
    scored = [*write.scored(retrieval.subgraphs if _has_graph_lines(retrieval) else ())]
    prompts: list[AnswerPrompt] = []
    left, max_chars = list(lines), CHARS_PER_TOKEN * write.token_budget
    for number in range(profile.num_prompts):
        if scored and (number or profile.has_passages_beside):
            subgraph, scores = scored.pop(0)
            held, share = _passages_of(snapshot, subgraph), 1 - (profile.graph_share or 0)
            room = int(share * write.token_budget * (profile.num_prompts - number))
            next_in = {e.label for e in evidence_that_fits(left, CHARS_PER_TOKEN * room)}
            own = sorted(left, key=lambda e: not (e.label in next_in and e.id in held))
            own = own or [e for e in lines if e.id in held]
            if not own:
                continue
            prompt = write.prompt(subgraph, scores, own, share)
            # again, so that no prompt tells of lines that another one has
            prompt = write.prompt(subgraph, scores, prompt.hard.evidence, share)
        elif left:
            # what doesn't fit is in the next prompt, so no room is kept for words on it
            hard = write_evidence_prompt(evidence_that_fits(left, max_chars))
            prompt = AnswerPrompt(hard, f"{retrieval.retriever} {number + 1}", score)
        else:
            break
        prompts.append(prompt)
        left = _without(left, prompt.hard.evidence)
    return prompts


def _without(lines: Sequence[Evidence], shown: Sequence[Evidence]) -> list[Evidence]:
    labels = {e.label for e in shown}
    return [e for e in lines if e.label not in labels]


def _passages_of(snapshot: Snapshot, subgraph: Subgraph) -> Collection[str]:
    """Ids of the passages that hold one of its nodes."""
    return {id_ for node in subgraph.nodes for id_ in snapshot.graph.entity_passages[node]}
