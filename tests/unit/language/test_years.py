"""Years that are written short or in words are found as years in full."""

import pytest

from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.language.years import years_in_full
from dynagrag.retrieval.terms import TermReader
from tests.transcripts import DIMENSION, line_index, question


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("The pump came in '73, I guess.", ["1973", "2073"]),
        ("in ‘08 or ’09", ["1908", "2008", "1909", "2009"]),
        ("It was nineteen seventy-three.", ["1973"]),
        ("Nineteen sixty and twenty twenty-one", ["1960", "2021"]),
        ("nineteen oh six, eighteen twelve", ["1906", "1812"]),
        (
            "in the early '70s, the 80s, the Seventies",
            "1970s 2070s 1980s 2080s 1970s 2070s".split(),
        ),
        ("rock 'n' roll, 73 people, Ann's 73 pumps, it's 5'11, '730, 1973", []),
        ("Nineteen people and twenty two-way radios", []),
        ("She is in her seventies, twenty and two.", []),
    ],
)
def test_years_are_read_in_full(text: str, years: list[str]) -> None:
    assert years_in_full(text) == years


@pytest.mark.parametrize("said", ["in '73", "in ‘73", "in nineteen seventy-three", "in 1973"])
def test_a_year_finds_the_line_that_has_it_short_or_in_words(said: str) -> None:
    other = "It was the year in which the pumps of the village came, I think."
    turns = [("ANN", other), ("BOB", f"The pumps of the village came {said}."), ("ANN", other)] * 2
    index = line_index(turns, 12)
    asked = question("What came to the village in 1973?")
    scores = index.passages.bm25(asked.text)
    row = int(scores.argmax())
    assert said in index.snapshot.passage_text(index.snapshot.passages[row])
    rows = range(len(index.snapshot.passages))
    assert said in best_lines(index, asked, rows, FakeEmbedder(DIMENSION)).lines[0].quote
    reader = TermReader(index.snapshot.documents)
    (document,) = index.snapshot.documents
    assert set(reader.of_question("1973")) <= set(reader.of_text(said, document))
    assert set(reader.of_question(said)) & set(reader.of_text("1973", document))
