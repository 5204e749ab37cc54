"""The parts of a capitalised span: names, dates, offices and persons, without parts of documents
and positions of switches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynagrag.ingest.extract.name_spans import SentenceTokens
from dynagrag.ingest.extract.name_words import (
    ADDRESSES,
    CONNECTORS,
    EVENTS,
    FURNITURE,
    GIVEN_MONTHS,
    NAMED_DAYS,
    NUMBER_WORDS,
    OFFICE_FIRST,
    OFFICE_HEADS,
    OFFICE_PAIRS,
    OFFICE_WORDS,
    ORGANISATIONS,
    PERSON_TITLES,
    RANKS_BEFORE,
    STATES,
    SURE_TITLES,
    WHEN,
    WHEN_PREPOSITIONS,
)
from dynagrag.ingest.extract.tokens import Span, Token
from dynagrag.language.words import COMMON_WORDS, MONTHS, VAGUE_WORDS

NAME, NUMBER, PERSON, OFFICE = "name", "number", "person", "office"
_MAX_DATE_NUMBERS = 2
_MAX_PERSON_WORDS = 4
_MAX_DAY_DIGITS = 2
_MAX_DAY = 31


@dataclass(frozen=True, slots=True)
class NamePart:
    """First and last token of an entity, and its type."""

    first: int
    last: int
    type: str = NAME


def parts_of(sentence: SentenceTokens, span: Span) -> Iterator[NamePart]:
    """The entities of a span, in order; none overlap."""
    if span in sentence.quoted:
        yield NamePart(*span)
        return
    for first, last in _apart_from_times(sentence, span):
        # `March 21`, `November 1918`; a month alone where a day stands before it.
        month, *numbers = sentence.tokens[first : last + 1]
        is_date = month.base in MONTHS and all(t.text.isdigit() for t in numbers)
        if is_date and not month.text.isupper():
            yield NamePart(first - _has_day_before(sentence.tokens, first), last, NUMBER)
            continue
        trimmed = _trimmed(sentence.tokens, *_without_furniture(sentence.tokens, first, last))
        if trimmed is not None:
            yield from _by_office(sentence.tokens, *trimmed)


# -------------------------------------------------------------------------------------------- times


def _apart_from_times(sentence: SentenceTokens, span: Span) -> Iterator[Span]:
    """The span cut at its months and weekdays, with a date as a piece of its own; a lone month or
    weekday is left out.
    """
    first, last = span
    start = at = first
    while at <= last:
        end = _time_end(sentence.tokens, first, at, last)
        if end is None:
            at += 1
            continue
        if start < at:
            yield start, at - 1
        if end > at or (at == first and _has_day_before(sentence.tokens, at)):
            yield at, end
        start = at = end + 1
    if start <= last:
        yield start, last


def _time_end(tokens: Sequence[Token], first: int, at: int, last: int) -> int | None:
    """The end of the time that begins at a token; None where none begins, or it is part of a name
    (`May Day`, `Theresa May`).
    """
    token = tokens[at]
    if token.base not in WHEN or token.text.isupper():
        return None
    end = at
    furthest = min(last, at + _MAX_DATE_NUMBERS) if token.base in MONTHS else at
    while end < furthest and tokens[end + 1].text.isdigit():
        end += 1
    if end < last and tokens[end + 1].base in EVENTS:
        return None
    if end > at or first == last:
        return end
    before = tokens[at - 1].base if at else ""
    no_name_after = CONNECTORS if at > first else WHEN_PREPOSITIONS
    is_name = token.base in GIVEN_MONTHS and before not in no_name_after
    is_named_day = at > first and before in NAMED_DAYS
    return None if is_name or is_named_day else at


def _has_day_before(tokens: Sequence[Token], month: int) -> bool:
    """`11 February 1647`."""
    if not month or tokens[month].gap != " ":
        return False
    day = tokens[month - 1].text
    return day.isdigit() and len(day) <= _MAX_DAY_DIGITS and 1 <= int(day) <= _MAX_DAY


# --------------------------------------------------------------------------- what is cut off a span


def _without_furniture(tokens: Sequence[Token], first: int, last: int) -> Span:
    """A document's parts with their numbers off either end: `Page 12 of the Mueller Report`,
    `Mueller Exhibit 4`.
    """
    while (
        first < last and tokens[first].base in FURNITURE and _is_number_of_part(tokens[first + 1])
    ):
        first += 2
        while first <= last and tokens[first].text in CONNECTORS:
            first += 1
    while (
        last > first + 1
        and tokens[last - 1].base in FURNITURE
        and tokens[last - 1].text[0].isupper()
        and _is_number_of_part(tokens[last])
    ):
        last -= 2
    return first, last


def _is_number_of_part(token: Token) -> bool:
    return (
        token.text[0].isdigit()
        or len(token.text) == 1
        or token.base in NUMBER_WORDS
        or token.text in CONNECTORS
    )


def _trimmed(tokens: Sequence[Token], first: int, last: int) -> Span | None:
    """Without connectors at the ends, verbs made of acronyms, positions of switches, and `Part of`
    where a clause begins; None where nothing is left.
    """
    if (
        first + 1 < last
        and tokens[first].opens_clause
        and tokens[first].base in VAGUE_WORDS
        and tokens[first + 1].text == "of"
    ):
        first += 1
    while first <= last and tokens[first].text in CONNECTORS:
        first += 1
    while first <= last and (
        tokens[last].text in CONNECTORS
        or (tokens[last].base in STATES and tokens[last].text.isupper())
        or tokens[last].is_inflected_capitals
    ):
        last -= 1
    return (first, last) if first <= last else None


# ------------------------------------------------------------------------------ offices and persons


def _by_office(tokens: Sequence[Token], first: int, last: int) -> Iterator[NamePart]:
    """An office of several words apart from whoever holds it, and a person's name apart from a
    title and from what they are of.
    """
    is_rank = (
        last > first + 2
        and tokens[first].base in RANKS_BEFORE
        and tokens[first + 1].base in PERSON_TITLES
    )
    if is_rank and _num_person_words(tokens, first + 2, last) >= 2:
        first += 1
    size = _office_size([t.base for t in tokens[first : last + 1]])
    if size == 1:
        yield _titled(tokens, first, last)
        return
    rest = first + size
    if size and (rest > last or tokens[rest].text in CONNECTORS):
        yield NamePart(first, last, OFFICE)
        return
    if size:
        yield NamePart(first, rest - 1, OFFICE)
    if size or (
        tokens[first].base in PERSON_TITLES and _num_person_words(tokens, first + 1, last) >= 2
    ):
        # Who holds the office or title, and what they are of: `John Kerry of the State Department`.
        first = rest if size else first + 1
        of = next((i for i in range(first, last + 1) if tokens[i].base == "of"), last + 1)
        if of > first:
            is_person = bool(_num_person_words(tokens, first, of - 1))
            yield NamePart(first, of - 1, PERSON if is_person else NAME)
        behind = _trimmed(tokens, of, last) if of <= last else None
        if behind is not None:
            yield NamePart(*behind)
        return
    yield _titled(tokens, first, last)


def _office_size(bases: Sequence[str]) -> int:
    """How many words of a span's beginning are an office of several words; 0: none."""
    if "-".join(bases[:2]) in OFFICE_PAIRS:
        return 2
    if len(bases) < 3 or bases[0] not in OFFICE_HEADS or bases[1] != "of":
        return 0
    at = 3 if bases[2] == "the" else 2
    size = _size_of_work(bases, at)
    if size and list(bases[at + size : at + size + 1]) == ["and"]:
        more = _size_of_work(bases, at + size + 1)
        size += 1 + more if more else 0
    return at + size if size else 0


