"""Sentence spans are exact, and speech is not cut at abbreviations and decimals."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.language.sentences import num_words, sentence_spans, strip_span


def pieces(text: str, max_words: int = 120) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text, max_words)]


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Swigert and Dr. Berry talked to the U.S. Navy.",
        "It was at 5.5 volts, i.e. low.",
        "Well... maybe not",
        "Use Fig. 3 of the book by J. R. Smith.",
        '"Really?" he said.',
        "The tank vs. the valve",
        "no punctuation at all in this text and it goes on",
        "1. First we open the valve.",
        "We'd like you to roll right\nto 060.",
        "We met on Jan. 5 there.",
        "Acme Inc. is here.",
        "Acme Inc. CEO Ann B. Lee left.",
        "Martin Luther King Jr. Day is in January.",
        "It is at St. Mary's Ave. Bridge.",
        "Pvt. Leo F. Moss met Adm. J. R. Holt.",
    ],
)
def test_this_is_one_sentence(text: str) -> None:
    assert pieces(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Okay. Go ahead, EECOM.", ["Okay.", "Go ahead, EECOM."]),
        ("yeah. okay so we go. no", ["yeah.", "okay so we go.", "no"]),
        ("He left at 5 p.m. The next day he came.", ["He left at 5 p.m.", "The next day he came."]),
        (
            'She said "stop." Then we did!! Why? No.',
            ['She said "stop."', "Then we did!!", "Why?", "No."],
        ),
        ("Wait... What?", ["Wait...", "What?"]),
        ("A line\n\nAnother line", ["A line", "Another line"]),
        ("  padded.  \n", ["padded."]),
        ("液体です。終わり！", ["液体です。", "終わり！"]),
        ("Roll to 060. Then stop.", ["Roll to 060.", "Then stop."]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_sentences_end_here(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.sampled_from(" \n\t.!?…。\"')AaZz1é漢Mr"), max_size=120), st.integers(1, 20)
)
def test_spans_cover_all_text_in_order_without_blank_ends(text: str, max_words: int) -> None:
    end = 0
    for a, b in sentence_spans(text, max_words):
        assert not text[end:a].strip()
        assert text[a:b] == text[a:b].strip() != ""
        assert num_words(text[a:b]) <= max_words
        end = b
    assert not text[end:].strip()


@given(st.text(max_size=80))
def test_words_are_never_fewer_than_by_blank_space(text: str) -> None:
    assert num_words(text) >= len(text.split())


@given(st.text(alphabet=" a\n", max_size=20))
def test_strip_span_agrees_with_strip(text: str) -> None:
    a, b = strip_span(text, 0, len(text))
    assert text[a:b] == text.strip()


@pytest.mark.parametrize("unit", [".", " ", "\n", "a", ". ", "a. ", '"', "\n ", "U.S. ", "...a"])
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    start = time.process_time()
    sentence_spans(text)
    assert time.process_time() - start < 6
