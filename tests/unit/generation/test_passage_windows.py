"""Evidence that stands together is one stretch."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import Document, Evidence, Graph, Passage, ScoredPassage, Snapshot, Turn
from dynagrag.generation.context import passages_that_fit
from dynagrag.generation.evidence import (
    MAX_GAP,
    in_windows,
    passage_evidence,
    passage_windows,
)
from dynagrag.generation.hard_prompt import write_evidence_prompt

EMPTY = Graph((), (), np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), ())
TURNS = tuple(
    Turn(f"t{i}", "d", i, 100 * i, 100 * i + 99, "AB"[i % 2], 10.0 * i, 10.0 * i + 9)
    for i in range(10)
)
SNAPSHOT = Snapshot(
    "w",
    "1",
    {
        "d": Document("d", "w", "Talk", "/talk", "", "x" * 1000),
        "e": Document("e", "w", "Else", "/else", "", "y" * 1000),
    },
    {"d": TURNS},
    (),
    np.zeros((0, 2), np.float32),
    {},
    EMPTY,
)


def scored(document: str, index: int) -> ScoredPassage:
    return ScoredPassage(Passage(f"{document}{index}", document, index, 0, 1, 0, 0), 0.0)


def line(label: str, start: int, end: int, document: str = "d") -> Evidence:
    return Evidence(label, label, document, start, end, "", None, None)


def test_neighbours_come_in_the_order_of_the_text_where_the_best_of_them_stood() -> None:
    ranked = [
        scored("e", 7),
        scored("d", 4),
        scored("e", 1),
        scored("d", 3),
        scored("d", 9),
        scored("d", 5),
    ]
    assert [p.passage.id for p in in_windows(ranked)] == ["e7", "d3", "d4", "d5", "e1", "d9"]


@given(st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 9)), unique=True, max_size=12))
def test_no_passage_is_lost_and_none_comes_twice(places: list[tuple[str, int]]) -> None:
    ranked = [scored(*place) for place in places]
    assert sorted(p.passage.id for p in in_windows(ranked)) == sorted(p.passage.id for p in ranked)


def test_lines_that_adjoin_are_one_stretch_with_its_turns_times_and_speakers() -> None:
    lines = [
        line("E5", 600, 650),
        line("E2", 200, 299),
        line("E1", 100, 199),
        line("E9", 100, 199, "e"),
        line("E3", 299 + MAX_GAP, 399),
    ]
    (found,) = passage_windows(lines, SNAPSHOT)
    assert (found.document, found.start, found.end, found.labels) == (
        "Talk",
        100,
        399,
        ("E1", "E2", "E3"),
    )
    assert (found.first_turn, found.last_turn, found.end_s, found.speakers) == (
        1,
        3,
        39.0,
        ("B", "A"),
    )


def test_a_gap_that_is_too_wide_or_another_document_ends_a_stretch() -> None:
    assert (
        passage_windows(
            [line("E1", 0, 10), line("E2", 11 + MAX_GAP, 120), line("E3", 5, 15, "e")], SNAPSHOT
        )
        == ()
    )


def test_a_line_inside_another_does_not_shorten_the_stretch() -> None:
    (found,) = passage_windows([line("E1", 100, 399), line("E2", 150, 199)], SNAPSHOT)
    assert (found.start, found.end, found.last_turn) == (100, 399, 3)


@given(st.permutations(range(20)), st.integers(30, 400))
def test_whatever_its_neighbours_the_best_passage_is_in_the_prompt(
    order: list[int], budget: int
) -> None:
    """Chosen by rank until the budget is full, and only then put into the order of the text."""
    turns = tuple(Turn(f"t{i}", "d", i, 100 * i, 100 * i + 99, "AB"[i % 2]) for i in range(20))
    text = "\n".join((f"turn {i} " + "some words of it " * 9)[:99] for i in range(20))
    made = replace(
        SNAPSHOT, documents={"d": replace(SNAPSHOT.documents["d"], text=text)}, turns={"d": turns}
    )
    ranked = [
        ScoredPassage(Passage(f"p{i}", "d", i, 100 * i, 100 * i + 99, i, i), 0.0) for i in order
    ]
    fitting = passages_that_fit(made, ranked, budget)
    assert fitting == ranked[: len(fitting)] != []
    prompt = write_evidence_prompt(passage_evidence(made, in_windows(fitting)), budget)
    assert f"p{order[0]}" in {e.id for e in prompt.evidence}
    if len(fitting) > 1:
        assert {e.id for e in prompt.evidence} == {p.passage.id for p in fitting}
        assert len(prompt.text) <= 4 * budget


def test_a_stretch_of_a_document_without_turns_or_times_has_none() -> None:
    (found,) = passage_windows([line("E1", 0, 10, "e"), line("E2", 20, 30, "e")], SNAPSHOT)
    assert (found.document, found.speakers, found.first_turn, found.last_turn, found.end_s) == (
        "Else",
        (),
        None,
        None,
        None,
    )
    open_ended = replace(SNAPSHOT, turns={"d": tuple(replace(turn, end_s=None) for turn in TURNS)})
    (found,) = passage_windows([line("E1", 100, 150), line("E2", 200, 250)], open_ended)
    assert found.end_s == 20.0, "the start of its last turn"
    after = [line("E1", 900, 950), replace(line("E2", 960, 990), start_s=5.0)]
    (found,) = passage_windows([replace(after[0], start_s=4.0), after[1]], SNAPSHOT)
    assert (found.start_s, found.first_turn, found.last_turn) == (4.0, 9, 9)


def test_a_stretch_ends_before_the_turn_that_begins_where_it_ends() -> None:
    touching = replace(
        SNAPSHOT, turns={"d": tuple(replace(turn, end=turn.end + 1) for turn in TURNS)}
    )
    (found,) = passage_windows([line("E1", 100, 150), line("E2", 160, 200)], touching)
    assert (found.first_turn, found.last_turn) == (1, 1)


def test_two_documents_of_one_title_are_kept_apart() -> None:
    named_alike = replace(
        SNAPSHOT,
        documents={name: replace(d, title="Talk") for name, d in SNAPSHOT.documents.items()},
    )
    lines = [
        line("E1", 0, 10),
        line("E2", 20, 30, "e"),
        line("E3", 20, 30),
        line("E4", 40, 50, "e"),
    ]
    assert [s.labels for s in passage_windows(lines, named_alike)] == [("E1", "E3"), ("E2", "E4")]
