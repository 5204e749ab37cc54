"""Whether what a file was read as is speech at all: markup, numbers and keys that fill turns are a
form that nobody knew.
"""

import re
from collections.abc import Iterable

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import short

_CODE = re.compile(
    r"(?P<tag></?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,500})?>)"
    r"|(?P<key>[A-Za-z0-9_+/=-]{20,})"  # not a sentence of a script without spaces
    r"|&(?:[a-z]{2,8}|#\d{1,6});"  # an entity
    r"|\"[\w.-]{1,40}\"\s?:"  # a key of JSON
    r"|\\[a-z]{1,20}"  # a command of RTF or TeX
    r"|[{}\[\]<>|\\]"
)
_NUMBER = re.compile(r"(?<![\w.,:;/+-])[-+]?\d[\d.,:;/-]{0,40}(?!\w)", re.ASCII)
_TAG = re.compile(r"<[A-Za-z][\w:-]{0,40}\s+[\w:-]{1,40}\s?=")
"""A tag with an attribute."""
_FEWEST_TAGGED = 3
_SAMPLE_CHARS = 200_000
_FEWEST_CHARS = 60
_SOME_CODE, _MOST_CODE = 0.2, 0.45
_SOME_NUMBERS, _MOST_NUMBERS = 0.5, 0.75
"""Shares of the letters of all turns."""


def speech_notes(turns: Iterable[SourceTurn]) -> tuple[str, ...]:
    """A note where much of the text is no speech.

    Raises:
        LoadError: Most of it isn't.
    """
    texts, num_chars = [], 0
    for turn in turns:
        texts.append(turn.text)
        num_chars += len(turn.text)
        if num_chars > _SAMPLE_CHARS:
            break
    code = numbers = total = 0
    worst, most = "", 0
    for text in texts:
        bare = _CODE.sub(_word_of, text)
        here = _num_letters(text) - _num_letters(bare)
        rest = sum(len(own) for own in _NUMBER.findall(bare))
        code, numbers, total = code + here, numbers + rest, total + _num_letters(text)
        if here + rest > most:
            worst, most = text, here + rest
    tagged = [text for text in texts if _TAG.search(text)]
    if total < _FEWEST_CHARS:
        return ()
    shares = code / total, (code + numbers) / total
    if shares[0] > _MOST_CODE or shares[1] > _MOST_NUMBERS:
        raise LoadError(
            f"holds markup, keys or numbers in place of speech ({short(worst, 60)}); it may be a"
            " form that isn't read: export it as text, CSV or SRT"
        )
    if shares[0] > _SOME_CODE or shares[1] > _SOME_NUMBERS:
        return (
            f"{shares[1]:.0%} of it is markup, keys or numbers, such as {short(worst, 60)}; check"
            " how it was read",
        )
    if len(tagged) >= _FEWEST_TAGGED:
        return (f"{len(tagged):,} turns hold markup, such as {short(tagged[0], 60)}",)
    return ()


def _word_of(match: re.Match[str]) -> str:
    """Nothing for code; what only looks so as it is: `<Media omitted>`, a line of dashes, a long
    word.
    """
    found = match[0]
    if match["tag"]:
        is_code = found.startswith("</") or "=" in found or " " not in found
    else:
        is_code = not match["key"] or (
            any(ch.isdigit() for ch in found) and any(ch.isalpha() for ch in found)
        )
    return " " if is_code else found


def _num_letters(text: str) -> int:
    return len(text) - text.count(" ")
