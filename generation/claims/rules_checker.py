"""A checker without a model: how a claim is held against its lines.

1. Each sentence of a line is compared with the claim, and each pair of sentences where the second
   leans on the first. "Ann said that ..." is compared without who said it, with lines that are hers
   or tell of it.
2. The checks of `CHECKS` look for a gap, in their order; the first that is found tells most. A
   sentence without a gap, which has most of the claim's words, states the claim.
3. A gap that says the opposite, where no other gap is, contradicts it.
4. Where no line does either, lines are read together that each bring what the others lack.

The rules know the negation, numbers and roles of `LANGUAGES` alone. A claim in another is stated
where a line says it word for word, else it is not checked; lines in another are passed over.
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.attribution import (
    Attributed,
    attributed,
    is_speaker,
    names_who,
    speaker_says,
)
from dynagrag.generation.claims.claim_lexicon import JOINING, LEANING
from dynagrag.generation.claims.clauses import clauses, independent_parts, is_joint
from dynagrag.generation.claims.comparison import Check, Comparison
from dynagrag.generation.claims.denials import DENIES
from dynagrag.generation.claims.number_checks import (
    change_gap,
    has_counted,
    may_be_otherwise,
    misplaced_number_gap,
    number_gap,
    part_gap,
)
from dynagrag.generation.claims.place_checks import place_gap
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.reports import are_both_unheld, report_gap
from dynagrag.generation.claims.role_checks import apposition_gap, name_gap, object_gap, role_gap
from dynagrag.generation.claims.short_answers import statement
from dynagrag.generation.claims.shown_lines import nearest_row
from dynagrag.generation.claims.speaker_checks import joined_gap, speaker_gap
from dynagrag.generation.claims.stance import stance_gap
from dynagrag.generation.claims.suppositions import (
    SUPPOSES,
    has_supposition,
    keeps_condition,
    supposed_gap,
    supposed_on,
)
from dynagrag.generation.claims.topics import speaks_of_topic, topic_of
from dynagrag.generation.claims.verbatim import says_verbatim
from dynagrag.generation.claims.word_checks import (
    added_gap,
    described_gap,
    opposite_gap,
    order_gap,
    replaced_gap,
    verb_gap,
)
from dynagrag.generation.support import content_stems
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_name, language_of
from dynagrag.language.sentences import sentence_spans

CHECKS: dict[str, Check] = {
    "report": report_gap,
    "place": place_gap,
    "number": number_gap,
    "opposite": opposite_gap,
    "replaced word": replaced_gap,
    "described thing": described_gap,
    "name": name_gap,
    "apposition": apposition_gap,
    "role": role_gap,
    "one number of many": misplaced_number_gap,
    "change": change_gap,
    "part of a whole": part_gap,
    "speaker": speaker_gap,
    "joined sentences": joined_gap,
    "order": order_gap,
    "object": object_gap,
    "supposition": supposed_gap,
    "stance": stance_gap,
    "added words": added_gap,
    "verb": verb_gap,
}
"""Each shows its effect on a set of claims (docs/decisions/0038-claim-rules-by-held-out-set.md)."""
LANGUAGES = frozenset((ENGLISH,))
"""A language is here when a test set shows that denials, numbers and swapped roles are caught in it
(tests/unit/generation/claims/test_claim_languages.py).
"""
_OF_SAME = ("number", "name", "added words", "role")
"""Only where none of these finds a gap a sentence speaks of the very thing, and so against the
claim.
"""
_TOLD_BY = {
    "opposite": frozenset(("role",)),  # it may be the verb, of which the roles tell
    "place": frozenset(("name", "role")),
}
"""Of these, what a gap speaks of itself."""
MIN_SHARE = 0.7
"""Of a claim's content words that a sentence must have (names and numbers aside, which must all be
there).
"""
_ABOUT_SAME = 0.6
"""From this share of a claim's words on, a sentence speaks of the same thing, so that what differs
contradicts it.
"""
_MAX_JOINED, _MIN_JOINED_SHARE = 4, 0.8
"""Lines that are read together, and the share of the claim's words that they must have then."""
_ADDRESS = re.compile(r"[A-Z]\w+, (?:we|I|you)\b")
"""The person who is spoken to is often named in the sentence before."""
_INITIAL = re.compile(r"\b[A-Z]\.$")
_OPENING = 5
"""Words at which a sentence leans on the one before."""
_SPEAKS_OF_SELF = frozenset(("i", "we"))
_MAX_CHARACTERS = 2_000
"""Of a sentence that is read, and of a claim."""
_MANY_WORDS = 14
"""A claim of fewer is said in one place, or goes on from line to line; a longer one may be put
together.
"""
_UNSURE, _AGAINST = 0.45, 0.1
"""The highest scores of claims that are not found, and that a line speaks against."""


