"""How a line stands to a claim: whether a sentence of it states the claim, why none does, and
whether one speaks against it.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import (
    Attributed,
    attributed,
    is_speaker,
    names_who,
    speaker_says,
)
from dynagrag.generation.claims.claim_lexicon import JOINING, LEANING
from dynagrag.generation.claims.clauses import independent_parts, is_joint
from dynagrag.generation.claims.comparison import Check, Comparison
from dynagrag.generation.claims.denials import DENIES
from dynagrag.generation.claims.number_checks import (
    change_gap,
    may_be_otherwise,
    misplaced_number_gap,
    number_gap,
    part_gap,
)
from dynagrag.generation.claims.place_checks import place_gap
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.reports import are_both_unheld, report_gap
from dynagrag.generation.claims.role_checks import apposition_gap, name_gap, object_gap, role_gap
from dynagrag.generation.claims.speaker_checks import joined_gap, speaker_gap
from dynagrag.generation.claims.stance import stance_gap
from dynagrag.generation.claims.suppositions import (
    SUPPOSES,
    keeps_condition,
    supposed_gap,
    supposed_on,
)
from dynagrag.generation.claims.topics import speaks_of_topic, topic_of
from dynagrag.generation.claims.word_checks import (
    added_gap,
    described_gap,
    opposite_gap,
    order_gap,
    replaced_gap,
    verb_gap,
)
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
_ADDRESS = re.compile(r"[A-Z]\w+, (?:we|I|you)\b")
"""The person who is spoken to is often named in the sentence before."""
_INITIAL = re.compile(r"\b[A-Z]\.$")
_OPENING = 5
"""Words at which a sentence leans on the one before."""
MAX_CHARACTERS = 2_000
"""Of a sentence that is read, and of a claim."""
UNSURE, _AGAINST = 0.45, 0.1
"""The highest scores of claims that are not found, and that a line speaks against."""


@dataclass(frozen=True, slots=True)
class LineFinding:
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
        return (_AGAINST if self.is_against else UNSURE) * self.share


def line_finding(text: str, line: Line) -> LineFinding:
    """The best finding of the line's sentences, one by one and each with the next, since a turn may
    state, ask and take back.
    """
    topic = topic_of(text)
    if topic and is_speaker(topic.who, line):
        is_there = speaks_of_topic(topic, line)
        return (
            LineFinding(1.0) if is_there else replace(_read_finding(text, line), is_against=False)
        )
    return _read_finding(text, line)


def _read_finding(text: str, line: Line) -> LineFinding:
    spans = [(start, min(end, start + MAX_CHARACTERS)) for start, end in sentence_spans(line.text)]
    if len(spans) < 2:
        return sentence_finding(text, replace(line, text=line.text[:MAX_CHARACTERS]))
    is_read_on = is_joint(text) or bool(_ADDRESS.match(text))
    texts = [line.text[start:end] for start, end in spans]
    supposed = frozenset[int]() if keeps_condition(text) else supposed_on(texts)
    held_back = [place in supposed for place in range(len(texts))]
    for place, ((start, middle), (later, end)) in enumerate(itertools.pairwise(spans)):
        both = line.text[start:end]
        if "?" in both or len(both) >= MAX_CHARACTERS:
            continue
        if is_read_on or leans_on(line.text[later:end], line.text[start:middle]):
            texts.append(both)
            held_back.append(place in supposed)
    findings = [
        _supposed(finding) if is_supposed else finding
        for is_supposed, sentence in zip(held_back, texts, strict=True)
        for finding in (sentence_finding(text, replace(line, text=sentence)),)
    ]
    findings = [
        replace(finding, is_against=finding.is_against and not _is_said_beside(finding, findings))
        for finding in findings
    ]
    return max(findings, key=lambda f: (not f.problem, f.share, f.is_against, f.repeats))


def _supposed(finding: LineFinding) -> LineFinding:
    """That of a sentence that goes on with what one before only supposes."""
    return replace(finding, problem=finding.problem or SUPPOSES, is_against=False)


def _is_said_beside(finding: LineFinding, findings: Sequence[LineFinding]) -> bool:
    """Whether a line denies a claim in one sentence, and has in another, undenied, as many of its
    words.
    """
    return finding.problem == DENIES and any(
        other.share >= finding.share and other.problem != DENIES for other in findings
    )


def leans_on(sentence: str, before: str) -> bool:
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
def sentence_finding(text: str, line: Line) -> LineFinding:
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
        of_parts = (sentence_finding(part, line) for part in claim_parts)
        return next((found for found in of_parts if found.problem), finding)
    parts = independent_parts(line.text)
    if len(parts) == 1 or is_joint(what):
        return finding
    if any(not _whole_finding(text, replace(line, text=part)).problem for part in parts):
        return finding
    return LineFinding(finding.share, "has its words in parts that say different things")


def _word_stems(text: str) -> str:
    """The stems of its words, with a space around each; "it 's" is it's."""
    stems = (word.stem for word in read(text).words if word.is_word)
    return f" {' '.join(stem for stem in stems if stem != 's')} "


def _whole_finding(text: str, line: Line) -> LineFinding:
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
    return LineFinding(finding.share, whose)


def _compared(attribution: Attributed, line: Line) -> LineFinding:
    """The first gap that the checks find; against the claim only where it is the only one that
    matters, and the two speak of the same.
    """
    comparison = Comparison(attribution, line)
    share = comparison.share()
    for name, check in CHECKS.items():
        gap = check(comparison)
        if gap is not None:
            others = {*_OF_SAME} - {name} - _TOLD_BY.get(name, frozenset())
            return LineFinding(
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
    return LineFinding(share, "" if share >= MIN_SHARE else "has too few of its words")
