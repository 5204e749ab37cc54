"""Prompts of arms, as `ask` would write them, without a model, and how much of the gold stands in
them.

All arms have the same room for what follows the instructions, so that what is compared is what they
fill it with.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dynagrag import wiring
from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import Embedder, Pruner, Retriever, Traversal
from dynagrag.core.schema import Evidence, Question
from dynagrag.evaluation.question_sets.gold_resolver import GoldWords
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.answer_prompts import (
    num_ranked,
    prompts_and_lines,
    takes_clips,
    write_prompts,
)
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.generation.evidence_sentences.line_index import LineIndex


@dataclass(frozen=True, slots=True)
class PromptArm:
    """A retriever with the profile that its prompts are written under."""

    name: str
    retriever: Retriever
    profile: Profile
    lines: LineIndex
    embedder: Embedder
    pruner: Pruner
    traversal: Traversal

    def written(self, question: Question) -> Sequence[AnswerPrompt]:
        """The prompts of a question, of as many passages as `ask` takes, with its clips."""
        profile, passages = self.profile, self.lines.passages
        found = self.retriever.retrieve(question, num_ranked(profile), profile.num_subgraphs)
        write = partial(
            write_prompts,
            passages.snapshot,
            question,
            found,
            passages,
            self.pruner,
            self.traversal,
            profile,
        )
        if not takes_clips(profile, found):
            return write()
        find_lines = partial(best_lines, self.lines, question, embedder=self.embedder)
        prompts, _ = prompts_and_lines(write, find_lines, profile, found, passages)
        return prompts


@dataclass(frozen=True, slots=True)
class PromptMeasures:
    """Of one question: measures by name, none where no prompts were written, and the prompts'
    tokens.
    """

    measures: Mapping[str, float]
    tokens: int | None


def with_equal_room(profile: Profile, has_passages: bool = True) -> Profile:
    """The profile with as many prompts, each of as many tokens, as `default` has; without a prompt
    of passages all are subgraphs'.
    """
    default = PROFILES["default"]
    equal = replace(
        profile,
        subgraph_token_budget=default.subgraph_token_budget,
        num_subgraphs=default.num_subgraphs,
    )
    if not has_passages:
        equal = replace(equal, passage_ranking="ego")
    if profile.num_spread:
        equal = replace(equal, num_spread=default.num_prompts)
    return replace(
        equal, num_subgraphs=default.num_subgraphs + default.num_prompts - equal.num_prompts
    )


def prompt_recall(
    gold: Sequence[GoldWords], num_missing: int, evidence: Iterable[Evidence]
) -> float:
    """The mean over what should be found of the share of its characters that the evidence quotes;
    gold that the corpus lacks counts 0.
    """
    quoted: dict[str, list[tuple[int, int]]] = {}
    for item in evidence:
        quoted.setdefault(item.document_id, []).append((item.start, item.end))
    shares = [
        max((_covered(spans, quoted) for spans in alternatives), default=0.0)
        for alternatives in gold
    ]
    total = len(shares) + num_missing
    return sum(shares) / total if total else 0.0


def prompt_tokens(prompts: Iterable[AnswerPrompt]) -> int:
    """Tokens of all prompts of a question, the instructions left out."""
    return sum(estimate_tokens(prompt.hard.text) for prompt in prompts)


def _covered(
    spans: Sequence[tuple[str, int, int]], quoted: Mapping[str, Sequence[tuple[int, int]]]
) -> float:
    """The share of the spans' characters that are quoted, each once."""
    total = sum(end - start for _, start, end in spans)
    covered = 0
    for document, start, end in spans:
        at = start
        for first, last in sorted(quoted.get(document, ())):
            first, last = max(first, at), min(last, end)
            if first < last:
                covered += last - first
                at = last
    return covered / total if total else 0.0


def make_prompt_arm(
    name: str, retriever: Retriever, profile: Profile, lines: LineIndex, embedder: Embedder
) -> PromptArm:
    """The arm with the pruner and traversal that questions are answered with."""
    return PromptArm(
        name,
        retriever,
        profile,
        lines,
        embedder,
        wiring.make_pruner(),
        wiring.make_traversal("dsa-bfs", profile),
    )
