"""Checks of numbers: has the sentence the claim's, and does it count the same with them?"""

import re
from collections.abc import Iterator
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
        other = next((q for q in theirs if mine.is_like(q)), None)
        near = other or next(
            (q for q in theirs if q.value is not None and q.value == mine.value), None
        )  # with another bound or unit
        if near is None:
            return Gap(f"does not say {mine.said}")
        is_against = other is not None and not may_be_otherwise(comparison)
        return Gap(f"says {near.said}, not {mine.said}", is_against)
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
        same = [
            other
            for other in theirs
            if senses(mine.things[-1]) & {sense for s in other.things for sense in senses(s)}
            and (mine.is_part or not other.is_one)
        ]
        most = max((len(set(mine.things) & set(other.things)) for other in same), default=0)
        nearest = [other for other in same if len(set(mine.things) & set(other.things)) == most]
        if mine.is_part:
            parts = [other for other in nearest if other.is_part]
            nearest = parts if parts or mine.is_one else nearest
        if nearest and not any(mine.number.agrees(other.number) for other in nearest):
            reason = f"says {nearest[0].number.text} of it, not {mine.number.text}"
            return Gap(reason, is_against=True)
    return None


def _counted(text: str) -> list[_CountedThings]:
    return [*_numbers_of(text), *_ones_of(text)]


def _ones_of(text: str) -> Iterator[_CountedThings]:
    for match in _ONE.finditer(text):
        of = _OF_THOSE.match(text, match.end())
        if of and (things := tuple(lemma(word) for word in _things(text, of.end()))):
            yield _CountedThings(
                Quantity(*match.span(), match[0], match[0], 1.0), things, is_part=True
            )


def _numbers_of(text: str) -> Iterator[_CountedThings]:
    for number in quantities(text):
        is_count = number.date is None and number.value is not None and not number.looks_like_year
        if (
            is_count
            and not _COMPOUND.match(text, number.end)
            and not _SHARE.search(text[: number.start])
        ):
            of = _OF_THOSE.match(text, number.end)  # two of the five engines are two engines
            total = next((q for q in quantities(text) if of and q.start == of.end()), None)
            start = total.end if total else of.end() if of else number.end
            things = tuple(lemma(word) for word in _things(text, start))
            if things:
                yield _CountedThings(number, things, bool(of))


def _things(text: str, start: int) -> list[str]:
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
        found.append(word["word"])
        at = word.end()
    return found
