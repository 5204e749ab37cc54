"""Checks of numbers: has the sentence the claim's, and does it count the same with them?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

from dynagrag.generation.claims.claim_lexicon import FRACTIONS
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.life_dates import event_of
from dynagrag.generation.claims.quantities import (
    NUMBER_WORD,
    Quantity,
    may_be_written_otherwise,
    quantities,
)
from dynagrag.generation.claims.reading import read, same_word
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.sentences import sentence_spans
from dynagrag.language.words import FUNCTION_WORDS

_CAPITAL_BEHIND = re.compile(r"\s[A-Z]")


def number_gap(comparison: Comparison) -> Gap | None:
    """A number that the sentence doesn't have.

    Catches "5 valves" of "6 valves", "at least 5" of "5", "5 volts" of "5 amps". Passes "more than
    100 people" of "120 people", and the 13 of Apollo 13.
    """
    line = comparison.line.text
    counted = [other for other in quantities(line) if not _is_label(line, other)]
    for mine in quantities(comparison.claim.text):
        theirs = quantities(line) if _is_label(comparison.claim.text, mine) else counted
        if is_in_name(comparison, mine) or any(mine.agrees(other) for other in theirs):
            continue
        for other in theirs:
            if mine.is_like(other):
                is_against = not may_be_otherwise(comparison)
                return Gap(f"says {other.said}, not {mine.said}", is_against)
        for other in theirs:
            if other.value is not None and other.value == mine.value:  # in another bound or unit
                return Gap(f"says {other.said}, not {mine.said}")
        return Gap(f"does not say {mine.said}")
    return _fraction_gap(comparison)


def _is_label(text: str, number: Quantity) -> bool:
    """Whether a number tells which one it is, and counts nothing: item 5, pages 3 to 7."""
    return not number.unit and bool(_LABELLED.search(text, 0, number.start))


_LABELLED = re.compile(
    r"\b(?:(?i:item|point|paper|chapter|question|page|figure|section|number)s?|[Nn]o\.|No)\s"
    r"(?:\d+(?:,|\s(?:and|to)|\s?[-–])\s?)*$"
)


def has_counted(text: str, mine: Quantity, claim: str) -> bool:
    """Whether a text has a number of the claim with the thing that it counts there."""
    thing = _WORD_BEHIND.match(claim, mine.end)
    if thing is None or thing[1].casefold() in FUNCTION_WORDS:
        return False
    behind = ((other, _WORD_BEHIND.match(text, other.end)) for other in quantities(text))
    return any(
        word is not None and mine.agrees(other) and lemma(word[1]) == lemma(thing[1])
        for other, word in behind
    )


def _fraction_gap(comparison: Comparison) -> Gap | None:
    """A fraction of the claim that the sentence has neither in words nor in percent."""
    text = comparison.line.text
    theirs = {match[0].split()[-1].casefold() for match in _FRACTION.finditer(text)}
    is_in_percent = any(number.unit == "percent" for number in quantities(text))
    for match in _FRACTION.finditer(comparison.claim.text):
        if match[0].split()[-1].casefold() not in theirs and not is_in_percent:
            return Gap(f"does not say {match[0]!r}")
    return None


_HALVES = {"half", "halves"}
_FRACTION = re.compile(
    rf"\b(?:half|halves|(?:an?|one|two|three|four)\s(?:{'|'.join(sorted(FRACTIONS - _HALVES))})"
    r"(?=\s(?:of|in|on|by|to|for|from|since|this|last|next|more|less)\b|[^\w\s]|\s*$))",
    re.IGNORECASE,
)
"""A third pump is no third."""


def may_be_otherwise(comparison: Comparison) -> bool:
    """Whether the sentence may have a number of the claim in other words or units than are compared
    here.
    """
    texts = (comparison.claim.text, comparison.line.text)  # apart: each is read once
    return any(
        may_be_written_otherwise(mine, text)
        for mine in quantities(comparison.claim.text)
        for text in texts
    )


def is_in_name(comparison: Comparison, number: Quantity) -> bool:
    """Whether a number of the claim belongs to a name that the sentence has, or to a title: Apollo
    13, the 6th Earl.
    """
    claim = comparison.claim
    is_ordinal = number.text[0].isdigit() and not (number.date or number.text[-1].isdigit())
    if is_ordinal and _CAPITAL_BEHIND.match(claim.text, number.end):
        return True
    return any(
        number.text in claim.name(*span) and comparison.has_name(span) for span in claim.names
    )


# ------------------------------------------------------------------------------- one number of many


@dataclass(frozen=True, slots=True)
class _NumberContext:
    """A number with the stems of the words around it, as far as no number of its kind is nearer to
    them; and the stems before and behind these.

    `heads`: the nearest of the own that the rival before hasn't, behind it, else before it; both of
    one with a unit. `has_rival`: no joint stands between it and a number of its kind. `is_alone`:
    no thing stands behind it.
    """

    number: Quantity
    heads: frozenset[str]
    own: frozenset[str]
    before: frozenset[str]
    behind: frozenset[str]
    has_rival: bool
    is_alone: bool


def misplaced_number_gap(comparison: Comparison) -> Gap | None:
    """A number of the claim that the sentence has with other words, among numbers of its kind.

    Catches "expenses were 40" of "income 40, expenses 30", "3 hours on tests" of "12 hours on tests
    and 3 on docs". Passes "3 hours on docs": hours go on to the next number.
    """
    predicate = comparison.predicate
    if predicate and event_of(predicate.stem):
        return None  # the check of roles tells
    theirs = _number_contexts(comparison.line.text)
    for mine in _number_contexts(comparison.claim.text):
        agreeing = [other for other in theirs if mine.number.agrees(other.number)]
        if mine.has_rival or not agreeing:
            continue
        if not all(_is_of_others(mine, other) for other in agreeing):
            continue
        instead = [
            other.number
            for other in theirs
            if other not in agreeing
            and mine.number.is_like(other.number)
            and mine.own <= _shared(mine.own, other.own)
        ]
        if instead:
            return Gap(f"says {instead[0].said} of it, not {mine.number.said}", is_against=True)
        return Gap(f"says {mine.number.said} of something else")
    return None


def _is_of_others(mine: _NumberContext, other: _NumberContext) -> bool:
    """Whether the words beside a number of the claim belong to another: words go on from one to the
    next number that has none in their place, and never back. "31 cells" are no 31 volts.
    """
    stems = mine.own
    if mine.number.unit and not (other.number.unit or other.is_alone):
        return True
    elsewhere = stems - _shared(stems, other.own)
    before = _shared(elsewhere, other.before)
    if _shared(elsewhere - before, other.behind):
        return bool(other.own - _shared(other.own, stems))
    is_of_heads = any(
        stem in senses(head) or same_word(stem, head) for stem in stems for head in other.heads
    )
    return bool(before and other.heads) and not is_of_heads


def _shared(stems: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Those of some stems that others say."""
    return frozenset(stem for stem in stems if not senses(stem).isdisjoint(others))


