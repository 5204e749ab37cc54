"""The claims of an answer with their verdicts: against the lines that the model cited for each,
then against the others that it saw, then against those of the whole workspace that are nearest.

The model's citations stay as they are. A line that states a claim and wasn't cited for it is found
by the checker, and is kept apart.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.errors import BudgetError, ModelError
from dynagrag.core.protocols import ClaimChecker
from dynagrag.core.schema import CheckedClaim, Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.claim_search import ClaimSearch, NearestLines
from dynagrag.generation.claims.claim_split import SplitClaim, language_of_answer, split_claims
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
    """A text, and by label the lines that it was written from. `question`: what it answers, where
    its short answers count as claims.
    """

    text: str
    lines: Mapping[str, Line]
    question: str = ""


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
    text: WrittenFrom,
    checker: ClaimChecker,
    known: Iterable[CheckedClaim],
    search: ClaimSearch | None = None,
) -> FinalClaims:
    """The claims of the answer that is shown; what none of its lines states is searched for. Where
    its checker's model fails or the budget is spent, rules check them.
    """
    known = list(known)
    try:
        claims, notes = _checked([text], checker, known, search)
        return FinalClaims(claims[0], checked_by=checker.name, notes=notes)
    except (ModelError, BudgetError) as err:
        rules = RulesChecker()
        claims, notes = _checked([text], rules, known, search)
        note = f"the claims were checked by {rules.name}, since {checker.name} failed: {err}"
        return FinalClaims(claims[0], checked_by=rules.name, notes=(note, *notes))


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
    """A claim, the language of its text, the lines that it is held against by label, and what came
    of it: of the rules where nobody else was asked. `shown`: the labels of all lines that these
    were chosen of.
    """

    claim: SplitClaim
    language: str
    lines: Mapping[str, Line]
    check: ClaimCheck
    shown: frozenset[str]
    num_searched: int | None = None

    @property
    def is_settled(self) -> bool:
        """Whether a line states or contradicts it."""
        return self.check.verdict in (Verdict.STATED, Verdict.CONTRADICTED)

    def checked(self) -> CheckedClaim:
        """With its verdict, the lines by their labels."""
        labels = [*self.lines]
        named = tuple(labels[at] for at in self.check.lines)
        if not set(named) <= set(self.claim.labels):
            named = named[:_MAX_FOUND]
        return CheckedClaim(
            self.claim.start,
            self.claim.end,
            self.claim.text,
            self.check.verdict,
            self.claim.labels,
            named,
            self.check.reason,
            self.check.score,
            self.check.language,
            self.num_searched,
            self.claim.question,
        )


def _checked(
    texts: Sequence[WrittenFrom],
    checker: ClaimChecker,
    known: Iterable[CheckedClaim],
    search: ClaimSearch | None = None,
) -> tuple[list[tuple[CheckedClaim, ...]], tuple[str, ...]]:
    """The claims of each text, and the checker's notes, each once."""
    named_before = {_bare(claim.text): claim.lines for claim in known if claim.lines}
    split = [split_claims(text.text, text.question) for text in texts]
    held = [
        _checked_by_rules(claim, language, text.lines, named_before.get(_bare(claim.text), ()))
        for text, claims in zip(texts, split, strict=True)
        for language in ((language_of_answer(text.text, text.question),) if claims else ())
        for claim in claims
    ]
    held = _checked_by(checker, held)
    if search is not None:
        held = _searched(held, checker, search)
    rows_left = iter([row.checked() for row in held])
    notes = tuple(dict.fromkeys(row.check.note for row in held if row.check.note))
    return [tuple(itertools.islice(rows_left, len(claims))) for claims in split], notes


def _checked_by_rules(
    claim: SplitClaim, language: str, lines: Mapping[str, Line], named_before: Sequence[str]
) -> _Held:
    """A claim with the lines that it is held against, and what rules say of it: its cited lines
    where they state or contradict it; else the others where they do; else both.

    The others are those that were named for it before, then those that share most words with it.
    """
    wanted = content_stems(claim.text)
    own: dict[str, Line] = {}
    places: dict[str, tuple[bool, int]] = {}
    for label, line in lines.items():
        if label in claim.labels:
            own[label] = line
        else:
            words = content_stems(f"{line.speaker or ''} {line.text}")
            places[label] = (label not in named_before, -len(wanted & words))
    nearest = sorted(places, key=places.__getitem__)[:_MAX_OTHERS]
    others = {label: lines[label] for label in nearest}
    held = _Held(claim, language, {}, ClaimCheck(Verdict.NOT_FOUND), frozenset(lines))
    for chosen in (own, others, own | others):
        if chosen and chosen != held.lines and not held.is_settled:
            held = replace(held, lines=chosen)
            held = replace(held, check=RulesChecker().check([_as_claim(held)])[0])
    return held


def _as_claim(held: _Held) -> Claim:
    """As a checker takes it."""
    claim, num_cited = held.claim, len(held.lines.keys() & set(held.claim.labels))
    return Claim(claim.text, tuple(held.lines.values()), num_cited, claim.question, held.language)


def _checked_by(checker: ClaimChecker, held: Sequence[_Held]) -> list[_Held]:
    """Each claim with the checker's verdict; without lines it keeps its own, and the checker isn't
    asked about it.
    """
    if isinstance(checker, RulesChecker):
        return list(held)
    claims = [_as_claim(row) for row in held if row.lines]
    checks = iter(checker.check(claims) if claims else ())
    return [replace(row, check=next(checks)) if row.lines else row for row in held]


def _searched(held: Sequence[_Held], checker: ClaimChecker, search: ClaimSearch) -> list[_Held]:
    """Claims that no line states yet, held against the lines of the whole workspace that are
    nearest to them. A line that states one counts for more than one that seems to contradict it:
    that may speak of another thing. What these lines don't settle either keeps its verdict.
    """
    rows = list(held)
    looked_for: dict[int, NearestLines] = {}
    for i, row in enumerate(held):
        if row.check.verdict is Verdict.STATED:
            continue
        nearest = search.nearest(row.claim.text)
        rows[i] = replace(row, num_searched=nearest.num_lines)
        if not nearest.lines.keys() <= row.shown:  # else there is no line that wasn't shown
            looked_for[i] = nearest
    again = _checked_by(
        checker,
        [
            _checked_by_rules(held[i].claim, held[i].language, nearest.lines, ())
            for i, nearest in looked_for.items()
        ],
    )
    for (i, nearest), row in zip(looked_for.items(), again, strict=True):
        is_unread = row.check.verdict is Verdict.NOT_CHECKED
        is_told = row.is_settled or (is_unread and bool(row.check.lines))
        is_better = row.check.verdict is Verdict.STATED or (is_told and not held[i].is_settled)
        if is_better:
            rows[i] = replace(row, num_searched=nearest.num_lines)
    return rows


def _bare(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" .!,;")
