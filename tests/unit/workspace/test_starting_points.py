"""What a workspace can be asked about before anything was asked."""

import pytest

from dynagrag.core.schema import Entity, Turn
from dynagrag.workspace.starting_points import StartingPoints, _pairs, _shares, _things


def entity(name: str, *, weight: int = 1) -> Entity:
    return Entity(name, name.casefold(), name, "", (name.casefold(),), (), "thing", weight, ())


def spoken(*turns: tuple[str, str]) -> tuple[list[Turn], dict[str, str]]:
    """Turns of ten seconds each in one document, and its text."""
    text, made = "", []
    for row, (speaker, words) in enumerate(turns):
        made.append(
            Turn(
                str(row),
                "d",
                row,
                len(text),
                len(text) + len(words),
                speaker,
                10.0 * row,
                10.0 * row + 10,
            )
        )
        text += words + "\n"
    return made, {"d": text}


def test_speakers_are_counted_by_words_with_their_time() -> None:
    turns, texts = spoken(("Ann", "one two"), ("Bob", "one two three four"), ("Ann", "one"))
    ann_and_bob = _shares(turns, texts)
    assert [(s.name, s.num_turns, s.num_words, s.seconds) for s in ann_and_bob] == [
        ("Bob", 1, 4, 10.0),
        ("Ann", 2, 3, 20.0),
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The Court met. Delft too.", ["Court", "Delft"]),
        ("The Court met. The court rose; a court sits. Delft too.", ["Delft"]),
        ("Court Kagan spoke, Court Scalia too. Delft.", ["Delft"]),
    ],
)
def test_plain_words_and_titles_before_names_are_no_topics(text: str, kept: list[str]) -> None:
    assert [topic.name for topic in _things([entity("Court"), entity("Delft")], [text])] == kept


def test_a_speaker_is_asked_about_what_they_named_often_and_never_about_themselves() -> None:
    topics = [entity("Delft"), entity("Ann Lee")]
    turns, texts = spoken(
        ("Ann Lee", "Delft!"),
        ("Ann Lee", "In Delft, said Ann Lee."),
        ("Ann Lee", "Ann Lee, Delft"),
        ("Bob", "Delft"),
    )
    assert [(who, topic.name, num) for who, topic, num in _pairs(turns, texts, topics)] == [
        ("Ann Lee", "Delft", 3)
    ]


def test_questions_are_of_other_speakers_and_topics_and_none_is_asked_twice() -> None:
    delft, mill = entity("Delft"), entity("the Mill")
    points = StartingPoints(
        (),
        (delft, mill),
        (("Ann", delft, 9), ("Ann", mill, 8), ("Bob", delft, 7), ("Bob", mill, 6), ("", mill, 5)),
    )
    assert points.questions() == [
        "What did Ann say about Delft?",
        "What did Bob say about the Mill?",
    ]
    assert points.questions(1) == ["What did Ann say about Delft?"]
    assert points.questions(asked=["what did ann say about delft?"]) == [
        "What did Ann say about the Mill?",
        "What did Bob say about Delft?",
    ]
    assert points.questions(within="Near THE MILL") == ["What did Ann say about the Mill?"]
    assert points.questions(within="nothing of it") == []
    assert StartingPoints((), (), ()).questions() == []