@lru_cache(maxsize=4096)
def _number_contexts(text: str) -> tuple[_NumberContext, ...]:
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return tuple(
        _number_context(sentence, numbers, at)
        for sentence in sentences
        for numbers in (quantities(sentence),)
        for at in range(len(numbers))
    )


def _number_context(text: str, numbers: Sequence[Quantity], at: int) -> _NumberContext:
    number = numbers[at]
    joints = [(joint[0] in ";.!?", joint.start()) for joint in _JOINT.finditer(text)]
    start, end = 0, len(text)
    for other in numbers:
        low, high = sorted((number, other), key=lambda quantity: quantity.start)
        between = [joint for joint in joints if low.end <= joint[1] < high.start]
        if between and _are_rivals(text, number, other):
            cut = max(between)[1]
            start, end = (max(start, cut), end) if other is low else (start, min(end, cut))
    unit = _UNIT.match(text, number.end) if number.unit else None
    lead = _telling(text[start : number.start])
    follow = _telling(text[unit.end() if unit else number.end : end])
    before, behind = frozenset(_telling(text[:start])), frozenset(_telling(text[end:]))
    rivals = [q.start for q in numbers[:at] if _are_rivals(text, number, q)]
    theirs = {*_telling(text[: max(rivals, default=0)])[-_NEAR:]}
    theirs |= {*_telling(text[max(rivals, default=start) : start])}
    nearest = [[stem for stem in side if stem not in theirs][:1] for side in (follow, lead[::-1])]
    heads = nearest[0] + nearest[1] if number.unit else nearest[0] or nearest[1]
    has_rival = any(
        start <= other.start < end and _are_rivals(text, number, other) for other in numbers
    )
    own = frozenset(lead + follow)
    is_alone = _is_alone(text, number)
    return _NumberContext(number, frozenset(heads), own, before, behind, has_rival, is_alone)


