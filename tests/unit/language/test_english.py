"""What every language must be able to say, asked of English."""

import pytest

from dynagrag.language.english.english import English
from dynagrag.language.language import Language
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass


@pytest.fixture
def language() -> Language:
    return English()


def test_it_knows_its_words(language: Language) -> None:
    assert language.code == "en"
    assert {"never", "nobody"} < language.words(WordClass.NEGATION)
    assert next(iter(language.values(WordClass.WEEKDAY))) == "monday"
    assert ("left", "right") in language.groups(GroupKind.CONTRASTS)


@pytest.mark.parametrize("form", ["writing", "writes", "write"])
def test_forms_of_a_word_share_a_stem(language: Language, form: str) -> None:
    assert language.stem(form) == language.stem("write")


@pytest.mark.parametrize(
    ("form", "base"),
    [("went", "go"), ("opened", "open"), ("tries", "try"), ("open", "open"), ("orbiter", None)],
)
def test_a_form_is_of_its_verb(language: Language, form: str, base: str | None) -> None:
    assert language.base(form) == base


def test_it_cuts_sentences(language: Language) -> None:
    text = "Mr. Lee came. He left."
    assert [text[a:b] for a, b in language.sentence_spans(text, 50)] == [
        "Mr. Lee came.",
        "He left.",
    ]


def test_it_finds_names(language: Language) -> None:
    text = "Swigert called Gene Kranz."
    assert [text[a:b] for a, b in language.names(text)] == ["Gene Kranz"]
    assert [text[a:b] for a, b in language.names(text, ["Swigert"])] == ["Swigert", "Gene Kranz"]


@pytest.mark.parametrize(
    ("a", "b", "are_alike"),
    [
        ("jim", "james", True),
        ("j", "james", True),
        ("mich", "michael", True),
        ("jo", "john", False),
        ("ann", "bob", False),
    ],
)
def test_first_names_may_be_one_persons(
    language: Language, a: str, b: str, are_alike: bool
) -> None:
    assert language.are_first_names_alike(a, b) is language.are_first_names_alike(b, a) is are_alike


@pytest.mark.parametrize("text", ["It is not so.", "Nobody came.", "It doesn’t.", "We cannot go."])
def test_a_denial_is_negated(language: Language, text: str) -> None:
    assert language.is_negated(text)


@pytest.mark.parametrize("text", ["It is so.", "A notable knot.", "We can go."])
def test_a_plain_statement_is_not(language: Language, text: str) -> None:
    assert not language.is_negated(text)


@pytest.mark.parametrize(
    ("word", "number"), [("zero", 0), ("zeroth", 0), ("twelve", 12), ("third", 3), ("bus", None)]
)
def test_numbers_in_words_have_values(language: Language, word: str, number: int | None) -> None:
    assert language.number(word) == number
