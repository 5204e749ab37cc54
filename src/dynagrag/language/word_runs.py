r"""The words of a text in any script, as an index of words has them.

A word is a run of letters, digits and what stands on them (the vowel signs of Devanagari, which
`\w` lacks). Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese don't part words as one looks
for them: of their runs every two characters in a row are one, as search engines have it.
"""

import re
import unicodedata
from functools import cache
from itertools import pairwise

from dynagrag.core.text import UNSPACED

SOUTHEAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""For a character class: Thai, Lao, Burmese and Khmer."""
_HANGUL = "\uac00-\ud7af"
_IN_PAIRS = UNSPACED + _HANGUL + SOUTHEAST_ASIAN
_PAIRED = re.compile(f"[{_IN_PAIRS}]")
_PLAIN_WORD = re.compile(r"\w+")
_DOTTED_I = "i\u0307"
"""What `lower` makes of the Turkish capital."""
_TURKIC = frozenset(("tr", "az"))
_TURKIC_LOWER = str.maketrans({"I": "ı", "İ": "i"})
_LAST_CODE = 0x1FFF
"""Of the code points whose marks are words' own; those of later ones stand on symbols."""


def words(text: str, language: str = "") -> list[str]:
    """The words in order, in lower case, wide characters as plain ones (NFKC). `language`: the code
    of the text's (ISO 639-1), where it is known: Turkish has another small I.
    """
    if text.isascii() and language not in _TURKIC:
        return _PLAIN_WORD.findall(text.lower())
    text = unicodedata.normalize("NFKC", text)
    text = text.translate(_TURKIC_LOWER) if language in _TURKIC else text
    runs = _marked_word().findall(text.lower().replace(_DOTTED_I, "i"))
    return [word for run in runs for word in _parts(run)]


def _parts(run: str) -> list[str]:
    if not _PAIRED.search(run):
        return [run]
    found: list[str] = []
    for part in _part().findall(run):
        characters = _character().findall(part) if _PAIRED.match(part) else [part]
        found += map("".join, pairwise(characters)) if len(characters) > 1 else characters
    return found


@cache
def _marks() -> str:
    """For a character class: what stands on letters or beside them as a part of them."""
    codes = map(chr, range(_LAST_CODE))
    return "".join(code for code in codes if unicodedata.category(code) in ("Mn", "Mc"))


@cache
def _marked_word() -> re.Pattern[str]:
    return re.compile(rf"[\w{_marks()}]+")


@cache
def _part() -> re.Pattern[str]:
    return re.compile(rf"[{_IN_PAIRS}{_marks()}]+|[^{_IN_PAIRS}]+")


@cache
def _character() -> re.Pattern[str]:
    return re.compile(rf".[{_marks()}]*")
