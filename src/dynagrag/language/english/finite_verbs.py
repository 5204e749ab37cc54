"""The finite verb of an English sentence, where a pattern is sure: an auxiliary after something, or
a known verb after its subject.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from dynagrag.language.english.data import words_of
from dynagrag.language.english.verbs import (
    BASES,
    base_of_past,
    base_of_third,
    is_participle,
    is_past,
)
from dynagrag.language.patterns import any_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import AUXILIARIES, COMMON_WORDS

FINITE_AUXILIARIES = AUXILIARIES - {"be", "been", "being"}
ANY_AUXILIARY = any_of(FINITE_AUXILIARIES)
_ADVERBS = rf"(?: (?:{any_of(words_of(WordClass.MID_ADVERB))}))*"
_AUXILIARY = re.compile(rf"(?<=\S )(?:{ANY_AUXILIARY})\b(?! (?:I|we|you|they|he|she|it)\b)")
_CONTRACTED = re.compile(
    r"(?<=\b(?:it|he|It|He))['’](?:s|ll)\b|(?<=\b[Ss]he)['’]s\b|(?<=\b[Tt]hat)['’]s\b"
    r"|(?<=\b[Tt]here)['’]s\b|(?<=\bI)['’](?:m|ve|ll)\b|(?<=\b[Ww]e)['’](?:re|ve|ll)\b"
    r"|(?<=\b[Yy]ou)['’](?:re|ve|ll)\b|(?<=\b[Tt]hey)['’](?:re|ve|ll)\b"
)
_MAIN = re.compile(
    r"\b(?P<subject>I|[Ww]e|[Yy]ou|[Tt]hey|[Hh]e|[Ss]he|[Ii]t|[A-Z][\w₀-₉-]+(?: [A-Z][\w₀-₉-]*|"
    rf" \d+)*){_ADVERBS} (?P<verb>[a-z]{{2,}})\b"
)
_PLURAL = frozenset({"i", "we", "you", "they"})
_HEDGES = frozenset({"i mean", "i guess", "i think", "you know", "you see"})
"""They open a sentence without being what it states."""
_NEXT = re.compile(rf"{_ADVERBS} ([a-z]+)")


class FiniteKind(Enum):
    """The verb's place beside a negation."""

    AUXILIARY = auto()
    PAST = auto()
    THIRD = auto()
    BASE = auto()


@dataclass(frozen=True, slots=True)
class Finite:
    """A finite verb where it stands; `word` with a plain apostrophe (`'s`); `subject` only of a
    verb that is no auxiliary.
    """

    kind: FiniteKind
    word: str
    span: tuple[int, int]
    subject: str = ""


_HAVE = {"has": FiniteKind.THIRD, "had": FiniteKind.PAST, "have": FiniteKind.BASE}
_DO = {"does": FiniteKind.THIRD, "did": FiniteKind.PAST, "do": FiniteKind.BASE}


def finite_verb(text: str) -> Finite | None:
    """The first in the text; None where no pattern is sure."""
    return min((*_auxiliaries(text), *_mains(text)), key=lambda finite: finite.span, default=None)


def _auxiliaries(text: str) -> Iterator[Finite]:
    for match in _AUXILIARY.finditer(text):
        word, following = match[0], _NEXT.match(text, match.end())
        after = following[1] if following else ""
        is_main = word in _HAVE and not is_participle(after)
        if is_main or (word in _DO and after not in BASES):
            kind = (_HAVE | _DO)[word]
            before = text[: match.start()].split()[-1].casefold()
            if kind is not FiniteKind.BASE or before in _PLURAL:
                yield Finite(kind, word, match.span(), before)
        else:
            yield Finite(FiniteKind.AUXILIARY, word, match.span())
    for match in _CONTRACTED.finditer(text):
        yield Finite(FiniteKind.AUXILIARY, match[0].replace("’", "'"), match.span())


def _mains(text: str) -> Iterator[Finite]:
    for match in _MAIN.finditer(text):
        subject, verb = match["subject"], match["verb"]
        before = text[: match.start()].split()
        is_pronoun = subject.casefold() in _PLURAL | {"he", "she", "it"}
        is_asked = bool(before) and before[-1].casefold() in FINITE_AUXILIARIES
        is_hedge = f"{subject} {verb}".casefold() in _HEDGES
        if (
            verb in FINITE_AUXILIARIES
            or is_asked
            or is_hedge
            or (not is_pronoun and subject.casefold() in COMMON_WORDS)
        ):
            continue
        if (
            is_past(verb)
            and not (verb in BASES and subject.casefold() in _PLURAL)
            and (base_of_past(verb) or verb.endswith("ed"))
        ):
            yield Finite(FiniteKind.PAST, verb, match.span("verb"), subject)
        elif base_of_third(verb) and subject.casefold() not in _PLURAL:
            yield Finite(FiniteKind.THIRD, verb, match.span("verb"), subject)
        elif verb in BASES and subject.casefold() in _PLURAL:
            yield Finite(FiniteKind.BASE, verb, match.span("verb"), subject)


def replaced(text: str, span: tuple[int, int], by: str) -> str:
    """The text with other words in place of a span of it."""
    return text[: span[0]] + by + text[span[1] :]
