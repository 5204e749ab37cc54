"""Terms of texts for the search of turns by words: each content word as it stands, and its stem.

A word and its stem both count, so that another form of it is found and the same form is found
first. Function words are left out where the language has a list of them; elsewhere their frequency
takes their weight.
"""

from collections.abc import Mapping

from dynagrag.core.schema import Document
from dynagrag.language.content_words import content_words
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_of
from dynagrag.language.stemming import stem_of
from dynagrag.language.word_runs import words
from dynagrag.language.words import FUNCTION_WORDS

FEWEST_ENGLISH = 0.3
"""The share of English function words from which on a text is English without being looked at
further: of English speech they are 45 % and more, of a Dutch text 23, of a German one 13.
"""
_NUM_WORDS = 400
"""The words of a document from which its language is told."""
_STEM = "~"


class TermReader:
    """Reads the terms of a corpus's texts, each in the language of its document, and of questions,
    in all of these languages.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        english = {id_ for id_, document in documents.items() if _is_english(document.text)}
        usual = ENGLISH if english else UNKNOWN
        self._language = {
            id_: ENGLISH if id_ in english else language_of(document.text, usual)
            for id_, document in documents.items()
        }
        self._languages = tuple(dict.fromkeys(self._language.values()))

    def of_text(self, text: str, document_id: str) -> list[str]:
        """The terms of a text of a document, as often as they occur."""
        return _terms(text, self._language[document_id])

    def of_question(self, text: str) -> list[str]:
        """The terms of a question, each once."""
        found = (_terms(text, language) for language in self._languages)
        return list(dict.fromkeys(term for own in found for term in own))


def _terms(text: str, language: str) -> list[str]:
    found = []
    for word in content_words(text, language):
        found += [word, _STEM + stem_of(word, language)]
    return found


def _is_english(text: str) -> bool:
    beginning = words(text[: 10 * _NUM_WORDS])[:_NUM_WORDS]
    num_function = sum(word in FUNCTION_WORDS for word in beginning)
    return num_function > FEWEST_ENGLISH * len(beginning)
