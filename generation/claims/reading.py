"""A text as rules read it: its words with their stems, the clauses they stand in, and the names
among them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dynagrag.core.text import without_accents
from dynagrag.generation.claims.claim_lexicon import (
    CONJUNCTIONS,
    NAME_CONNECTORS,
    NAME_ENDINGS,
    NEGATIONS,
    RANKS,
    TITLES,
)
from dynagrag.generation.claims.quantities import plain_amounts, without_grouping
from dynagrag.generation.claims.word_senses import lemma, plain_phrases, senses
from dynagrag.language.english.data import groups_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS, MONTHS

_TOKEN = re.compile(
    r"""[^\W\d_]+(?:['’][^\W\d_]+)*
      | \d{1,3}(?:['’\u00a0\u202f]\d{3})+(?!\d)  # 30'000
      | (?<!\d\s)[1-9]\d{0,2}(?:\ \d{3})+(?![\d.,:]?\d|\ \d)  # 30 000
      | \d[\d.,:]*\d | \d | [^\w\s] | _""",
    re.VERBOSE,
)
_CLAUSE_ENDS = CONJUNCTIONS | frozenset(";()[]—–:")
_IN_NAME = NAME_CONNECTORS - {"and"}
_NO_CONTENT = FUNCTION_WORDS.union(MONTHS)
_TITLES = TITLES | RANKS
_TELLS_NO_NAME_APART = NAME_CONNECTORS | _TITLES
_ABBREVIATED = _TITLES | {"jr", "sr"}
_FIRST_PERSON = frozenset(("i", "i'd"))
_PLAIN_ENDINGS = ("ed", "ing", "ly")
_NAMED_ON = frozenset(("of", "-", "."))
"""Marks and words with which a name goes on after its first word: Bank of Ohio, Jean-Luc, J. Lee.
"""
_QUOTATION_MARKS = frozenset('"“”')
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
        return self.text[:1].isalpha()

    @property
    def is_mark(self) -> bool:
        """Whether it is neither letters nor a number; so is `NO_WORD`."""
        return not self.text[:1].isalnum()

    @property
    def is_capitalized(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()

    @property
    def is_initial(self) -> bool:
        """Whether it is a letter alone or an abbreviation, whose full stop ends nothing."""
        return len(self.text) == 1 or self.low in _ABBREVIATED

    @property
    def is_possessive(self) -> bool:
        """Whether something belongs to it."""
        return self.text.endswith("'s")


NO_WORD = Word("", "", "", -1)
"""Stands before and behind every text."""


@dataclass(frozen=True)
class Reading:
    """A text's words; `is_question` where it ends with a question mark."""

    text: str
    words: tuple[Word, ...]

    @property
    def is_question(self) -> bool:
        """Whether it only asks."""
        return self.text.rstrip(" \"'”’)").endswith("?")

    def word(self, i: int) -> Word:
        """The word at a place; `NO_WORD` before and behind the text."""
        return self.words[i] if 0 <= i < len(self.words) else NO_WORD

    def is_quoted(self, i: int) -> bool:
        """Whether a word stands within quotation marks."""
        marks = [word.text for word in self.words[:i] if word.text in _QUOTATION_MARKS]
        return marks.count('"') % 2 == 1 or marks.count("“") > marks.count("”")

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
        found: list[tuple[int, int]] = []
        for i in range(len(self.words)):
            if (not found or i >= found[-1][1]) and _begins_name(self, i):
                found.append((i, _name_end(self, i)))
        return tuple(found)

    @cached_property
    def in_names(self) -> frozenset[int]:
        """Positions of the words that belong to names."""
        return frozenset(i for start, end in self.names for i in range(start, end))

    def content(self) -> list[int]:
        """Positions of the content words: neither names nor function words."""
        return [i for i, w in self.outside_names() if w.is_word and w.low not in _NO_CONTENT]

    def outside_names(self) -> Iterator[tuple[int, Word]]:
        """The words that belong to no name, with their places."""
        return ((i, w) for i, w in enumerate(self.words) if i not in self.in_names)

    def same_clause(self, at: int, places: Iterable[int]) -> list[int]:
        """Those of some places that stand in the clause of the word at `at`."""
        return [i for i in places if self.words[i].clause == self.words[at].clause]

    def content_and_names(self) -> list[Word]:
        """The words that are no function words, those of names among them."""
        return [
            w
            for i, w in enumerate(self.words)
            if not w.is_mark and (w.low not in FUNCTION_WORDS or i in self.in_names)
        ]

    def name(self, start: int, end: int) -> tuple[str, ...]:
        """The words of a name that tell it apart, folded."""
        lows = tuple(w.low for w in self.words[start:end] if not w.is_mark)
        return tuple(low for low in lows if low not in _TELLS_NO_NAME_APART) or lows


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Reads a text."""
    words: list[Word] = []
    last, clause = NO_WORD, 0
    for match in _TOKEN.finditer(plain_phrases(plain_amounts(text))):
        token = match.group()
        low = folded(token)
        if {token, low} & _CLAUSE_ENDS or (token in ".!?" and not last.is_initial):
            clause += 1
        bare = low.removesuffix("'s")
        stem = without_grouping(bare) if bare[:1].isdigit() else lemma(bare)
        last = Word(token, bare, stem, clause)
        words.append(last)
    return Reading(text, tuple(words))


def _begins_name(reading: Reading, i: int) -> bool:
    word, follows = reading.word(i), reading.word(i + 1)
    if not word.is_capitalized or word.low in MONTHS or word.low in _FIRST_PERSON:
        return False
    is_named_on = (
        word.is_possessive
        or follows.is_capitalized
        or follows.text in _NAMED_ON
        or follows.text[:1].isdigit()
    )
    if not reading.word(i - 1).is_mark:
        return is_named_on or word.low not in NEGATIONS
    if follows.text == "Not" or (
        word.low == "never" and follows.is_capitalized and follows.text != "I"
    ):  # Do Not Look Up, Never Let Me Go
        return True
    if word.low in FUNCTION_WORDS:
        return False
    is_plain = word.low in COMMON_WORDS or word.low.endswith(_PLAIN_ENDINGS)
    return is_named_on or not (is_plain or len(senses(word.stem)) > 1)


def _name_end(reading: Reading, start: int) -> int:
    """Where the name that begins at `start` ends: it goes on with a capital behind at most three
    connectors, or with a short number; never behind a possessive.
    """
    end = start + 1
    while not reading.word(end - 1).is_possessive:
        at = end
        while at < end + _MAX_CONNECTORS and _connects(reading, at):
            at += 1
        last = reading.word(at)
        is_numbered = at == end and last.text.isdigit() and len(last.text) < 4
        if not is_numbered and (not last.is_capitalized or last.low in MONTHS):
            break
        end = at + 1
    return end


def _connects(reading: Reading, at: int) -> bool:
    """Whether a name may go on behind a word: a full stop only behind an initial or an
    abbreviation.
    """
    word = reading.word(at)
    return word.low in _IN_NAME and (word.text != "." or reading.word(at - 1).is_initial)


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
