"""Where a question asks for several speakers, the lines that are shown are of each of them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynagrag.core.schema import EvidenceLine
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.generation.evidence_sentences.line_fit import NUM_OF_EACH, WEIGHTS, fits
from dynagrag.generation.evidence_sentences.sides import Side
from dynagrag.generation.evidence_sentences.speaker_turns import LEAST_SHARE, in_turn, quiet_sides
from tests.transcripts import DIMENSION, line_index, question

Turns = list[tuple[str | None, str]]
MILL: Turns = [
    *[
        ("Alice", f"The mill grinds the flour, and the mill has a wheel number {i}.")
        for i in range(8)
    ],
    ("Bob", "I would sell the mill and the wheel tomorrow."),
    ("Carol", "The mill is old and grinds the flour of the bakery, the mill of Alice and Bob."),
    ("Bob", "The wheel of the mill costs more than we earn in any year."),
    *[
        ("Dan", f"Rain fell upon Rotterdam throughout night {i}, and nobody came.")
        for i in range(12)
    ],
]


def speakers_of(turns: Turns, text: str, num: int = 5) -> list[str | None]:
    index = line_index(turns, 20)
    found = best_lines(
        index, question(text), range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION)
    )
    return [line.speaker for line in found.lines[:num]]


def line(speaker: str, said: float, start: int) -> EvidenceLine:
    """A line whose words alone fit so well."""
    return EvidenceLine(
        "p",
        "Talk",
        start,
        start + 5,
        speaker,
        None,
        "words",
        start,
        start + 5,
        round(said + WEIGHTS["speaker"], 4),
    )


def side(*labels: str) -> Side:
    return Side(labels[0], "", frozenset(labels))


@pytest.mark.parametrize(
    "text",
    [
        "What do Alice and Bob think about the mill?",
        "How do Bob's and Alice's views of the mill and its wheel differ?",
    ],
)
def test_speakers_who_are_compared_take_turns(text: str) -> None:
    shown = speakers_of(MILL, text)
    assert set(shown[:2]) == {"Alice", "Bob"} == set(shown[2:4])


def test_one_who_is_named_alone_and_nobody_named_keep_the_order_of_the_fit() -> None:
    for text in (
        "What does Alice think about the mill?",
        "What does the mill grind?",
        "What did Alice say about Bob?",
    ):
        index = line_index(MILL, 20)
        found = best_lines(
            index, question(text), range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION)
        )
        assert all(first.fit >= second.fit for first, second in pairwise(found.lines))


def test_the_best_lines_of_each_stand_where_the_best_of_all_stands_and_what_hardly_fits_stays() -> (
    None
):
    weak = LEAST_SHARE * 2.0
    lines = [
        line("A", 2.0, 0),
        line("A", 1.9, 1),
        line("C", 1.8, 2),
        line("A", 1.5, 3),
        line("B", weak, 4),
        line("B", weak - 0.01, 5),
    ]
    ordered = in_turn(lines, [side("A"), side("B", "b")])
    assert [(one.speaker, one.start) for one in ordered] == [
        ("A", 0),
        ("B", 4),
        ("A", 1),
        ("C", 2),
        ("A", 3),
        ("B", 5),
    ]
    assert [one.fit for one in ordered] == [lines[one.start].fit for one in ordered]


def quiet_in(text: str) -> tuple[str, ...]:
    index = line_index(MILL, 20)
    found = fits(
        index, question(text), range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION)
    )
    return tuple(one.name for one in quiet_sides(found))


def test_who_of_several_has_no_line_that_fits_by_itself_is_quiet() -> None:
    assert quiet_in("What do Alice and Dan think about the mill?") == ("Dan",)
    assert quiet_in("What do Alice and Bob think about the mill?") == ()
    assert quiet_in("What does Dan think about the mill?") == ()


def test_a_side_is_quiet_whose_best_line_lies_below_half_way_from_the_median_to_the_best() -> None:
    index = line_index(MILL, 20)
    found = fits(
        index,
        question("What do Alice and Bob think about the mill?"),
        range(len(index.snapshot.passages)),
        FakeEmbedder(DIMENSION),
    )
    is_of = {
        name: np.array([s.speaker == name for s in found.sentences]) for name in ("Alice", "Bob")
    }
    plain = {name: np.zeros(len(found.sentences)) for name in found.parts}
    for bobs, quiet in ((LEAST_SHARE - 0.01, ["Bob"]), (LEAST_SHARE + 0.01, [])):
        total = 1.0 * is_of["Alice"] + bobs * is_of["Bob"]
        assert [s.name for s in quiet_sides(replace(found, total=total, parts=plain))] == quiet
        asking = plain | {"question": 1.0 * is_of["Bob"]}
        assert [s.name for s in quiet_sides(replace(found, total=total, parts=asking))] == ["Bob"]


def test_nothing_is_brought_forward_where_all_lines_say_nothing() -> None:
    lines = [line("C", 0.1, 0), line("A", -2.0, 1), line("A", -2.1, 2), line("B", -2.2, 3)]
    assert in_turn(lines, [side("A"), side("B")]) == lines


def test_passages_of_each_are_looked_at_besides_those_that_were_found() -> None:
    index = line_index(MILL, 20)
    rows = [row for row in range(len(index.snapshot.passages)) if "Bob" not in index.labels_in(row)]
    assert rows
    assert speakers_of(MILL, "What do Alice and Bob think about the mill?").count("Bob") == 2
    both = fits(
        index,
        question("What do Alice and Bob think about the mill?"),
        rows,
        FakeEmbedder(DIMENSION),
    )
    assert {s.text for s in both.sentences if s.speaker == "Bob"} == {
        text for who, text in MILL if who == "Bob"
    }
    one = fits(index, question("When did Bob see the mill?"), rows, FakeEmbedder(DIMENSION))
    assert "Bob" not in {s.speaker for s in one.sentences}
    none_found = fits(
        index, question("What do Alice and Bob think about the mill?"), [], FakeEmbedder(DIMENSION)
    )
    assert len({s.row for s in none_found.sentences if s.speaker == "Alice"}) >= NUM_OF_EACH


def test_the_names_of_those_who_are_compared_are_no_words_to_be_found() -> None:
    index = line_index([("Alice", "Bob and Alice, anything further?"), ("Bob", "The mill is old.")])
    found = fits(
        index, question("What do Alice and Bob think of the mill?"), [0], FakeEmbedder(DIMENSION)
    )
    assert found.parts["words"].tolist() == [0.0, 1.0]


def test_the_document_of_every_line_is_known_though_its_passage_was_not_found() -> None:
    index = line_index(MILL, 20)
    asked = question("What do Alice and Bob think about the mill?")
    found = best_lines(index, asked, [], FakeEmbedder(DIMENSION))
    assert found.lines
    assert {line.id for line in found.lines} <= found.document_ids.keys()
