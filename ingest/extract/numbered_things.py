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
_DEGREES = re.compile(r"\s?°\s?")
_RATES = words_of(WordClass.RATE)


def numbered_things(tokens: Sequence[Token], text: str, taken: Collection[int]) -> Iterator[Span]:
    """Lower-case nouns with a number or letter, outside the tokens that are part of a name already;
    none overlap.
    """
    end = -1
    for i, token in enumerate(tokens):
        if (
            i <= end
            or i in taken
            or not token.text[0].islower()
            or singular(token.base) not in NUMBERED
        ):
            continue
        last = _last_number(tokens, text, i)
        if last is not None and not any(at in taken for at in range(i, last + 1)):
            first = _with_kinds(tokens, i, max(end + 1, 0), taken)
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
    i = last + 1
    while (
        i < len(tokens)
        and i - last <= _MAX_KINDS
        and tokens[i].base in KINDS
        and tokens[i].follows(tokens[i - 1])
    ):
        i += 1
    if (
        i >= len(tokens)
        or not tokens[i].follows(tokens[i - 1])
        or not tokens[i].text[0].islower()
        or tokens[i].base not in NUMBERED
    ):
        return None
    return _last_number(tokens, text, i)


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
    return None if found is None or _goes_on(tokens, found) else found


def _is_closed(tokens: Sequence[Token], i: int) -> bool:
    """Whether what stands behind a word shows it to be a noun: a mark, or a verb of its own."""
    return i + 1 < len(tokens) and (
        not tokens[i + 1].gap.isspace()
        or tokens[i + 1].base in {"of", "is", "are", "was", "were", "has"}
    )


def _goes_on(tokens: Sequence[Token], last: int) -> bool:
    """Whether another noun seems to follow, so that the part is none of the name's: `Russian Empire
    stage actress`.
    """
    if last + 1 >= len(tokens) or tokens[last + 1].gap != " ":
        return False
    after = tokens[last + 1]
    return (
        after.text.islower()
        and after.base not in COMMON_WORDS
        and not after.base.endswith(("ed", "ly", "ing"))
    )


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
    behind = text[token.end : token.end + 2]
    if behind[:1] in {"%", "°", "'", "’"} or (
        behind[:1] in {":", "/", ","} and behind[1:].isdigit()
    ):
        return False
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if after is None or not after.gap.isspace() or not token.text[0].isdigit():
        return True
    is_counted = (
        after.text.islower()
        and after.base.endswith("s")
        and after.base not in COMMON_WORDS
        and not after.is_possessive
    )
    return after.base not in UNITS and after.base not in MEASURES and not is_counted


def _size_of_rate(tokens: Sequence[Token], unit: int) -> int:
    """How many tokens of `per second` or `a second` follow a unit."""
    rest = tokens[unit + 1 : unit + 3]
    if rest and rest[0].gap == "/" and rest[0].base in _RATES:
        return 1
    is_rate = (
        len(rest) == 2
        and rest[0].base in {"per", "a", "an"}
        and rest[1].base in _RATES
        and rest[0].gap == rest[1].gap == " "
    )
    return 2 if is_rate else 0


# -------------------------------------------------------------------------------------------- nouns


def _with_kinds(tokens: Sequence[Token], noun: int, start: int, taken: Collection[int]) -> int:
    """Index of the first word that tells what kind of part it is: `fuel` of `fuel cell 3`, `water`
    of `a water separator number 2`.
    """
    first = noun
    while (
        first > start
        and noun - first < _MAX_KINDS
        and first - 1 not in taken
        and _is_kind(tokens[first - 1], tokens[first])
    ):
        first -= 1
    before = first - 1
    if (
        first == noun
        and before > start
        and before not in taken
        and _may_be_kind(tokens[before], tokens[first])
    ):
        is_led = tokens[before].gap.isspace() and tokens[before - 1].base in LEADS - {"and", "or"}
        first -= is_led
    return first


def _is_kind(token: Token, after: Token) -> bool:
    return token.base in KINDS and token.text[0].islower() and after.gap == " "


def _may_be_kind(token: Token, after: Token) -> bool:
    is_word = token.text.islower() and token.text.isalpha() and token.base not in COMMON_WORDS
    return is_word and not token.base.endswith(("ly", "ing", "ed")) and after.gap == " "


def _is_lettered(tokens: Sequence[Token], noun: int) -> bool:
    """`the A bus`: a letter behind an article, which isn't the article itself."""
    if noun < 2 or tokens[noun].gap != " " or tokens[noun - 1].gap != " ":
        return False
    return bool(_LETTER.fullmatch(tokens[noun - 1].text)) and tokens[noun - 2].base in LEADS | {
        "only"
    }
