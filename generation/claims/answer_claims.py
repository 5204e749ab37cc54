"""The claims of an answer with their verdicts: against the lines that the model cited for each,
then against the others that it saw.

The model's citations stay as they are. A line that states a claim and wasn't cited for it is found
by the checker, and is kept apart.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.errors import BudgetError, ModelError
from dynagrag.core.protocols import ClaimChecker
from dynagrag.core.schema import CheckedClaim, Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.claim_split import SplitClaim, split_claims
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.support import content_stems

_MAX_FOUND = 2
"""Lines that a checker names for a claim; the model may cite more."""
_MAX_OTHERS = 12
"""Lines that weren't cited for a claim and are still looked at, those that share most words with
it: a model reads them all.
"""


@dataclass(frozen=True, slots=True)
class WrittenFrom:
    """A text, and by label the lines that it was written from."""

    text: str
    lines: Mapping[str, Line]


@dataclass(frozen=True, slots=True)
class FinalClaims:
    """An answer's claims, those that a strict one leaves out, who checked them, and what was out of
    the ordinary, a sentence each.
    """

    claims: tuple[CheckedClaim, ...] = ()
    left_out: tuple[CheckedClaim, ...] = ()
    checked_by: str = ""
    notes: tuple[str, ...] = ()


def final_claims(
    text: WrittenFrom, checker: ClaimChecker, known: Iterable[CheckedClaim]
) -> FinalClaims:
    """The claims of the answer that is shown. Where its checker's model fails or the budget is
    spent, rules check them.
    """
    known = list(known)
    try:
        claims, notes = _checked([text], checker, known)
        return FinalClaims(claims[0], checked_by=checker.name, notes=notes)
    except (ModelError, BudgetError) as err:
        rules = RulesChecker()
        note = f"the claims were checked by {rules.name}, since {checker.name} failed: {err}"
        return FinalClaims(
            checked_claims([text], rules, known)[0], checked_by=rules.name, notes=(note,)
        )


def checked_claims(
    texts: Sequence[WrittenFrom], checker: ClaimChecker, known: Iterable[CheckedClaim] = ()
) -> list[tuple[CheckedClaim, ...]]:
    """The claims of each text in their order. `known`: claims of texts that these were made from;
    the lines of one with the same words are looked at first.

    The checker is asked once, about all claims. Raises ModelError and BudgetError where it asks a
    model.
    """
    return _checked(texts, checker, known)[0]


@dataclass(frozen=True, slots=True)
class _Held:
    """A claim and the lines that it is held against, by label."""

    claim: SplitClaim
    lines: Mapping[str, Line]


def _checked(
    texts: Sequence[WrittenFrom], checker: ClaimChecker, known: Iterable[CheckedClaim]
) -> tuple[list[tuple[CheckedClaim, ...]], tuple[str, ...]]:
    """The claims of each text, and the checker's notes, each once."""
    named_before = {_bare(claim.text): claim.lines for claim in known if claim.lines}
    split = [[_Held(claim, text.lines) for claim in split_claims(text.text)] for text in texts]
    held = _chosen_lines([row for rows in split for row in rows], named_before)
    checks = _checks_of(held, checker)
    checked = []
    for row, check in zip(held, checks, strict=True):
        claim, labels = row.claim, [*row.lines]
        named = tuple(labels[at] for at in check.lines)
        if not set(named) <= set(claim.labels):
            named = named[:_MAX_FOUND]
        checked.append(
            CheckedClaim(
                claim.start,
                claim.end,
                claim.text,
                check.verdict,
                claim.labels,
                named,
                check.reason,
                check.score,
            )
        )
    rows_left = iter(checked)
    notes = tuple(dict.fromkeys(check.note for check in checks if check.note))
    return [tuple(itertools.islice(rows_left, len(rows))) for rows in split], notes


def _chosen_lines(
    rows: Sequence[_Held], named_before: Mapping[str, tuple[str, ...]]
) -> list[_Held]:
    """Each claim with the lines that it is held against: its cited lines where rules say that they
    state or contradict it; else the others where they do; else both.

    The others are those that were named for it before, then those that share most words with it.
    """
    rules = RulesChecker()
    chosen = []
    for row in rows:
        first, wanted = named_before.get(_bare(row.claim.text), ()), content_stems(row.claim.text)
        own: dict[str, Line] = {}
        places: dict[str, tuple[bool, int]] = {}
        for label, line in row.lines.items():
            if label in row.claim.labels:
                own[label] = line
            else:
                words = content_stems(f"{line.speaker or ''} {line.text}")
                places[label] = (label not in first, -len(wanted & words))
        nearest = sorted(places, key=places.__getitem__)[:_MAX_OTHERS]
        others = {label: row.lines[label] for label in nearest}
        sure = (
            lines
            for lines in (own, others)
            if _checks_of([_Held(row.claim, lines)], rules)[0].verdict is not Verdict.NOT_FOUND
        )
        chosen.append(_Held(row.claim, next(sure, own | others)))
    return chosen


def _bare(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" .!,;")


def _checks_of(held: Sequence[_Held], checker: ClaimChecker) -> list[ClaimCheck]:
    """Claims held against lines; without lines one is not found, and the checker isn't asked about
    it.
    """
    claims = [
        Claim(
            row.claim.text, tuple(row.lines.values()), len(row.lines.keys() & set(row.claim.labels))
        )
        for row in held
        if row.lines
    ]
    checks = iter(checker.check(claims) if claims else ())
    return [next(checks) if row.lines else ClaimCheck(Verdict.NOT_FOUND) for row in held]
