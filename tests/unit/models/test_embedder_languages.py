"""Which embedders are known to read English alone, and the command that takes another."""

import pytest

from dynagrag.models.embedder_languages import (
    is_english_alone,
    languages_apart_line,
    other_languages_line,
)
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS


@pytest.mark.parametrize(
    "name",
    [
        "minilm",
        "bge-small-int8",
        "sentence-transformers/all-MiniLM-L6-v2",
        "openai:all-MiniLM-L6-v2",
        "e5-small prefix='passage: '",
    ],
)
def test_an_embedder_of_english_is_known_by_the_names_its_vectors_are_stored_under(
    name: str,
) -> None:
    assert is_english_alone(name)


@pytest.mark.parametrize(
    "name",
    ["multilingual-e5-small", "granite-multilingual", "openai:text-embedding-3-small", "my-folder"],
)
def test_of_embedders_for_several_languages_and_unknown_ones_nothing_is_said(name: str) -> None:
    assert not is_english_alone(name)


def test_the_line_names_the_languages_and_a_command_with_an_embedder_that_reads_them() -> None:
    line = other_languages_line("minilm", ["German", "French", "Finnish"], "talks")
    assert line.startswith(
        "the embedder minilm was trained on English and finds less in German, French and Finnish; "
    )
    command = line.split("`")[1]
    assert command == "dynagrag embedder use multilingual-e5-small -w talks"
    assert KNOWN_EMBEDDERS[command.split()[3]].languages != "English"
    assert "-w" not in other_languages_line("minilm", ["German"])


def test_a_question_in_another_language_than_its_lines_is_told_with_both_remedies() -> None:
    line = languages_apart_line("English", "German", "talks")
    assert line.startswith("the question is in English, these lines in German: ask in German, or ")
    assert "`dynagrag embedder use multilingual-e5-small -w talks`" in line
