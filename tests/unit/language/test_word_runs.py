"""Words of texts in other scripts, as the index has them."""

import unicodedata

import pytest

from dynagrag.language.word_runs import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("She's here, 3 of them.", ["she", "s", "here", "3", "of", "them"]),
        ("चिट्ठियाँ कम हो गईं", ["चिट्ठियाँ", "कम", "हो", "गईं"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("豆腐を売る", ["豆腐", "腐を", "を売", "売る"]),
        ("茶", ["茶"]),
        ("등대에서 왔다", ["등대", "대에", "에서", "왔다"]),
        ("ที่นี่ดี", ["ที่นี่", "นี่ดี"]),
        ("iPhone买了", ["iphone", "买了"]),
        ("２０２４ ＡＢＣ", ["2024", "abc"]),
        ("", []),
    ],
)
def test_words_of_any_script_are_whole_or_in_pairs(text: str, found: list[str]) -> None:
    assert words(text) == [unicodedata.normalize("NFKC", word) for word in found]


def test_a_letter_and_its_mark_are_the_letter_that_has_it() -> None:
    assert words(unicodedata.normalize("NFD", "Café Müller")) == words("Café Müller")


def test_turkish_has_an_i_with_a_dot_and_one_without() -> None:
    assert words("İstanbul") == words("İSTANBUL", "tr") == ["istanbul"]
    assert words("IŞIK", "tr") == words("ışık", "tr") == ["ışık"]
    assert words("INDEX") == ["index"]
