"""Several checkers as one: rules are sure about numbers, denials and roles, models know wording
(docs/papers.md, Checkers).
"""

import logging
from collections.abc import Sequence
from dataclasses import replace

from dynagrag.core.errors import ModelError
from dynagrag.core.protocols import ClaimChecker
from dynagrag.core.schema import Claim, ClaimCheck, Verdict

_LOG = logging.getLogger(__name__)
FIRST_WEIGHT = 0.5
THRESHOLD = 0.5
_MOST_CONTRADICTED = 0.45


class CombinedChecker:
    """The mean of the first checker's score and the others'; what the first contradicts stays so.
    Without a reply of a model, the other verdicts stand, and their notes say so.
    """

    def __init__(self, checkers: Sequence[ClaimChecker]) -> None:
        """`rules` go first wherever they stand: they hold where a model fails."""
        self._checkers = sorted(checkers, key=lambda checker: checker.name != "rules")

    @property
    def name(self) -> str:
        """The checkers' names with + between them."""
        return "+".join(checker.name for checker in self._checkers)

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim. A checker whose model fails is left out. Raises BudgetError, and the
        last ModelError where all fail.
        """
        done, failures = [], []
        error: ModelError | None = None
        for checker in self._checkers:
            try:
                done.append(checker.check(claims))
            except ModelError as err:
                _LOG.warning("claims are checked without %s: %s", checker.name, err)
                failures.append(f"checked without {checker.name}: {err}")
                error = err
        if error is not None and not done:
            raise error
        return [_combined([checks[i] for checks in done], failures) for i in range(len(claims))]


def _combined(checks: Sequence[ClaimCheck], failures: Sequence[str]) -> ClaimCheck:
    """Those that have no score did not check; only their notes count."""
    note = "; ".join([*failures, *(check.note for check in checks if check.note)])
    scored = [(check, check.score) for check in checks if check.score is not None]
    if not scored:
        return replace(checks[0], note=note)
    (first, first_score), *others = scored
    if first.is_sure or not others:
        return replace(first, note=note)
    mean = sum(score for _, score in others) / len(others)
    score = FIRST_WEIGHT * first_score + (1 - FIRST_WEIGHT) * mean
    if first.verdict is Verdict.CONTRADICTED:
        return replace(first, score=min(score, _MOST_CONTRADICTED), note=note)
    lines = first.lines or max(others, key=lambda pair: pair[1])[0].lines
    if score > THRESHOLD and lines:
        return ClaimCheck(Verdict.STATED, lines, score, note=note)
    for check, _ in others:
        if check.verdict is Verdict.CONTRADICTED:
            return replace(check, score=score, note=note)
    reason = first.reason or min(others, key=lambda pair: pair[1])[0].reason
    return ClaimCheck(Verdict.NOT_FOUND, (), score, reason or "the checkers differ about it", note)