def _are_rivals(text: str, one: Quantity, other: Quantity) -> bool:
    """Whether what the one is said of might be said to have the other: numbers of one unit, or one
    alone, whose unit is left out.
    """
    if one.value is None or other.value is None or one.looks_like_year != other.looks_like_year:
        return one.kind == other.kind and one != other
    if one.unit == other.unit:
        return one != other
    alone = other if one.unit else one
    return not alone.unit and _is_alone(text, alone)


def _is_alone(text: str, number: Quantity) -> bool:
    word = _WORD_BEHIND.match(text, number.end)
    return word is None or word[1].casefold() in FUNCTION_WORDS


_JOINT = re.compile(r"[,;.!?](?=\s)|\s(?:and|or|but|while|whereas|[-–—])(?=\s)")
_WORD_BEHIND = re.compile(r"\s([^\W\d_]+)")
_NEAR = 4
"""Words before a number that are its own rather than of all."""
_CONTRASTED = frozenset(("now", "then", "this", "against"))
_UNIT = re.compile(r"\s?-?(?:[^\W\d_]+|\W)")


def _telling(text: str) -> tuple[str, ...]:
    """The stems of the words that tell something, labels ("ward B") among them."""
    return tuple(
        word.stem
        for word in read(text).words
        if not word.is_mark
        and (word.low not in FUNCTION_WORDS - _CONTRASTED or word.text in ascii_uppercase)
    )


def change_gap(comparison: Comparison) -> Gap | None:
    """The claim says from or to a number what the sentence says by it, or turns a change round.

    Catches "fell to 40 m" of "fell 40 m" and "fell by 40 m", "from 40 to 60" of "60 last year, now
    40". Passes "fell by 40 m" of "fell 40 m".
    """
    claim, sentence = comparison.claim.text, comparison.line.text
    ends: dict[str, list[int]] = {}
    for mine in quantities(claim):
        wanted = _way(claim, mine)
        theirs = [other for other in quantities(sentence) if mine.agrees(other)]
        ways = {_way(sentence, other) for other in theirs}
        if wanted and ways and not ways & {wanted, ""}:
            return Gap(f"does not say {wanted} {mine.said}")
        if ways == {""}:
            ends[wanted] = [other.start for other in theirs]
    if "from" in ends and "to" in ends and min(ends["from"]) > max(ends["to"]):
        return Gap("has it the other way round")
    return None


def _way(text: str, number: Quantity) -> str:
    """The small word before a number: from, to, or by, which a verb of change has without it."""
    before = text[: text.rfind(number.said, 0, number.end)].split()[-1:]
    low = "".join(before).casefold()
    return low if low in ("from", "to", "by") else "by" if lemma(low) in _CHANGES else ""


_CHANGES = senses(lemma("increase")) | senses(lemma("decrease"))


# ---------------------------------------------------------------------------------- part of a whole


def part_gap(comparison: Comparison) -> Gap | None:
    """Of all, or of another part, the claim says what the sentence says of a part.

    Catches "the seedlings died" of "half of the seedlings died", "one of the engines" of "two of
    the engines". Passes "two engines" of "two of the five engines".
    """
    text = comparison.line.text
    whole = _PART.sub(" ", text)
    for part in _PART.finditer(text):
        words = [word for word in part["things"].split() if word.casefold() not in FUNCTION_WORDS]
        thing = next((word for word in words if word.endswith("s")), (*words, "")[0]).casefold()
        stem = lemma(thing)
        mine = [word.low for word in comparison.claim.words if word.stem == stem]
        if not mine or stem in read(whole).stems:
            continue
        is_a_one = part["share"].casefold() == "one" and thing not in mine  # "an engine"
        if not is_a_one and not _has_share(comparison.claim.text, part["share"]):
            return Gap(f"says it of {part['share']} of them")
    return None


def _has_share(text: str, share: str) -> bool:
    """Whether a text speaks of a part in the same number or word."""
    numbers = quantities(share)
    return share.split()[-1].casefold() in read(text).lows or any(
        number.agrees(other) for number in numbers for other in quantities(text)
    )


_PART = re.compile(
    rf"""\b(?P<share>(?:(?:a|one|two|three|four)\s)?(?:{"|".join(FRACTIONS)})
        |(?:{NUMBER_WORD}|\d[\d,.]*)(?:\s?%|\spercent\b)?|most|some|many|few|several|part)
    \s+of\s+(?:all\s+)?(?:the|its|his|her|their|our|my|these|those)\s+
    (?:(?:{NUMBER_WORD}|\d+)\s+)?(?P<things>[^\W\d_]+(?:\s[^\W\d_]+){{0,2}})""",
    re.IGNORECASE | re.VERBOSE,
)
