"""The words of a text that say something, in the text's language: function words left out."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from dynagrag.language.participles import verb_stems
from dynagrag.language.stemming import stem_of
from dynagrag.language.word_runs import words
from dynagrag.language.words import FUNCTION_WORDS

_ENGLISH = "en"


def content_words(text: str, language: str) -> list[str]:
    """The words in order but the function words of a language (ISO 639-1). All of them where the
    language has no list: their frequency takes their weight.
    """
    left_out = function_words(language)
    return [word for word in words(text, language) if word not in left_out]


def stems_in(text: str, language: str) -> frozenset[str]:
    """The stems of the content words, with those of the verbs of participles."""
    found = content_words(text, language)
    own = {stem_of(word, language) for word in found}
    return frozenset(own.union(participle_stems(text, found, language)))


def participle_stems(text: str, found: Iterable[str], language: str) -> Iterator[str]:
    """The stems of the verbs of the participles among a text's content words: those in small
    letters, since nouns begin with ge- too ("das Gericht").
    """
    small = None
    for word in found:
        if stems := verb_stems(word, language):
            small = small or frozenset(re.findall(r"\b[^\W\dA-ZÄÖÜ]\w*", text))
            if word in small:
                yield from stems


@cache
def function_words(language: str) -> frozenset[str]:
    """Those of a language: our own of English, else those of stop-words (BSD-3-Clause)."""
    if language == _ENGLISH:
        return FUNCTION_WORDS
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    code = "nb" if language == "no" else language
    if code not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word for entry in get_stop_words(code) for word in words(entry, language))