def _size_of_work(bases: Sequence[str], at: int) -> int:
    """`state` is 1, `homeland security` 2, anything else 0."""
    first, second = (*bases[at : at + 2], "", "")[:2]
    if first in OFFICE_FIRST and second in OFFICE_WORDS:
        return 2
    return int(first in OFFICE_WORDS)


def _num_person_words(tokens: Sequence[Token], first: int, last: int) -> int:
    """How many words of a person's full name begin there, up to an "of"; 0 where it can be no
    person's.
    """
    words = []
    for token in tokens[first : last + 1]:
        if token.base == "of":
            break
        words.append(token)
    is_person = len(words) <= _MAX_PERSON_WORDS and not any(
        t.base in ORGANISATIONS or t.text[0].isdigit() or (t.text.isupper() and len(t.text) > 1)
        for t in words
    )
    return sum(t.text[0].isupper() for t in words) if is_person else 0


def _titled(tokens: Sequence[Token], first: int, last: int) -> NamePart:
    """A name; a person's where a title or `Mr.` says so."""
    is_titled = (
        last > first
        and tokens[first].base in SURE_TITLES
        and _num_person_words(tokens, first + 1, last) == last - first
    )
    is_addressed = (
        first > 0 and tokens[first - 1].base in ADDRESSES and tokens[first].gap.strip(" .") == ""
    )
    is_person = is_titled or (
        is_addressed
        and _num_person_words(tokens, first, last) > 0
        and tokens[first].base not in COMMON_WORDS
    )
    return NamePart(first, last, PERSON if is_person else NAME)
