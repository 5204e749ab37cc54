"""What kind of answer a question asks for (a number, a time, somebody, a place, a reason, yes or
no), and how well a sentence can be one. Words are those of every language that has a lexicon.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from dynagrag.language.english import data as english
from dynagrag.language.english.negation import NEGATION
from dynagrag.language.english.spoken_lines import NUMBER
from dynagrag.language.german import data as german
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass

_TOKEN = re.compile(r"[^\W_]+(?:['’.:,-][^\W_]+)*|[$£€¥%]")
_CLOCK_OR_YEAR = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?|1[5-9]\d\d|20\d\d")
_OPENING = 3
"""Words in which a question says what it asks for: `In what year`, `And when`."""
_NEAR = 2
"""Words between a number and its unit at most."""
PART = 0.5
"""Of a sentence with a number, but not one of what was asked for."""


class AnswerKind(StrEnum):
    """Kinds of answers that can be told by their form."""

    AMOUNT = "amount"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"
    YES_OR_NO = "yes or no"


_ASKED_BY = {
    WordClass.ASKS_TIME: AnswerKind.TIME,
    WordClass.ASKS_PERSON: AnswerKind.PERSON,
    WordClass.ASKS_PLACE: AnswerKind.PLACE,
    WordClass.ASKS_REASON: AnswerKind.REASON,
}


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """The kind of answer that a question asks for. `units`: of an amount, in lower case."""

    kind: AnswerKind
    units: frozenset[str] = frozenset()


@cache
def _words(*classes: WordClass) -> frozenset[str]:
    return english.words_of(*classes) | german.words_of(*classes)


@cache
def _measures() -> dict[str, frozenset[str]]:
    return {group[0]: frozenset(group[1:]) for group in english.groups_of(GroupKind.MEASURES)}


def asked_answer(question: str) -> AskedAnswer | None:
    """The kind that a question asks for; None where its form doesn't tell."""
    words = [token.casefold() for token in _TOKEN.findall(question)]
    asking = _words(WordClass.ASKING)
    for first, second, third in zip(words, [*words[1:], ""], [*words[2:], "", ""], strict=False):
        if first in asking and second in _measures():
            counted = {third} - _words(WordClass.FUNCTION) - {""}  # how many seats
            return AskedAnswer(AnswerKind.AMOUNT, _measures()[second] | counted)
    for place, word in enumerate(words[:_OPENING]):
        after = words[place + 1] if place + 1 < len(words) else ""
        for word_class, kind in _ASKED_BY.items():
            own = _words(word_class)
            if word in own & _alone() or (word in asking and after in own - _alone()):
                return AskedAnswer(kind)
    if words and words[0] in english.words_of(
        WordClass.BE, WordClass.HAVE, WordClass.DO, WordClass.MODAL
    ):
        return AskedAnswer(AnswerKind.YES_OR_NO)
    return None


@cache
def _alone() -> frozenset[str]:
    """Words that ask by themselves; the others name what is asked for: what year."""
    named = english.words_of(WordClass.ASKING, WordClass.CLAUSE_OPENER, WordClass.FUNCTION)
    return (named & _words(*_ASKED_BY)) | german.words_of(*_ASKED_BY)


def fit_of(asked: AskedAnswer, text: str) -> float:
    """How well a sentence can be such an answer by its form, 0 to 1."""
    tokens = _TOKEN.findall(text)
    words = [token.casefold() for token in tokens]
    found = frozenset(words)
    if asked.kind is AnswerKind.AMOUNT:
        return _amount_fit(words, asked.units)
    if asked.kind is AnswerKind.TIME:
        months = _words(WordClass.MONTH) - _words(WordClass.MODAL)  # it may
        dated = months | _words(WordClass.WEEKDAY, WordClass.TIME_WORD)
        if not found.isdisjoint(dated) or any(map(_CLOCK_OR_YEAR.fullmatch, words)):
            return 1.0
        return PART * any(map(_is_number, words))
    if asked.kind is AnswerKind.REASON:
        return float(not found.isdisjoint(_words(WordClass.REASON_WORD)))
    if asked.kind is AnswerKind.YES_OR_NO:
        is_reply = bool(words) and words[0] in _words(WordClass.YES_OR_NO)
        return float(is_reply or bool(NEGATION.search(text)))
    named = [i for i in range(1, len(tokens)) if _is_name(tokens[i])]
    if asked.kind is AnswerKind.PERSON:
        return float(bool(named))
    leading = _words(WordClass.PLACE_PREPOSITION)
    return float(any(not leading.isdisjoint(words[max(0, i - 2) : i]) for i in named))


def _amount_fit(words: Sequence[str], units: frozenset[str]) -> float:
    numbers = [i for i, word in enumerate(words) if _is_number(word)]
    if not numbers:
        return 0.0
    forms = units | {_singular(unit) for unit in units}
    for i in numbers:
        near = words[max(0, i - 1) : i + _NEAR + 1]
        if not forms.isdisjoint([*near, *map(_singular, near)]):
            return 1.0
    return PART


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _is_number(word: str) -> bool:
    return bool(NUMBER.search(word))


def _is_name(token: str) -> bool:
    return token[0].isupper() and token.casefold() not in _words(
        WordClass.FUNCTION, WordClass.MONTH, WordClass.WEEKDAY
    )
