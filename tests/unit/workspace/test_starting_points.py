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
    found = _things([entity("Court"), entity("Delft")], {"d": text}, {"d": "en"})
    assert [topic.name for topic in found] == kept


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
    assert _phrases(turns, texts, {"d": "en"}) == [Topic("remote control", 3, is_name=False)]


def test_a_phrase_that_holds_a_name_is_no_second_topic() -> None:
    names = [Topic("Welsh Government", 9), Topic("Delft", 3)]
    phrases = [
        Topic(words, 5, False)
        for words in ("Welsh government", "Delft mill", "fuel cell", "fuel cells")
    ]
    assert [t.name for t in _topics(names, phrases)] == ["Welsh Government", "fuel cell", "Delft"]


def test_where_nobody_speaks_what_is_talked_about_comes_before_places() -> None:
    turns, texts = spoken(*[("", "Alabama! Alabama and a fuel cell.")] * 3)
    topics = _topics([Topic("Alabama", 6)], _phrases(turns, texts, {"d": "en"}))
    points = StartingPoints((), topics, _pairs(turns, texts, topics))
    assert points.questions()[0] == "What is said about fuel cell?"


TALK = {
    "de": (
        "Das ist ja ein bisschen so, dass die künstliche Intelligenz ganz genau hilft.",
        "künstliche Intelligenz",
        "Was sagt Ann über künstliche Intelligenz?",
    ),
    "fr": (
        "C'est vrai parce que l'énergie solaire, qui est quand même chère, va très bien.",
        "énergie solaire",
        "Que dit Ann au sujet de « énergie solaire » ?",
    ),
    "sv": (
        "Och det var så att något som heter grön vätgas är det som kan vara bra.",
        "grön vätgas",
        "Vad säger Ann om grön vätgas?",
    ),
    "nl": (
        "Dus dat is eigenlijk zo omdat de groene waterstof heel erg duur is.",
        "groene waterstof",
        "Wat zegt Ann over groene waterstof?",
    ),
}


@pytest.mark.parametrize("language", TALK)
def test_topics_and_questions_of_other_languages_are_in_their_own_words(language: str) -> None:
    line, phrase, question = TALK[language]
    turns, texts = spoken(*[("Ann", line)] * 4)
    topics = _topics([], _phrases(turns, texts, {"d": language}))
    points = StartingPoints((), topics, _pairs(turns, texts, topics))
    assert phrase in [topic.name for topic in topics]
    assert not {"ein bisschen", "parce que", "det var", "qui est", "Das ist", "dat is"} & {
        topic.name for topic in topics
    }
    assert question in points.questions(9) or question in [
        topic.question("Ann") for topic in topics
    ]


def test_of_a_language_without_function_words_names_alone_are_topics_and_none_is_asked_about() -> (
    None
):
    turns, texts = spoken(*[("Anna", "Kui see on nii et Tartu on see mis see on")] * 4)
    assert _phrases(turns, texts, {"d": "et"}) == []
    topics = _things([entity("Tartu")], texts, {"d": "et"})
    assert topics == [Topic("Tartu", 1, language="et")]
    points = StartingPoints((), tuple(topics), _pairs(turns, texts, topics))
    assert points.pairs
    assert points.questions() == []


def test_words_that_only_join_others_in_their_language_are_no_names() -> None:
    names = [entity("Est-ce"), entity("Lyon"), entity("Qui Est")]
    found = _things(names, {"d": "Est-ce Lyon ? Qui Est Lyon ?"}, {"d": "fr"})
    assert "Lyon" in [topic.name for topic in found]
    assert "Qui Est" not in [topic.name for topic in found]
