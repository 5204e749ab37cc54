"""The language of a text: its own where that is sure, else that of what stands around it."""

import pytest

from dynagrag.language.identification import UNKNOWN, language_name, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We asked the board for a new pump, and they said no.", "en"),
        ("Yes, that's right.", "en"),
        ("Ann met Leo in Hull.", "en"),
        ("Wir haben beim Vorstand eine neue Pumpe beantragt.", "de"),
        ("Nous avons demandé une nouvelle pompe.", "fr"),
        ("Hän ei tullut kokoukseen.", "fi"),
        ("Gornja Brvenica is a village in northern Montenegro.", "en"),
        ("Maria vive a Roma.", UNKNOWN),
        ("12 34", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_the_likeliest_language_counts_and_what_nothing_tells_stays_unknown(
    text: str, language: str
) -> None:
    assert language_of(text) == language


def test_a_short_line_is_of_its_document_s_language_unless_its_own_is_sure() -> None:
    assert language_of("Roger, 03 plus 00 plus 39 seconds.", "en") == "en"
    assert language_of("Houston, wir haben ein Problem.", "en") == "de"
    assert language_of("Anna, Berlin.", "de") == "de"


def test_a_title_page_in_another_language_does_not_make_a_document_s() -> None:
    german = "Wir haben beim Vorstand eine neue Pumpe beantragt, und er hat zugestimmt. " * 60
    assert language_of("Minutes of the board. All rights reserved. " * 3 + german) == "de"


def test_languages_have_english_names() -> None:
    assert (language_name("fi"), language_name(UNKNOWN)) == ("Finnish", "language unknown")
