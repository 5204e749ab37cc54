"""What is said of arms that read more or less than others."""

import pytest

from dynagrag.evaluation.answers.equal_context import contexts_apart


@pytest.mark.parametrize(
    "tokens",
    [
        {},
        {"naive": 2649.0},
        {"naive": 2649.0, "closed-book": 0.0, "gold": None},
        {"naive": 2000.0, "paper": 1900.0},
        {"naive": 1900.0, "paper": 2000.0, "graph": 1950.0},
    ],
)
def test_equal_contexts_are_not_told(tokens: dict[str, float | None]) -> None:
    assert contexts_apart(tokens) == ""


def test_the_two_farthest_apart_are_told_with_their_tokens() -> None:
    said = contexts_apart({"naive": 2649.0, "paper": 1404.0, "graph": 2000.0, "closed-book": 0.0})
    assert said.startswith(
        "The arms did not read equally much: naive 2,649 tokens of context a question, paper 1,404,"
        " 47 % fewer"
    )
    assert contexts_apart({"a": 2000.0, "b": 1899.0})
