"""Long quotes are cut around the sentence that matters, and never before it ends."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dynagrag.generation.evidence_sentences.quote_cuts import cut_around, first_words, last_words

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
