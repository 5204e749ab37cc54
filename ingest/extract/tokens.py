"""The words of a text as the fast extractor reads them: tokens, and what their shapes tell."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.core.ids import plain_quotes
from dynagrag.ingest.extract.name_words import (
    ABBREVIATIONS,
    COMPOUND_TAILS,
    KEEP_UPPER,
    LOWER_FIRST_UNITS,
)
from dynagrag.language.english.inflection import is_known
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS

_TOKEN = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)*(?:[^\W\d_]\w*)?(?:-\w+)*"  # 1970, 10,000, 3.11, 2nd, 4o, 747-400
    r"|(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?"  # U.S.
    # S-IVB, GPT-3.5, AT&T, PC+2, CO<sub>2</sub>
    r"|[^\W_]+(?:(?:['’&\-]|(?<=\d)\.(?=\d))[^\W_]+|</?su[bp]>[^\W_]*)*(?:\+\d+|[+#]*)"
    r"|&"
)
NUMBER = re.compile(r"\d{4,}|\d{1,3}(?:,\d{3})+")
MODEL_NUMBER = re.compile(
    r"\d{1,3}|\d{1,4}(?:\.\d{1,4})+[A-Za-z]{0,2}|\d{1,4}(?!st|nd|rd|th)[A-Za-z]{1,2}"
    r"|\d{2,4}[A-Za-z]?(?:-\d{1,4}[A-Za-z]{0,2})+"
)
"""13, 3.11, 4o, 747-400: with a name before it, part of the name."""
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_TWO_BLANKS = re.compile(r"\.\s\s")
_MAX_ACRONYM = 4
"""Letters; a longer word in capitals may be a last name (J. EINSTEIN)."""
_MARKUP = re.compile(r"</?su[bp]>")
ENDING = re.compile(r"(?:'(?:s|re|ll|ve|d|m|t)|n't)$")
_CLAUSE_MARK = re.compile(r"[.?!:;\"“”„‘«»‹›¿¡(\[—–…]|(?:^|\s)[-']|--")
_INNER_CAPITAL = re.compile(r"(?:[a-z]{1,5}|(?:al|el|ul|ar|as|ash|at|e|i)-)[A-Z][A-Za-z]*\d*")
_PUT_TOGETHER = re.compile(r"[a-z]{3,}([A-Z][a-z]{2,})")
_INFLECTED_CAPITALS = re.compile(r"[A-Z]{2,}(?:ing|ed)")

Span = tuple[int, int]
"""Indices of the first and the last token."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number at its place in a text."""

    start: int
    end: int
    text: str
    base: str
    """lower case, plain apostrophe, contraction or possessive ending off"""
    gap: str
    """what stands between it and the token before"""

    @property
    def is_capital(self) -> bool:
        """Whether it may begin a name: by a capital, a capital inside (iPhone, mRNA), or as a long
        number.
        """
        return self.text[0].isupper() or self.is_number or self.has_inner_capital

    @property
    def has_inner_capital(self) -> bool:
        """`iPhone`, `mRNA`, `macOS`: no word, and no unit either."""
        word = ENDING.sub("", plain_quotes(self.text))
        return (
            self.text[0].islower()
            and bool(_INNER_CAPITAL.fullmatch(word))
            and word not in LOWER_FIRST_UNITS
            and word.lower() not in COMMON_WORDS
            and not _is_identifier(word)
        )

    @property
    def is_number(self) -> bool:
        """A year, or another number of four digits or more."""
        return bool(NUMBER.fullmatch(self.text))

    @property
    def is_upper(self) -> bool:
        """An acronym or call sign: its capitals don't come from opening a sentence."""
        return len(self.text) > 1 and any(c.isupper() or c.isdigit() for c in self.text[1:])

    @property
    def is_stop(self) -> bool:
        """A function word, wherever it stands."""
        return self.base in FUNCTION_WORDS and self.text not in KEEP_UPPER

    @property
    def opens_clause(self) -> bool:
        """Whether a capital may come from its place alone."""
        return self.start == 0 or bool(_CLAUSE_MARK.search(self.gap))

    @property
    def is_possessive(self) -> bool:
        """`Houston's`."""
        return self.text.endswith(("'s", "’s"))

    @property
    def is_inflected_capitals(self) -> bool:
        """A verb made of an acronym: `LOADing`."""
        return bool(_INFLECTED_CAPITALS.fullmatch(self.text)) or self.text.endswith(("'d", "’d"))

    def follows(self, before: "Token") -> bool:
        """Whether nothing but blank space (or an abbreviation's dot) lies between, and the one
        before isn't a possessive.
        """
        return self.gap.isspace() and not before.is_possessive


def _is_identifier(word: str) -> bool:
    """`pdfAttachments`, `useState`: words of a program, put together; not `bioRxiv`, `macOS`."""
    match = _PUT_TOGETHER.match(word)
    return match is not None and is_known(match[1].lower())


def without_markup(name: str) -> str:
    """A name as it is read: `CO<sub>2</sub>` is CO2."""
    return _MARKUP.sub("", name)


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens in order. The dot of an abbreviation or initial is in no gap; a compound's plain
    end (`ISIS-related`) is a token.
    """
    end = 0
    base = ""
    is_after_capitals = False
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        is_letter = len(base) == 1 and base.isalpha() and not is_after_capitals
        is_initial = is_letter and not _ends_at(gap, match[0])
        if gap[:1] == "." and (base in ABBREVIATIONS or is_initial):
            gap = gap[1:]
        start = match.start()
        for word in _parts(match[0]):
            # BUS A. is a sentence's end.
            is_after_capitals = len(base) > 1 and text[end - len(base) : end].isupper()
            base = ENDING.sub("", plain_quotes(without_markup(word)).lower()).rstrip(".")
            yield Token(start, start + len(word), word, base, gap)
            start += len(word) + 1
            gap = "-"
        end = match.end()


def _ends_at(gap: str, word: str) -> bool:
    """Whether a letter's dot is a sentence's end by what follows: two blanks, or an acronym
    ("written in C. DC came next").
    """
    is_acronym = word.isalpha() and word.isupper() and 1 < len(word) <= _MAX_ACRONYM
    return is_acronym or _TWO_BLANKS.match(gap) is not None


def _parts(word: str) -> tuple[str, ...]:
    """A compound whose end is a plain word that says how the name in front is meant, in two."""
    head, _, tail = word.rpartition("-")
    if not head or not head[0].isupper() or not tail.islower():
        return (word,)
    is_plain = tail in COMPOUND_TAILS or tail in FUNCTION_WORDS
    is_verb_form = len(tail) > 4 and tail.endswith(("ed", "ing"))
    return (head, tail) if is_plain or is_verb_form else (word,)
