"""Numbers, dates and times of a text, as values that can be compared."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from dynagrag.generation.claims.claim_lexicon import CURRENCIES, SCALES, SHORT_SCALES, UNITS
from dynagrag.language.english.data import values_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import MONTHS

_MONTH = "|".join(f"{m}|{m[:3]}\\.?" if len(m) > 3 else m for m in MONTHS) + r"|sept\.?"
_MONTH_NUMBER = {month[:3]: number for number, month in enumerate(MONTHS, start=1)}
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"""(?P<d1>{_DAY})\s+(?:of\s+)?(?P<m1>{_MONTH})(?:,?\s+(?P<y1>\d{{4}}))?
         (?:\b|(?=\d{{1,2}}\s+(?:{_MONTH})))
       | (?:(?<!\bin\ )|(?=(?:{_MONTH})\s+{_DAY},?\s+\d{{4}}))  # "in April 11" counts eleven
         (?P<m2>{_MONTH})\s+(?P<d2>{_DAY})\b(?!:)(?:,?\s+(?P<y2>\d{{4}})(?:\b|(?={_MONTH})))?
       | (?P<m3>{_MONTH}),?\s+(?P<y3>\d{{4}})\b
       | (?P<y4>\d{{4}})-(?P<m4>\d{{2}})-(?P<d4>\d{{2}})\b""",
    re.VERBOSE | re.IGNORECASE,
)
_TIME = re.compile(r"\b\d{1,3}:\d{2}(?::\d{2})?\b")
_UNIT = {
    form: unit.strip()
    for unit, forms in (entry.split(":") for entry in UNITS.replace("\n", " ").split(";"))
    for form in forms.split()
}
_SPELT = {
    word: float(value)
    for word, value in values_of(WordClass.CARDINAL).items()
    if value < SCALES["hundred"]
}
_SIGNS = "".join(CURRENCIES)
NUMBER_WORD = "|".join(values_of(WordClass.CARDINAL))
_NUMBER = re.compile(
    rf"""(?P<money>[{_SIGNS}])?\s?
         (?P<digits>(?<![\d.])(?:(?<!\w)[-+])?
           (?: \d{{1,3}}(?:(?:,\d\d)+,\d{{3}}|(?:['’\u00a0\u202f]\d{{3}})+)(?!\d)
             | (?<!\d\s)[1-9]\d{{0,2}}(?:\ \d{{3}})+(?![\d.,:]?\d|\ \d)
             | \d+(?:,\d{{3}})*)
           (?:\.\d+)?)
         (?:(?:st|nd|rd|th|s)\b|\s?(?P<scale>{"|".join(SCALES)}|bn)\b
           |(?P<letter>k)\b|(?(money)\s?(?P<short>bn|mn|tn|[mb])\b|(?!)))?
         | \b(?P<spelt>(?:{NUMBER_WORD})(?:[\s-](?:and\s)?(?:{NUMBER_WORD}))*)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"""[{_SIGNS}]\s?(?P<digits>\d[\d.,'’\u00a0\u202f]*(?<=\d))
         (?:\s?(?P<short>{"|".join(SHORT_SCALES)})\b|\s?(?P<scale>{"|".join(SCALES)})\b)?""",
    re.VERBOSE | re.IGNORECASE,
)
_GROUPING = re.compile(r"[,'’\s]")
_AFTER = re.compile(r"\s?-?([%°]|[a-zA-Z]+)")
_BOUND = re.compile(
    rf"""\b(?:(?P<about>about|around|approximately|roughly|circa)
         |(?P<less>(?:no|not)\ more\ than|less\ than|fewer\ than|under|below|at\ most|up\ to|nearly
            |almost)
         |(?P<more>(?:no|not)\ (?:less|fewer)\ than|more\ than|greater\ than|over|above|exceed\w*
            |at\ least|upwards\ of)
        )\s*[{_SIGNS}]?\s?$""",
    re.VERBOSE | re.IGNORECASE,
)
_ABOUT, _ROUNDED = "about", 0.1
"""A round number, and how far the exact one may be from it."""
_BOUND_CHARACTERS = 24
"""Before a number that are read for its bound."""
_LOOSE_DASH = re.compile(r"\w\s+[-–−]\s$")
"""A dash that stands alone before a number, as transcripts write both a minus and a break: "is
reading - 4 volts".
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number (`value`, `unit`, `bound` more, less, about), a date (`date`: year, month, day, 0
    where not given) or a time.

    `text` stands from `start` to `end`; `said` is it with its bound and unit: at least 300 km.
    `may_be_minus`: a dash that stands alone before the number may be its sign.
    """

    start: int
    end: int
    text: str
    said: str
    value: float | None = None
    unit: str = ""
    bound: str = ""
    date: tuple[int, int, int] | None = None
    may_be_minus: bool = False

    def agrees(self, other: "Quantity") -> bool:
        """Whether the other one says at least what this one says."""
        if self.date and other.date:
            return all(
                mine in (0, theirs) for mine, theirs in zip(self.date, other.date, strict=True)
            )
        if self.date or other.date:
            return other.date is not None and self.value == other.date[0]
        if self.value is None or other.value is None:
            return self.value is other.value and self.text.lstrip("0") == other.text.lstrip("0")
        if self.unit and other.unit and self.unit != other.unit:
            return False
        if self._has_value_of(other):
            return other.bound == _ABOUT or self.bound in (other.bound, _ABOUT)
        if self.bound == _ABOUT:
            is_near = abs(self.value - other.value) <= _ROUNDED * abs(self.value)
            return is_near and other.bound in ("", _ABOUT)
        if other.bound or not self.bound:
            return False
        return other.value > self.value if self.bound == "more" else other.value < self.value

    def _has_value_of(self, other: "Quantity") -> bool:
        """Whether both are one number, a sign that is unclear aside."""
        if self.value is None or other.value is None:
            return self.value is other.value
        is_unclear = self.may_be_minus or other.may_be_minus
        return (
            math.isclose(abs(self.value), abs(other.value))
            if is_unclear
            else math.isclose(self.value, other.value)
        )

    def is_like(self, other: "Quantity") -> bool:
        """Whether both measure the same kind of thing, so that one stands in the other's place; two
        dates, where they differ in a part.
        """
        if self.date and other.date:
            return any(
                0 not in (mine, theirs) and mine != theirs
                for mine, theirs in zip(self.date, other.date, strict=True)
            )
        return self.kind == other.kind and (self.value is None or not self._has_value_of(other))

    @property
    def kind(self) -> str:
        """The kind of thing that it measures: a date, a time, a year, or its unit."""
        if self.value is None:
            return "date" if self.date else "time"
        return "year" if self.looks_like_year else f"number of {self.unit}"

    @property
    def looks_like_year(self) -> bool:
        """Whether it is a bare number that may be a year."""
        value = self.value
        return value is not None and not self.unit and 1000 <= value <= 2100 and value == int(value)


def may_be_written_otherwise(number: Quantity, text: str) -> bool:
    """Whether a text may hold a number in words or units that are not compared here: half, a dozen,
    noon, 5 km of 5,000 metres.
    """
    if _OTHER_WORDING.search(text):
        return True
    kin = next((units for units in _CONVERTIBLE if number.unit in units), frozenset())
    return bool(kin) and any(
        other.unit in kin and other.unit != number.unit for other in quantities(text)
    )


_OTHER_WORDING = re.compile(
    r"\b(?:hal(?:f|ves)|thirds?|quarters?|fifths?|tenths?|dozens?|couple|pair|twice|thrice|noon|"
    r"midnight|[ap]\.?m\.?)\b"
    r"|\b(?:decades?|century|centuries|(?:an?|one)"
    r" (?:second|minute|hour|day|week|month|year|mile))\b"
    r"|\d,\d{1,2}\b(?!,\d)|\d\.\d{3}\b|\d+/\d+|'\d\d\b|\ba (?:hundred|thousand|million|billion)\b",
    re.IGNORECASE,
)
_CONVERTIBLE = (
    frozenset(("kilometre", "metre", "mile", "foot")),
    frozenset(("second", "minute", "hour", "day", "week", "month", "year")),
    frozenset(("kilogram", "pound")),
)


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """All of a text's, in order; `one` alone is a pronoun as often as a number and is left out."""
    found = [
        Quantity(*match.span(), match.group(), match.group(), date=_date(match))
        for match in _DATE.finditer(text)
    ]
    found += [
        Quantity(*match.span(), match.group(), match.group()) for match in _TIME.finditer(text)
    ]
    taken = [(q.start, q.end) for q in found]
    for match in _NUMBER.finditer(text):
        start, end = match.span("digits") if match["digits"] else match.span()
        is_taken = any(a < end and start < b for a, b in taken)
        if not is_taken and match.group().casefold() != "one":
            found.append(_number(text, match, start))
    return tuple(sorted(found, key=lambda q: q.start))


def plain_amounts(text: str) -> str:
    """The text with amounts of money in words: "$3M" is "3 million dollars"."""

    def in_words(match: re.Match[str]) -> str:
        scale = match["scale"] or SHORT_SCALES.get((match["short"] or "").casefold())
        return " ".join(filter(None, (match["digits"], scale, CURRENCIES[match[0][0]])))

    return _AMOUNT.sub(in_words, text)


def without_grouping(digits: str) -> str:
    """A number's digits without what sets thousands apart: 3,00,000 and 300'000 are 300000."""
    return _GROUPING.sub("", digits)


def _number(text: str, match: re.Match[str], start: int) -> Quantity:
    """A number whose digits or words begin at `start`, with the bound before it and the unit before
    or behind it.
    """
    before = text[max(0, start - _BOUND_CHARACTERS) : start]
    bound, after = _BOUND.search(before), _AFTER.match(text, match.end())
    unit, last = _UNIT.get(match["money"] or "", ""), match.end()
    if after and not unit and (unit := _UNIT.get(after[1].casefold(), "")):
        last = after.end()
    first = start - len(bound[0]) if bound else match.start()
    return Quantity(
        start,
        match.end(),
        match.group().strip(),
        text[first:last].strip(),
        _value(match),
        unit,
        (bound and bound.lastgroup) or "",
        may_be_minus=bool(_LOOSE_DASH.search(before)),
    )


def _date(match: re.Match[str]) -> tuple[int, int, int]:
    parts = {name[0]: value for name, value in match.groupdict().items() if value}
    month = parts["m"].casefold()
    number = int(month) if month.isdigit() else _MONTH_NUMBER[month[:3]]
    return int(parts.get("y", 0)), number, int(parts.get("d", "0").rstrip("stndrh"))


def _value(match: re.Match[str]) -> float:
    if match["digits"]:
        short = (match["letter"] or match["short"] or "").casefold()
        scale = (match["scale"] or short).casefold()
        scale = SHORT_SCALES.get(scale, scale)
        return float(without_grouping(match["digits"])) * SCALES.get(scale, 1.0)
    total = part = 0.0
    for word in re.split(r"[\s-]+", match["spelt"].casefold()):
        if word in _SPELT:
            part += _SPELT[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in SCALES:
            total, part = total + (part or 1) * SCALES[word], 0.0
    return total + part
