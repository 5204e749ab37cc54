"""Things that a common noun or a unit names with a number or letter: `panel 11`, `main bus B`, `the
A bus`, `10,800 feet`; and names with the part behind them that they tell apart from others: `F-1
engines`.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from dynagrag.ingest.extract.name_words import LOWER_FIRST_UNITS, NUMBER_SIGNS, UNITS
from dynagrag.ingest.extract.part_words import (
    HEADS,
    KINDS,
    LEADS,
    MEASURES,
    NUMBERED,
    VERBS_TOO,
    singular,
)
from dynagrag.ingest.extract.tokens import Span, Token
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS

_MAX_KINDS = 2
_MIN_PLURAL = 3
_MAX_LISTED = 24
_LIST_WORDS = frozenset({"and", "or", "through"})
_LETTER = re.compile(r"[A-HJ-Z]")
_NUMBER = re.compile(r"\d{1,4}[A-Za-z]?|\d{1,3}(?:[.-]\d{1,4}[A-Za-z]?)+")
_MEASURED = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?")
_JOINED = re.compile(
    r"\d+(?:\.\d+)?(?:V|kV|mV|W|kW|MW|kWh|mA|Hz|kHz|MHz|GHz|km|kg|mm|cm|ft|lb|lbs|psi|mph|rpm|in)"
)
"""A number with its unit in one token: `26.25V`, `0.3mm`."""
_COUNTING_SIGNS = frozenset("%°'’")
_SIGNS_IN_NUMBERS = frozenset(":/,")
_DEGREES = re.compile(r"\s?°\s?")
_RATES = words_of(WordClass.RATE)


def numbered_things(tokens: Sequence[Token], text: str, taken: Collection[int]) -> Iterator[Span]:
    """Lower-case nouns with a number or letter, outside the tokens that are part of a name already;
    none overlap.
    """
    end = -1
    for i, token in enumerate(tokens):
        is_noun = token.text[0].islower() and singular(token.base) in NUMBERED
        if i <= end or i in taken or not is_noun:
            continue
        last = _last_number(tokens, text, i)
        if last is not None and not any(at in taken for at in range(i, last + 1)):
            first = _with_kinds(tokens, i, end + 1, taken)
        elif _is_lettered(tokens, i) and i - 1 not in taken:
            first, last = i - 1, i
        else:
            continue
        yield first, last
        end = last


def quantities(tokens: Sequence[Token], taken: Collection[int]) -> Iterator[Span]:
    """Numbers with what they are measured in: `26.7 volts`, `40 feet per second`, `500°C`,
    `0.3mm`.
    """
    for i, token in enumerate(tokens):
        if i in taken or not token.text[0].isdigit():
            continue
        if _JOINED.fullmatch(token.text):
            yield i, i
            continue
        if not _MEASURED.fullmatch(token.text) or i + 1 >= len(tokens) or i + 1 in taken:
            continue
        unit = tokens[i + 1]
        if _DEGREES.fullmatch(unit.gap) and unit.text in {"C", "F", "K"}:
            yield i, i + 1
        elif (unit.base in MEASURES or unit.text in LOWER_FIRST_UNITS) and unit.gap in {" ", "-"}:
            yield i, i + 1 + _size_of_rate(tokens, i + 1)


def end_of_list(tokens: Sequence[Token], text: str, first: int, last: int) -> int | None:
    """Index of the next number of a list behind a name in the plural: `BATS 1, 2, 3, and 4`; None
    where none follows.
    """
    noun = last
    while noun > max(first, last - _MAX_LISTED) and (
        tokens[noun].text[0].isdigit() or tokens[noun].base in _LIST_WORDS
    ):
        noun -= 1
    word = tokens[noun].text
    is_plural = (
        noun < last
        and len(word) > _MIN_PLURAL
        and word[-1] in "sS"
        and word[-2] not in "sS"
        and tokens[last].text[0].isdigit()
    )
    return _next_of_list(tokens, text, last) if is_plural else None


def numbered_by(tokens: Sequence[Token], text: str, last: int) -> int | None:
    """Index of the number behind a name's end over a part's lower-case noun: `O2 tank 2`; None
    where none is there.
    """
    for i, token in enumerate(tokens[last + 1 : last + 2 + _MAX_KINDS], last + 1):
        if not token.follows(tokens[i - 1]):
            return None
        if token.base not in KINDS or i - last > _MAX_KINDS:
            is_noun = token.text[0].islower() and token.base in NUMBERED
            return _last_number(tokens, text, i) if is_noun else None
    return None


def part_behind(tokens: Sequence[Token], first: int, last: int) -> int | None:
    """Index of the noun behind a name that names a part with it: `the DUA breaker`, `F-1 engines`;
    None where none is there.
    """
    i = last + 1
    if i >= len(tokens) or not tokens[i].follows(tokens[last]):
        return None
    is_led = (
        first > 0
        and tokens[first].gap.isspace()
        and (tokens[first - 1].base in LEADS or tokens[first - 1].text[0].isdigit())
    )
    found = None
    while (
        i < len(tokens)
        and i - last <= _MAX_KINDS + 1
        and tokens[i].text.islower()
        and tokens[i].follows(tokens[i - 1])
    ):
        noun = singular(tokens[i].base)
        if noun in HEADS and (is_led or noun not in VERBS_TOO or _is_closed(tokens, i)):
            found = i
        elif tokens[i].base not in KINDS:
            break
        i += 1
    # Another noun behind: the part is none of the name's (`Russian Empire stage actress`).
    after = tokens[found + 1] if found is not None and found + 1 < len(tokens) else None
    return None if after is not None and after.gap == " " and _is_word(after) else found


def _is_closed(tokens: Sequence[Token], i: int) -> bool:
    """Whether what stands behind a word shows it to be a noun: a mark, or a verb of its own."""
    if i + 1 == len(tokens):
        return False
    after = tokens[i + 1]
    return not after.gap.isspace() or after.base in {"of", "is", "are", "was", "were", "has"}


def _is_word(token: Token) -> bool:
    """Whether a token seems to be a noun in lower case."""
    is_plain = token.text.islower() and token.base not in COMMON_WORDS
    return is_plain and not token.base.endswith(("ed", "ly", "ing"))


# ------------------------------------------------------------------------------------------ numbers


def _last_number(tokens: Sequence[Token], text: str, i: int) -> int | None:
    """Index of the last number or letter behind a noun; of all of a list behind a plural (`panels
    11 and 16`).
    """
    at = i + 1
    if at + 1 < len(tokens) and tokens[at].base in NUMBER_SIGNS and tokens[at].gap == " ":
        at += 1
    if not _is_number(tokens, text, at):
        return None
    is_plural = singular(tokens[i].base) != tokens[i].base
    last = at
    while is_plural and (more := _next_of_list(tokens, text, last)) is not None:
        last = more
    return None if is_plural and last == at else last


def _next_of_list(tokens: Sequence[Token], text: str, last: int) -> int | None:
    i = last + 1
    if i < len(tokens) and tokens[i].base in _LIST_WORDS and tokens[i].gap in {" ", ", "}:
        i += 1
    elif i >= len(tokens) or tokens[i].gap != ", ":
        return None
    is_alike = i < len(tokens) and tokens[i].text[0].isdigit() == tokens[last].text[0].isdigit()
    return i if is_alike and _is_number(tokens, text, i, (" ", ", ")) else None


def _is_number(
    tokens: Sequence[Token], text: str, i: int, gaps: Sequence[str] = (" ", ". ")
) -> bool:
    """Whether a token tells which one is meant, and counts nothing: not of `tank 2 percent`,
    `switch 3 tanks`.
    """
    if i >= len(tokens) or tokens[i].gap not in gaps:
        return False
    token = tokens[i]
    if not (_NUMBER.fullmatch(token.text) or _LETTER.fullmatch(token.text)):
        return False
    sign, digit = text[token.end : token.end + 1], text[token.end + 1 : token.end + 2]
    if sign in _COUNTING_SIGNS or (sign in _SIGNS_IN_NUMBERS and digit.isdigit()):
        return False
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if after is None or not after.gap.isspace() or not token.text[0].isdigit():
        return True
    is_plural = after.text.islower() and after.base.endswith("s") and not after.is_possessive
    is_counted = is_plural and after.base not in COMMON_WORDS
    return not is_counted and after.base not in UNITS and after.base not in MEASURES


def _size_of_rate(tokens: Sequence[Token], unit: int) -> int:
    """How many tokens of `per second` or `a second` follow a unit."""
    rest = [(token.gap, token.base) for token in tokens[unit + 1 : unit + 3]]
    if rest and rest[0][0] == "/" and rest[0][1] in _RATES:
        return 1
    (gap, word), (rate_gap, rate) = (*rest, ("", ""), ("", ""))[:2]
    is_rate = gap == rate_gap == " " and word in {"per", "a", "an"} and rate in _RATES
    return 2 if is_rate else 0


# -------------------------------------------------------------------------------------------- nouns


def _with_kinds(tokens: Sequence[Token], noun: int, start: int, taken: Collection[int]) -> int:
    """Index of the first word that tells what kind of part it is: `fuel` of `fuel cell 3`, `water`
    of `a water separator number 2`.
    """
    first = noun
    for at in range(noun - 1, max(start, noun - _MAX_KINDS) - 1, -1):
        is_kind = tokens[at].base in KINDS and tokens[at].text[0].islower()
        if at in taken or not is_kind or tokens[at + 1].gap != " ":
            break
        first = at
    before = noun - 1
    if first < noun or before <= start or before in taken or tokens[noun].gap != " ":
        return first
    # Any other word between an article and the noun: `a water separator number 2`.
    is_led = tokens[before].gap.isspace() and tokens[before - 1].base in LEADS - {"and", "or"}
    return before if is_led and tokens[before].text.isalpha() and _is_word(tokens[before]) else noun


def _is_lettered(tokens: Sequence[Token], noun: int) -> bool:
    """`the A bus`: a letter behind an article, which isn't the article itself."""
    if noun < 2 or tokens[noun].gap != " " or tokens[noun - 1].gap != " ":
        return False
    is_lead = tokens[noun - 2].base in LEADS or tokens[noun - 2].base == "only"
    return is_lead and bool(_LETTER.fullmatch(tokens[noun - 1].text))
