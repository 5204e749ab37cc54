"""The plan of an answer, made once before the question is read: `workspace.asking` makes it of
settings, options and overrides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from dynagrag.config.settings import Profile
from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.protocols import (
    Asker,
    ClaimChecker,
    Embedder,
    Pruner,
    Reranker,
    Retriever,
    Traversal,
)
from dynagrag.core.schema import Clip, Question, Retrieval, Snapshot, Verdict
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.answer_prompts import num_ranked, write_prompts
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.soft_prompt.soft_answers import SoftAnswerer
from dynagrag.retrieval.passages import PassageScores

WritePrompts = Callable[[Profile, Sequence[Clip]], list[AnswerPrompt]]
"""The prompts of a question under a profile, the clips first where they take them."""
EVERY_CLAIM = frozenset(Verdict)
NOTHING_REFUSED = frozenset({Verdict.STATED, Verdict.NOT_CHECKED})
"""What lines state, and what nobody could tell."""
STATED_ALONE = frozenset({Verdict.STATED})


@dataclass(frozen=True, slots=True)
class FilteredView:
    """The part of a workspace inside the filters, and the indexes over it. Questions share it."""

    snapshot: Snapshot
    passages: PassageScores
    lines: LineIndex

    @classmethod
    def of(cls, snapshot: Snapshot, files: KeptArrays | None = None) -> "FilteredView":
        """A view of all of a snapshot; the indexes fill as questions need them. `files`: in
        which its words are kept for the next process.
        """
        passages = PassageScores(snapshot, files)
        return cls(snapshot, passages, LineIndex(passages))


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """How one question is answered.

    Attributes:
        view: What is searched and quoted.
        profile: How many passages, subgraphs and prompts, of how many tokens; no more prompts than
        the call budget has room for.
        retriever: Finds passages and subgraphs.
        pruner: Scores the subgraphs' nodes and edges.
        traversal: Says which nodes of a subgraph are written, and in which order.
        embedder: The one that the question and the workspace were embedded by.
        checker: Gives a verdict on each claim of the answer.
        chat: The language model, which counts its calls against their budget; None: the evidence is
        shown.
        soft: A trained system that answers in place of `chat`, which then only checks.
        reranker: Puts the lines of evidence in order; the retriever knows it too.
        max_concurrency: Model calls at once.
        kept_claims: Verdicts of the claims that an answer keeps; the others are left out. Where
        none is kept, an answer of `STATED_ALONE` abstains; others stand behind the nearest lines.
        notes: Why it is so where that isn't plain from the options, a sentence each, for the trace.
    """

    view: FilteredView
    profile: Profile
    retriever: Retriever
    pruner: Pruner
    traversal: Traversal
    embedder: Embedder
    checker: ClaimChecker
    chat: Asker | None
    soft: SoftAnswerer | None = None
    reranker: Reranker | None = None
    max_concurrency: int = 8
    kept_claims: frozenset[Verdict] = EVERY_CLAIM
    notes: tuple[str, ...] = ()

    def retrieve(self, question: Question) -> Retrieval:
        """As many passages and subgraphs as the profile reads."""
        profile = self.profile
        return self.retriever.retrieve(
            question, num_passages=num_ranked(profile), num_subgraphs=profile.num_subgraphs
        )

    def writer(self, question: Question, retrieval: Retrieval) -> WritePrompts:
        """Writes the prompts of what was retrieved."""
        view = self.view
        return partial(
            write_prompts,
            view.snapshot,
            question,
            retrieval,
            view.passages,
            self.pruner,
            self.traversal,
        )

    def line_finder(self, question: Question) -> Callable[[Sequence[int]], BestLines]:
        """Finds the lines that fit the question in rows of passages."""
        return partial(
            best_lines, self.view.lines, question, embedder=self.embedder, reranker=self.reranker
        )
