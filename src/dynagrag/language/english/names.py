"""Names in English sentences, as far as capitals tell them, and whom a name addresses."""

import re
from collections.abc import Iterable

from dynagrag.language.patterns import any_of
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS, MONTHS, WEEKDAYS

_NO_PART = FUNCTION_WORDS | {*MONTHS, *WEEKDAYS, "today", "tomorrow", "yesterday"}
_PART = (
    rf"(?!(?:{any_of(word.capitalize() for word in _NO_PART)})\b(?![₀-₉]))"
    r"[A-Z][\w&₀-₉]*(?:[-'’](?!s\b)\w+)*"
)
_NAME = re.compile(rf"\b{_PART}(?: (?:{_PART}|[A-Z]\b(?<!I)|\d{{1,3}}\b))*")


def names_in(text: str, known: Iterable[str] = ()) -> list[re.Match[str]]:
    """Spans that are names by their capitals. A single word that opens the text is one only where
    it is `known`, or has two capitals.

    A text in capitals alone has none that can be told.
    """
    if not any(c.islower() for c in text):
        return []
    known = frozenset(known)
    return [
        m
        for m in _NAME.finditer(text)
        if _is_name(m[0]) and (m.start() > 0 or m[0] in known or sum(map(str.isupper, m[0])) > 1)
    ]


def _is_name(name: str) -> bool:
    first = re.split(r"['’\s]", name)[0]
    return len(name) > 1 and first.casefold() not in (
        FUNCTION_WORDS if first.isupper() else COMMON_WORDS
    )


def is_address(text: str, match: re.Match[str]) -> bool:
    """Whether somebody is spoken to with it: that is no part of what is stated."""
    is_first = match.start() == 0 and text[match.end() :].startswith(",")
    return is_first or (
        text[: match.start()].endswith(", ") and not text[match.end() :].strip(".!")
    )
