"""A checker without a model: how a claim is held against its lines.

1. Each sentence of a line is compared with the claim, and each pair of sentences where the second
   leans on the first. "Ann said that ..." is compared without who said it, with lines that are hers
   or tell of it.
2. The checks of `line_findings.CHECKS` look for a gap, in their order; the first that is found
   tells most. A sentence without a gap, which has most of the claim's words, states the claim.
3. A gap that says the opposite, where no other gap is, contradicts it.
4. A claim on what somebody spoke of ("Ann mentioned the report") is stated by a line of theirs that
   has it, whatever it says of it.
5. Where no line does either, lines are read together that each bring what the others lack.

The rules know the negation, numbers and roles of `LANGUAGES` alone. A claim in another is stated
where a line says it word for word, else it is not checked; lines in another are passed over.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.attribution import Attributed, attributed
from dynagrag.generation.claims.clauses import clauses, is_joint
from dynagrag.generation.claims.comparison import Comparison
from dynagrag.generation.claims.line_findings import (
    MAX_CHARACTERS,
    UNSURE,
    leans_on,
    line_finding,
    sentence_finding,
)
from dynagrag.generation.claims.number_checks import has_counted
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.short_answers import statement
from dynagrag.generation.claims.shown_lines import nearest_row
from dynagrag.generation.claims.suppositions import has_supposition, keeps_condition
from dynagrag.generation.claims.verbatim import says_verbatim
from dynagrag.generation.support import content_stems
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_name, language_of
from dynagrag.language.sentences import sentence_spans

LANGUAGES = frozenset((ENGLISH,))
"""A language is here when a test set shows that denials, numbers and swapped roles are caught in it
(tests/unit/generation/claims/test_claim_languages.py).
"""
_MAX_JOINED, _MIN_JOINED_SHARE = 4, 0.8
"""Lines that are read together, and the share of the claim's words that they must have then."""
_SPEAKS_OF_SELF = frozenset(("i", "we"))
_MANY_WORDS = 14
"""A claim of fewer is said in one place, or goes on from line to line; a longer one may be put
together.
"""


