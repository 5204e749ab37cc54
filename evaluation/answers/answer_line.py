"""An arm's answer as it is kept: a line of a run's answers.jsonl."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from dynagrag.core.schema import Answer, CheckedClaim, Usage, Verdict
from dynagrag.generation.citations import without_marks

AnswerKey = tuple[str, str, str]
"""Scope, question and arm: what a line is the answer of."""


class CitedSpan(BaseModel):
    """A checked citation: `quote` is the document's text from `start` to `end`."""

    model_config = ConfigDict(frozen=True)

    document: str
    start: int
    end: int
    quote: str


class VerdictClaims(BaseModel):
    """Claims of an answer, by the verdict of their check."""

    model_config = ConfigDict(frozen=True)

    stated: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()

    @classmethod
    def of(cls, claims: Iterable[CheckedClaim]) -> "VerdictClaims":
        """The claims of an answer."""
        texts: dict[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
        for claim in claims:
            texts[claim.verdict].append(claim.text)
        return cls(
            stated=tuple(texts[Verdict.STATED]),
            contradicted=tuple(texts[Verdict.CONTRADICTED]),
            not_found=tuple(texts[Verdict.NOT_FOUND]),
            not_checked=tuple(texts[Verdict.NOT_CHECKED]),
        )

    @property
    def total(self) -> int:
        """How many there are that a checker gave a verdict of."""
        return len(self.stated) + len(self.contradicted) + len(self.not_found)

    @property
    def counts(self) -> str:
        """ "3 stated, 0 contradicted, 1 not found", and what was not checked, if anything."""
        unchecked = f", {len(self.not_checked)} not checked" if self.not_checked else ""
        return (
            f"{len(self.stated)} stated, {len(self.contradicted)} contradicted,"
            f" {len(self.not_found)} not found{unchecked}"
        )

    @property
    def doubted(self) -> tuple[str, ...]:
        """Those that aren't stated, each with its verdict."""
        kinds = {
            Verdict.CONTRADICTED: self.contradicted,
            Verdict.NOT_FOUND: self.not_found,
            Verdict.NOT_CHECKED: self.not_checked,
        }
        return tuple(f"{kind.value}: {text}" for kind, texts in kinds.items() for text in texts)


class AnswerLine(BaseModel):
    """The answer of one arm to one question.

    `answer` has its citation marks, `plain` has none; `short`: the answer in a few words, None
    where nobody asked for it. `calls` were made for it, `cached` came from the cache; tokens and
    seconds count cached replies as they were when they were made, so that arms compare.
    `context_tokens`: of what was put before the model, the instructions left out. `error`: why
    there is no answer; then all else is empty, but for what it cost where a reply `is_cut_off`,
    without an end: that is the model's doing, and asking again brings the same. `failed_parts`: how
    many intermediate answers, or short forms of it, could not be had, so that it was made without
    them. `shown`: ids of the passages and relation records that stood in its prompts, in their
    order; None in lines of before they were kept.
    """

    model_config = ConfigDict(frozen=True)

    scope: str
    question: str
    text: str
    arm: str
    answer: str = ""
    plain: str = ""
    short: str | None = None
    is_abstained: bool = False
    citations: tuple[CitedSpan, ...] = ()
    claims: VerdictClaims = VerdictClaims()
    context_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    cached: int = 0
    seconds: float = 0.0
    error: str = ""
    is_cut_off: bool = False
    failed_parts: int = 0
    shown: tuple[str, ...] | None = None

    @property
    def has_failed(self) -> bool:
        """Whether there is nothing to score, so that it is asked again."""
        return bool(self.error) and not self.is_cut_off

    @property
    def key(self) -> AnswerKey:
        """Scope, question and arm."""
        return self.scope, self.question, self.arm


def line_of(
    answer: Answer,
    *,
    question: str,
    scope: str,
    arm: str,
    short: str | None,
    spent: Usage,
    saved: Usage,
    wall_s: float,
    failed_parts: int,
) -> AnswerLine:
    """The line of an answer. `spent` and `saved`: what its calls took, and what those from the
    cache once took. What a trained soft prompt read and said counts as a call's tokens do.
    """
    documents, soft = answer.trace.document_ids, answer.trace.soft
    read = [
        own
        for prompt in answer.trace.prompts
        for own in zip(prompt.labels, prompt.evidence_ids, strict=True)
    ]
    shown = [id_ for label, id_ in read if soft is None or label in soft.labels]
    return AnswerLine(
        scope=scope,
        question=question,
        text=answer.question,
        arm=arm,
        answer=answer.text,
        plain=without_marks(answer.text),
        short=short,
        is_abstained=answer.is_abstained,
        citations=tuple(
            CitedSpan(document=documents[c.id], start=c.start, end=c.end, quote=c.quote)
            for c in answer.citations
        ),
        claims=VerdictClaims.of((*answer.claims, *answer.left_out)),
        context_tokens=soft.num_soft_tokens + soft.text_tokens
        if soft
        else sum(prompt.num_tokens for prompt in answer.trace.prompts),
        prompt_tokens=spent.prompt_tokens
        + saved.prompt_tokens
        + (soft.prompt_tokens if soft else 0),
        completion_tokens=spent.completion_tokens
        + saved.completion_tokens
        + (soft.reply_tokens if soft else 0),
        calls=spent.calls,
        cached=spent.cached,
        seconds=round(wall_s + saved.seconds, 3),
        failed_parts=failed_parts,
        shown=tuple(dict.fromkeys(shown)),
    )


def last_lines(lines: Iterable[AnswerLine]) -> Mapping[AnswerKey, AnswerLine]:
    """The line of each answer; the last, where one was tried again."""
    return {line.key: line for line in lines}
