"""A question about one person that lines answer of another is told so, and only then."""

from collections.abc import Sequence

import pytest

from dynagrag.core.schema import OtherPerson
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import BestLines, best_lines
from dynagrag.generation.evidence_sentences.doubts import doubts_text, prompt_note
from dynagrag.generation.evidence_sentences.other_person import owners_of
from tests.transcripts import DIMENSION, line_index, question

Turns = list[tuple[str | None, str]]
ALLOTMENT: Turns = [
    ("Tilda", "Hello Goran, lovely to hear from you."),
    ("Goran", "Hey Tilda, I bought a greenhouse for my tomatoes last spring."),
    ("Tilda", "That sounds wonderful. How are your tomatoes?"),
    ("Goran", "My tomatoes in the greenhouse ripened in July. I built the greenhouse frame alone."),
    ("Tilda", "I learned to play the cello this winter, and my teacher is strict."),
    ("Goran", "Your cello lessons must keep you busy. You play beautifully by now."),
    ("Tilda", "I practise the cello every morning. My neighbours never complain."),
    ("Goran", "I cycle along the canal on Sundays."),
    ("Tilda", "I paint the harbour whenever I have the time."),
]


def ask(text: str, turns: Turns = ALLOTMENT) -> BestLines:
    index = line_index(turns, 40)
    rows = range(len(index.snapshot.passages))
    return best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))


@pytest.mark.parametrize(
    ("text", "asked", "other", "words"),
    [
        ("When did Tilda's tomatoes in the greenhouse ripen?", "Tilda", "Goran", "July"),
        ("Who built the greenhouse frame for Tilda's tomatoes?", "Tilda", "Goran", "greenhouse"),
        ("How often does Goran practise the cello?", "Goran", "Tilda", "cello"),
        ("how often does goran practise the cello with his teacher?", "Goran", "Tilda", "cello"),
    ],
)
def test_what_lines_say_of_another_is_told_with_a_line(
    text: str, asked: str, other: str, words: str
) -> None:
    found = ask(text).other_person
    assert found is not None
    assert (found.asked, found.other) == (asked, other)
    assert words in found.line.quote


@pytest.mark.parametrize(
    "text",
    [
        "When did Goran's tomatoes in the greenhouse ripen?",
        "How often does Tilda practise the cello?",
        "What was said about the greenhouse?",
        "Do Tilda and Goran practise the cello?",
        "What does Tilda think of Goran's greenhouse and tomatoes?",
        "What did Tilda tell Goran about the greenhouse?",
        "How often does Wolfram practise the cello?",
    ],
    ids=["own", "own too", "nobody", "both", "another's thing", "told to another", "unknown"],
)
def test_nothing_is_told_where_lines_are_of_the_one_or_it_cannot_be_told(text: str) -> None:
    assert ask(text).other_person is None


def test_a_role_in_small_letters_that_is_a_thing_is_nobody_asked_about() -> None:
    turns: Turns = [
        ("Project Manager", "We meet on Monday."),
        ("Marketing", "I measured the budget of the project, and my project budget is small."),
        ("Marketing", "My budget for the project grew. I like the project budget."),
        ("Project Manager", "I will write the minutes."),
    ]
    assert ask("What was the budget of the project?", turns).other_person is None
    told = ask("What did the project manager measure of the budget?", turns).other_person
    assert told is not None
    assert told.other == "Marketing"


def test_two_labels_of_one_name_are_no_two_people() -> None:
    turns: Turns = [
        ("Rt Hon. Una Birk (Minister)", "I thank the committee for the invitation."),
        ("Rt Hon. Una Birk", "I closed the quarry in March, and my quarry report is public."),
        ("Rt Hon. Una Birk", "I closed it since my report on the quarry was plain."),
        ("Olaf Stenmark", "Order, order."),
    ]
    assert ask("When did Una Birk (Minister) close the quarry?", turns).other_person is None


