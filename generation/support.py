"""The content words of a text, cut down so that "valves" and "valve" are one."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from dynagrag.language.content_words import stems_in
from dynagrag.language.identification import ENGLISH, UNKNOWN
from dynagrag.language.words import COMMON_VERBS, FUNCTION_WORDS

WORD = re.compile(r"[^\W_]+")
TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]")
"""A word with its apostrophes and hyphens, or a mark."""
NO_CONTENT = FUNCTION_WORDS | COMMON_VERBS
_STEM = 5


def content_stems(text: str, language: str = ENGLISH) -> frozenset[str]:
    """The first letters of a text's content words, singular, and its numbers; casefolded. Of
    another language than English (ISO 639-1) the stems that Snowball has.
    """
    if language not in (ENGLISH, UNKNOWN):
        return stems_in(text, language)
    words = (w.casefold() for w in WORD.findall(text))
    return frozenset(stem(w) for w in words if (w not in NO_CONTENT and len(w) > 1) or w.isdigit())


def stem(word: str) -> str:
    """A word's first letters, singular."""
    return (word[:-1] if len(word) > 3 and word.endswith("s") else word)[:_STEM]


def nearness(text: str, lines: Sequence[str]) -> list[float]:
    """How near each line is to a text: the rarity among the lines of the content words that both
    have, summed, so that a label of most lines ("ANN: ...") and small words of any language count
    little; half of it where the line asks, since a question states nothing.
    """
    wanted, own = content_stems(text), [content_stems(line) for line in lines]
    held, num = Counter(word for words in own for word in words), len(lines)
    rarity = {word: log(1 + (num - held[word] + 0.5) / (held[word] + 0.5)) for word in wanted}
    return [
        (0.5 if line.rstrip().endswith("?") else 1.0) * sum(rarity[word] for word in wanted & words)
        for line, words in zip(lines, own, strict=True)
    ]
