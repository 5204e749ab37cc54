"""The language of a text: its own where that is sure, else that of what stands around it."""

import pytest

from dynagrag.language.identification import (
    UNKNOWN,
    is_surely_asked_in,
    language_name,
    language_of,
    language_of_question,
)


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


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Quanto dura?", UNKNOWN),
        ("Kosten Umbau?", UNKNOWN),
        ("Warum geheiratet?", "de"),
        ("Pourquoi ?", "fr"),
        ("Who sings?", "en"),
        ("Where?", "en"),
        ("Wer hat das Haus in der Stadt gebaut?", "de"),
    ],
)
def test_a_question_of_two_words_is_of_no_language_that_is_only_guessed(
    question: str, language: str
) -> None:
    assert language_of_question(question) == language


@pytest.mark.parametrize(
    ("question", "code", "lines", "is_sure"),
    [
        ("Who built the house?", "en", "de", True),
        ("Welche Firma hat das Protokoll erfunden?", "de", "sv", True),
        ("Quanto dura?", "fr", "it", False),
        ("Quanto costa il biglietto?", "fr", "it", False),
        ("Hvad koster billetten til museet?", "da", "no", False),
        ("Warum hat er geheiratet?", "de", "de", False),
        ("Warum hat er geheiratet?", "de", UNKNOWN, False),
    ],
)
def test_a_question_is_in_another_language_than_lines_only_where_that_is_sure(
    question: str, code: str, lines: str, is_sure: bool
) -> None:
    assert is_surely_asked_in(question, code, not_in=lines) is is_sure
