"""Text rules that every part shares: counts, times and excerpts as people read them."""

import math
import re
import unicodedata
from datetime import UTC, datetime

STEERING = (
    "\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
"""For a character class: what isn't seen, and breaks lines, turns the direction of writing or hides
words. Joiners that scripts and emoji need (U+200C, U+200D) and variants of characters aren't among
them.
"""


UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""For a character class: kana and Chinese characters, which have no space between words."""


def collapse(text: str) -> str:
    """The words with single spaces between them."""
    return " ".join(text.split())


def without_accents(text: str) -> str:
    """Letters without what is put on them, compatible characters as one (NFKD)."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


_UNMARKED = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t"}
    | {"æ": "ae", "œ": "oe", "ß": "ss", "þ": "th"}
)
"""Latin letters that Unicode doesn't take apart into a plain one and a mark."""
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_LATIN_MARKED = re.compile(r"([a-z])[\u0300-\u036f]+")


def plain_latin(text: str) -> str:
    """Casefolded text whose Latin letters have no marks: `françois` is `francois`, `søren` is
    `soren`. Letters of other scripts keep theirs, which are part of the letter there (й, が).
    """
    bare = _LATIN_MARKED.sub(r"\1", unicodedata.normalize("NFD", text.translate(_UNMARKED)))
    return unicodedata.normalize("NFC", bare)


def ascii_spellings(text: str) -> tuple[str, ...]:
    """How casefolded text is spelt on a keyboard without its marks: `møller` as moller or moeller.
    Empty where it has none, or letters of another script.
    """
    composed = unicodedata.normalize("NFC", text)
    found = dict.fromkeys((plain_latin(composed), plain_latin(composed.translate(_DIGRAPHS))))
    return tuple(form for form in found if form != composed and form.isascii())


def plural(count: int, noun: str, several: str = "") -> str:
    """`1 cue`, `2 cues`; `several`: the plural where an s doesn't make it."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def short(text: str, limit: int = 60) -> str:
    """A quoted excerpt fit for a one-line message."""
    head = collapse(text[: 4 * limit])
    return repr(head if len(head) <= limit else head[: limit - 3] + "...")


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis stands for what was cut off."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~$])")


def escaped_markdown(text: str) -> str:
    """In one line, so that Markdown shows the characters that it would take for marks."""
    return _MARKDOWN.sub(r"\\\1", collapse(text))


FIRST_DATE_S, _LAST_DATE_S = 100_000_000.0, 253_402_300_799.0
"""Seconds from here on are a date: since 1970, UTC. No recording lasts three years."""


def clock(seconds: float) -> str:
    """m:ss, from an hour on h:mm:ss; rounded down; a minus before zero. Of seconds since 1970 day
    and time.
    """
    whole = math.floor(seconds)
    if FIRST_DATE_S <= whole <= _LAST_DATE_S:
        return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%d %H:%M:%S")
    minutes, second = divmod(abs(whole), 60)
    hour, minute = divmod(minutes, 60)
    sign = "-" if whole < 0 else ""
    return f"{sign}{hour}:{minute:02}:{second:02}" if hour else f"{sign}{minute}:{second:02}"


def seconds_of(time: str) -> int:
    """Inverse of `clock`, in whole seconds."""
    total = 0
    for part in time.lstrip("-").split(":"):
        total = total * 60 + int(part)
    return -total if time.startswith("-") else total


_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,](\d{1,9}))?", re.ASCII)


_NUMBER = re.compile(r"-?\d{1,12}(?:[.,]\d{1,12})?(?:[eE][+-]?\d{1,2})?", re.ASCII)


def clock_seconds(text: str) -> float | None:
    """`H:MM:SS`, `M:SS`, with a fraction after `.` or `,`. None when it is no such time."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + float(f"0.{fraction}") if fraction else float(whole)


def any_seconds(text: str) -> float | None:
    """A clock time or a number of seconds (`12.5`, `12,5`, `12.5s`). None when it is neither."""
    text = text.strip()
    if len(text) > 40:
        return None
    if _NUMBER.fullmatch(text.removesuffix("s")):
        return float(text.removesuffix("s").replace(",", "."))
    return clock_seconds(text)


def moment_seconds(text: str) -> float | None:
    """As `any_seconds`, or a date with or without a time of day (2024-05-03 10:00, UTC), in seconds
    since 1970.
    """
    seconds = any_seconds(text)
    if seconds is not None:
        return seconds
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def times(number: int) -> str:
    """How often, in words."""
    return "once" if number == 1 else f"{number:,} times"


def duration_text(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
