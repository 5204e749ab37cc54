"""What a trained soft prompt reads of a question, in training as in answering (docs/papers.md, Soft
answers).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from dynagrag.core.schema import Question, Retrieval
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.answer_prompts import rows_read, takes_clips
from dynagrag.generation.evidence_sentences.best_lines import BestLines
from dynagrag.generation.retrieval_trace import subgraph_trace
from dynagrag.generation.soft_prompt.soft_text import SoftText, TokenBudget, write_soft_text
from dynagrag.generation.traversal import first_nodes


@dataclass(frozen=True, slots=True)
class SoftReading:
    """What was retrieved, the text that is read of it, and the lines of its passages."""

    retrieval: Retrieval
    text: SoftText
    lines: BestLines


def soft_reading(question: Question, plan: AnswerPlan, token_budget: TokenBudget) -> SoftReading:
    """The reading of a question by the plan of a system, whether it is trained or not."""
    retrieval = plan.retrieve(question)
    write, profile = plan.writer(question, retrieval), plan.profile
    rows = rows_read(profile, retrieval, write(profile, ()), plan.view.passages)
    lines = plan.line_finder(question)(rows)
    clips = lines.clips if takes_clips(profile, retrieval) else ()
    text = write_soft_text(lambda own: write(own, clips), profile, token_budget)
    return SoftReading(retrieval, text, lines)


def with_unread_subgraphs(
    prompts: Sequence[AnswerPrompt], question: Question, plan: AnswerPlan, retrieval: Retrieval
) -> list[AnswerPrompt]:
    """The prompts, each with the subgraph that stands at its place to be drawn, where none has
    lines in any: the graph token is made of them all the same.
    """
    subgraphs, snapshot = retrieval.subgraphs, plan.view.snapshot
    if any(prompt.drawn for prompt in prompts):
        return [*prompts]
    shown = list(prompts)
    scored = zip(subgraphs, plan.pruner.score(subgraphs, question.vector), strict=True)
    for place, (subgraph, scores) in enumerate(islice(scored, len(prompts))):
        takes = first_nodes(len(subgraph.nodes))
        walk = plan.traversal.walk(subgraph, question.vector, scores, takes)
        shown[place] = replace(
            prompts[place],
            centre=snapshot.graph.entities[subgraph.nodes[walk.order[0]]].name,
            pruner=scores.label,
            drawn=subgraph_trace(snapshot, subgraph, walk, scores, prompts[place].hard),
        )
    return shown
