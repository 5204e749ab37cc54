"""The language of a document, and the words of it that say something."""

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import Document
from dynagrag.language.content_words import content_words, stems_in
from dynagrag.language.document_language import (
    found_language,
    language_code,
    language_of_document,
)

GERMAN = "Wir haben das Dach selbst gedeckt, und die Nachbarn brachten uns jeden Abend Suppe."


def document(text: str, **meta: str) -> Document:
    return Document("d", "w", "Talk", "/talk.txt", "s", text, meta)


def test_the_language_that_is_kept_counts_before_that_of_the_words() -> None:
    assert language_of_document(document(GERMAN)) == "de"
    assert language_of_document(document(GERMAN, language="nl")) == "nl"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We mended the roof ourselves, and the neighbours brought soup in the evening.", "en"),
        ("Houston, Roger. 03 plus 00 plus 39. The tank is at 64 and it is holding.", "en"),
        ("Peter schießt den Vogel ab is a 1959 West German film directed by Géza Cziffra.", "en"),
        ("Cinco gallinas y el cielo is a 1957 Argentine film.", "en"),
        (GERMAN, "de"),
        ("De man was in de tuin en is op de bank gaan zitten, want het was warm.", "nl"),
        ("店を閉めるか継ぐか、三日で決めました。", "ja"),
        ("이 등대는 올해로 백 년이 되었습니다.", "ko"),
        ("1969 07 16 13:32", "und"),
    ],
)
def test_the_language_of_a_text_is_found(text: str, code: str) -> None:
    assert found_language(text) == code


def test_a_language_is_named_by_code_or_name() -> None:
    assert language_code("de") == language_code("German") == language_code(" german ") == "de"
    with pytest.raises(UsageError, match="unknown language 'Klingon'; give its ISO 639-1 code"):
        language_code("Klingon")


def test_function_words_are_those_of_the_language() -> None:
    assert content_words("Das Haus gehört der Stadt", "de") == ["haus", "gehört", "stadt"]
    assert content_words("La casa es de la ciudad", "es") == ["casa", "ciudad"]
    assert content_words("The house is in the town", "en") == ["house", "town"]
    assert content_words("xa yb", "xx") == ["xa", "yb"]


def test_forms_of_a_word_have_one_stem() -> None:
    assert stems_in("Häuser", "de") == stems_in("Häusern", "de")
    assert stems_in("lekarzowi", "pl") == stems_in("lekarzami", "pl")
