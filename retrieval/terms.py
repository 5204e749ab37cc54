"""Terms of texts for the search of turns by words: each content word as it stands, and its stem.

A word and its stem both count, so that another form of it is found and the same form is found
first. Function words are left out where the language has a list of them; elsewhere their frequency
takes their weight. A year that is written short counts as the year in full.
"""

from collections.abc import Mapping

from dynagrag.core.schema import Document
from dynagrag.language.content_words import content_words, function_words, participle_stems
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_of_question
from dynagrag.language.stemming import stem_of
from dynagrag.language.years import years_in_full

_STEM = "~"


class TermReader:
    """Reads the terms of a corpus's texts, each in the language of its document, and of questions,
    in all of these languages.
    """

    def __init__(self, documents: Mapping[str, Document]) -> None:
        found = {id_: language_of_document(document) for id_, document in documents.items()}
        usual = ENGLISH if ENGLISH in found.values() else UNKNOWN
        self._language = {
            id_: usual if language == UNKNOWN else language for id_, language in found.items()
        }
        self._languages = tuple(dict.fromkeys(self._language.values()))

    def language(self, document_id: str) -> str:
        """The code of the language that a document's texts are read in."""
        return self._language[document_id]

    def of_text(self, text: str, document_id: str) -> list[str]:
        """The terms of a text of a document, as often as they occur."""
        return _terms(text, self._language[document_id])

    def of_question(self, text: str) -> list[str]:
        """The terms of a question, each once. Function words of its own language are left out in
        all of them: German "die" is no English verb.
        """
        small: frozenset[str] = frozenset()
        if len(self._languages) > 1:
            small = function_words(language_of_question(text))
        found = (_terms(text, language, small) for language in self._languages)
        return list(dict.fromkeys(term for own in found for term in own))


def _terms(text: str, language: str, left_out: frozenset[str] = frozenset()) -> list[str]:
    found = []
    kept = [word for word in content_words(text, language) if word not in left_out]
    for word in [*kept, *years_in_full(text)]:
        found += [word, _STEM + stem_of(word, language)]
    return [*found, *(_STEM + stem for stem in participle_stems(text, kept, language))]
