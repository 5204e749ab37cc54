"""Which entities a question names."""

import numpy as np
import pytest
from bridge_corpora import entity

from dynagrag.retrieval.bridge.linking import EntityLinker


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where is the Bubye River's mouth?", ["Bubye River"]),
        ("where is the bubye river", ["Bubye River"]),
        ("What did May say in may?", ["May"]),
        ("may it rain", []),
        (
            "Is Johnnycake, West Virginia in West Virginia?",
            ["Johnnycake, West Virginia", "West Virginia"],
        ),
        ("The Who", []),
        ("When was the river made?", []),
        ("When was The River made?", ["River"]),
        ("", []),
        ("Is Bubye-River a name?", []),
        ("May’s and May's", ["May"]),
        ("River May Bubye River", ["River", "May", "Bubye River"]),
        ("an Apollo 13", ["Apollo 13"]),
        ("what does 1970 mean", ["1970"]),
        ("is C++ like C", ["C++"]),
        ("was it IT or it", []),  # a function word is no name however it is written
    ],
)
def test_a_question_is_linked_by_its_longest_names(text: str, found: list[str]) -> None:
    names = [
        "Bubye River",
        "River",
        "May",
        "Johnnycake, West Virginia",
        "West Virginia",
        "Johnnycake",
        "Apollo 13",
        "1970",
        "C++",
        "It",
    ]
    entities = [entity(i, name) for i, name in enumerate(names)]
    linker = EntityLinker(entities, np.ones(len(names), dtype=bool))
    assert [names[i] for i in linker.link(text)] == found


def test_an_entity_that_is_not_wanted_is_not_linked_and_a_merged_name_finds_its_entity() -> None:
    entities = [
        entity(0, "NASA", "nasa", "national aeronautics and space administration"),
        entity(1, "Moon"),
    ]
    linker = EntityLinker(entities, np.array([True, False]))
    assert linker.link("Did the National Aeronautics and Space Administration reach the Moon?") == (
        0,
    )


@pytest.mark.parametrize(("num_words", "is_found"), [(10, True), (11, False)])
def test_a_name_of_up_to_ten_words_is_linked(num_words: int, is_found: bool) -> None:
    name = " ".join(f"Word{i}" for i in range(num_words))
    assert EntityLinker([entity(0, name)], np.ones(1, dtype=bool)).link(
        f"What is {name} about?"
    ) == ((0,) if is_found else ())
