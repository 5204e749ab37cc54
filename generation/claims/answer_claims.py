"""The claims of an answer with their verdicts: against the lines that the model cited for each, then against the others that it saw.

What the model cited stays the model's. A line that states a claim and wasn't cited for it is found by code, and is kept apart.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.errors import BudgetError, ModelError
from dynagrag.generation.claims.claim_split import SplitClaim, split_claims
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.support import content_stems
from dynagrag.protocols import ClaimChecker
from dynagrag.schema import CheckedClaim, Claim, ClaimCheck, Evidence, Line, Verdict

_MAX_FOUND = 2
"""Lines that code names for a claim; the model may cite more."""
_MAX_OTHERS = 12
"""Lines that weren't cited for a claim and are still looked at, those that share most words with it: a model reads them all."""


@dataclass(frozen=True, slots=True)
class WrittenFrom:
    """A text, and by label the evidence lines that it was written from."""

    text: str
    evidence: Mapping[str, Evidence]


@dataclass(frozen=True, slots=True)
class FinalClaims:
    """An answer's claims, those that a strict one leaves out, who checked them, and what was out of the ordinary, a sentence each."""

    claims: tuple[CheckedClaim, ...] = ()
    left_out: tuple[CheckedClaim, ...] = ()
    checked_by: str = ""
    notes: tuple[str, ...] = ()


def final_claims(text: WrittenFrom, checker: ClaimChecker, title: Callable[[str], str], known: Iterable[CheckedClaim]) -> FinalClaims:
    """The claims of the answer that is shown. Where its checker's model fails or the budget is spent, rules check them."""
    known = list(known)
    try:
        claims, notes = _checked([text], checker, title, known)
        return FinalClaims(claims[0], checked_by=checker.name, notes=notes)
    except (ModelError, BudgetError) as err:
        rules = RulesChecker()
        note = f"the claims were checked by {rules.name}, since {checker.name} failed: {err}"
        return FinalClaims(checked_claims([text], rules, title, known)[0], checked_by=rules.name, notes=(note,))


def checked_claims(
    texts: Sequence[WrittenFrom], checker: ClaimChecker, title: Callable[[str], str], known: Iterable[CheckedClaim] = ()
) -> list[tuple[CheckedClaim, ...]]:
    """The claims of each text in their order; `title` names a document by its id. `known`: claims of texts that these were made from; the
    lines of one with the same words are looked at first.

    The checker is asked once, about all claims. Raises ModelError and BudgetError where it asks a model.
    """
    return _checked(texts, checker, title, known)[0]


def _checked(
    texts: Sequence[WrittenFrom], checker: ClaimChecker, title: Callable[[str], str], known: Iterable[CheckedClaim]
) -> tuple[list[tuple[CheckedClaim, ...]], tuple[str, ...]]:
    """With the checker's notes, each once."""
    named_before = {_bare(claim.text): claim.lines for claim in known if claim.lines}
    rows = [(number, text.evidence, claim) for number, text in enumerate(texts) for claim in split_claims(text.text)]
    chosen = _chosen_lines([(claim, lines) for _, lines, claim in rows], named_before, title)
    asked = [(claim, lines) for (_, _, claim), lines in zip(rows, chosen, strict=True)]
    checks = _asked(asked, checker, title)
    told = [_told(claim, lines, check) for (claim, lines), check in zip(asked, checks, strict=True)]
    notes = tuple(dict.fromkeys(check.note for check in checks if check.note))
    return [tuple(claim for (of, _, _), claim in zip(rows, told, strict=True) if of == number) for number in range(len(texts))], notes


def _chosen_lines(
    rows: Sequence[tuple[SplitClaim, Mapping[str, Evidence]]],
    named_before: Mapping[str, tuple[str, ...]],
    title: Callable[[str], str],
) -> list[list[Evidence]]:
    """What each claim is held against: its cited lines where rules say that they state or contradict it; else the others where they do;
    else both.
    """
    rules = RulesChecker()
    cited = [[line for label, line in lines.items() if label in claim.labels] for claim, lines in rows]
    others = [_others(claim, lines, named_before) for claim, lines in rows]
    chosen = [[*own, *more] for own, more in zip(cited, others, strict=True)]
    unsure = list(range(len(rows)))
    for held in (cited, others):
        checks = _asked([(rows[i][0], held[i]) for i in unsure], rules, title)
        for i, check in zip(unsure, checks, strict=True):
            chosen[i] = held[i] if check.verdict is not Verdict.NOT_FOUND else chosen[i]
        unsure = [i for i, check in zip(unsure, checks, strict=True) if check.verdict is Verdict.NOT_FOUND]
    return chosen


def _bare(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" .!,;")


def _others(claim: SplitClaim, lines: Mapping[str, Evidence], named_before: Mapping[str, tuple[str, ...]]) -> list[Evidence]:
    """The lines that weren't cited for a claim: those that were named for it before, then those that share most words with it."""
    first, wanted = named_before.get(_bare(claim.text), ()), content_stems(claim.text)
    others = [line for label, line in lines.items() if label not in claim.labels]
    others.sort(key=lambda line: (line.label not in first, -len(wanted & content_stems(f"{line.speaker or ''} {line.quote}"))))
    return others[:_MAX_OTHERS]


def _asked(held: Sequence[tuple[SplitClaim, Sequence[Evidence]]], checker: ClaimChecker, title: Callable[[str], str]) -> list[ClaimCheck]:
    """Claims held against lines; without lines one is not found, and the checker isn't asked about it."""
    asked = [Claim(claim.text, tuple(_line(line, title) for line in lines)) for claim, lines in held if lines]
    checks = iter(checker.check(asked) if asked else ())
    return [next(checks) if lines else ClaimCheck(Verdict.NOT_FOUND) for _, lines in held]


def _line(evidence: Evidence, title: Callable[[str], str]) -> Line:
    return Line(evidence.quote, evidence.speaker, title(evidence.document_id), evidence.document_id)


def _told(claim: SplitClaim, lines: Sequence[Evidence], check: ClaimCheck) -> CheckedClaim:
    named = tuple(lines[row].label for row in check.lines)
    is_cited = set(named) <= set(claim.labels)
    return CheckedClaim(
        claim.start,
        claim.end,
        claim.text,
        check.verdict,
        claim.labels,
        named if is_cited else named[:_MAX_FOUND],
        check.reason,
        check.score,
    )
