"""Checks of numbers: has the sentence the claim's, and does it count the same with them?"""

import re
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
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.words import FUNCTION_WORDS

_CAPITAL_BEHIND = re.compile(r"\s[A-Z]")


def number_gap(comparison: Comparison) -> Gap | None:
    """A number that the sentence doesn't have.

    Catches "5 valves" of "6 valves", "at least 5" of "5", "5 volts" of "5 amps". Passes "more than
    100 people" of "120 people", and the 13 of Apollo 13.
    """
    theirs = quantities(comparison.line.text)
    for mine in quantities(comparison.claim.text):
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
    return None


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


# -------------------------------------------------------------------------------- one number of many


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A number with the stems of the words around it, as far as no number of its kind is nearer to
    them; and the stems before and behind these. `head`: the nearest of the own that isn't said before;
    `has_rival`: no joint stands between it and a
    number of its kind.
    """

    number: Quantity
    head: str
    own: frozenset[str]
    before: frozenset[str]
    behind: frozenset[str]
    has_rival: bool


def bound_gap(comparison: Comparison) -> Gap | None:
    """A number of the claim that the sentence has with other words, among numbers of its kind.

    Catches "expenses were 40" of "income 40, expenses 30", "3 hours on tests" of "12 hours on tests
    and 3 on docs". Passes "3 hours on docs": hours go on to the next number.
    """
    predicate = comparison.predicate
    if predicate and event_of(predicate.stem):
        return None  # the check of roles tells
    theirs = _stretches(comparison.line.text)
    for mine in _stretches(comparison.claim.text):
        agreeing = [other for other in theirs if mine.number.agrees(other.number)]
        if mine.has_rival or not agreeing:
            continue
        if not all(_is_of_others(mine.own, other) for other in agreeing):
            continue
        instead = [
            other.number
            for other in theirs
            if other not in agreeing
            and other.number.competes_with(mine.number)
            and mine.own <= _shared(mine.own, other.own)
        ]
        if instead:
            return Gap(f"says {instead[0].said} of it, not {mine.number.said}", is_against=True)
        return Gap(f"says {mine.number.said} of something else")
    return None


def _is_of_others(stems: frozenset[str], stretch: _Stretch) -> bool:
    """Whether the words of a claim belong to another number: words go on from one to the next
    number that has none in their place, and never back.
    """
    elsewhere = stems - _shared(stems, stretch.own)
    before = _shared(elsewhere, stretch.before)
    if _shared(elsewhere - before, stretch.behind):
        return bool(stretch.own - _shared(stretch.own, stems))
    return bool(before and stretch.head) and not _shared(frozenset((stretch.head,)), stems)


def _shared(stems: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Those of some stems that others say."""
    return frozenset(stem for stem in stems if not senses(stem).isdisjoint(others))


@lru_cache(maxsize=4096)
def _stretches(text: str) -> tuple[_Stretch, ...]:
    numbers = quantities(text)
    joints = [(joint[0] in ";.!?", joint.start()) for joint in _JOINT.finditer(text)]
    found = []
    for at, number in enumerate(numbers):
        rivals = [(i < at, q) for i, q in enumerate(numbers) if number.competes_with(q)]
        between = [
            [joint for joint in joints if q.end <= joint[1] < number.start]
            if is_before
            else [joint for joint in joints if number.end <= joint[1] < q.start]
            for is_before, q in rivals
        ]
        start = max((max(ends)[1] for (b, _), ends in zip(rivals, between) if b and ends), default=0)
        end = min((max(ends)[1] for (b, _), ends in zip(rivals, between) if not b and ends), default=len(text))
        before, behind = _telling(text[:start]), _telling(text[end:])
        unit = _UNIT.match(text, number.end) if number.unit else None
        lead = _telling(text[start : number.start])
        follow = _telling(text[unit.end() if unit else number.end : end])
        heads = [stem for stem in (*follow, *reversed(lead)) if stem not in before]
        has_rival = any(start <= q.start < end for _, q in rivals)
        sides = map(frozenset, (lead + follow, before, behind))
        found.append(_Stretch(number, (*heads, "")[0], *sides, has_rival))
    return tuple(found)


_JOINT = re.compile(r"[,;.!?](?=\s)|\s(?:and|or|but|while|whereas|[-–—])(?=\s)")
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


# ------------------------------------------------------------------------------------ part of a whole


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
    rf"""\b(?P<share>(?:(?:a|one|two|three|four)\s)?(?:{'|'.join(FRACTIONS)})
        |(?:{NUMBER_WORD}|\d[\d,.]*)(?:\s?%|\spercent\b)?|most|some|many|few|several|part)
    \s+of\s+(?:all\s+)?(?:the|its|his|her|their|our|my|these|those)\s+
    (?:(?:{NUMBER_WORD}|\d+)\s+)?(?P<things>[^\W\d_]+(?:\s[^\W\d_]+){{0,2}})""",
    re.IGNORECASE | re.VERBOSE,
)
