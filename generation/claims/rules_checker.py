"""A checker without a model. A claim is stated by a line that has its numbers, its names in their
roles, its polarity and mood, and most of its other words, or words that say the same.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.attribution import Attributed, attributed, names_who, speaker_says
from dynagrag.generation.claims.clauses import independent_parts, is_joint
from dynagrag.generation.claims.comparison import Comparison
from dynagrag.generation.claims.lexicon import PRONOUNS
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.roles import predicate_of
from dynagrag.language.sentences import sentence_spans

MIN_SHARE = 0.7
"""Of a claim's content words that a line must have (names and numbers aside, which must all be
there).
"""
_ABOUT_SAME = 0.6
"""From this share of a claim's words on, a line speaks of the same thing, so that what differs
contradicts it.
"""
_MAX_JOINED, _MIN_JOINED_SHARE = 4, 0.8
"""Lines that are read together, and the share of the claim's words that they must have then."""
_LEANING = (PRONOUNS - frozenset("i we my our you your who which that".split())) | frozenset(
    "each both another such same".split()
)
_ADDRESS = re.compile(r"[A-Z]\w+, (?:we|I|you)\b")
"""Who is spoken to often stands in the sentence before."""
_INITIAL = re.compile(r"\b[A-Z]\.$")
_JOINING = frozenset("and but so or then because there".split())
_OPENING = 5
"""Words at which a sentence leans on the one before."""
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
    """What one line says of a claim: the share of its words, why it doesn't state it, whether it
    speaks against it, or repeats it but for a word.
    """

    share: float
    problem: str = ""
    against: bool = False
    repeats: bool = False
    lacks_number: bool = False

    @property
    def score(self) -> float:
        """0.5 to 1 where it states it."""
        return (
            (0.5 + 0.5 * self.share)
            if not self.problem
            else (_AGAINST if self.against else _UNSURE) * self.share
        )


class RulesChecker:
    """Rules alone."""

    name = "rules"

    def check(self, claims: Sequence[Claim]) -> list[ClaimCheck]:
        """One for each claim. Lines are read one by one, then a few together, since a claim may
        need two.
        """
        return [_checked(claim) for claim in claims]


@lru_cache(maxsize=2_048)
def _checked(claim: Claim) -> ClaimCheck:
    if len(claim.text) > _MAX_CHARACTERS:
        return ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "it is too long to be checked")
    findings = [_finding(claim.text, line) for line in claim.lines]
    if not findings:
        return ClaimCheck(Verdict.NOT_FOUND, (), 0.0, "there is no line")
    order = sorted(range(len(findings)), key=lambda i: -findings[i].score)
    stating = tuple(i for i in order if not findings[i].problem)
    if stating:
        return ClaimCheck(Verdict.STATED, stating, findings[stating[0]].score)
    against = [i for i in sorted(order, key=lambda i: -findings[i].share) if findings[i].against]
    if against:
        return ClaimCheck(
            Verdict.CONTRADICTED,
            (against[0],),
            findings[against[0]].score,
            f"the line {findings[against[0]].problem}",
        )
    rows = () if any(finding.repeats for finding in findings) else _together(claim)
    joined = (
        _sentence_finding(claim.text, _joined([claim.lines[i] for i in rows]))
        if len(rows) > 1
        else findings[0]
    )
    if len(rows) > 1 and not joined.problem and joined.share >= _MIN_JOINED_SHARE:
        return ClaimCheck(Verdict.STATED, rows, joined.score)
    best = max([*findings, joined], key=lambda f: f.share)
    score = max(finding.share for finding in [*findings, joined]) * _UNSURE
    reason = f"the line {best.problem}" if best.problem else "its words stand in lines apart"
    return ClaimCheck(
        Verdict.NOT_FOUND,
        (),
        score,
        reason,
        is_sure=joined.lacks_number and all(f.lacks_number for f in findings),
    )


