"""Praat's TextGrid, in its long and its short form: the same values in the same order, with words
round them in the long one.
"""

import re
from collections.abc import Iterator

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.parsed import Parsed
from dynagrag.ingest.load.tiers import Tier, TimedSpan, turns_of_tiers

_HEAD = re.compile(r'\s*File type\s*=\s*"ooTextFile', re.IGNORECASE)
_VALUE = re.compile(
    r'"((?:[^"]|"")*)"|(?<!\S)(-?\d{1,9}(?:\.\d{1,20})?(?:[eE]-?\d{1,3})?)(?!\S)|(<exists>|<absent>)'
)
"""What counts are texts in quotation marks, and numbers and flags that stand free."""


def is_text_grid(text: str) -> bool:
    """Whether a text is one of Praat's."""
    return _HEAD.match(text[:200]) is not None and "TextGrid" in text[:400]


def parse_text_grid(text: str) -> Parsed:
    """The labelled intervals of the tiers of speech.

    Raises:
        LoadError: A value is missing, or no tier holds words.
    """
    values = _values(text)
    try:
        next(values), next(values)  # the file's type, the object's class
        next(values), next(values)  # its beginning and end
        flag = next(values)
        tiers = [_tier(values) for _ in range(int(next(values)))] if flag == "<exists>" else []
    except (StopIteration, ValueError) as err:
        raise LoadError(
            "is a Praat TextGrid that ends too early or misses a value; open it in Praat and save"
            " it again"
        ) from err
    return turns_of_tiers(tiers, "praat")


def _values(text: str) -> Iterator[str]:
    for match in _VALUE.finditer(text):
        quoted, number, flag = match.groups()
        yield quoted.replace('""', '"') if quoted is not None else number or flag


def _tier(values: Iterator[str]) -> Tier:
    kind, name = next(values), next(values)
    next(values), next(values)
    tier = Tier(name, is_remark=kind != "IntervalTier")
    for _ in range(int(next(values))):
        if kind == "IntervalTier":
            start, end = float(next(values)), float(next(values))
            tier.spans.append(TimedSpan(start, end, next(values)))
        else:
            at = float(next(values))
            tier.spans.append(TimedSpan(at, None, next(values)))
    return tier