@dataclass(frozen=True, slots=True)
class _Finding:
    """How one line stands to a claim: the share of its words, why it doesn't state it, whether it
    speaks against it, or repeats it but for a word.
    """

    share: float
    problem: str = ""
    is_against: bool = False
    repeats: bool = False
    lacks_number: bool = False

    @property
    def score(self) -> float:
        """0.5 to 1 where it states it."""
        if not self.problem:
            return 0.5 + 0.5 * self.share
        return (_AGAINST if self.is_against else _UNSURE) * self.share


class RulesChecker:
    """Rules alone."""

    name = "rules"

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim."""
        return [_checked(claim) for claim in claims]


@lru_cache(maxsize=2_048)
def _checked(claim: Claim) -> ClaimCheck:
    if len(claim.text) > _MAX_CHARACTERS:
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
        for clause in clauses(line.text[start : min(end, start + _MAX_CHARACTERS)])
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
    findings = [_line_finding(claim.text, line) for line in claim.lines]

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
        together = _sentence_finding(claim.text, whole)
        if not together.problem and together.share >= _MIN_JOINED_SHARE:
            return ClaimCheck(Verdict.STATED, rows, together.score)
        findings.append(together)

    best = max(findings, key=lambda finding: finding.share)
    return ClaimCheck(
        Verdict.NOT_FOUND,
        (),
        best.share * _UNSURE,
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
    is_one_text = all(_leans(later, before) for before, later in itertools.pairwise(texts))
    return rows if is_one_text else ()


def _line_finding(text: str, line: Line) -> _Finding:
    """The best finding of the line's sentences, one by one and each with the next, since a turn may
    state, ask and take back.
    """
    topic = topic_of(text)
    if topic and is_speaker(topic.who, line):
        is_there = speaks_of_topic(topic, line)
        return _Finding(1.0) if is_there else replace(_read_finding(text, line), is_against=False)
    return _read_finding(text, line)


def _read_finding(text: str, line: Line) -> _Finding:
    spans = [(start, min(end, start + _MAX_CHARACTERS)) for start, end in sentence_spans(line.text)]
    if len(spans) < 2:
        return _sentence_finding(text, replace(line, text=line.text[:_MAX_CHARACTERS]))
    is_read_on = is_joint(text) or bool(_ADDRESS.match(text))
    texts = [line.text[start:end] for start, end in spans]
    supposed = frozenset[int]() if keeps_condition(text) else supposed_on(texts)
    held_back = [place in supposed for place in range(len(texts))]
    for place, ((start, middle), (later, end)) in enumerate(itertools.pairwise(spans)):
        both = line.text[start:end]
        if "?" in both or len(both) >= _MAX_CHARACTERS:
            continue
        if is_read_on or _leans(line.text[later:end], line.text[start:middle]):
            texts.append(both)
            held_back.append(place in supposed)
    findings = [
        _supposed(finding) if is_supposed else finding
        for is_supposed, sentence in zip(held_back, texts, strict=True)
        for finding in (_sentence_finding(text, replace(line, text=sentence)),)
    ]
    findings = [
        replace(finding, is_against=finding.is_against and not _is_said_beside(finding, findings))
        for finding in findings
    ]
    return max(findings, key=lambda f: (not f.problem, f.share, f.is_against, f.repeats))


def _supposed(finding: _Finding) -> _Finding:
    """That of a sentence that goes on with what one before only supposes."""
    return replace(finding, problem=finding.problem or SUPPOSES, is_against=False)


def _is_said_beside(finding: _Finding, findings: Sequence[_Finding]) -> bool:
    """Whether a line denies a claim in one sentence, and has in another, undenied, as many of its
    words.
    """
    return finding.problem == DENIES and any(
        other.share >= finding.share and other.problem != DENIES for other in findings
    )


def _leans(sentence: str, before: str) -> bool:
    """Whether a sentence is to be read with the one before: it goes on with it, opens with "and",
    or speaks of "it" right away.
    """
    opening = [word.low for word in read(sentence).words[:_OPENING]]
    return (
        sentence[0].islower()
        or bool(_INITIAL.search(before))
        or opening[0] in JOINING
        or not LEANING.isdisjoint(opening)
    )


@lru_cache(maxsize=20_000)
def _sentence_finding(text: str, line: Line) -> _Finding:
    """How a sentence stands to a claim, and to each of its parts that could be sentences
    themselves: a claim of several parts must have them all stated, one without joints stands in one
    of them.
    """
    finding = _whole_finding(text, line)
    attribution = attributed(text)
    what = attribution.what if attribution else text
    is_wished = attribution is not None and attribution.is_wished
    is_repeated = not is_wished and _word_stems(what) in _word_stems(line.text)
    if finding.problem or is_repeated:
        return finding
    claim_parts = independent_parts(what)
    if len(claim_parts) > 1 and attribution is None:
        of_parts = (_sentence_finding(part, line) for part in claim_parts)
        return next((found for found in of_parts if found.problem), finding)
    parts = independent_parts(line.text)
    if len(parts) == 1 or is_joint(what):
        return finding
    if any(not _whole_finding(text, replace(line, text=part)).problem for part in parts):
        return finding
    return _Finding(finding.share, "has its words in parts that say different things")


def _word_stems(text: str) -> str:
    """The stems of its words, with a space around each; "it 's" is it's."""
    stems = (word.stem for word in read(text).words if word.is_word)
    return f" {' '.join(stem for stem in stems if stem != 's')} "


