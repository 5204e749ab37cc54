"""What a workspace can be asked about before anything was asked."""

import pytest

from dynagrag.core.schema import Entity, Turn
from dynagrag.workspace.starting_points import (
    StartingPoints,
    Topic,
    _pairs,
    _phrases,
    _shares,
    _things,
    _topics,
)


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
    topics = [Topic("Delft", 4), Topic("Ann Lee", 2)]
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
    delft, mill = Topic("Delft", 3), Topic("the Mill", 2)
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


def test_words_that_keep_coming_together_are_topics_and_common_words_and_numbers_are_not() -> None:
    turns, texts = spoken(
        ("Ann", "The remote control is twelve euros, a good idea, a little bit dear."),
        ("Bob", "A remote control for twelve euros? A little bit cheap."),
        ("Ann", "We sell remote controls; a remote control costs twelve euros, a little bit."),
        ("Bob", "The control is remote. What a good idea."),
    )
    assert _phrases(turns, texts) == [Topic("remote control", 3, is_name=False)]


def test_a_phrase_that_holds_a_name_is_no_second_topic() -> None:
    names = [Topic("Welsh Government", 9), Topic("Delft", 3)]
    phrases = [
        Topic(words, 5, False)
        for words in ("Welsh government", "Delft mill", "fuel cell", "fuel cells")
    ]
    assert [t.name for t in _topics(names, phrases)] == ["Welsh Government", "fuel cell", "Delft"]


def test_where_nobody_speaks_what_is_talked_about_comes_before_places() -> None:
    turns, texts = spoken(*[("", "Alabama! Alabama and a fuel cell.")] * 3)
    topics = _topics([Topic("Alabama", 6)], _phrases(turns, texts))
    points = StartingPoints((), topics, _pairs(turns, texts, topics))
    assert points.questions()[0] == "What is said about fuel cell?"
