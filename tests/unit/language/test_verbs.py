"""Forms of known verbs; a word that is no form of theirs is left alone."""

import pytest

from dynagrag.language.english import verbs


@pytest.mark.parametrize(
    ("form", "base"), [("opened", "open"), ("went", "go"), ("tried", "try"), ("stopped", "stop")]
)
def test_a_past_has_its_base(form: str, base: str) -> None:
    assert (verbs.base_of_past(form), verbs.is_past(form)) == (base, True)


@pytest.mark.parametrize("word", ["indeed", "speed", "open", "Apollo", "sites"])
def test_what_is_no_past_has_none(word: str) -> None:
    assert verbs.base_of_past(word) is None
    assert not verbs.is_past(word)


@pytest.mark.parametrize(
    ("form", "participle"),
    [("went", "gone"), ("opened", "opened"), ("got", "got"), ("woke", "woken"), ("hung", None)],
)
def test_a_past_has_its_participle(form: str, participle: str | None) -> None:
    assert verbs.participle_of_past(form) == participle


@pytest.mark.parametrize(("form", "base"), [("tries", "try"), ("has", "have"), ("planes", None)])
def test_a_third_person_has_its_base(form: str, base: str | None) -> None:
    assert verbs.base_of_third(form) == base


def test_an_unknown_word_in_ed_looks_like_a_past_and_a_participle() -> None:
    assert verbs.is_past("orbited")
    assert verbs.is_participle("orbited")
    assert verbs.base_of_past("orbited") is None


@pytest.mark.parametrize("word", ["open", "opens", "opening", "opened"])
def test_forms_of_one_verb_are_of_one(word: str) -> None:
    assert verbs.base_or_stem(word) == "open"


def test_near_verbs_hold_the_verb_itself() -> None:
    assert {"buy", "get"} < verbs.alike("acquire")
    assert verbs.alike("orbit") == {"orbit"}


@pytest.mark.parametrize("word", ["go", "went", "gone", "goes", "thinking", "orbited"])
def test_forms_are_verbs(word: str) -> None:
    assert verbs.is_verb(word)


@pytest.mark.parametrize("word", ["pressure", "Apollo", "hundred"])
def test_other_words_are_none(word: str) -> None:
    assert not verbs.is_verb(word)
