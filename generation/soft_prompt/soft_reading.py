"""What a trained soft prompt reads of a question, in training as in answering (docs/papers.md, Soft
answers).
"""

from dataclasses import dataclass

from dynagrag.core.schema import Question, Retrieval
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.answer_prompts import rows_read, takes_clips
from dynagrag.generation.evidence_sentences.best_lines import BestLines
from dynagrag.generation.soft_prompt.soft_text import SoftText, TokenBudget, write_soft_text


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
