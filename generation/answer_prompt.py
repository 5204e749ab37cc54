"""One prompt of a question, and where it comes from."""

from collections.abc import Iterable
from dataclasses import dataclass

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import Evidence, HardPrompt, PromptTrace, SubgraphTrace


@dataclass(frozen=True, slots=True)
class AnswerPrompt:
    """One prompt, where it comes from, and its walk and subgraph for the trace."""

    hard: HardPrompt
    centre: str
    score: float
    order: tuple[str, ...] = ()
    num_unvisited: int = 0
    pruner: str = "none"
    drawn: SubgraphTrace | None = None
    """None for passages."""
    holds_all: bool = False
    """Whether it holds the lines of all prompts before it."""

    def trace(self) -> PromptTrace:
        """Its entry in the answer's trace."""
        return PromptTrace(
            centre=self.centre,
            score=round(self.score, 4),
            walked=self.order,
            num_unvisited=self.num_unvisited,
            pruner=self.pruner,
            num_tokens=estimate_tokens(self.hard.text),
            num_lines_cut=self.hard.num_lines_cut,
            labels=tuple(e.label for e in self.hard.evidence),
            evidence_ids=tuple(e.id for e in self.hard.evidence),
            text=self.hard.text,
            num_nodes_in=self.hard.num_nodes,
            num_relations_in=self.hard.num_edges,
            subgraph=self.drawn,
        )


def all_evidence(prompts: Iterable[AnswerPrompt]) -> dict[str, Evidence]:
    """Every evidence line of a question by its label."""
    return {e.label: e for prompt in prompts for e in prompt.hard.evidence}
