"""Names that speakers without a name give themselves: offered where they are sure to be names."""

import pytest

from dynagrag.core.schema import SourceTurn
from dynagrag.ingest.load.introductions import introductions


def given(*lines: str) -> list[tuple[str, str, int]]:
    parts = [line.partition(": ") for line in lines]
    turns = [SourceTurn(text, label, 10.0 * n) for n, (label, _, text) in enumerate(parts)]
    return [(own.label, own.name, own.line.turn) for own in introductions(turns)]


@pytest.mark.parametrize(
    ("label", "words", "name"),
    [
        ("Speaker 3", "Hi, I'm Ifeoma, and I run the lab.", "Ifeoma"),
        ("SPEAKER_03", "It rains. My name is Ifeoma Okafor.", "Ifeoma Okafor"),
        ("Guest", "I’m Dr. Bo van der Berg from Hull.", "Bo van der Berg"),
        ("Speaker B", "Guten Tag, ich heiße Jule Weiß und komme aus Ulm.", "Jule Weiß"),
        ("Unknown Speaker", "Je m'appelle Inès.", "Inès"),
    ],
)
def test_the_name_that_a_speaker_without_one_gives_is_found(
    label: str, words: str, name: str
) -> None:
    assert given("Ann: Welcome to the show.", f"{label}: {words}") == [(label, name, 2)]


@pytest.mark.parametrize(
    "words",
    [
        "I'm Swedish, and he is too.",
        "I'm American.",
        "He said: my name is Bob.",
        "I'm Sorry about that.",
        "I am Chief of the lab.",
        "My name is on the door.",
        "My name is Ann.",
        "This is Ifeoma.",
    ],
)
def test_what_somebody_is_or_what_others_say_is_no_name(words: str) -> None:
    assert given("Ann: Welcome to the show.", f"Speaker 3: {words}") == []


def test_a_name_that_ends_like_a_word_of_origin_counts_where_somebody_else_says_it() -> None:
    assert given("Speaker 1: I'm Adrian.", "Speaker 2: It rains.") == []
    assert given("Speaker 1: I'm Adrian.", "Speaker 2: Thanks, Adrian.") == [
        ("Speaker 1", "Adrian", 1)
    ]


def test_no_name_is_offered_twice_nor_two_to_one_label_nor_to_a_label_that_is_a_name() -> None:
    assert given("Speaker 1: Hi, I'm Ife.", "Speaker 2: Hi, I'm Ife.") == []
    assert given("Speaker 1: Hi, I'm Ife.", "Ann: So?", "Speaker 1: Hi, I'm Bob.") == []
    assert given("Ann: Hi, I'm Ife.", "Bob: So?") == []


def test_the_longer_name_of_one_speaker_is_offered_with_the_option_that_takes_it() -> None:
    turns = [
        SourceTurn("Hi, I'm Ife.", "Speaker 1"),
        SourceTurn("My name is Ife Obi.", "Speaker 1"),
    ]
    (found,) = introductions(turns)
    assert found.option == "--speaker-map 'Speaker 1=Ife Obi'"
    assert found.text() == "Speaker 1 says to be Ife Obi: turn 2, “My name is Ife Obi.”"


@pytest.mark.parametrize(
    ("head", "label", "name"),
    [
        ("INTERVIEWER: Rosa Lind", "Q", "Rosa Lind"),
        ("Interviewer: Dr. Rosa Lind", "Interviewer", "Rosa Lind"),
        ("Moderator: Rosa Lind", "Moderator", "Rosa Lind"),
        ("INTERVIEWER: Rosa Lind with Bo Aas", "Q", None),
        ("Date: 9 July 2002", "Q", None),
        ("Narrator: Rosa Lind", "Q", None),
    ],
)
def test_the_head_of_a_transcript_names_who_has_a_label_that_is_no_name(
    head: str, label: str, name: str | None
) -> None:
    turns = [
        SourceTurn("About the interview", None, None),
        SourceTurn(head, None, None),
        SourceTurn("Where were you born?", label, None),
        SourceTurn("In Hull.", "Per Holm", None),
    ]
    found = introductions(turns)
    assert [(own.label, own.name) for own in found] == ([(label, name)] if name else [])
    if name:
        shown = f"{label} is, by the transcript's head, {name}: turn 2, “{head}”"
        assert found[0].text() == shown


def test_a_name_below_the_first_words_is_not_the_heads() -> None:
    turns = [
        SourceTurn("Where were you born?", "Q", None),
        SourceTurn("INTERVIEWER: Rosa Lind", None, None),
        SourceTurn("In Hull.", "Per Holm", None),
    ]
    assert introductions(turns) == ()