def _whole_finding(text: str, line: Line) -> _Finding:
    """How a sentence stands to a claim, by its speaker or by its own words where the claim tells
    who said something.
    """
    attribution = attributed(text)
    if attribution is None:
        return _compared(Attributed("", text), line)
    finding = _compared(attribution, line)
    if speaker_says(attribution, line):
        return finding
    if names_who(attribution, line.text):
        return _compared(Attributed("", text), line)
    whose = f"is {line.speaker}'s" if line.speaker else "does not tell who said it"
    return _Finding(finding.share, whose)


def _compared(attribution: Attributed, line: Line) -> _Finding:
    """The first gap that the checks find; against the claim only where it is the only one that
    matters, and the two speak of the same.
    """
    comparison = Comparison(attribution, line)
    share = comparison.share()
    for name, check in CHECKS.items():
        gap = check(comparison)
        if gap is not None:
            others = {*_OF_SAME} - {name} - _TOLD_BY.get(name, frozenset())
            return _Finding(
                share,
                gap.reason,
                is_against=gap.is_against
                and not comparison.sentence.is_question
                and share >= _ABOUT_SAME
                and not are_both_unheld(comparison)
                and all(CHECKS[other](comparison) is None for other in others),
                repeats=name in ("replaced word", "described thing"),
                lacks_number=name == "number" and not may_be_otherwise(comparison),
            )
    return _Finding(share, "" if share >= MIN_SHARE else "has too few of its words")
