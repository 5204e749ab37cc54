"""Whether the sources answer a question at all, on the scale of any embedder."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import MINILM_SCALE, UNMEASURED, CosineScale, Question, Vectors
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.answerable import (
    BIAS,
    LEAST,
    NO_WORDS,
    WEIGHTS,
    Signs,
    answerable,
    foreign_language,
    language_of_clips,
    not_judged_line,
    signs,
)
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.generation.evidence_sentences.doubts import evidence_note
from dynagrag.generation.evidence_sentences.line_fit import Fits, fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.retrieval.passages import PassageScores
from tests.transcripts import DIMENSION, line_index, question

TALK: list[tuple[str | None, str]] = [
    ("ANN", "The flour comes from a mill near Delft. We pay the mill every month."),
    ("BOB", "The oven of the bakery has two doors and a bell."),
]


def signs_of(text: str) -> Signs:
    index, asked = line_index(TALK, 12), question(text)
    return signs(index, asked, found_in(index, asked), FakeEmbedder(DIMENSION))


def found_in(index: LineIndex, asked: Question) -> Fits:
    return fits(index, asked, range(len(index.snapshot.passages)), FakeEmbedder(DIMENSION))


def test_signs_of_a_question_that_the_words_answer_and_of_one_about_something_else() -> None:
    known, other = (
        signs_of("Where does the flour of the mill come from?"),
        signs_of("Which constellations did Shepard see?"),
    )
    assert known.words > NO_WORDS > other.words
    assert known.stretch > other.stretch
    assert known.size == other.size


def test_the_more_passages_the_nearer_one_of_them_comes_by_chance() -> None:
    asked = question("Where does the flour come from?")
    small, large = line_index(TALK, 40), line_index(TALK * 20, 40)
    of_small, of_large = (
        signs(index, asked, found_in(index, asked), FakeEmbedder(DIMENSION))
        for index in (small, large)
    )
    assert of_large.size > of_small.size > 0.0


def test_who_is_asked_for_need_not_be_said() -> None:
    asked = signs_of("Where does the flour of the mill come from?")
    for text in (
        "Where does the flour of the pilot's mill come from?",
        "Where does Ann say the flour of the mill comes from?",
    ):
        assert signs_of(text).words == asked.words
    assert signs_of("Where does the flour of the castle come from?").words < asked.words


def test_a_role_that_is_said_counts() -> None:
    index = line_index([("ANN", "The pilot is late."), ("BOB", "The oven has a bell.")], 5)
    assert index.rarity("pilot") > 0.0
    asked = question("What of the pilot?")
    assert signs(index, asked, found_in(index, asked), FakeEmbedder(DIMENSION)).words != NO_WORDS


def test_a_speaker_s_name_that_is_said_tells_nothing_of_what_they_are_asked_about() -> None:
    turns: list[tuple[str | None, str]] = [
        *TALK,
        ("CAROL", "Thank you, Justice Ann. Ann is right."),
    ]
    index = line_index(turns, 12)

    def of(text: str) -> float:
        asked = question(text)
        return signs(index, asked, found_in(index, asked), FakeEmbedder(DIMENSION)).words

    assert index.is_known("ann")
    assert of("What did Justice Ann say about constellations?") == of("What of constellations?")
    assert of("What did Ann say?") != NO_WORDS


def test_of_a_question_without_a_content_word_the_words_tell_nothing() -> None:
    assert signs_of("What is it?").words == NO_WORDS


def test_where_cosines_tell_nothing_it_is_not_told_that_nothing_fits() -> None:
    index = line_index(TALK, scale=UNMEASURED)
    found = best_lines(
        index, question("Which constellations did Shepard see?"), [0], FakeEmbedder(DIMENSION)
    )
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert found.notes == ("whether anything fits isn't judged with the embedder fake",)
    assert found.unread_language == ""


@pytest.mark.parametrize("common", [0.5, 4.0])
def test_the_same_is_told_where_all_vectors_have_something_in_common(common: float) -> None:
    """As those of bge-small and e5-small, beside MiniLM's: every cosine c is (c + b) / (1 + b)."""

    def moved(vectors: Vectors) -> Vectors:
        whole = np.c_[vectors, np.full(len(vectors), common**0.5, np.float32)]
        return np.asarray(whole / (1 + common) ** 0.5, dtype=np.float32)

    class Moved(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            return moved(super().embed_documents(texts))

    asked = question("Where does the flour of the mill near Delft come from?")
    index = line_index(TALK, scale=MINILM_SCALE)
    found = fits(index, asked, [0], FakeEmbedder(DIMENSION))
    apart, answers = ((c + common) / (1 + common) for c in (MINILM_SCALE.apart, 0.497))
    vectors = index.snapshot.passage_vectors
    # a question whose best passage is where those of unrelated ones are with MiniLM
    away = FakeEmbedder(DIMENSION).embed_query("penguins")
    away -= (away @ vectors[0]) * vectors[0]
    unrelated = 0.204 * vectors[0] + (1 - 0.204**2) ** 0.5 * away / np.linalg.norm(away)
    scale = CosineScale(0.8, apart, answers, moved(unrelated[None]))
    other = replace(index.snapshot, passage_vectors=moved(vectors), scale=scale)
    one = Question(asked.text, moved(asked.vector[None])[0])
    before = answerable(index, asked, found, "", FakeEmbedder(DIMENSION))
    assert before is not None
    index = LineIndex(PassageScores(other))
    embedder = Moved(DIMENSION)
    after = answerable(index, one, fits(index, one, [0], embedder), "", embedder)
    assert after == pytest.approx(before, abs=2e-3)


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
    found = best_lines(
        line_index(TALK, scale=MINILM_SCALE), question(text), [0], FakeEmbedder(DIMENSION, "minilm")
    )
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert found.notes == (
        f"whether anything fits isn't judged for {language} with the embedder minilm",
        f"the question is in {language}, these lines in English: ask in English, or take a"
        " multilingual embedder",
    )
    assert (found.question_language, found.lines_language) == (language, "English")
    assert found.unread_language == language
    english = best_lines(
        line_index(TALK, scale=MINILM_SCALE),
        question("Is it so?"),
        [0],
        FakeEmbedder(DIMENSION, "minilm"),
    )
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
    found = best_lines(
        line_index(talk, scale=MINILM_SCALE), asked, [0], FakeEmbedder(DIMENSION, "minilm")
    )
    assert (found.answerable, found.is_nothing_fitting) == (None, False)
    assert f" for {language} with " in found.notes[0]
    assert found.unread_language == language


def test_a_few_lines_in_another_language_leave_the_sources_english() -> None:
    index = line_index([*TALK, ("ANNA", FOREIGN["Polish"]), *TALK], 16, MINILM_SCALE)
    rows = range(len(index.snapshot.passages))
    asked = question("Which constellations did Shepard see?")
    found = best_lines(index, asked, rows, FakeEmbedder(DIMENSION))
    assert found.is_nothing_fitting
    assert found.notes == ()


def test_what_has_nothing_of_a_question_is_said_not_to_answer_it() -> None:
    index = line_index(TALK, scale=MINILM_SCALE)
    known = best_lines(
        index,
        question("Where does the flour of the mill near Delft come from?"),
        [0],
        FakeEmbedder(DIMENSION),
    )
    other = best_lines(
        index, question("Which constellations did Shepard see?"), [0], FakeEmbedder(DIMENSION)
    )
    assert known.answerable is not None
    assert other.answerable is not None
    assert (known.is_nothing_fitting, other.is_nothing_fitting) == (False, True)
    assert other.answerable < LEAST <= known.answerable


@pytest.mark.parametrize(
    ("text", "fitting"),
    [("Which ship sank there in spring?", False), ("Which castle has a tower?", True)],
)
def test_nothing_fits_where_an_answer_is_less_likely_than_none(text: str, fitting: bool) -> None:
    found = best_lines(
        line_index(TALK, scale=MINILM_SCALE), question(text), [0], FakeEmbedder(DIMENSION)
    )
    assert found.answerable is not None
    assert (found.answerable > 0.5) is fitting is not found.is_nothing_fitting
    assert 0.2 < found.answerable < 0.7


@pytest.mark.parametrize("name", Signs._fields)
def test_more_of_a_sign_makes_an_answer_likelier_but_for_the_size(name: str) -> None:
    assert (getattr(WEIGHTS, name) > 0) is (name != "size")
    assert np.isfinite(BIAS)


@settings(max_examples=30, deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.text(alphabet="abc .?!\n", max_size=60), min_size=1, max_size=4),
)
def test_the_chance_lies_between_0_and_1_whatever_is_asked(text: str, turns: list[str]) -> None:
    index = line_index([("ANN", turn) for turn in turns], scale=MINILM_SCALE)
    rows = range(len(index.snapshot.passages))
    if not rows:
        return
    found = fits(index, question(text), rows, FakeEmbedder(DIMENSION))
    foreign = foreign_language(question(text), found)
    chance = answerable(index, question(text), found, foreign, FakeEmbedder(DIMENSION))
    if chance is None:
        assert foreign
    else:
        assert 0.0 <= chance <= 1.0


