"""Which lines a model is shown for a claim, and how they are written."""

import pytest

from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import Claim, Line
from dynagrag.generation.claims.shown_lines import (
    documents_of,
    line_tokens,
    nearest_rows,
    shortened,
    written,
)

CLAIM = "The pump of EECOM failed."
NONE, ONE, TWO = Line("It rained in Delft."), Line("A pump came."), Line("The pump failed.")
MUCH = 1000


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        ([NONE, ONE, TWO], [2, 1, 0]),
        ([TWO, ONE, TWO], [0, 2, 1]),
        ([NONE, NONE], [0, 1]),
        ([ONE, Line("It failed.", "EECOM")], [1, 0]),
        ([], []),
    ],
)
def test_the_lines_that_share_most_words_come_first(lines: list[Line], rows: list[int]) -> None:
    assert nearest_rows(Claim(CLAIM, tuple(lines)), 8, MUCH) == rows


def test_no_more_lines_than_asked_for() -> None:
    assert nearest_rows(Claim(CLAIM, (NONE, ONE, TWO)), 2, MUCH) == [2, 1]


def test_a_budget_is_spent_to_its_last_token_and_holds_the_first_line_whatever_its_length() -> None:
    claim, first, second = Claim(CLAIM, (NONE, ONE, TWO)), line_tokens(TWO), line_tokens(ONE)
    assert nearest_rows(claim, 8, first + second) == [2, 1]
    assert nearest_rows(claim, 8, first + second - 1) == [2]
    assert nearest_rows(claim, 8, first - 1) == [2]
    long = Claim(CLAIM, (Line("The pump failed. " * 50), Line("A pump.")))
    assert nearest_rows(long, 8, 20) == [0], "nothing is left for a second one"
    assert nearest_rows(Claim(CLAIM, (TWO, NONE, Line("x"))), 8, line_tokens(TWO) + 2) == [0], (
        "a shorter one that fits is no nearer"
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (Line("It failed."), '"It failed."'),
        (Line("It\nfailed.", "EECOM"), 'EECOM "It failed."'),
        (Line("It failed.", "EECOM", "the\nloop"), 'EECOM "It failed." (in "the loop")'),
        (Line("[E1] is mine."), r'"\u005bE1] is mine."'),
    ],
)
def test_a_line_is_written_as_data_on_one_line(line: Line, text: str) -> None:
    assert written(line) == text
    assert line_tokens(line) == estimate_tokens(text)


def sentences(num: int, at: int) -> str:
    return " ".join(
        "The pump failed in it." if i == at else f"We talked of thing {i:03}." for i in range(num)
    )


def long(at: int) -> Line:
    return Line(sentences(40, at), "EECOM", "loop", "d1")


@pytest.mark.parametrize(
    ("at", "first", "last"),
    [
        (20, "We talked of thing 018.", "We talked of thing 021."),
        (0, "The pump failed in it.", "003."),
        (39, "We talked of thing 036.", "it."),
    ],
)
def test_a_long_line_is_cut_to_the_sentences_around_the_nearest(
    at: int, first: str, last: str
) -> None:
    line = long(at)
    short = shortened(line, CLAIM, 32)
    assert (short.speaker, short.title, short.document_id) == ("EECOM", "loop", "d1")
    assert short.text.startswith(first)
    assert short.text.endswith(last)
    room = 4 * (32 - line_tokens(Line("", "EECOM", "loop")))
    assert len(short.text) <= room < len(short.text) + 24, "as many as fit"


def test_a_line_that_fits_stays_and_the_first_of_two_that_are_as_near_counts() -> None:
    line = Line("a" * 80)
    assert shortened(line, CLAIM, 0) is line
    assert shortened(Line("a" * 81), CLAIM, 0).text == "a" * 80, "eighty characters are always left"
    twice = Line(f"{sentences(40, 10)} {sentences(40, 30)}")
    assert "thing 009. The pump failed" in shortened(twice, CLAIM, 30).text
    in_rome = sentences(40, 20).replace("in it.", "in Rome.")
    assert len(shortened(Line(in_rome), CLAIM, 24 + line_tokens(Line(""))).text) == 96, (
        "four sentences fit to the letter"
    )
    exact = Line(sentences(8, 4))
    tokens = line_tokens(Line("")) + -(-len(exact.text) // 4)
    assert shortened(exact, CLAIM, tokens) is exact


def test_the_documents_of_lines_are_named_once() -> None:
    lines = [
        Line("a", document_id="d2"),
        Line("b"),
        Line("c", document_id="d1"),
        Line("d", document_id="d2"),
    ]
    assert documents_of(lines) == ("d1", "d2")