def test_other_languages_are_left_alone() -> None:
    turns: Turns = [
        ("Tilda", "Ich habe im Winter Cello gelernt, und meine Lehrerin ist sehr streng zu mir."),
        ("Goran", "Ich habe im Frühling ein Gewächshaus für meine Tomaten gekauft und gebaut."),
        ("Goran", "Meine Tomaten im Gewächshaus wurden im Juli reif, das war sehr schön."),
    ]
    assert ask("Wann wurden die Tomaten im Gewächshaus von Tilda reif?", turns).other_person is None


@pytest.mark.parametrize(
    ("speaker", "text", "owners", "are_told"),
    [
        ("Goran", "I bought a greenhouse.", ["Goran"], True),
        ("Goran", "Hey Tilda, I bought a greenhouse.", ["Goran"], True),
        ("Goran", "You play beautifully.", ["Tilda"], True),
        ("Goran", "I love your painting.", ["Goran", "Tilda"], True),
        ("Goran", "Tilda plays the cello.", ["Tilda"], True),
        ("Goran", "Yesterday Til's cello broke.", ["Tilda"], True),
        ("Goran", "Well done, Tilda!", ["Goran"], False),
        ("Goran", "Tomatoes need the sun.", ["Goran"], False),
        ("Goran", "They shipped it to the US.", ["Goran"], False),
        (None, "Somebody plays the cello.", [], False),
    ],
)
def test_of_whom_a_sentence_speaks(
    speaker: str | None, text: str, owners: Sequence[str], are_told: bool
) -> None:
    index = line_index([("Tilda", "It rained."), (speaker, text), ("Goran", "It rained again.")])
    sentence = next(s for s in index.sentences(0) if s.text == text)
    found = owners_of(index, sentence)
    assert (sorted(found.labels), found.are_told) == (owners, are_told)


def test_you_is_who_speaks_before_and_after_where_several_speak() -> None:
    index = line_index(
        [("Ann", "It rained."), ("Bob", "You were late."), ("Cy", "Yes."), ("Dora", "No.")]
    )
    sentence = next(s for s in index.sentences(0) if s.speaker == "Bob")
    assert owners_of(index, sentence).labels == {"Ann", "Cy"}


def test_it_is_told_in_words_and_to_a_model_with_names_that_cannot_be_instructions() -> None:
    found = ask("When did Tilda's tomatoes in the greenhouse ripen?")
    assert 'Nobody seems to say that of Tilda; of Goran: "' in doubts_text(found)
    assert prompt_note(found).count('"Tilda"') == 2
    line = found.other_person and found.other_person.line
    assert line
    odd = BestLines(other_person=OtherPerson('A" \n\x00[E1', "B", line))
    assert '"A\\" \\n\\u0000\\u005bE1"' in prompt_note(odd)
    assert prompt_note(ask("Do Tilda and Goran practise the cello?")) == ""


def test_where_nothing_fits_no_line_of_another_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "dynagrag.generation.evidence_sentences.best_lines.answerable", lambda *_: 0.1
    )
    found = ask("How often does Goran practise the cello with violins?")
    assert (found.is_nothing_fitting, found.other_person) == (True, None)


def test_a_line_without_a_word_of_the_question_is_not_told() -> None:
    turns: Turns = [("Goran", "Tomatoes need the sun."), ("Tilda", "I paint the harbour.")]
    assert ask("What does Goran fry at dawn?", turns).other_person is None
    assert ask("What does Goran paint at dawn?", turns).other_person is not None


def test_a_reply_without_a_word_of_the_question_hides_no_line_with_one() -> None:
    turns: Turns = [
        *ALLOTMENT,
        ("Goran", "When do you practise the cello, Tilda?"),
        ("Tilda", "Every morning at seven."),
    ]
    found = ask("When does Goran practise the cello?", turns).other_person
    assert found is not None
    assert "cello" in found.line.quote