def _together(claim: Claim) -> tuple[int, ...]:
    """Lines that together have most of the claim, each bringing what the others lack; in their
    order.
    """
    said = attributed(claim.text)
    text = read(said.what if said else claim.text)
    there = [
        Comparison(text, read(line.text), line, None).there()
        if "?" not in line.text
        else frozenset()
        for line in claim.lines
    ]
    chosen: list[int] = []
    have: frozenset[tuple[str, int]] = frozenset()
    while len(chosen) < _MAX_JOINED:
        speakers = {claim.lines[i].speaker for i in chosen}
        able = [i for i in range(len(there)) if not speakers or claim.lines[i].speaker in speakers]
        best = max(able, key=lambda i: (len(there[i] - have), -i))
        if not there[best] - have:
            break
        chosen.append(best)
        have |= there[best]
    rows = tuple(sorted(chosen))
    belongs = all(
        _leans(claim.lines[b].text, claim.lines[a].text) for a, b in itertools.pairwise(rows)
    )
    return rows if belongs or is_joint(claim.text) or len(text.words) >= _MANY_WORDS else ()


def _joined(lines: Sequence[Line]) -> Line:
    return Line(
        " ".join(line.text for line in lines),
        " ".join(dict.fromkeys(line.speaker or "" for line in lines)),
        lines[0].title,
    )


def _finding(text: str, line: Line) -> _Finding:
    """The best of what the line's sentences say, one by one and each with the next, since a turn
    may state, ask and take back.
    """
    spans = [(start, min(end, start + _MAX_CHARACTERS)) for start, end in sentence_spans(line.text)]
    if len(spans) < 2:
        return _sentence_finding(text, replace(line, text=line.text[:_MAX_CHARACTERS]))
    pairs = [
        (a[0], b[1])
        for a, b in itertools.pairwise(spans)
        if "?" not in line.text[a[0] : b[1]]
        and b[1] - a[0] < _MAX_CHARACTERS
        and (
            is_joint(text)
            or _ADDRESS.match(text)
            or _leans(line.text[slice(*b)], line.text[slice(*a)])
        )
    ]
    findings = [
        _sentence_finding(text, replace(line, text=line.text[start:end]))
        for start, end in (*spans, *pairs)
    ]
    return max(findings, key=lambda f: (not f.problem, f.share, f.against, f.repeats))


def _leans(sentence: str, before: str) -> bool:
    """Whether a sentence is to be read with the one before: it goes on with it, opens with "and",
    or speaks of "it" right away.
    """
    opening = [word.low for word in read(sentence).words[:_OPENING]]
    return (
        sentence[0].islower()
        or bool(_INITIAL.search(before))
        or opening[0] in _JOINING
        or not _LEANING.isdisjoint(opening)
    )


@lru_cache(maxsize=20_000)
def _sentence_finding(text: str, line: Line) -> _Finding:
    """What a sentence says of a claim: in one of its parts that could be sentences themselves,
    unless the claim has joints, too.
    """
    finding = _whole_finding(text, line)
    said = attributed(text)
    what = said.what if said else text
    if finding.problem:
        return finding
    if len(mine := independent_parts(what)) > 1 and said is None:
        return next(
            (found for part in mine if (found := _sentence_finding(part, line)).problem), finding
        )
    if is_joint(what) or len(parts := independent_parts(line.text)) == 1:
        return finding
    if any(not _whole_finding(text, replace(line, text=part)).problem for part in parts):
        return finding
    return _Finding(finding.share, "has its words in parts that say different things")


def _whole_finding(text: str, line: Line) -> _Finding:
    said = attributed(text)
    if said is None:
        return _read_finding(Attributed("", text), line)
    finding = _read_finding(said, line)
    if speaker_says(said, line):
        return finding
    if names_who(said, line.text):
        return _read_finding(Attributed("", text), line)
    return _Finding(
        finding.share, f"is {line.speaker}'s" if line.speaker else "does not tell who said it"
    )


def _read_finding(said: Attributed, line: Line) -> _Finding:
    claim = read(said.what)
    about = Comparison(claim, read(line.text), line, predicate_of(claim))
    share = about.share()
    for gap in about.gaps(said):
        found = gap()
        if found is not None:
            against = found[1] and share >= _ABOUT_SAME and about.is_alone(gap)
            return _Finding(
                share,
                found[0],
                against,
                repeats=gap == about.replaced_gap,
                lacks_number=gap == about.number_gap and not about.is_otherwise_written,
            )
    if share < MIN_SHARE:
        return _Finding(share, "has too few of its words")
    return _Finding(share)
