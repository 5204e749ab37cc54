"""Checks of numbers: has the sentence the claim's, and does it count the same with them?"""

import re
from dataclasses import dataclass

from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.quantities import Quantity, may_be_written_otherwise, quantities
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.words import FUNCTION_WORDS

_CAPITAL_BEHIND = re.compile(r"\s[A-Z]")
_NEXT = re.compile(r"[\s\[\]-]*(?P<word>\d|[^\W\d_]+(?:['’\-][^\W\d_]+)*)")
_COMPOUND = re.compile(r"-(?=[^\W\d_])")
"""Behind a number that tells what a thing is like, not how many there are: a three-year-old school,
a two-seat car.
"""
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_OF_THOSE = re.compile(
    r"\s+of\s+(?:(?:all|the|its|his|her|their|our|these|those)\s+)+", re.IGNORECASE
)
_SHARE = re.compile(
    r"\b(?:of|in|out of)\s+(?:(?:all|the|its|his|her|their|our|these|those|every)\s+)*$",
    re.IGNORECASE,
)
"""Before the number of all, of which a part is counted: two of the five, one in five."""
_MAX_THING_WORDS = 3


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
    is_ordinal = not number.date and not number.text[-1].isdigit()
    if is_ordinal and _CAPITAL_BEHIND.match(claim.text, number.end):
        return True
    return any(
        number.text in claim.name(*span) and comparison.has_name(span) for span in claim.names
    )


# ----------------------------------------------------------------------------------- things counted


@dataclass(frozen=True, slots=True)
class _CountedThings:
    """A number and the words behind it, up to the first that ends the phrase: 3, (primari,
    rechargeabl, batteri). `is_part`: "3 of the".
    """

    number: Quantity
    things: tuple[str, ...]
    is_part: bool

    @property
    def is_one(self) -> bool:
        """Whether it is "one of the", which is no number anywhere else."""
        return self.number.text.casefold() == "one"


def counted_gap(comparison: Comparison) -> Gap | None:
    """A number that the sentence has, but of another thing.

    Catches "five fuel cells" of "three fuel cells and five batteries", "one of the engines" of "two
    of the engines". Passes "two engines" of "two of the five engines". Things are compared by the
    last word of their phrase; where the sentence has several phrases that end so, by those that
    share most of the claim's other words; "two of the" by its "one of the", if any.
    """
    theirs = _counted(comparison.line.text)
    for mine in _counted(comparison.claim.text):
        last = senses(mine.things[-1])
        nearest = [
            other
            for other in theirs
            if (mine.is_part or not other.is_one)
            and any(not last.isdisjoint(senses(thing)) for thing in other.things)
        ]
        if not nearest:
            continue
        shared = [len({*mine.things}.intersection(other.things)) for other in nearest]
        nearest = [other for other, num in zip(nearest, shared, strict=True) if num == max(shared)]
        parts = [other for other in nearest if other.is_part]
        if mine.is_part and (parts or mine.is_one):
            nearest = parts
        if nearest and not any(mine.number.agrees(other.number) for other in nearest):
            reason = f"says {nearest[0].number.text} of it, not {mine.number.text}"
            return Gap(reason, is_against=True)
    return None


def _counted(text: str) -> list[_CountedThings]:
    """The numbers that count something, then each "one of the"."""
    numbers = quantities(text)
    found = []
    for number in numbers:
        is_count = number.date is None and number.value is not None and not number.looks_like_year
        is_quality = _COMPOUND.match(text, number.end) or _SHARE.search(text[: number.start])
        if is_count and not is_quality:
            of = _OF_THOSE.match(text, number.end)
            start = of.end() if of else number.end
            if of:  # two of the five engines are two engines
                start = next((q.end for q in numbers if q.start == start), start)
            found.append(_CountedThings(number, _things(text, start), bool(of)))
    for match in _ONE.finditer(text):
        if of := _OF_THOSE.match(text, match.end()):
            one = Quantity(*match.span(), match[0], match[0], 1.0)
            found.append(_CountedThings(one, _things(text, of.end()), is_part=True))
    return [counted for counted in found if counted.things]


def _things(text: str, start: int) -> tuple[str, ...]:
    """The words behind a number; other numbers among them are passed over with their units: cells
    of "31 individual 1 volt cells".
    """
    found: list[str] = []
    numbers = {q.start: q for q in quantities(text)}
    at = start
    while len(found) < _MAX_THING_WORDS and (word := _NEXT.match(text, at)):
        inner = numbers.get(word.start("word"))
        if found and inner:
            unit = _NEXT.match(text, inner.end)
            at = unit.end() if inner.unit and unit else inner.end
            continue
        if word["word"][0].isdigit() or word["word"].casefold() in FUNCTION_WORDS:
            break
        found.append(lemma(word["word"]))
        at = word.end()
    return tuple(found)
