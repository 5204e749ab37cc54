"""What the merge reads of an intermediate answer: its citations held to the words of their sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.merge_input import merge_input
from dynagrag.schema import Evidence

LINES = {
    "E1": Evidence("E1", "p1", "d", 0, 1, "Can we collapse deadbands and do all that good stuff?", "FLIGHT"),
    "E2": Evidence("E2", "p2", "d", 0, 1, "He's flipping our fuel cells around, FLIGHT.", "EECOM"),
    "E3": Evidence("E3", "p3", "d", 0, 1, "MAIN B is reading - 4 volts.", "EECOM"),
}


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
    assert merge_input(text, LINES) == checked


def test_a_title_before_a_name_ends_no_sentence() -> None:
    lines = {
        "E1": Evidence("E1", "p", "d", 0, 1, "The valve on the panel was closed by hand.", "FLIGHT"),
        "E2": Evidence("E2", "p", "d", 0, 1, "Kranz closed the valve on the panel before the fuel cells failed.", "FLIGHT"),
    }
    text = "The valve was closed on the panel by Mr. Kranz before the fuel cells failed"
    assert merge_input(f"{text} [E2].", lines) == f"{text}. [E2]"


def test_the_line_that_says_it_in_this_order_wins_over_the_one_with_the_same_words() -> None:
    lines = {
        "E4": Evidence("E4", "p", "d", 0, 1, "Fuel cells 1 and 3 are offline. FUEL CELL 1 to MAIN A, FUEL CELL 3 to MAIN B.", "EECOM"),
        "E20": Evidence("E20", "p", "d", 0, 1, "Let's try to put FUEL CELL 1 on MAIN B, FUEL CELL 3 on MAIN A.", "EECOM"),
    }
    sentence = "EECOM wanted to try putting FUEL CELL 1 on MAIN B and FUEL CELL 3 on MAIN A."
    assert merge_input(f"{sentence} [E4]", lines) == f"{sentence} [E20]"
    assert merge_input("Fuel cells 1 and 3 were offline. [E20]", lines) == "Fuel cells 1 and 3 were offline. [E4]"


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
    assert merge_input(sentence, evidence) == sentence
    same = {"E1": Evidence("E1", "p", "d", 0, 1, sentence)}
    assert merge_input(sentence, same) == f"{sentence} [E1]"


def test_a_speakers_name_is_part_of_the_line() -> None:
    assert merge_input("EECOM reported volts. [E3]", LINES) == "EECOM reported volts. [E3]"


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
)
def test_no_word_is_changed_and_no_unknown_line_cited(parts: list[str]) -> None:
    text = "".join(parts)
    read = merge_input(text, LINES)
    assert set(cited_labels(read)) <= set(LINES)
    assert without_marks(read).split() == without_marks(text).split()
