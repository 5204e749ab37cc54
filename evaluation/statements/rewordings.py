"""A sentence in other words that keep what it says: as a report of its speaker, or with its
contractions written out.
"""

import re

from dynagrag.language.english.contractions import written_out
from dynagrag.language.english.data import words_of
from dynagrag.language.english.spoken_lines import OF_SPEAKERS
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS

_PERSONAL = re.compile(rf"\b(?:{OF_SPEAKERS}|here|now)\b", re.IGNORECASE)
_SUBORDINATORS = words_of(WordClass.SUBORDINATOR)


def said_by(speaker: str, text: str) -> str:
    """The sentence as a report of who said it: with `that` where it holds no word that changes then
    (I, you, here), else word for word.
    """
    if _PERSONAL.search(text):
        return f'{speaker} said, "{text}"'
    return f"{speaker} said that {_lower_first(text)}"


def asked_whether(speaker: str, text: str) -> str | None:
    """As if its speaker had asked rather than said it: a false report. None where the words would
    have to change too.
    """
    is_main = text.split(maxsplit=1)[0].casefold() not in _SUBORDINATORS
    return (
        f"{speaker} asked whether {_lower_first(text)}"
        if is_main and not _PERSONAL.search(text)
        else None
    )


def reworded(text: str) -> str | None:
    """With its contractions written out, as far as they can be only one thing; None where there is
    none.
    """
    made = written_out(text)
    return made if made != text else None


def _lower_first(text: str) -> str:
    """Without the capital of a first word that is no name."""
    first = re.split(r"[\s.,'’]", text, maxsplit=1)[0]
    is_plain = first != "I" and (first[1:].islower() or len(first) == 1)
    return text[0].lower() + text[1:] if is_plain and first.casefold() in COMMON_WORDS else text
