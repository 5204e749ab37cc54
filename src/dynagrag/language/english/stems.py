"""The stem of an English word, by Snowball's Porter2."""

from dynagrag.language.stemming import stem_of


def stem(word: str) -> str:
    """writes, writing -> write; it need not be a word: happily -> happili."""
    return stem_of(word, "en")
