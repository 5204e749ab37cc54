"""How helpful each intermediate answer is: one judge call for all of them, or a formula when the judge fails (docs/papers.md, Answers)."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dynagrag.errors import InvalidReplyError, ModelError
from dynagrag.generation.reply_types import helpfulness_reply
from dynagrag.ids import content_id
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.protocols import Asker, Embedder, Prompt
from dynagrag.schema import Question

JUDGE = "judge"
FORMULA = "formula"


@dataclass(frozen=True, slots=True)
class Score:
    """How helpful an answer is, 0..100, and what that is made of: the judge's marks (1..5), or the formula's terms (0..1)."""

    value: float = 0.0
    scored_by: str = "none"
    parts: dict[str, float] = field(default_factory=dict)


def judged_helpfulness(chat: Asker, question: str, answers: Sequence[str], token_budget: int) -> list[Score]:
    """H = 20 * (0.5 relevance + 0.25 coherence + 0.25 detail), 20 to 100, one an answer; the judge sees them in shuffled order.

    Answers are shortened alike to fit `token_budget` (prompt tokens, instructions included). Raises ModelError, also when an id is missing.
    """
    order = list(range(len(answers)))
    random.Random(content_id(question, *answers)).shuffle(order)  # another order a question, the same each time
    room = (token_budget - _frame_tokens(question, len(answers))) * 4 // max(1, len(answers))
    shown = [{"id": f"A{place + 1}", "text": answers[i][: max(80, room)]} for place, i in enumerate(order)]
    system, user = render("helpfulness", question=question, answers=shown)
    reply = chat.ask(
        Prompt("helpfulness", system, user), helpfulness_reply(len(answers)), stage="judge", max_tokens=60 * len(answers) + 100
    )
    by_id = {score.id.strip(): score for score in reply.scores}
    missing = [row["id"] for row in shown if row["id"] not in by_id]
    if missing:
        raise InvalidReplyError(f"the judge left out {', '.join(missing)}")
    result = [Score()] * len(answers)
    for row, i in zip(shown, order, strict=True):
        marks = by_id[row["id"]]
        value = 20 * (0.5 * marks.relevance + 0.25 * marks.coherence + 0.25 * marks.detail)
        result[i] = Score(value, JUDGE, {"relevance": marks.relevance, "coherence": marks.coherence, "detail": marks.detail})
    return result


def _frame_tokens(question: str, num_answers: int) -> int:
    system, user = render("helpfulness", question=question, answers=[{"id": f"A{i}", "text": ""} for i in range(num_answers)])
    return prompt_tokens(Prompt("helpfulness", system, user), helpfulness_reply(num_answers))


def formula_helpfulness(embedder: Embedder, question: Question, answer: str, num_entities: int) -> Score:
    """H = 100 * (0.5 (1 + cos(q, a)) / 2 + 0.25 mean cosine of neighbouring sentences + 0.25 min(1, entities / 8)), clipped to 0..100.

    A single sentence has no neighbours; its coherence counts as 1.
    """
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", answer.strip()) if s]
    if not sentences:
        return Score(scored_by=FORMULA)
    vectors = embedder.embed_documents([answer, *sentences])
    relevance = (1 + float(vectors[0] @ question.vector)) / 2
    rows = vectors[1:]
    coherence = float(np.mean(np.sum(rows[:-1] * rows[1:], axis=1))) if len(rows) > 1 else 1.0
    detail = min(1.0, num_entities / 8)
    value = float(np.clip(100 * (0.5 * relevance + 0.25 * coherence + 0.25 * detail), 0, 100))
    return Score(value, FORMULA, {"relevance": relevance, "coherence": coherence, "detail": detail})


def helpfulness(
    chat: Asker, embedder: Embedder, question: Question, answers: Sequence[str], num_entities: Sequence[int], token_budget: int
) -> list[Score]:
    """Scores of all answers. One answer needs no judge: the formula ranks nothing, but is shown."""
    if len(answers) > 1:
        try:
            return judged_helpfulness(chat, question.text, answers, token_budget)
        except ModelError:
            pass  # the formula is the specified way on, and `scored_by` says so in the answer
    return [formula_helpfulness(embedder, question, a, n) for a, n in zip(answers, num_entities, strict=True)]
