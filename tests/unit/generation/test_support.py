"""Citations are held to the words of their sentence."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.support import supported_stream, supported_text, supports, weak_citations
from dynagrag.schema import Evidence

LINES = {
    "E1": Evidence("E1", "p1", "d", 0, 1, "Can we collapse deadbands and do all that good stuff?", "FLIGHT"),
    "E2": Evidence("E2", "p2", "d", 0, 1, "He's flipping our fuel cells around, FLIGHT.", "EECOM"),
    "E3": Evidence("E3", "p3", "d", 0, 1, "MAIN B is reading - 4 volts.", "EECOM"),
}

_PIECES = ["MAIN", "B ", "volts", ". ", "fuel cells ", "[E1]", "[E3]", "? ", "4", " ", "flipping", ".", "Mr. ", "The ", "etc. ", "“", "\n"]


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("MAIN B reads 4 volts. [E3]", "MAIN B reads 4 volts. [E3]"),
        ("MAIN B reads 4 volts [E3].", "MAIN B reads 4 volts. [E3]"),
        ("MAIN B reads 4 volts. [E1]", "MAIN B reads 4 volts. [E3]"),
        ("MAIN B reads 4 volts. The fuel cells are flipping. [E1][E2]", "MAIN B reads 4 volts. [E3] The fuel cells are flipping. [E2]"),
        ("MAIN B reads 4 volts. [E1][E3]", "MAIN B reads 4 volts. [E3]"),
        ("Ganz anderes steht geschrieben. [E1]", "Ganz anderes steht geschrieben. [E1]"),
        ("It rained in Delft all week.", "It rained in Delft all week."),
        ("At 5.5 volts Mr. Smith left. [E3]", "At 5.5 volts Mr. Smith left. [E3]"),
        ("MAIN B reads 4 volts\n\nThe fuel cells are flipping. [E2]", "MAIN B reads 4 volts\n\nThe fuel cells are flipping. [E2]"),
        ("The fuel cells were flipping for Mr. Kranz. [E2]", "The fuel cells were flipping for Mr. Kranz. [E2]"),
        ("By Mr. Kranz the fuel cells were flipped before noon [E2].", "By Mr. Kranz the fuel cells were flipped before noon. [E2]"),
        ("Dr. J. Fuel flipped cells, e.g. two [E2].", "Dr. J. Fuel flipped cells, e.g. two. [E2]"),
        ("- Acme Corp.\n- The fuel cells are flipping. [E2]", "- Acme Corp.\n- The fuel cells are flipping. [E2]"),
        ("", ""),
    ],
)
def test_a_sentence_keeps_what_supports_it_and_else_gets_what_does(text: str, checked: str) -> None:
    assert supported_text(text, LINES) == checked


def test_a_title_before_a_name_ends_no_sentence() -> None:
    lines = {
        "E1": Evidence("E1", "p", "d", 0, 1, "The valve on the panel was closed by hand.", "FLIGHT"),
        "E2": Evidence("E2", "p", "d", 0, 1, "Kranz closed the valve on the panel before the fuel cells failed.", "FLIGHT"),
    }
    text = "The valve was closed on the panel by Mr. Kranz before the fuel cells failed"
    assert supported_text(f"{text} [E2].", lines) == f"{text}. [E2]"
    assert weak_citations(f"{text} [E2].", lines) == 0


def test_the_line_that_says_it_in_this_order_wins_over_the_one_with_the_same_words() -> None:
    lines = {
        "E4": Evidence("E4", "p", "d", 0, 1, "Fuel cells 1 and 3 are offline. FUEL CELL 1 to MAIN A, FUEL CELL 3 to MAIN B.", "EECOM"),
        "E20": Evidence("E20", "p", "d", 0, 1, "Let's try to put FUEL CELL 1 on MAIN B, FUEL CELL 3 on MAIN A.", "EECOM"),
    }
    sentence = "EECOM wanted to try putting FUEL CELL 1 on MAIN B and FUEL CELL 3 on MAIN A."
    assert supported_text(f"{sentence} [E4]", lines) == f"{sentence} [E20]"
    assert supported_text("Fuel cells 1 and 3 were offline. [E20]", lines) == "Fuel cells 1 and 3 were offline. [E4]"


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("The main valve is open.", "The main valve is not open."),
        ("The main valve never opened.", "The main valve opened."),
        ("The main valve isn't open.", "The main valve is open."),
    ],
)
def test_a_line_that_denies_what_the_sentence_says_is_not_found_for_it(sentence: str, line: str) -> None:
    evidence = {"E1": Evidence("E1", "p", "d", 0, 1, line)}
    assert supported_text(sentence, evidence) == sentence
    same = {"E1": Evidence("E1", "p", "d", 0, 1, sentence)}
    assert supported_text(sentence, same) == f"{sentence} [E1]"


def test_a_speakers_name_is_part_of_the_line() -> None:
    assert supports(LINES["E3"], "EECOM reported volts")
    assert not supports(LINES["E1"], "EECOM reported volts")


def test_citations_that_share_no_words_are_counted() -> None:
    assert weak_citations("Ganz anderes steht geschrieben. [E1] MAIN B reads 4 volts. [E3]", LINES) == 1


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [
                "MAIN",
                "B ",
                "volts",
                ". ",
                "fuel cells ",
                "[E1]",
                "[E3]",
                "? ",
                "4",
                " ",
                "flipping",
                ".",
                "Mr. ",
                "The ",
                "etc. ",
                "“",
                "\n",
            ]
        ),
        max_size=30,
    ),
    st.lists(st.integers(0, 90), max_size=6),
)
def test_a_stream_is_what_the_whole_text_is_and_changes_no_words(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    streamed = "".join(supported_stream([text[a:b] for a, b in pairwise(places)], LINES))
    assert streamed == supported_text(text, LINES)
    assert set(cited_labels(streamed)) <= set(LINES)
    assert without_marks(streamed).split() == without_marks(text).split()
