"""Long quotes are cut around the sentence that matters, and never before it ends."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynagrag.generation.evidence_sentences.quote_cuts import (
    cut_around,
    first_words,
    grown,
    last_words,
)

BEFORE = (
    "We talked about the weather and the traffic for a while. It was a long morning for all of us. "
)
MATCH = "I got very excited, in part because the new telescope could see the first galaxies of all."
AFTER = (
    " Then we had lunch, and after lunch we looked at the pictures again. Nobody wanted to go home"
    " that day."
)


@pytest.mark.parametrize("limit", [20, 60, 100, 150, 250])
def test_the_sentence_that_matters_is_whole(limit: int) -> None:
    shown = cut_around(BEFORE + MATCH + AFTER, "Why was she excited about the telescope?", limit)
    assert MATCH in shown or limit < len(MATCH) / 2
    assert len(shown) <= max(limit, 2 * limit, len(MATCH)) + 4


def test_a_filler_is_not_chosen_before_a_sentence() -> None:
    assert "Delft" in cut_around(
        "Okay, gotcha. Thanks. " * 20 + "The mill is near Delft.", "unrelated", 40
    )


@given(
    st.text(alphabet="ab .?\n", max_size=300),
    st.text(alphabet="ab ", max_size=20),
    st.integers(1, 80),
)
@example("   ", "", 1)
def test_what_is_shown_stands_in_the_quote(quote: str, about: str, limit: int) -> None:
    shown = cut_around(quote, about, limit).removeprefix("… ").removesuffix(" …")
    assert shown in quote
    for cut in (first_words(quote, limit), last_words(quote, limit)):
        assert cut.strip("… ") in quote
        assert len(cut) <= max(limit + 2, 0)


def test_speech_without_punctuation_is_cut_to_where_the_words_are() -> None:
    quote = (
        "and then we went on " * 40 + "to the telescope in the desert " + "and so on and on " * 40
    )
    assert "telescope in the desert" in cut_around(quote.strip(), "telescope desert", 100)


# Sentences of 28, 24, 21, 16 and 12 characters, a blank between.
PUMPS = (
    "The first pump failed early. A second pump was sent. Then the valve broke. Nobody knew why."
    " It was late."
)


@pytest.mark.parametrize(
    ("about", "limit", "shown"),
    [
        ("valve", len(PUMPS), PUMPS),
        ("valve", 20, "… Then the valve broke. …"),  # whole, though longer than the limit
        ("valve", 37, "… Then the valve broke. …"),
        ("valve", 38, "… Then the valve broke. Nobody knew why. …"),  # first what follows
        ("valve", 50, "… Then the valve broke. Nobody knew why. …"),
        ("valve", 51, "… Then the valve broke. Nobody knew why. It was late."),
        ("valve", 70, "… A second pump was sent. Then the valve broke. Nobody knew why. …"),
        ("pump", 30, "The first pump failed early. …"),  # of equals the first
        ("second pump", 24, "… A second pump was sent. …"),
        ("late", 40, "… Nobody knew why. It was late."),
        ("", 30, "The first pump failed early. …"),
    ],
)
def test_whole_sentences_are_shown_around_the_one_with_most_words(
    about: str, limit: int, shown: str
) -> None:
    assert cut_around(PUMPS, about, limit) == shown


@pytest.mark.parametrize(
    ("about", "limit", "shown"),
    [
        ("eta theta", 10, "… eta theta …"),
        ("kappa alpha", 12, "alpha beta …"),  # of equals the first
        ("gamma delta", 5, "… gamma …"),
        ("gamma delta", 11, "… gamma delta …"),
        ("lambda", 6, "… lambda"),
        ("delta zeta", 18, "… delta epsilon zeta …"),
        ("zeta eta iota kappa", 19, "… zeta eta theta iota …"),  # three of the four
        ("nothing of it", 10, "alpha beta …"),
    ],
)
def test_of_a_sentence_more_than_twice_the_limit_the_words_are_shown_that_hold_most(
    about: str, limit: int, shown: str
) -> None:
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda"
    assert cut_around(words, about, limit) == shown
    half = len(words) // 2
    assert cut_around(words + ".", about, half + 1) == words + "."


def test_a_single_word_longer_than_the_limit_is_cut() -> None:
    assert cut_around("x" * 50, "x", 10) == "x" * 10 + " …"


@pytest.mark.parametrize(
    ("text", "limit", "first", "last"),
    [
        ("one two three", 13, "one two three", "one two three"),
        ("one two three", 9, "one two …", "… three"),
        ("one two three", 8, "one two …", "… three"),
        ("one two three", 10, "one two …", "… two three"),
        ("one two  three", 9, "one two …", "… three"),
        ("abcdefgh", 3, "abc…", "…fgh"),
        ("one two", 2, "on…", "…wo"),
    ],
)
def test_a_beginning_ends_and_an_end_begins_with_a_whole_word(
    text: str, limit: int, first: str, last: str
) -> None:
    assert (first_words(text, limit), last_words(text, limit)) == (first, last)


@pytest.mark.parametrize(
    ("num", "at", "may_hold", "span"),
    [
        (5, 2, lambda first, last, new: True, (0, 4)),
        (5, 2, lambda first, last, new: last - first <= 3, (1, 4)),  # in turn, what follows first
        (5, 2, lambda first, last, new: last - first <= 1, (2, 3)),
        (5, 2, lambda first, last, new: new != 3, (0, 2)),
        (5, 2, lambda first, last, new: new != 1, (2, 4)),
        (5, 0, lambda first, last, new: True, (0, 4)),
        (5, 4, lambda first, last, new: True, (0, 4)),
        (1, 0, lambda first, last, new: True, (0, 0)),
        (5, 2, lambda first, last, new: False, (2, 2)),
    ],
)
def test_sentences_are_taken_from_both_sides_in_turn(
    num: int, at: int, may_hold: Callable[[int, int, int], bool], span: tuple[int, int]
) -> None:
    assert grown(num, at, may_hold) == span
