"""The language of a document: kept from its ingest, else found in its text."""

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Document
from dynagrag.language.identification import (
    ENGLISH,
    UNKNOWN,
    language_codes,
    language_name,
    language_of,
)
from dynagrag.language.word_runs import words
from dynagrag.language.words import FUNCTION_WORDS

_SURELY_ENGLISH, _LIKELY_ENGLISH = 0.3, 0.1
"""Shares of English function words: of English speech they are 45 % and more, of a Dutch text 23,
of a German one 13. Between the two another language counts where the library is sure of it and
more than names are in it: "Peter schießt den Vogel ab is a 1959 film".
"""
_NUM_WORDS = 400
"""The words of a document that are counted."""
_MAX_NAMED = 12


def language_of_document(document: Document) -> str:
    """The code (ISO 639-1) that is kept with it, else that of its text; `UNKNOWN` where neither
    tells.
    """
    return document.language or found_language(document.text)


def found_language(text: str) -> str:
    """The code of a whole text's language; `UNKNOWN` where it can't be told."""
    beginning = words(text[: 10 * _NUM_WORDS])[:_NUM_WORDS]
    num_function = sum(word in FUNCTION_WORDS for word in beginning)
    if num_function > _SURELY_ENGLISH * len(beginning):
        return ENGLISH
    is_likely = num_function > _LIKELY_ENGLISH * len(beginning)
    return language_of(text, ENGLISH if is_likely else UNKNOWN)


def language_code(name: str) -> str:
    """The code of a language that a person names by it or in English, whatever its case: de,
    German. UsageError where none that is known is called so.
    """
    wanted = name.strip().casefold()
    for code in language_codes():
        if wanted in (code, language_name(code).casefold()):
            return code
    few = ", ".join(list(language_codes())[:_MAX_NAMED])
    raise UsageError(
        f"unknown language {name!r}; give its ISO 639-1 code or English name, such as de or German"
        f" (known: {few}, ...)"
    )
