"""Whether the sources answer a question at all is said for the embedder that was measured, and for
no other.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import EmbedderIdentity
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.answerable import (
    BIAS,
    LEAST,
    WEIGHTS,
    Signs,
    answerable,
    signs,
)
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.generation.evidence_sentences.line_fit import fits
from dynagrag.language.identification import ENGLISH, UNKNOWN, language_of
from tests.transcripts import DIMENSION, line_index, question

TALK: list[tuple[str | None, str]] = [
    ("ANN", "The flour comes from a mill near Delft. We pay the mill every month."),
    ("BOB", "The oven of the bakery has two doors and a bell."),
]
MINILM = EmbedderIdentity("minilm", 384)


def signs_of(text: str) -> Signs:
    index = line_index(TALK, 12)
    rows = range(len(index.snapshot.passages))
    return signs(index, question(text), fits(index, question(text), rows, FakeEmbedder(DIMENSION)))


def test_signs_of_a_question_that_the_words_answer_and_of_one_about_something_else() -> None:
    known, other = (
        signs_of("Where does the flour of the mill come from?"),
        signs_of("Which constellations did Shepard see?"),
    )
    assert known.passage > other.passage
    assert known.shared > other.shared == 0.0
    assert (known.unknown, other.unknown) == (0.0, 1.0)


def test_who_is_asked_for_need_not_be_said() -> None:
    asked = signs_of("Where does the flour of the mill come from?")
    for text in (
        "Where does the flour of the pilot's mill come from?",
        "Where does Ann say the flour of the mill comes from?",
    ):
        found = signs_of(text)
        assert (found.shared, found.unknown) == (asked.shared, 0.0)
    assert signs_of("Where does the flour of the castle come from?").unknown > 0.0


def test_a_role_that_is_said_counts() -> None:
    index = line_index([("ANN", "The pilot is late."), ("BOB", "The oven has a bell.")], 5)
    assert index.rarity("pilot") > 0.0
    asked = question("What of the pilot?")
    assert signs(index, asked, fits(index, asked, [0, 1], FakeEmbedder(DIMENSION))).shared > 0.0


def test_a_speaker_s_name_that_is_said_tells_nothing_of_what_they_are_asked_about() -> None:
    turns: list[tuple[str | None, str]] = [
        *TALK,
        ("CAROL", "Thank you, Justice Ann. Ann is right."),
    ]
    index = line_index(turns, 12)
    rows = range(len(index.snapshot.passages))

    def of(text: str) -> Signs:
        return signs(
            index, question(text), fits(index, question(text), rows, FakeEmbedder(DIMENSION))
        )

    assert index.is_known("ann")
    assert (
        of("What did Justice Ann say about constellations?").shared,
        of("What did Ann say about flour?").unknown,
    ) == (0.0, 0.0)
    assert of("What did Justice Ann say about constellations?").unknown == 1.0
    assert of("What did Ann say about flour?").shared == of("What of flour?").shared
    assert of("What did Ann say?").shared > 0.0


def test_a_question_without_a_content_word_has_nothing_unknown() -> None:
    found = signs_of("What is it?")
    assert (found.shared, found.unknown) == (0.0, 0.0)


def test_another_embedder_is_not_judged() -> None:
    index = line_index(TALK)
    found = best_lines(
        index, question("Which constellations did Shepard see?"), [0], FakeEmbedder(DIMENSION)
    )
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert found.notes == ("whether anything fits isn't judged with the embedder fake",)
    assert found.unread_language == ""


class _NamedLikeMiniLM(FakeEmbedder):
    @property
    def identity(self) -> EmbedderIdentity:
        return MINILM


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿Cuánto costó reconstruir el molino?", "Spanish"),
        ("Kto zaprojektował budynek muzeum?", "Polish"),
        ("Welche Partei regiert in der Stadt?", "German"),
    ],
)
def test_of_a_question_in_another_language_it_is_not_told_and_the_notes_say_so(
    text: str, language: str
) -> None:
    found = best_lines(line_index(TALK), question(text), [0], _NamedLikeMiniLM(DIMENSION))
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert found.notes == (
        f"whether anything fits isn't judged for {language} with the embedder minilm",
    )
    assert found.unread_language == language
    english = best_lines(line_index(TALK), question("Is it so?"), [0], _NamedLikeMiniLM(DIMENSION))
    assert (english.notes, english.unread_language) == ((), "")


FOREIGN = {
    "Italian": "Il mulino fu venduto nel 1911. La farina viene da un mulino vicino a Delft.",
    "German": "Das Mehl kommt aus der Stadt. Wir zahlen jeden Monat, und der Ofen ist alt.",
    "Polish": "Młyn sprzedano dawno temu i nikt nie wrócił. Piekarnia ma dwoje drzwi i dzwonek.",
}


@pytest.mark.parametrize("language", FOREIGN)
def test_of_english_questions_on_sources_in_another_language_it_is_not_told(language: str) -> None:
    asked = question("When did they sell the mill?")
    talk: list[tuple[str | None, str]] = [("ANNA", FOREIGN[language]), ("BRUNO", "Okay. Ann.")]
    found = best_lines(line_index(talk), asked, [0], _NamedLikeMiniLM(DIMENSION))
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert f" for {language} with " in found.notes[0]
    assert found.unread_language == language


def test_a_few_lines_in_another_language_leave_the_sources_english() -> None:
    index = line_index([*TALK, ("ANNA", FOREIGN["Polish"]), *TALK], 16)
    rows = range(len(index.snapshot.passages))
    asked = question("Which constellations did Shepard see?")
    found = best_lines(index, asked, rows, _NamedLikeMiniLM(DIMENSION))
    assert found.is_nothing_fitting
    assert found.notes == ()


def test_what_has_nothing_of_a_question_is_said_not_to_answer_it() -> None:
    index = line_index(TALK)
    known = best_lines(
        index,
        question("Where does the flour of the mill near Delft come from?"),
        [0],
        _NamedLikeMiniLM(DIMENSION),
    )
    other = best_lines(
        index, question("Which constellations did Shepard see?"), [0], _NamedLikeMiniLM(DIMENSION)
    )
    assert known.answerable is not None
    assert other.answerable is not None
    assert (known.is_nothing_fitting, other.is_nothing_fitting) == (False, True)
    assert other.answerable < LEAST <= known.answerable


@pytest.mark.parametrize(
    ("text", "fitting"),
    [("Is the flour good?", False), ("Does the bakery have a garden near the sea?", True)],
)
def test_nothing_fits_where_an_answer_is_less_likely_than_none(text: str, fitting: bool) -> None:
    found = best_lines(line_index(TALK), question(text), [0], _NamedLikeMiniLM(DIMENSION))
    assert found.answerable is not None
    assert (found.answerable > 0.5) is fitting is not found.is_nothing_fitting
    assert 0.3 < found.answerable < 0.7


@pytest.mark.parametrize("name", Signs._fields)
def test_more_of_a_sign_makes_an_answer_likelier_and_unknown_words_less_likely(name: str) -> None:
    assert (getattr(WEIGHTS, name) > 0) is (name != "unknown")
    assert np.isfinite(BIAS)


@settings(max_examples=30, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.text(alphabet="abc .?!\n", max_size=60), min_size=1, max_size=4),
)
def test_the_chance_lies_between_0_and_1_whatever_is_asked(text: str, turns: list[str]) -> None:
    index = line_index([("ANN", turn) for turn in turns])
    passages = index.snapshot.passages
    rows = range(len(passages))
    if not rows:
        return
    found = answerable(
        index, question(text), fits(index, question(text), rows, FakeEmbedder(DIMENSION)), MINILM
    )
    if found is None:
        lines = [language_of(index.snapshot.text(p.document_id, p.start, p.end)) for p in passages]
        assert {language_of(text), *lines} - {ENGLISH, UNKNOWN}
    else:
        assert 0.0 <= found <= 1.0
