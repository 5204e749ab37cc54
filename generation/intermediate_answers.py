"""An answer from each prompt of a question: asked in parallel, then ranked by how helpful each is
(DynaGRAG, section 3.5; docs/papers.md, Answers).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from dynagrag.core.errors import DynaGragError, ModelError
from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import CheckedClaim, IntermediateAnswer, Line, Question, Verdict
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.answer_prompts import intermediate_prompt, merges_all
from dynagrag.generation.citations import checked_marks, cited_labels, known_labels, without_marks
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.early_stop import settles
from dynagrag.generation.evidence import claim_lines
from dynagrag.generation.helpfulness import Score, helpfulness, is_supported
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.prompts import render

MAX_ANSWER_CHARS = 8_000
"""A model that is asked for some hundred tokens and sends more than this repeats itself."""
_MAX_ANSWER_TOKENS = 400


def ask_each(
    question: Question,
    prompts: Sequence[AnswerPrompt],
    plan: AnswerPlan,
    chat: Asker,
    progress: Callable[[str, int, int], None],
    note: str = "",
) -> tuple[list[tuple[AnswerPrompt, IntermediateReply]], tuple[str, ...]]:
    """The replies, each with what it was asked from, and why the others failed. `note`: what stands
    under each question. Raises ModelError where all failed.

    Under a profile that stops early the first prompt is asked alone, and the others only where its
    answer doesn't settle the question.
    """
    template, done = intermediate_prompt(plan.profile), count(1)

    def ask(prompt: AnswerPrompt) -> IntermediateReply | DynaGragError:
        reply: IntermediateReply | DynaGragError
        system, user = render(template, question=question.text, note=note, context=prompt.hard.text)
        try:
            reply = chat.ask(
                Prompt(template, system, user),
                IntermediateReply,
                stage="answer",
                max_tokens=_MAX_ANSWER_TOKENS,
            )
        except ModelError as err:
            reply = err
        progress("answer", next(done), len(prompts))
        return reply

    progress("answer", 0, len(prompts))
    results: list[IntermediateReply | DynaGragError] = []
    if plan.profile.stops_early:
        results.append(first := ask(prompts[0]))
        if isinstance(first, IntermediateReply) and _is_settled(question, prompts[0], first, plan):
            return [(prompts[0], first)], ()
    left = prompts[len(results) :]
    pool = ThreadPoolExecutor(
        max(1, min(len(left), plan.max_concurrency)), thread_name_prefix="answer"
    )
    try:
        results += pool.map(ask, left)
    finally:
        # after Ctrl-C or a spent budget nobody waits for the calls in flight
        pool.shutdown(wait=False, cancel_futures=True)
    errors = [r for r in results if isinstance(r, DynaGragError)]
    if len(errors) == len(results):
        raise errors[0]
    replies = [
        (prompt, reply)
        for prompt, reply in zip(prompts, results, strict=True)
        if isinstance(reply, IntermediateReply)
    ]
    return replies, tuple(str(error) for error in errors)


def _is_settled(
    question: Question, prompt: AnswerPrompt, reply: IntermediateReply, plan: AnswerPlan
) -> bool:
    if not reply.enough_evidence:
        return False
    (claims,) = _rule_claims(question, [(prompt, reply)], plan)
    return settles(question.text, claims, _lines(prompt, plan))


def _lines(prompt: AnswerPrompt, plan: AnswerPlan) -> dict[str, Line]:
    return claim_lines({e.label: e for e in prompt.hard.evidence}, plan.view.snapshot)


def _rule_claims(
    question: Question,
    replies: Sequence[tuple[AnswerPrompt, IntermediateReply]],
    plan: AnswerPlan,
) -> list[tuple[CheckedClaim, ...]]:
    """The claims of each answer, checked by rules with the lines of its prompt."""
    texts = [
        WrittenFrom(
            _cited_text(prompt, reply),
            _lines(prompt, plan),
            question.text,
        )
        for prompt, reply in replies
    ]
    return checked_claims(texts, RulesChecker())


def rank_answers(
    question: Question,
    replies: Sequence[tuple[AnswerPrompt, IntermediateReply]],
    plan: AnswerPlan,
    chat: Asker,
    progress: Callable[[str, int, int], None],
) -> list[tuple[AnswerPrompt, IntermediateAnswer]]:
    """Answers with their claims checked by rules: those of which lines state something first, then
    that of a prompt which holds all that the others do, then by helpfulness (desc), then retrieval
    score (desc).

    Without enough evidence, or where neither the model nor code knows a line for it, and its
    citations weren't cut off: H = 0. Under a profile that merges all, every answer that has words
    is scored, and helpfulness alone is the order.
    """
    takes_all = merges_all(plan.profile, (prompt for prompt, _ in replies))
    texts = [_cited_text(prompt, reply) for prompt, reply in replies]
    claims = _rule_claims(question, replies, plan)
    able = [
        i
        for i, (_, reply) in enumerate(replies)
        if (takes_all and without_marks(texts[i]).strip())
        or (
            reply.enough_evidence
            and (
                cited_labels(texts[i])
                or any(c.verdict is Verdict.STATED for c in claims[i])
                or "citations" not in reply.model_fields_set  # they were cut off
            )
        )
    ]
    scores = [Score()] * len(replies)
    if able:
        progress("score", 0, 1)
        answers, budget = [without_marks(texts[i]) for i in able], plan.profile.judge_token_budget
        # The marks of a model of 1.5 billion parameters were all alike, or fell from the first on.
        judge = chat if takes_all or not chat.is_small else None
        found = helpfulness(
            judge, plan.embedder, question, answers, [claims[i] for i in able], budget
        )
        for i, score in zip(able, found, strict=True):
            scores[i] = score
    ranked = []
    for i, (prompt, _) in enumerate(replies):
        answer = IntermediateAnswer(
            answer=texts[i],
            evidence_ids=cited_labels(texts[i]),
            has_enough_evidence=i in able,
            helpfulness=scores[i].value,
            scored_by=scores[i].scored_by,
            score_parts=scores[i].parts,
            centre=prompt.centre,
            retrieval_score=prompt.score,
            claims=claims[i],
        )
        ranked.append((prompt, answer))

    def order(
        pair: tuple[AnswerPrompt, IntermediateAnswer],
    ) -> tuple[bool, bool, float, float, str]:
        prompt, answer = pair
        is_first = answer.helpfulness > 0 and is_supported(question, answer.claims)
        return (
            not (is_first or takes_all),
            not (prompt.holds_all and answer.helpfulness > 0),
            -answer.helpfulness,
            -answer.retrieval_score,
            answer.centre,
        )

    return sorted(ranked, key=order)


def _cited_text(prompt: AnswerPrompt, reply: IntermediateReply) -> str:
    """The reply's answer with its checked marks; labels that it listed and marked nowhere stand at
    the end.
    """
    evidence = {e.label: e for e in prompt.hard.evidence}
    text = checked_marks(reply.answer.strip()[:MAX_ANSWER_CHARS], evidence).strip()
    marked = cited_labels(text)
    listed = [label for label in known_labels(reply.citations, evidence) if label not in marked]
    return f"{text} {''.join(f'[{label}]' for label in listed)}" if text and listed else text
