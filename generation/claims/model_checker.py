"""A checker that asks a language model: a small one for yes or no by their log probabilities where
it gives them, any other for all claims in one call.
"""

import math
from collections.abc import Mapping, Sequence

from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.short_answers import whole_claim
from dynagrag.generation.claims.shown_lines import (
    documents_of,
    line_tokens,
    nearest_rows,
    shortened,
    written,
)
from dynagrag.generation.reply_types import ClaimReply, ClaimsReply
from dynagrag.prompts import render

STAGE = "check"
YES_NO_THRESHOLD = 0.0
"""Of log p(yes) - log p(no). Calibrated with Qwen2.5-Coder-1.5B (docs/decisions/0015-claims.md): no
shift helped on every set.
"""
_MAX_LINES = 8
"""Of one claim."""
_CLAIM_TOKENS = 600
"""Of one claim's lines."""
_CALL_TOKENS = 2400
"""Of the lines of one call."""
_CALL_CLAIMS = 12
"""Of one call."""
_REPLY_TOKENS = 40
"""Of one claim."""
_VERDICTS = {"yes": Verdict.STATED, "contradicted": Verdict.CONTRADICTED, "no": Verdict.NOT_FOUND}
_NOT_IN_LINES = "the model does not find it in the lines"
_SCORES = {Verdict.STATED: 1.0, Verdict.CONTRADICTED: 0.0, Verdict.NOT_FOUND: 0.0}


class ModelChecker:
    """See the module. Only the lines of a claim that are nearest to it are shown, within a token
    budget.

    What the model can't be trusted with: lines that it invents are dropped, and a claim that it
    left out is asked for once more; after that it is not checked, with no score, and its note says
    so.
    """

    name = "model"

    def __init__(self, chat: Asker) -> None:
        self._chat = chat

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim. Raises ModelError's children and BudgetError."""
        claims = [whole_claim(claim) for claim in claims]
        rows = [nearest_rows(claim, _MAX_LINES, _CLAIM_TOKENS) for claim in claims]
        checks = {
            i: ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "there are no lines")
            for i, shown in enumerate(rows)
            if not shown
        }
        asked = [i for i in range(len(claims)) if i not in checks]
        if (
            self._chat.is_small
        ):  # a call a claim costs a server of a large model too much; there one call has all claims
            checks |= self._by_yes_no(claims, rows, asked)
        checks |= self._in_calls(claims, rows, [i for i in asked if i not in checks])
        return [checks[i] for i in range(len(claims))]

    # yes or no

    def _by_yes_no(
        self, claims: Sequence[Claim], rows: Sequence[Sequence[int]], asked: Sequence[int]
    ) -> dict[int, ClaimCheck]:
        """Empty where the model gives no log probabilities."""
        checks: dict[int, ClaimCheck] = {}
        for i in asked:
            lines = _lines(claims[i], rows[i])
            system, user = render(
                "check_claim", claim=claims[i].text, lines=[written(line) for line in lines]
            )
            difference = self._chat.yes_no(
                Prompt("check_claim", system, user), stage=STAGE, documents=documents_of(lines)
            )
            if difference is None:
                break
            score = 1 / (1 + math.exp(YES_NO_THRESHOLD - difference))
            checks[i] = (
                ClaimCheck(Verdict.STATED, (rows[i][0],), score)
                if score >= 0.5
                else ClaimCheck(Verdict.NOT_FOUND, (), score, _NOT_IN_LINES)
            )
        return checks

    # all in one call

    def _in_calls(
        self, claims: Sequence[Claim], rows: Sequence[Sequence[int]], asked: Sequence[int]
    ) -> dict[int, ClaimCheck]:
        checks: dict[int, ClaimCheck] = {}
        for is_again in (False, True):
            left = [i for i in asked if i not in checks]
            for batch in _batches(claims, rows, left):
                checks |= self._in_one_call(claims, rows, batch, is_again)
        unanswered = ClaimCheck(
            Verdict.NOT_CHECKED, (), None, "nobody answered", "the model did not answer for it"
        )
        return {i: checks.get(i, unanswered) for i in asked}

    def _in_one_call(
        self,
        claims: Sequence[Claim],
        rows: Sequence[Sequence[int]],
        batch: Sequence[int],
        is_again: bool,
    ) -> dict[int, ClaimCheck]:
        """Of those of the batch that the model answered for."""
        lines = list(dict.fromkeys(line for i in batch for line in _lines(claims[i], rows[i])))
        system, user = render(
            "check_claims",
            claims=[claims[i].text for i in batch],
            lines=[written(line) for line in lines],
        )
        prompt = Prompt("check_claims" + (".again" if is_again else ""), system, user)
        max_tokens = _REPLY_TOKENS * (len(batch) + 2)
        reply = self._chat.ask(
            prompt, ClaimsReply, stage=STAGE, max_tokens=max_tokens, documents=documents_of(lines)
        )
        found = {check.id: check for check in reversed(reply.checks)}
        numbers = {line: number for number, line in enumerate(lines, start=1)}
        return {
            i: _by_reply(
                found[place],
                {
                    numbers[line]: row
                    for line, row in zip(_lines(claims[i], rows[i]), sorted(rows[i]), strict=True)
                },
            )
            for place, i in enumerate(batch, start=1)
            if place in found
        }


def _lines(claim: Claim, rows: Sequence[int]) -> list[Line]:
    """As they are shown: in the order of the claim's own."""
    return [shortened(claim.lines[row], claim.text, _CLAIM_TOKENS) for row in sorted(rows)]


def _batches(
    claims: Sequence[Claim], rows: Sequence[Sequence[int]], asked: Sequence[int]
) -> list[list[int]]:
    batches: list[list[int]] = []
    shown: set[Line] = set()
    for i in asked:
        lines = set(_lines(claims[i], rows[i]))
        if (
            not batches
            or len(batches[-1]) == _CALL_CLAIMS
            or sum(map(line_tokens, shown | lines)) > _CALL_TOKENS
        ):
            batches.append([])
            shown = set()
        batches[-1].append(i)
        shown |= lines
    return batches


def _by_reply(reply: ClaimReply, rows: Mapping[int, int]) -> ClaimCheck:
    """`rows`: the claim's own rows by the number under which each was shown; a line that was not
    shown for it counts for nothing.
    """
    verdict = _VERDICTS[reply.verdict]
    named = (
        tuple(dict.fromkeys(rows[number] for number in reply.lines if number in rows))
        or tuple(rows.values())[: len(rows) == 1]
    )
    if verdict is Verdict.NOT_FOUND:
        return ClaimCheck(verdict, (), 0.0, _NOT_IN_LINES)
    if not named:
        return ClaimCheck(
            Verdict.NOT_FOUND, (), None, "not checked", "the model named no line for it"
        )
    return ClaimCheck(
        verdict,
        named,
        _SCORES[verdict],
        "" if verdict is Verdict.STATED else "the model reads a line that says otherwise",
    )
