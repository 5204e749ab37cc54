"""What kind of answer a question asks for (a number, a time, somebody, a place, a reason, yes or
no), and how well a sentence can be one: by the words of the question's and of the text's language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

from dynagrag.language.answer_words import AnswerWords, answer_words
from dynagrag.language.english import data as english
from dynagrag.language.english.negation import NEGATION
from dynagrag.language.english.spoken_lines import NUMBER
from dynagrag.language.german import data as german
from dynagrag.language.identification import ENGLISH, is_plainly_english, language_of_question
from dynagrag.language.stemming import stem_of
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
    """The kind of answer that a question asks for. `units`: of an amount, in lower case; in other
    languages than English the stems of what is counted, or the character behind the number.
    """

    kind: AnswerKind
    units: frozenset[str] = frozenset()


_words = english.words_of


@cache
def _measures() -> dict[str, frozenset[str]]:
    return {group[0]: frozenset(group[1:]) for group in english.groups_of(GroupKind.MEASURES)}


def asked_answer(question: str) -> AskedAnswer | None:
    """The kind that a question asks for; None where its form doesn't tell."""
    if other := answer_words(language_of_question(question)):
        asked = _asked_in(other, question)
        if asked or not is_plainly_english(question):  # else names made it seem another language
            return asked
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
    return named & _words(*_ASKED_BY)


def fit_of(asked: AskedAnswer, text: str, language: str = ENGLISH) -> float:
    """How well a sentence can be such an answer by its form, 0 to 1. `language`: the code (ISO
    639-1) of the text's; of one without words of its own, English ones count.
    """
    if other := answer_words(language):
        return _fit_in(other, asked, text)
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


# ------------------------------------------------------------------------------ other languages

_KIND_ASKED = {
    "asks_amount": AnswerKind.AMOUNT,
    "asks_time": AnswerKind.TIME,
    "asks_person": AnswerKind.PERSON,
    "asks_place": AnswerKind.PLACE,
    "asks_reason": AnswerKind.REASON,
    "asks_yes_or_no": AnswerKind.YES_OR_NO,
}
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = 2
"""Words behind `how many` that may name what is counted: `combien de chèvres`."""
_MIN_COUNTED = 3
_NOUNS_HAVE_CAPITALS = frozenset(("de",))
_TITLES = german.words_of(WordClass.PERSON_TITLE)


def _asked_in(own: AnswerWords, question: str) -> AskedAnswer | None:
    found = own.first_asked(question, _OPENING)
    if found is None:
        return None
    name, end = found
    kind = _KIND_ASKED[name]
    is_opening = not question[:end].strip(" ¿¡").count(" ")
    if kind is AnswerKind.YES_OR_NO and own.is_spaced and not is_opening:
        return None
    return AskedAnswer(kind, _counted(own, question, end) if kind is AnswerKind.AMOUNT else _NONE)


_NONE: frozenset[str] = frozenset()


def _counted(own: AnswerWords, question: str, end: int) -> frozenset[str]:
    """What is counted: the stems of the words behind, or 人 of 何人."""
    if not own.is_spaced:
        return frozenset(question[end - 1 : end])
    behind = [word.casefold() for word in _WORD.findall(question[end:])]
    return frozenset(
        stem_of(word, own.code) for word in behind[:_COUNTED] if len(word) >= _MIN_COUNTED
    )


def _fit_in(own: AnswerWords, asked: AskedAnswer, text: str) -> float:
    """`fit_of` of a text in a language with words of its own."""
    if asked.kind is AnswerKind.AMOUNT:
        return _amount_fit_in(own, asked.units, text)
    if asked.kind is AnswerKind.TIME:
        if own.time.search(text) or _CLOCK_OR_YEAR.search(text):
            return 1.0
        return PART * bool(own.number.search(text))
    if asked.kind is AnswerKind.REASON:
        return float(bool(own.reason.search(text)))
    if asked.kind is AnswerKind.YES_OR_NO:
        return float(bool(own.yes_or_no.match(text.lstrip(" ¿¡–—-"))))
    if not own.is_spaced:
        marks = own.person if asked.kind is AnswerKind.PERSON else own.place
        return float(bool(marks.search(text)))
    names = _names_in(own, text)
    if asked.kind is AnswerKind.PERSON:
        return max((share for _, share in names), default=0.0)
    before = (text[:start].split()[-2:] for start, _ in names)
    return float(any(own.place.search(" ".join(words)) for words in before))


def _amount_fit_in(own: AnswerWords, units: frozenset[str], text: str) -> float:
    for number in own.number.finditer(text):
        behind = text[number.end() :]
        if not own.is_spaced:
            is_of_unit = any(unit in behind[:_NEAR] for unit in units)
        else:
            near = [word.casefold() for word in _WORD.findall(behind)[:_NEAR]]
            is_of_unit = not units.isdisjoint(stem_of(word, own.code) for word in near)
        if is_of_unit:
            return 1.0
    return PART * bool(own.number.search(text))


def _names_in(own: AnswerWords, text: str) -> list[tuple[int, float]]:
    """Where names begin within a sentence and how surely each is one. Of a German noun its capital
    tells nothing, so it is sure only behind a title or another capital: "Frau Ludolf".
    """
    words = list(_WORD.finditer(text))
    found = []
    for before, word in pairwise(words):
        if not word[0][0].isupper():
            continue
        is_sure = before[0].casefold() in _TITLES or before[0][0].isupper()
        is_told = is_sure or own.code not in _NOUNS_HAVE_CAPITALS
        found.append((word.start(), 1.0 if is_told else PART))
    return found
