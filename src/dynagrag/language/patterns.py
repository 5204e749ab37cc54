"""Words as parts of regular expressions."""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """An expression for any of the words, the longest of those that begin alike first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
