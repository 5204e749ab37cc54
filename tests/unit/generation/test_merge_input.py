"""What the merge reads of an intermediate answer: its citations held to the words of their
sentence.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Evidence
from dynagrag.generation import merge_input as merge_module
from dynagrag.generation.citations import cited_labels, without_marks
from dynagrag.generation.merge_input import merge_input

LINES = {
    "E1": Evidence(
        "E1", "p1", "d", 0, 1, "Can we collapse deadbands and do all that good stuff?", "FLIGHT"
    ),
    "E2": Evidence("E2", "p2", "d", 0, 1, "He's flipping our fuel cells around, FLIGHT.", "EECOM"),
    "E3": Evidence("E3", "p3", "d", 0, 1, "MAIN B is reading - 4 volts.", "EECOM"),
}


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("MAIN B reads 4 volts. [E3]", "MAIN B reads 4 volts. [E3]"),
        ("MAIN B reads 4 volts [E3].", "MAIN B reads 4 volts. [E3]"),
        ("MAIN B reads 4 volts. [E1]", "MAIN B reads 4 volts. [E3]"),
        (
            "MAIN B reads 4 volts. The fuel cells are flipping. [E1][E2]",
            "MAIN B reads 4 volts. [E3] The fuel cells are flipping. [E2]",
        ),
        ("MAIN B reads 4 volts. [E1][E3]", "MAIN B reads 4 volts. [E3]"),
        ("Ganz anderes steht geschrieben. [E1]", "Ganz anderes steht geschrieben. [E1]"),
        ("It rained in Delft all week.", "It rained in Delft all week."),
        ("At 5.5 volts Mr. Smith left. [E3]", "At 5.5 volts Mr. Smith left. [E3]"),
        (
            "MAIN B reads 4 volts\n\nThe fuel cells are flipping. [E2]",
            "MAIN B reads 4 volts\n\nThe fuel cells are flipping. [E2]",
        ),
        (
            "The fuel cells were flipping for Mr. Kranz. [E2]",
            "The fuel cells were flipping for Mr. Kranz. [E2]",
        ),
        (
            "By Mr. Kranz the fuel cells were flipped before noon [E2].",
            "By Mr. Kranz the fuel cells were flipped before noon. [E2]",
        ),
        ("Dr. J. Fuel flipped cells, e.g. two [E2].", "Dr. J. Fuel flipped cells, e.g. two. [E2]"),
        (
            "- Acme Corp.\n- The fuel cells are flipping. [E2]",
            "- Acme Corp.\n- The fuel cells are flipping. [E2]",
        ),
        ("", ""),
    ],
)
def test_a_sentence_keeps_what_supports_it_and_else_gets_what_does(text: str, checked: str) -> None:
    assert merge_input(text, LINES) == checked


def test_a_title_before_a_name_ends_no_sentence() -> None:
    lines = {
        "E1": Evidence(
            "E1", "p", "d", 0, 1, "The valve on the panel was closed by hand.", "FLIGHT"
        ),
        "E2": Evidence(
            "E2",
            "p",
            "d",
            0,
            1,
            "Kranz closed the valve on the panel before the fuel cells failed.",
            "FLIGHT",
        ),
    }
    text = "The valve was closed on the panel by Mr. Kranz before the fuel cells failed"
    assert merge_input(f"{text} [E2].", lines) == f"{text}. [E2]"


def test_the_line_that_says_it_in_this_order_wins_over_the_one_with_the_same_words() -> None:
    lines = {
        "E4": Evidence(
            "E4",
            "p",
            "d",
            0,
            1,
            "Fuel cells 1 and 3 are offline. FUEL CELL 1 to MAIN A, FUEL CELL 3 to MAIN B.",
            "EECOM",
        ),
        "E20": Evidence(
            "E20",
            "p",
            "d",
            0,
            1,
            "Let's try to put FUEL CELL 1 on MAIN B, FUEL CELL 3 on MAIN A.",
            "EECOM",
        ),
    }
    sentence = "EECOM wanted to try putting FUEL CELL 1 on MAIN B and FUEL CELL 3 on MAIN A."
    assert merge_input(f"{sentence} [E4]", lines) == f"{sentence} [E20]"
    assert (
        merge_input("Fuel cells 1 and 3 were offline. [E20]", lines)
        == "Fuel cells 1 and 3 were offline. [E4]"
    )


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("The main valve is open.", "The main valve is not open."),
        ("The main valve never opened.", "The main valve opened."),
        ("The main valve isn't open.", "The main valve is open."),
    ],
)
def test_a_line_that_denies_what_the_sentence_says_is_not_found_for_it(
    sentence: str, line: str
) -> None:
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


def line(label: str, quote: str, speaker: str | None = None) -> Evidence:
    return Evidence(label, label, "d", 0, 1, quote, speaker)


@pytest.mark.parametrize(
    ("sentence", "quote", "speaker", "is_fitting"),
    [
        ("The pump leaked oil.", "A pump leaked.", None, True),
        ("The pump leaked oil.", "It rained in Delft.", None, False),
        ("The pump leaked oil.", "It rained in Delft.", "PUMP", False),  # no word of the quote
        ("The pump leaked oil on deck twelve.", "The pump came to Delft in spring.", None, False),
        (
            "The pump leaked oil on deck twelve.",
            "The pump came to Delft in spring.",
            "DECK",
            True,
        ),  # the speaker's name is the second
        ("The pump leaked.", "The pump came to Delft in spring.", None, True),  # half of two words
        (
            "The pump leaked oil.",
            "The pump was old in Delft, in spring.",
            None,
            False,
        ),  # a third of three is too little
        ("The pump leaked oil on deck twelve.", "Pump, Delft.", None, True),  # half of its own
        ("The pump leaked oil on deck twelve.", "Pump, Delft, spring.", None, False),
    ],
)
def test_a_citation_fits_by_two_words_or_a_third_of_the_sentence_or_half_of_its_own(
    sentence: str, quote: str, speaker: str | None, is_fitting: bool
) -> None:
    assert merge_module._fits(line("E1", quote, speaker), sentence) is is_fitting


def test_runs_of_words_tell_what_is_on_what() -> None:
    assert merge_module._runs("Cell 1 is on the MAIN B") == {
        ("cell", "1"),
        ("1", "main"),
        ("main", "b"),
        ("cell", "1", "main"),
        ("1", "main", "b"),
        ("cell", "1", "main", "b"),
    }
    assert merge_module._runs("Cell") == frozenset()


def test_citations_stand_by_closeness_without_those_that_are_less_than_half_as_close() -> None:
    evidence = {
        "E1": line("E1", "A pump leaked near the deck."),
        "E2": line("E2", "The pump leaked oil."),
        "E3": line("E3", "The pump leaked oil on deck."),
        "E4": line("E4", "The pump leaked oil on the old deck of twelve."),
    }
    sentence = "The pump leaked oil on deck twelve"
    assert merge_input(f"{sentence} [E1][E2][E3].", evidence) == f"{sentence}. [E3][E2]"
    assert merge_input(f"{sentence} [E1].", evidence) == f"{sentence}. [E3]", (
        "much closer than all that were cited"
    )
    assert merge_input(f"{sentence} [E3][E4].", evidence) == f"{sentence}. [E3][E4]"


def test_lines_are_found_by_two_words_and_half_of_the_sentence_two_at_most() -> None:
    same = {f"E{i}": line(f"E{i}", "The pump leaked.") for i in (1, 2, 3)}
    assert merge_input("The pump leaked.", same) == "The pump leaked. [E1][E2]"
    assert merge_input("The pump leaked oil twice.", same) == "The pump leaked oil twice. [E1][E2]"
    assert (
        merge_input("The pump leaked oil on deck twelve.", same)
        == "The pump leaked oil on deck twelve."
    )
    denied = {
        "E1": line("E1", "The pump never leaked."),
        **{label: same[label] for label in ("E2", "E3")},
    }
    assert merge_input("The pump leaked.", denied) == "The pump leaked. [E2][E3]"
    assert merge_input("Pump.", same) == "Pump."


def test_of_many_citations_that_fit_four_stay() -> None:
    same = {f"E{i}": line(f"E{i}", "The pump leaked.") for i in range(1, 7)}
    marks = "".join(f"[{label}]" for label in same)
    assert merge_input(f"The pump leaked {marks}.", same) == "The pump leaked. [E1][E2][E3][E4]"