WRIST: list[tuple[str | None, str]] = [
    ("Neil Cathcart", "In sixty-six I broke my wrist on the landing stairs."),
    *(("Ola", f"Ola rows past buoy {n}.") for n in range(40)),
    ("Neil Cathcart", "I promise to row."),
]


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("When did Neil Cathcart break his wrist?", False),
        ("When did Ola break his wrist?", True),
        ("When did Neil Cathcart break his promise?", True),
        ("What about the wrist?", True),
    ],
    ids=["all words", "another's line", "one word", "too few words"],
)
def test_nothing_fits_is_not_said_above_a_line_of_all_the_words(
    text: str, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "dynagrag.generation.evidence_sentences.best_lines.answerable", lambda *_: 0.1
    )
    index = line_index(WRIST, 40, scale=MINILM_SCALE)
    rows = range(len(index.snapshot.passages))
    found = best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))
    assert found.is_nothing_fitting is is_said


VOTE: list[tuple[str | None, str]] = [
    ("ADA", "The ferry is late, and the pier is full of people."),
    ("CARL", "I would rather walk."),
    ("ADA", "Carl can swim better than any of us."),
    ("CARL", "Everybody says so, but the water is cold."),
]


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Who would rather walk?", False),
        ("Who can swim?", False),
        ("What is cold?", False),
        ("Who walked?", True),
        ("Who would?", True),
        ("Who would rather fly?", True),
    ],
)
def test_a_line_of_all_words_but_those_that_ask_fits(
    text: str, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "dynagrag.generation.evidence_sentences.best_lines.answerable", lambda *_: 0.1
    )
    index = line_index(VOTE, 40, scale=MINILM_SCALE)
    rows = range(len(index.snapshot.passages))
    found = best_lines(index, question(text), rows, FakeEmbedder(DIMENSION))
    assert found.is_nothing_fitting is is_said


def test_clips_of_documents_in_another_language_are_not_judged() -> None:
    texts: list[tuple[str | None, str]] = [
        ("Anna", "Der Haushalt der Stadt wurde gestern vom Rat beschlossen, sagte die Stadt."),
        ("Bernd", "Die Kosten für den Umbau der alten Mühle sind leider noch nicht bekannt."),
    ]
    for turns, language in ((texts, "German"), (TALK, "")):
        index = line_index(turns)
        asked = question("What of the Umbau in Delft?")
        found = best_lines(index, asked, [0], FakeEmbedder(DIMENSION))
        assert language_of_clips(index, found.clips) == language
        assert found.unjudged_language == language
        assert not_judged_line(language) in evidence_note(found)
