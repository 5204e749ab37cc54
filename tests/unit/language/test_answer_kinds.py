"""Kinds of answers: what a question asks for, and which sentences can be that."""

import pytest

from dynagrag.language.answer_kinds import AnswerKind, asked_answer, fit_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many seats are there?", AnswerKind.AMOUNT),
        ("And how much was the oven?", AnswerKind.AMOUNT),
        ("What voltage did the pad supply?", AnswerKind.AMOUNT),
        ("When did they land?", AnswerKind.TIME),
        ("In what year was it built?", AnswerKind.TIME),
        ("Wann brannte die Mühle?", AnswerKind.TIME),
        ("Who owned it?", AnswerKind.PERSON),
        ("Where is the mill?", AnswerKind.PLACE),
        ("Which city did they visit?", AnswerKind.PLACE),
        ("Why did it fail?", AnswerKind.REASON),
        ("Warum ist die Brücke zu?", AnswerKind.REASON),
        ("Did he eat?", AnswerKind.YES_OR_NO),
        ("What did Ann say when they discussed it?", None),
        ("What is her name?", None),
        ("", None),
    ],
)
def test_a_question_asks_for_a_kind_of_answer(question: str, kind: AnswerKind | None) -> None:
    asked = asked_answer(question)
    assert (asked and asked.kind) == kind


@pytest.mark.parametrize(
    ("question", "text", "fit"),
    [
        ("How much is the ferry?", "It is $4 a head.", 1.0),
        ("How much is the ferry?", "Be there on the 4th.", 0.5),
        ("How much is the ferry?", "It is cheap.", 0.0),
        ("How many seats are there?", "There are sixty seats in it.", 1.0),
        ("How many seats are there?", "There are sixty.", 0.5),
        ("How long did it take?", "About nine hours.", 1.0),
        ("When did it burn?", "It burned in June.", 1.0),
        ("When did it burn?", "It may burn again.", 0.0),
        ("When did it burn?", "That was two years ago.", 1.0),
        ("When did it burn?", "At 7:30.", 1.0),
        ("Who owned it?", "It belonged to the Okafor family.", 1.0),
        ("Who owned it?", "Nobody knows.", 0.0),
        ("Where is it?", "The mill stands near Delft.", 1.0),
        ("Where is it?", "Delft paid for the mill.", 0.0),
        ("Why did it stop?", "Because the river was low.", 1.0),
        ("Why did it stop?", "It stopped in June.", 0.0),
        ("Did it stop?", "No, it runs.", 1.0),
        ("Did it stop?", "It didn't.", 1.0),
        ("Did it stop?", "It runs.", 0.0),
    ],
)
def test_a_sentence_fits_what_is_asked_for_by_its_form(
    question: str, text: str, fit: float
) -> None:
    asked = asked_answer(question)
    assert asked is not None
    assert fit_of(asked, text) == fit
