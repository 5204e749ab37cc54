"""Patterns of English sentences: contractions, finite verbs, verb places, modality, names."""

import pytest

from dynagrag.language.english.contractions import TOKENISED, written_out
from dynagrag.language.english.finite_verbs import FiniteKind, finite_verb
from dynagrag.language.english.modality import made_certain, possible
from dynagrag.language.english.names import is_address, names_in
from dynagrag.language.english.verb_places import verbs_in
from dynagrag.language.patterns import any_of


def test_longer_words_come_first_in_a_pattern() -> None:
    assert any_of({"a", "an", "b.", "and"}) == r"and|an|b\.|a"


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("We're sure it isn't.", "We are sure it is not."),
        ("I can’t, and you won’t.", "I cannot, and you will not."),
        ("It's been late.", "It has been late."),
        ("It's late.", "It's late."),
    ],
)
def test_contractions_are_written_out_where_they_are_one_thing(text: str, full: str) -> None:
    assert written_out(text) == full


def test_the_gaps_of_a_tokenised_text_go() -> None:
    assert TOKENISED.sub("", "It 's late , I do n't know .") == "It's late, I don't know."


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("The valve is open.", FiniteKind.AUXILIARY, "is"),
        ("It’s open.", FiniteKind.AUXILIARY, "'s"),
        ("We also opened it.", FiniteKind.PAST, "opened"),
        ("Kranz leads the team.", FiniteKind.THIRD, "leads"),
        ("You know, they need fuel.", FiniteKind.BASE, "need"),
        ("The crew has a log.", FiniteKind.THIRD, "has"),
    ],
)
def test_the_first_finite_verb_is_found(text: str, kind: FiniteKind, word: str) -> None:
    found = finite_verb(text)
    assert found is not None
    assert (found.kind, found.word) == (kind, word)


@pytest.mark.parametrize("text", ["Pressure in the tank.", "Is it open?", "The Opened Valve"])
def test_without_a_sure_pattern_there_is_no_finite_verb(text: str) -> None:
    assert finite_verb(text) is None


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("We will open it.", {("base", "open")}),
        ("She wants to write.", {("base", "write")}),
        ("They are closing it.", {("ing", "closing")}),
        ("It was written.", {("participle", "written")}),
        ("They closed it.", {("past", "closed")}),
        ("It is during the day.", set()),
        ("We will go.", set()),
    ],
)
def test_the_place_of_a_verb_tells_its_form(text: str, forms: set[tuple[str, str]]) -> None:
    assert {(form, text[a:b]) for form, (a, b) in verbs_in(text)} == forms


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("It may fail.", "It will fail."),
        ("Perhaps it fails.", "Certainly it fails."),
        ("I think it fails.", "I know it fails."),
        ("She wants to leave.", "She did leave."),
        ("They could have opened it.", "They had opened it."),
        ("It fails.", None),
        ("We did want to leave.", None),
    ],
)
def test_what_may_be_is_made_certain(text: str, certain: str | None) -> None:
    assert made_certain(text) == certain


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("The valve is open.", "may be"),
        ("It was open.", "may have been"),
        ("They opened it.", "may have opened"),
        ("They woke up.", "may have woken"),
        ("Kranz leads it.", "may lead"),
        ("The crew can see it.", None),
    ],
)
def test_what_is_certain_is_made_possible(text: str, made: str | None) -> None:
    found = finite_verb(text)
    assert found is not None
    assert possible(found, text) == made


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Then Gene Kranz met NASA in May.", ["Gene Kranz", "NASA"]),
        ("Houston, open Apollo 13.", ["Apollo 13"]),
        ("EECOM reads the log.", ["EECOM"]),
        ("ALL OF IT IS SHOUTED", []),
    ],
)
def test_names_are_told_by_their_capitals(text: str, names: list[str]) -> None:
    assert [found[0] for found in names_in(text)] == names


@pytest.mark.parametrize(
    ("text", "is_addressed"),
    [("Houston, we hear.", True), ("We hear, Houston.", True), ("We hear Houston now.", False)],
)
def test_a_name_between_marks_is_spoken_to(text: str, is_addressed: bool) -> None:
    (found,) = names_in(text, known=["Houston"])
    assert is_address(text, found) is is_addressed
