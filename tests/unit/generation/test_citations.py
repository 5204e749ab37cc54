"""Marks in texts: which are kept, and that streaming changes nothing."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Evidence
from dynagrag.generation.citations import (
    bounded_stream,
    checked_marks,
    checked_stream,
    cited_labels,
    cited_stream,
    known_labels,
    without_marks,
)

ALLOWED = {label: Evidence(label, label, "d", 0, 1, "q") for label in ("E1", "E2", "E12")}
_TEXTS = st.lists(
    st.sampled_from(
        [
            "[",
            "]",
            "E1",
            "E2",
            "E12",
            "E9",
            ",",
            ";",
            " ",
            "so",
            ".",
            "\n",
            "[E1]",
            "[E9]",
            "[E2, E9]",
        ]
    ),
    max_size=30,
).map("".join)


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        ("Yes [E1].", "Yes [E1]."),
        ("Yes [E9].", "Yes ."),
        ("Yes [E1, E9; E2].", "Yes [E1][E2]."),
        ("Yes [ E12 ].", "Yes [E12]."),
        ("Arrays [1] and [so on] stay.", "Arrays [1] and [so on] stay."),
        ("Half [E1", "Half [E1"),
    ],
)
def test_a_mark_that_names_nothing_is_taken_out(text: str, checked: str) -> None:
    assert checked_marks(text, ALLOWED) == checked


def test_labels_are_known_whatever_their_spelling_and_once_each() -> None:
    assert known_labels(["[E2]", "e1", "E9", "see E1 and E12", "E1"], ALLOWED) == (
        "E2",
        "E1",
        "E12",
    )
    assert known_labels(["E1E2"], ALLOWED) == ("E1", "E2")
    assert known_labels(["", "none", "E"], ALLOWED) == ()


def test_cited_labels_are_in_order_of_first_appearance() -> None:
    assert cited_labels("b [E2] a [E1, E2] c [E12]") == ("E2", "E1", "E12")


@given(text=_TEXTS, cuts=st.lists(st.integers(0, 60), max_size=8))
@settings(max_examples=200)
def test_a_stream_is_checked_as_its_whole_text_is(text: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert "".join(checked_stream(pieces, ALLOWED)) == checked_marks(text, ALLOWED)
    cited = "".join(cited_stream(checked_stream(pieces, ALLOWED)))
    whole = checked_marks(text, ALLOWED).strip()
    assert cited == (whole if cited_labels(whole) else "")


def test_a_stream_gives_each_piece_as_soon_as_something_is_cited() -> None:
    seen: list[str] = []

    def pieces() -> list[str]:
        return ["Ada ", "did [E", "1]. ", "So did ", "Leo [E2]."]

    for piece in cited_stream(checked_stream(pieces(), ALLOWED)):
        seen.append(piece)
    assert seen == ["Ada did [E1].", " So did", " Leo [E2]."]


def test_no_piece_of_a_stream_holds_a_mark_that_names_nothing() -> None:
    text = "a [E9] b [E1] c [E9, E2] d [E99] e"
    pieces = list(cited_stream(checked_stream(iter(text), ALLOWED)))
    assert not any(re.search(r"E9", piece) for piece in pieces)


@pytest.mark.parametrize(
    ("pieces", "length", "kept", "num_read"),
    [
        (["ab", "cd", "ef"], 5, ["ab", "cd", "e"], 3),
        (["ab", "cd", "ef"], 4, ["ab", "cd"], 2),
        (["ab", "cd", "ef"], 3, ["ab", "c"], 2),
        (["ab", "cd"], 9, ["ab", "cd"], 2),
    ],
)
def test_a_stream_is_read_up_to_a_length(
    pieces: list[str], length: int, kept: list[str], num_read: int
) -> None:
    read = iter(pieces)
    assert list(bounded_stream(read, length)) == kept
    assert list(read) == pieces[num_read:]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Yes [E1]. No[E2, E3] doubt.", "Yes. No doubt."),
        (f"Yes{' ' * 9}[E1].", "Yes ."),
        ("[1] stays", "[1] stays"),
        ("[E1]", ""),
    ],
)
def test_words_without_their_marks(text: str, words: str) -> None:
    assert without_marks(text) == words


def test_an_open_bracket_is_held_back_as_long_as_it_may_become_a_mark() -> None:
    open_mark = "[" + " " * 59
    assert list(checked_stream([f"So {open_mark}", "E1]", "!"], ALLOWED)) == ["So ", "[E1]", "!"]
    assert list(checked_stream([f"So {open_mark} ", "E1]"], ALLOWED)) == [f"So {open_mark} ", "E1]"]
    assert list(checked_stream(["So [E9"], ALLOWED)) == ["So ", "[E9"]
    assert list(checked_stream(["[so] on [E9", "][E2]"], ALLOWED)) == ["[so] on ", "[E2]"]
