"""The content words of a text, cut down so that "valves" and "valve" are one."""

import re

from dynagrag.language.words import COMMON_VERBS, FUNCTION_WORDS

WORD = re.compile(r"[^\W_]+")
NO_CONTENT = FUNCTION_WORDS | COMMON_VERBS
_STEM = 5


def content_stems(text: str) -> frozenset[str]:
    """The first letters of a text's content words, singular, and its numbers; casefolded."""
    words = (w.casefold() for w in WORD.findall(text))
    return frozenset(stem(w) for w in words if (w not in NO_CONTENT and len(w) > 1) or w.isdigit())


def stem(word: str) -> str:
    """A word's first letters, singular."""
    return (word[:-1] if len(word) > 3 and word.endswith("s") else word)[:_STEM]
