"""Which sentences of a source state something, and what of them does."""

import re

from dynagrag.core.text import collapse
from dynagrag.language.english.contractions import TOKENISED
from dynagrag.language.english.data import words_of
from dynagrag.language.english.finite_verbs import FINITE_AUXILIARIES, finite_verb
from dynagrag.language.english.spoken_lines import INTERJECTIONS
from dynagrag.language.english.verbs import BASES
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_VERBS, FUNCTION_WORDS

_MIN_CONTENT_WORDS = 4
_MAX_WORDS = 40
_WORD = re.compile(r"[^\W_]+")
_NO_STATEMENT = FINITE_AUXILIARIES | words_of(WordClass.NO_STATEMENT)
_ADDRESS = re.compile(r"^[A-Z]\w*, (?=\S)")
_CUT_OFF = re.compile(r"(?:-|--|…|\.\.\.|[,;:])$")
_STUTTER = re.compile(r"\b(?!had|that)(\w+) \1\b", re.IGNORECASE)


def is_statement(text: str) -> bool:
    """Whether a sentence states something: at least four content words and a finite verb, not
    asked, cut off, stuttered, or very long.
    """
    if not is_whole(text, _MIN_CONTENT_WORDS):
        return False
    clean = cleaned(text)
    first = _ADDRESS.sub("", clean).split()[0].casefold().strip(",.")
    return first not in _NO_STATEMENT and first not in BASES and finite_verb(clean) is not None


def is_whole(text: str, min_content_words: int) -> bool:
    """Whether a sentence has so many content words, and is not asked, cut off, stuttered, or very
    long. It may be an order.
    """
    text = collapse(text)
    words = _WORD.findall(text.casefold())
    num_content = sum(w not in FUNCTION_WORDS | COMMON_VERBS for w in words)
    is_broken = _CUT_OFF.search(text) or _STUTTER.search(text) or set("?{}<>[]") & set(text)
    return num_content >= min_content_words and len(words) <= _MAX_WORDS and not is_broken


def cleaned(text: str) -> str:
    """Without the interjections that open it and the gaps of a tokenised text: what it states
    stays.
    """
    text = TOKENISED.sub("", collapse(text))
    rest = INTERJECTIONS.sub("", text)
    return rest[:1].upper() + rest[1:] if rest else text
