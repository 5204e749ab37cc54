"""A document's use of capitals: what they mean in it, and whether the rules for English names fit
it at all.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dynagrag.ingest.extract.name_words import ENGLISH, GERMAN
from dynagrag.ingest.extract.other_words import GERMAN as GERMAN_CODE
from dynagrag.ingest.extract.other_words import OtherWords, other_words
from dynagrag.ingest.extract.tokens import tokens_of
from dynagrag.language.document_language import found_language
from dynagrag.language.identification import ENGLISH as ENGLISH_CODE
from dynagrag.language.words import COMMON_WORDS

_MAX_PREVIEWED = 200_000
_MAX_UPPER = 0.6
_MIN_WORDS = 30
_MIN_ENGLISH = 0.05
"""Of the words in lower case: speech and mission loops have .20 to .32; other languages below .02.
A list of names may have none.
"""
_MIN_GERMAN = 0.12
_MIN_CASED = 0.5
_WORD = re.compile(r"[^\W\d_]+")
_COUPLE = re.compile(r"(?:([^\W\d_]+) )?\b([^\W\d_]+) and ([^\W\d_]+)\b(?: ([^\W\d_]+))?")
_MIN_COUPLED = 3
"""Fewer may be chance."""
_MAX_STRAY = 0.01
"""Capitals, but for "I", in a text that was written without any."""


class Writing(StrEnum):
    """How a text is written, as far as it matters to the rules; the value says what they do."""

    ENGLISH = ""
    CAPITALS = (
        "all in capitals: names can't be told from words, so none are taken; passages are found by"
        " words and vectors"
    )
    LOWER = (
        "without capitals: names can't be told from words, only numbered things and measures;"
        " passages are found by words and vectors"
    )
    NOUNS = (
        "with nouns in capitals (German): only names of several words, acronyms and the like are"
        " told from nouns"
    )
    FOREIGN = "not in English: names are told by capitals alone"
    CASELESS = (
        "in a script without capitals: at most names apart in other letters (iPhone) are taken;"
        " passages are found by words and vectors"
    )


@dataclass(frozen=True, slots=True)
class CaseUse:
    """One document's use of case for its words: how often in lower case, how often with a capital
    inside a sentence, which capitalised words stand side by side there, and how the text is written
    by all that.
    """

    lower: Mapping[str, int]
    capital: Mapping[str, int]
    has_case: bool
    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    writing: Writing = Writing.ENGLISH
    couples: frozenset[tuple[str, str]] = frozenset()
    """Names that the document has with an "and" between them and never apart: `Rick and Morty`."""
    other: OtherWords = field(default_factory=OtherWords)

    def is_ordinary(self, word: str) -> bool:
        """Whether the document writes the word in lower case more often than with a capital inside
        a sentence.
        """
        return self.lower.get(word, 0) > self.capital.get(word, 0)

    def is_stray_capital(self, word: str) -> bool:
        """Whether a capital on this word is an exception: one in four uses or fewer."""
        return self.lower.get(word, 0) >= 3 * max(1, self.capital.get(word, 0))


def fast_remarks(text: str, language: str) -> tuple[str, ...]:
    """The remarks of a preview for an ingest without a model: none on plain English. `language`:
    of the document, as it was found.
    """
    writing = case_use(text[:_MAX_PREVIEWED], language).writing
    return (f"for an ingest without a model: a text {writing}",) if writing else ()


def case_use(text: str, language: str = "") -> CaseUse:
    """Counts a document's words by case. `language`: the code (ISO 639-1) that is kept with the
    document, found in its text where it is none and the text isn't English.
    """
    num_upper = sum(map(str.isupper, text))
    num_cased = num_upper + sum(map(str.islower, text))
    lower: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    num_big = 0
    before = ""
    for token in tokens_of(text):
        num_big += token.text[0].isupper() and token.base != "i"
        is_inside = token.text[0].isupper() and not token.opens_clause and "\n" not in token.gap
        if token.text[0].islower():
            lower[token.base] += 1
        elif is_inside:
            capital[token.base] += 1
            if before and token.gap.isspace():
                pairs[before, token.base] += 1
        before = token.base if is_inside else ""
    has_case = num_upper <= _MAX_UPPER * max(1, num_cased)
    writing = _writing(text, num_cased, num_upper, lower, num_big)
    if writing is Writing.FOREIGN and language == ENGLISH_CODE:
        writing = Writing.ENGLISH  # "yeah", four hundred times
    other = OtherWords()
    if writing is Writing.NOUNS:
        other = other_words(GERMAN_CODE, tokens_of(text), capital, pairs)
    elif writing is Writing.FOREIGN:
        other = OtherWords(language or found_language(text))
    return CaseUse(lower, capital, has_case, pairs, writing, _couples(text), other)


def _couples(text: str) -> frozenset[tuple[str, str]]:
    """Two words in lower case each; neither is part of a longer name, where who is coupled is
    somebody of their own (`Tom Hanks and Meg Ryan`).
    """
    found: Counter[tuple[str, str]] = Counter()
    for before, first, second, behind in _COUPLE.findall(text):
        is_whole = not any(w.istitle() and w.lower() not in COMMON_WORDS for w in (before, behind))
        if is_whole and first.istitle() and second.istitle() and first != second:
            found[first, second] += 1
    often = {pair: num for pair, num in found.items() if num >= _MIN_COUPLED}
    words = Counter(_WORD.findall(text)) if often else Counter[str]()
    return frozenset(
        (first.lower(), second.lower())
        for (first, second), num in often.items()
        if words[first] == words[second] == num
    )


def _writing(
    text: str, num_cased: int, num_upper: int, lower: Mapping[str, int], num_big: int
) -> Writing:
    num_letters = sum(map(str.isalpha, text))
    num_lower = sum(lower.values())
    if num_letters >= _MIN_WORDS and num_cased < _MIN_CASED * num_letters:
        return Writing.CASELESS
    if num_lower + num_big < _MIN_WORDS:
        return Writing.ENGLISH
    if num_upper > _MAX_UPPER * num_cased:
        return Writing.CAPITALS
    if num_lower < _MIN_WORDS:
        return Writing.ENGLISH
    english = sum(lower.get(word, 0) for word in ENGLISH) / num_lower
    german = sum(lower.get(word, 0) for word in GERMAN) / num_lower
    if german >= _MIN_GERMAN and german > english:
        return Writing.NOUNS
    if english < _MIN_ENGLISH:
        return Writing.FOREIGN
    return Writing.LOWER if num_big <= _MAX_STRAY * num_lower else Writing.ENGLISH
