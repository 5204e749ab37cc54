"""A text as rules read it: its words with their stems, the clauses they stand in, and the names
among them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dynagrag.core.text import without_accents
from dynagrag.generation.claims.lexicon import (
    CONJUNCTIONS,
    NAME_CONNECTORS,
    NAME_ENDINGS,
    NEGATIONS,
    RANKS,
    TITLES,
)
from dynagrag.generation.claims.word_senses import lemma, plain_phrases, senses
from dynagrag.language.english.data import groups_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS, MONTHS

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d.,:]*\d|\d|[^\w\s]|_")
_CLAUSE_END = frozenset(";()[]—–:")
_TITLES = TITLES | RANKS
_ABBREVIATED = _TITLES | {"jr", "sr"}
_FIRST_PERSON = frozenset(("i", "i'd"))
_PLAIN_ENDINGS = ("ed", "ing", "ly")
_NAMED_ON = frozenset(("of", "-", "."))
"""What goes on after the first word of a name: Bank of Ohio, Jean-Luc, J. Lee."""
_MAX_CONNECTORS = 3
_MIN_STEM = 4


def folded(text: str) -> str:
    """Casefolded, without accents."""
    return without_accents(text).casefold()


@dataclass(frozen=True, slots=True)
class Word:
    """A token. `low`: folded, without a possessive; `stem` of its base form; `clause`: number of
    the clause it stands in.
    """

    text: str
    low: str
    stem: str
    clause: int

    @property
    def is_word(self) -> bool:
        """Whether it is letters, not a number or a mark."""
        return self.text[0].isalpha()

    @property
    def is_possessive(self) -> bool:
        """Whether something belongs to it."""
        return self.text.endswith("'s")


@dataclass(frozen=True)
class Reading:
    """A text's words; `is_question` where it ends with a question mark."""

    text: str
    words: tuple[Word, ...]

    @property
    def is_question(self) -> bool:
        """Whether it only asks."""
        return self.text.rstrip(" \"'”’)").endswith("?")

    @cached_property
    def lows(self) -> frozenset[str]:
        """All words, folded."""
        return frozenset(word.low for word in self.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems."""
        return frozenset(word.stem for word in self.words)

    @cached_property
    def names(self) -> tuple[tuple[int, int], ...]:
        """Names as ranges of words."""
        return tuple(_name_ranges(self.words))

    @cached_property
    def in_names(self) -> frozenset[int]:
        """Positions of the words that belong to names."""
        return frozenset(i for start, end in self.names for i in range(start, end))

    def content(self) -> list[int]:
        """Positions of the content words: neither names nor function words."""
        return [
            i
            for i, w in enumerate(self.words)
            if w.is_word
            and i not in self.in_names
            and w.low not in FUNCTION_WORDS
            and w.low not in MONTHS
        ]

    def content_and_names(self) -> list[Word]:
        """The words that are no function words, those of names among them."""
        return [
            w
            for i, w in enumerate(self.words)
            if w.text[0].isalnum() and (w.low not in FUNCTION_WORDS or i in self.in_names)
        ]

    def name(self, start: int, end: int) -> tuple[str, ...]:
        """The words of a name that tell it apart, folded."""
        lows = [w.low for w in self.words[start:end] if w.text[0].isalnum()]
        return tuple(
            low for low in lows if low not in NAME_CONNECTORS and low not in _TITLES
        ) or tuple(lows)


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Reads a text."""
    words: list[Word] = []
    clause = 0
    for match in _TOKEN.finditer(plain_phrases(text)):
        token = match.group()
        low = folded(token)
        if (
            token in _CLAUSE_END
            or low in CONJUNCTIONS
            or (token in ".!?" and not _is_initial(words))
        ):
            clause += 1
        bare = low.removesuffix("'s")
        words.append(Word(token, bare, lemma(bare), clause))
    return Reading(text, tuple(words))


def _is_initial(words: Sequence[Word]) -> bool:
    """Whether the last word is a letter alone, or an abbreviation, whose full stop ends nothing."""
    return bool(words) and (len(words[-1].text) == 1 or words[-1].low in _ABBREVIATED)


def _name_ranges(words: Sequence[Word]) -> Iterable[tuple[int, int]]:
    i = 0
    while i < len(words):
        if not _begins_name(words, i):
            i += 1
            continue
        end = i + 1
        while (more := _continued(words, end)) > end:
            end = more
        yield i, end
        i = end


def _begins_name(words: Sequence[Word], i: int) -> bool:
    word = words[i]
    if not word.text[0].isupper() or word.low in MONTHS:
        return False
    opens = i == 0 or not words[i - 1].text[0].isalnum()
    if word.low in _FIRST_PERSON:
        return False
    follows = words[i + 1].text if i + 1 < len(words) else ""
    is_named_on = (
        follows[:1].isupper() or follows in _NAMED_ON or word.is_possessive or follows[:1].isdigit()
    )
    if not opens:
        return word.low not in NEGATIONS or is_named_on
    if follows == "Not" or (
        word.low == "never" and follows[:1].isupper() and follows != "I"
    ):  # Do Not Look Up, Never Let Me Go
        return True
    is_plain = (
        word.low in COMMON_WORDS or word.low.endswith(_PLAIN_ENDINGS) or len(senses(word.stem)) > 1
    )
    return word.low not in FUNCTION_WORDS and (is_named_on or not is_plain)


def _continued(words: Sequence[Word], end: int) -> int:
    """Where a name that reaches to `end` ends, if it goes on there; `end` where it doesn't."""
    if words[end - 1].is_possessive:
        return end
    at = end
    while at < len(words) and at - end < _MAX_CONNECTORS and _connects(words, at):
        at += 1
    if at < len(words) and words[at].text[0].isupper() and words[at].low not in MONTHS:
        return at + 1
    if at == end and at < len(words) and words[at].text.isdigit() and len(words[at].text) < 4:
        return at + 1
    return end


def _connects(words: Sequence[Word], at: int) -> bool:
    """Whether a name may go on behind a word: a full stop only behind an initial or an
    abbreviation.
    """
    return words[at].low in NAME_CONNECTORS - {"and"} and (
        words[at].text != "." or _is_initial(words[:at])
    )


_DEMONYMS = {group[0]: group[1] for group in groups_of(GroupKind.DEMONYMS)}


def same_word(one: str, other: str) -> bool:
    """Whether two words of names are one: the same, or one an ending longer (Brazil, Brazilian;
    Germany, German).
    """
    if one == other or _DEMONYMS.get(one) == other or _DEMONYMS.get(other) == one:
        return True
    short, long = sorted((one, other), key=len)
    root = short if long.startswith(short) else short[:-1]
    return len(root) >= _MIN_STEM and long.startswith(root) and long[len(root) :] in NAME_ENDINGS
