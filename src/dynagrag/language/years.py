"""Years that a text has short or in words, in full: '73 is 1973 or 2073, "nineteen seventy-three"
1973, "the 70s" and "the seventies" 1970s.
"""

import re
from collections.abc import Iterator

_TENS = dict(
    zip(
        "ten twenty thirty forty fifty sixty seventy eighty ninety".split(),
        range(10, 100, 10),
        strict=True,
    )
)
_UNITS = {
    word: i for i, word in enumerate("one two three four five six seven eight nine".split(), 1)
}
_TEENS = {
    word: i
    for i, word in enumerate(
        "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 11
    )
}
_CENTURIES = {"eighteen": 18, "nineteen": 19, "twenty": 20}
_DECADES = {tens.removesuffix("y") + "ies": number for tens, number in _TENS.items() if number > 10}
_SHORT_OF = (19, 20)
"""Centuries of a year or a decade that tells none."""


def _any(words: dict[str, int]) -> str:
    return "|".join(words)


_YEAR = re.compile(
    rf"(?<![\w'‘’])(?:['‘’](?P<short>\d\d)(?P<plural>['’]?s)?|(?P<decade>\d0)['’]?s)(?![\w'‘’])"
    rf"|\b(?P<century>{_any(_CENTURIES)})[ -](?:(?P<teen>{_any(_TEENS)}|ten)"
    rf"|(?:oh|o)[ -](?P<unit>{_any(_UNITS)})"
    rf"|(?P<tens>{_any(_TENS)})(?:[ -](?P<one>{_any(_UNITS)}))?)\b"
    rf"|\bthe (?:early |mid |mid-|late )?(?P<decades>{_any(_DECADES)})\b",
    re.IGNORECASE,
)


def years_in_full(text: str) -> list[str]:
    """The years and decades that a text has otherwise than in four digits, in order: of those
    without a century that of the last and of this one.
    """
    return [year for match in _YEAR.finditer(text) for year in _read(match)]


def _read(match: re.Match[str]) -> Iterator[str]:
    own = {name: value.lower() for name, value in match.groupdict().items() if value}
    if century := own.get("century"):
        last = own.get("teen", "")
        number = {**_TEENS, "ten": 10}.get(last, _UNITS.get(own.get("unit", ""), 0))
        number += _TENS.get(own.get("tens", ""), 0) + _UNITS.get(own.get("one", ""), 0)
        yield f"{_CENTURIES[century]}{number:02}"
        return
    short = own.get("short") or own.get("decade") or str(_DECADES[own["decades"]])
    ending = "" if "short" in own and "plural" not in own else "s"
    for of in _SHORT_OF:
        yield f"{of}{short}{ending}"
