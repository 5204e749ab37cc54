"""The sides of a question that compares or lists, each searched for and shown by itself."""

import pytest

from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.doubts import doubts_text
from dynagrag.generation.evidence_sentences.sides import sides_of
from tests.transcripts import DIMENSION, line_index, question

Turns = list[tuple[str | None, str]]
TRIPS: Turns = [
    ("Ida", "I take night trains since I sleep well in them."),
    ("Bruno", "I never sleep in trains. Buses are cheaper for me."),
    *[("Clara", f"It rained in Malmö for {i} days, and nobody came.") for i in range(2, 14)],
    ("Ida", "Planes make me nervous, and the airport is far from my village."),
    ("Bruno", "I would rather row a boat across the sound."),
]


def names(text: str, turns: Turns = TRIPS) -> list[str]:
    return [side.name for side in sides_of(line_index(turns), text)]


def ask(text: str, num_ranked: int = 20) -> BestLines:
    index = line_index(TRIPS, 20)
    rows = range(min(num_ranked, len(index.snapshot.passages)))
    return best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("How do trains differ from planes for Ida?", ["trains", "planes"]),
        ("Compare the trains with the planes.", ["trains", "planes"]),
        ("Compare Ida's night trains and her planes.", ["night trains", "planes"]),
        ("What is the difference between trains and planes for Ida?", ["trains", "planes"]),
        ("Does Ida like trains better than planes?", ["trains", "planes"]),
        ("Which does Ida prefer, trains, planes or buses?", ["trains", "planes", "buses"]),
        ("What do Ida and Bruno each sleep in?", ["Ida", "Bruno"]),
        ("How does Ida's way to travel differ from Bruno's?", ["Ida", "Bruno"]),
        ("What did Ida, Bruno and Clara say?", ["Ida", "Bruno", "Clara"]),
        ("Do Bruno and Ida agree?", ["Bruno", "Ida"]),
        ("Was halten Ida und Bruno vom Reisen bei Nacht?", ["Ida", "Bruno"]),
        ("Vad tycker Ida och Bruno om tåg?", ["Ida", "Bruno"]),
        ("Quelle est la différence entre Ida, qui dort bien, et Bruno ?", ["Ida", "Bruno"]),
        ("Hat Ida ihren Bruno im Zug gesehen?", []),
        ("How does each of them travel?", ["Bruno", "Clara", "Ida"]),
        ("How did each travel?", ["Bruno", "Clara", "Ida"]),
        ("How long has Ida slept in trains, and how long has Bruno rowed?", ["Bruno", "Ida"]),
        ("What are Ida's trains and Bruno's boats called?", ["Bruno", "Ida"]),
        ("What does Ida take, and what Bruno for his trips?", ["Bruno", "Ida"]),
        ("What did Ida say about trains and Bruno's boat?", []),
        ("What did Ida say, and what did she tell Bruno?", []),
        ("What did Ida bake for the fair and bring to Bruno?", []),
        ("What did Ida tell Bruno about the trains?", []),
        ("Which boat did Bruno recommend to Ida?", []),
        ("How do trains differ from submarines for Ida?", []),
        ("What happens each night?", []),
        ("Where are the trains and planes?", []),
        ("What does Ida think of trains?", []),
        ("", []),
    ],
)
def test_sides_of_a_question(text: str, sides: list[str]) -> None:
    assert sorted(names(text)) == sorted(sides)


def test_what_is_asked_of_a_side_lacks_the_other() -> None:
    index = line_index(TRIPS)
    trains, planes = sides_of(index, "How do trains differ from planes for Ida?")
    assert ("planes" in trains.text, "trains" in planes.text) == (False, False)
    assert "Ida" in trains.text
    bruno, ida = sides_of(
        index, "Compare what Bruno rows across the sound with what makes Ida nervous in planes."
    )
    assert (bruno.name, bruno.text) == ("Bruno", "Compare what Bruno rows across the sound ")
    assert (ida.name, ida.text) == ("Ida", " what makes Ida nervous in planes.")


def test_each_part_of_a_question_that_asks_again_asks_of_its_own_side() -> None:
    bruno, ida = sides_of(
        line_index(TRIPS), "How long has Ida slept in trains, and how long has Bruno rowed?"
    )
    assert bruno.text.strip() == "how long has Bruno rowed?"
    assert ida.text.strip() == "How long has Ida slept in trains,"


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("How do trains differ from planes for Ida?", {"trains", "planes"}),
        ("What do Ida and Bruno each sleep in?", {"Ida", "Bruno"}),
    ],
)
def test_each_side_is_searched_for_and_first_clips_are_of_each(text: str, sides: set[str]) -> None:
    for num_ranked in (20, 1):
        assert {clip.side for clip in ask(text, num_ranked).clips[:2]} == sides


def test_the_clip_of_a_thing_holds_its_words() -> None:
    for clip in ask("How do trains differ from planes for Ida?").clips[:2]:
        shown = " ".join(turn.quote for turn in clip.turns).casefold()
        assert clip.side in shown


def test_of_other_questions_clips_have_no_side() -> None:
    assert {clip.side for clip in ask("Why does Ida take night trains?").clips} == {""}


def test_many_who_are_asked_for_each_are_no_sides() -> None:
    turns: Turns = [(f"Guest{i}", "I came by boat.") for i in range(6)]
    assert names("How does each of them travel?", turns) == []


def test_a_side_that_says_nothing_of_it_has_no_clip_and_is_told() -> None:
    for text, quiet, other in (
        ("What do Ida and Clara each think of night trains?", "Clara", "Ida"),
        ("Do Clara and Bruno both row a boat across the sound?", "Clara", "Bruno"),
    ):
        found = ask(text)
        assert found.quiet_speakers == (quiet,)
        sides = {clip.side for clip in found.clips}
        assert quiet not in sides
        assert other in sides
        assert f"Nothing that comes near this question was found for {quiet}." in doubts_text(found)


def test_of_things_that_are_both_spoken_of_none_is_told_to_be_missing() -> None:
    turns: Turns = [*TRIPS, ("Clara", "Ferries are red, and rain falls on them in Malmö.")]
    index = line_index(turns, 20)
    asked = question("Do ferries or night trains let Ida sleep well?")
    found = best_lines(index, asked, range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION))
    assert found.quiet_speakers == ()
