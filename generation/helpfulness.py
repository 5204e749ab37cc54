"""How helpful each intermediate answer is: one judge call for all of them, or what its claims are
worth (docs/papers.md, Answers).
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from dynagrag.core.errors import InvalidReplyError, ModelError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Asker, Embedder, Prompt
from dynagrag.core.schema import CheckedClaim, Question, Verdict
from dynagrag.generation.evidence import CHARS_PER_TOKEN
from dynagrag.generation.reply_types import helpfulness_reply
from dynagrag.generation.support import content_stems
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render

JUDGE = "judge"
CLAIMS = "claims"
_UNSTATED = 0.1
"""The weight of an answer of which no line states anything: little, but not nothing, since rules
do not read every language.
"""
_YES_OR_NO = re.compile(
    r"\s*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Score:
    """How helpful an answer is, 0..100, and the parts of that: the judge's marks (1..5), or the
    terms (0..1) that its claims gave.
    """

    value: float = 0.0
    scored_by: str = "none"
    parts: dict[str, float] = field(default_factory=dict)


def judged_helpfulness(
    chat: Asker, question: str, answers: Sequence[str], token_budget: int
) -> list[Score]:
    """H = 20 * (0.5 relevance + 0.25 coherence + 0.25 detail), 20 to 100, one an answer; the judge
    sees them in shuffled order.

    Answers are shortened alike to fit `token_budget` (prompt tokens, instructions included). Raises
    ModelError, also when an id is missing.
    """
    order = list(range(len(answers)))
    # another order for each question, the same each time
    random.Random(content_id(question, *answers)).shuffle(order)
    ids = [f"A{i}" for i in range(len(answers))]
    empty = render("helpfulness", question=question, answers=[{"id": i, "text": ""} for i in ids])
    instructions = prompt_tokens(Prompt("helpfulness", *empty), helpfulness_reply(len(answers)))
    max_chars = (token_budget - instructions) * CHARS_PER_TOKEN // max(1, len(answers))
    shown = [
        {"id": f"A{place + 1}", "text": answers[i][: max(80, max_chars)]}
        for place, i in enumerate(order)
    ]
    system, user = render("helpfulness", question=question, answers=shown)
    reply = chat.ask(
        Prompt("helpfulness", system, user),
        helpfulness_reply(len(answers)),
        stage="judge",
        max_tokens=60 * len(answers) + 100,
    )
    by_id = {score.id.strip(): score for score in reply.scores}
    missing = [row["id"] for row in shown if row["id"] not in by_id]
    if missing:
        raise InvalidReplyError(f"the judge left out {', '.join(missing)}")
    result = [Score()] * len(answers)
    for row, i in zip(shown, order, strict=True):
        marks = by_id[row["id"]]
        value = 20 * (0.5 * marks.relevance + 0.25 * marks.coherence + 0.25 * marks.detail)
        result[i] = Score(
            value,
            JUDGE,
            {"relevance": marks.relevance, "coherence": marks.coherence, "detail": marks.detail},
        )
    return result


def num_telling(question: str, claims: Sequence[CheckedClaim]) -> int:
    """How many claims lines state that tell more than the question; of a question to be answered
    yes or no, all that are stated.
    """
    known, is_yes_or_no = content_stems(question), _YES_OR_NO.match(question) is not None
    return sum(
        claim.verdict is Verdict.STATED and (is_yes_or_no or not content_stems(claim.text) <= known)
        for claim in claims
    )


def is_supported(question: Question, claims: Sequence[CheckedClaim]) -> bool:
    """Whether lines state something of an answer with these claims, or nobody could tell; a short
    answer in a language that rules read counts only where a line states it.
    """
    is_unread = any(claim.is_unread for claim in claims)
    return is_unread or num_telling(question.text, claims) > 0


def claims_helpfulness(
    embedder: Embedder, question: Question, answer: str, claims: Sequence[CheckedClaim]
) -> Score:
    """H = 100 * relevance * (0.1 + 0.9 * stated), at least 1 and at most 100; an answer without
    words has 0.

    relevance = (1 + cos(q, a)) / 2; stated = (claims that lines state and that tell more than the
    question - contradicted ones) / claims that were checked, at least 0. So a list of names, which
    claims nothing, and an echo of the question count little.
    """
    if not answer.strip():
        return Score(scored_by=CLAIMS)
    relevance = (1 + float(embedder.embed_documents([answer])[0] @ question.vector)) / 2
    good = num_telling(question.text, claims)
    bad = sum(claim.verdict is Verdict.CONTRADICTED for claim in claims)
    num_checked = sum(claim.verdict is not Verdict.NOT_CHECKED for claim in claims)
    stated = max(0, good - bad) / max(1, num_checked)
    value = min(100.0, max(1.0, 100 * relevance * (_UNSTATED + (1 - _UNSTATED) * stated)))
    return Score(value, CLAIMS, {"stated": stated, "relevance": relevance})


def helpfulness(
    judge: Asker | None,
    embedder: Embedder,
    question: Question,
    answers: Sequence[str],
    claims: Sequence[Sequence[CheckedClaim]],
    token_budget: int,
) -> list[Score]:
    """Scores of all answers, with the claims of each: by the judge, or without one by their claims.
    One answer needs no judge: its score ranks nothing, but is shown.
    """
    if judge is not None and len(answers) > 1:
        try:
            return judged_helpfulness(judge, question.text, answers, token_budget)
        except ModelError:
            pass  # the claims are the specified way on, and `scored_by` says so in the answer
    return [
        claims_helpfulness(embedder, question, a, c) for a, c in zip(answers, claims, strict=True)
    ]