class RulesChecker:
    """Rules alone."""

    name = "rules"

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim."""
        return [_checked(claim) for claim in claims]


@lru_cache(maxsize=2_048)
def _checked(claim: Claim) -> ClaimCheck:
    if len(claim.text) > MAX_CHARACTERS:
        return ClaimCheck(Verdict.NOT_CHECKED, (), None, "it is too long to be checked")
    if not claim.lines:
        return ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "there is no line")
    if claim.question:
        return _short_answer_checked(claim)
    around = _language_with(claim)
    of_lines = [line.language or language_of(line.text, around) for line in claim.lines]
    own = language_of(claim.text, claim.language or Counter(of_lines).most_common(1)[0][0])
    rows = [row for row, language in enumerate(of_lines) if language in LANGUAGES]
    if own in LANGUAGES and len(rows) == len(of_lines):
        return _compared_with_lines(claim)
    return _checked_in_part(claim, own, of_lines, rows)


def _short_answer_checked(claim: Claim) -> ClaimCheck:
    """A short answer with its question. That a line has a name or a number says nothing of what was
    asked, so only a statement made of the two is checked, against each clause alone: what stands in
    the next one is what is confused. One contradicts it that has all words of the question.
    """
    own = _language_with(claim)
    told = statement(claim.question, claim.answer) if own in LANGUAGES else None
    parts = [
        (row, replace(line, text=clause.text, language=line.language or spoken))
        for row, line in enumerate(claim.lines if told else ())
        for spoken in (language_of(line.text, own),)
        for start, end in sentence_spans(line.text)
        for clause in clauses(line.text[start : min(end, start + MAX_CHARACTERS)])
    ]
    checks = [_checked(Claim(told or "", (part,), language=own)) for _, part in parts]
    stating = [
        (row, check)
        for (row, part), check in zip(parts, checks, strict=True)
        if check.verdict is Verdict.STATED and _tells_of(part, claim)
    ]
    if stating:
        rows = tuple(dict.fromkeys(row for row, _ in stating))
        return replace(max(stating, key=lambda pair: pair[1].score or 0.0)[1], lines=rows)
    for (row, part), check in zip(parts, checks, strict=True):
        is_asked = content_stems(claim.question) <= _stems(part)
        if check.verdict is Verdict.CONTRADICTED and is_asked:
            return replace(check, lines=(row,))
    if told and not any(_has_of(line, claim.answer) for line in claim.lines):
        return ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "no line has a word of it")
    reason = "rules can't tell what it says with its question"
    language = "" if own in LANGUAGES else own
    return _unread(nearest_row(claim), reason, language)


def _tells_of(part: Line, claim: Claim) -> bool:
    """Whether a clause itself has a short answer, or its speaker, who is the answer, speaks of
    themselves; and where numbers are asked for, no more than the answer and its question, since
    "eleven in 1954, four in 1991" has them all.
    """
    wanted, numbers = content_stems(claim.answer), quantities(claim.answer)
    num_known = len(numbers) + len(quantities(claim.question))
    if num_known and len(quantities(part.text)) > num_known:
        return False
    is_of_speaker = wanted and not numbers and not wanted & content_stems(part.text)
    return not is_of_speaker or not _SPEAKS_OF_SELF.isdisjoint(read(part.text).lows)


def _stems(line: Line) -> frozenset[str]:
    """Of what it says and of who says it."""
    return content_stems(f"{line.speaker or ''} {line.text}")


def _unread(nearest: int | None, reason: str, language: str) -> ClaimCheck:
    lines = () if nearest is None else (nearest,)
    return ClaimCheck(Verdict.NOT_CHECKED, lines, None, reason, language=language)


def _has_of(line: Line, answer: str) -> bool:
    """Whether a line has a word or a number of a short answer; of one without any it may."""
    wanted, numbers = content_stems(answer), quantities(answer)
    if not wanted and not numbers:
        return True
    theirs = quantities(line.text)
    return bool(wanted & _stems(line)) or any(
        mine.agrees(other) for mine in numbers for other in theirs
    )


def _language_with(claim: Claim) -> str:
    """Of the text that a claim is from; where nobody told it, of the claim, or of the claim with
    its lines, whose names decide less.
    """
    own = claim.language or language_of(claim.text)
    if own in LANGUAGES or claim.language:
        return own
    return language_of("\n".join((claim.text, *(line.text for line in claim.lines))))


def _checked_in_part(
    claim: Claim, own: str, of_lines: Sequence[str], rows: Sequence[int]
) -> ClaimCheck:
    """A claim that isn't in the rules' language, or of whose lines only `rows` are."""
    verbatim = tuple(i for i, line in enumerate(claim.lines) if says_verbatim(claim.text, line))
    if verbatim:
        return ClaimCheck(Verdict.STATED, verbatim, 1.0)
    nearest = nearest_row(claim)
    if own in LANGUAGES and rows:
        lines = tuple(claim.lines[row] for row in rows)
        num_cited = sum(row < claim.num_cited for row in rows)
        check = _compared_with_lines(replace(claim, lines=lines, num_cited=num_cited))
        if check.verdict is not Verdict.NOT_FOUND or nearest in (None, *rows):
            return replace(check, lines=tuple(rows[row] for row in check.lines))
    language = own
    if own in LANGUAGES:  # the lines aren't: that of the nearest, else of all, else nobody knows
        only = of_lines[0] if len({*of_lines}) == 1 else UNKNOWN
        language = only if nearest is None else of_lines[nearest]
    reason = f"rules do not read its language ({language_name(language)})"
    return _unread(nearest, reason, language)


def _compared_with_lines(claim: Claim) -> ClaimCheck:
    findings = [line_finding(claim.text, line) for line in claim.lines]

    by_score = sorted(range(len(findings)), key=lambda i: -findings[i].score)
    stating = tuple(i for i in by_score if not findings[i].problem)
    if stating:
        return ClaimCheck(Verdict.STATED, stating, findings[stating[0]].score)

    is_counted = _is_counted(claim) if any(f.lacks_number for f in findings) else False
    against = [
        i
        for i in by_score
        if findings[i].is_against and not (is_counted and findings[i].lacks_number)
    ]
    if against:
        most = max(against, key=lambda i: findings[i].share)
        reason = f"the line {findings[most].problem}"
        return ClaimCheck(Verdict.CONTRADICTED, (most,), findings[most].score, reason)

    rows = () if any(finding.repeats for finding in findings) else _rows_together(claim)
    if len(rows) > 1:
        lines = [claim.lines[i] for i in rows]
        speakers = " ".join(dict.fromkeys(line.speaker or "" for line in lines))
        whole = Line(" ".join(line.text for line in lines), speakers, lines[0].title)
        together = sentence_finding(claim.text, whole)
        if not together.problem and together.share >= _MIN_JOINED_SHARE:
            return ClaimCheck(Verdict.STATED, rows, together.score)
        findings.append(together)

    best = max(findings, key=lambda finding: finding.share)
    return ClaimCheck(
        Verdict.NOT_FOUND,
        (),
        best.share * UNSURE,
        f"the line {best.problem}" if best.problem else "its words stand in lines apart",
        is_sure=all(finding.lacks_number for finding in findings),
    )


def _is_counted(claim: Claim) -> bool:
    """Whether the lines have each number of a claim with the thing that it counts."""
    numbers = quantities(claim.text)
    return bool(numbers) and all(
        any(has_counted(line.text, number, claim.text) for line in claim.lines)
        for number in numbers
    )


def _rows_together(claim: Claim) -> tuple[int, ...]:
    """Lines of one speaker that together have most of the claim, each bringing what the others
    lack; in their order. None where they don't belong together.
    """
    attribution = attributed(claim.text) or Attributed("", claim.text)
    is_conditional = keeps_condition(claim.text)
    there = [
        frozenset()
        if "?" in line.text or (not is_conditional and has_supposition(line.text))
        else Comparison(attribution, line).there()
        for line in claim.lines
    ]
    chosen: list[int] = []
    have: frozenset[tuple[str, int]] = frozenset()
    able = list(range(len(there)))
    while len(chosen) < _MAX_JOINED:
        best = max(able, key=lambda i: (len(there[i] - have), -i))
        if there[best] <= have:
            break
        chosen.append(best)
        have |= there[best]
        able = [i for i in able if claim.lines[i].speaker == claim.lines[best].speaker]
    rows = tuple(sorted(chosen))
    if is_joint(claim.text) or len(read(attribution.what).words) >= _MANY_WORDS:
        return rows
    texts = [claim.lines[row].text for row in rows]
    is_one_text = all(leans_on(later, before) for before, later in itertools.pairwise(texts))
    return rows if is_one_text else ()
