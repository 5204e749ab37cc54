"""Ids depend on their parts alone; the key of a name folds what a name may vary in, and nothing
else.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.ids import (
    content_id,
    entity_key,
    estimate_tokens,
    is_generic_speaker,
    speaker_key,
)

names = st.text(max_size=30) | st.lists(
    st.sampled_from(
        ["the", "The", "a", "'s", "’s", '"', "(", ").", "C++", "#", "ﬁ", "İ", "ß", " "]
    ),
    max_size=8,
).map(" ".join)


@settings(max_examples=400)
@given(names)
def test_a_key_is_its_own_key(name: str) -> None:
    assert entity_key(entity_key(name)) == entity_key(name)


@settings(max_examples=200)
@given(names)
def test_a_key_has_no_blank_space_to_spare(name: str) -> None:
    assert entity_key(name) == " ".join(entity_key(name).split())


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The  Command\nModule", "command module"),
        ("Houston’s", "houston"),
        ("“Apollo 13”.", "apollo 13"),
        ("(Fuel Cell 1)", "fuel cell 1"),
        ("ＥＥＣＯＭ", "eecom"),
        ("S-IVB", "s-ivb"),
        ("...", ""),
        ("the", "the"),
        ("A", "a"),
        ("STRASSE", entity_key("Straße")),
    ],
)
def test_the_key_of_a_name(name: str, key: str) -> None:
    assert entity_key(name) == key


def test_c_and_its_children_differ() -> None:
    assert len({entity_key(n) for n in ("C", "C++", "C#", "C-", "-C")}) == 5


def test_ids_are_stable_and_tell_their_parts_apart() -> None:
    assert (
        content_id("turn", "d", 3)
        == content_id("turn", "d", "3")
        == "49c4aa4da60c4e82a71dcf5a268090b4"
    )
    assert content_id("ab", "c") != content_id("a", "bc")
    assert content_id("a", "") != content_id("a")
    assert len(content_id("\ud800")) == 32


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_ids_are_equal_only_for_equal_parts(a: list[str], b: list[str]) -> None:
    assert (content_id(*a) == content_id(*b)) == (a == b)


@pytest.mark.parametrize("label", ["SPEAKER_00", "Speaker 1", "A", "Unknown", "spk_3", "12"])
def test_a_generic_speaker_belongs_to_one_document(label: str) -> None:
    assert speaker_key(label, "s" * 64) != speaker_key(label, "t" * 64)
    assert speaker_key(label, "s" * 64) == speaker_key(label.lower(), "s" * 64)


@pytest.mark.parametrize(
    "label",
    (
        "Interviewee|INTERVIEWER:|The Witness|Guest 2|Host_1|Chercheuse|Befragte/r|Moderator:in"
        "|Befragter B|Entrevistado/a|Intervistatrice|Intervjuperson 3|Респондент|インタビュアー"
        "|受访者2|Görüşülen kişi|Rozmówczyni|Geïnterviewde"
    ).split("|"),
)
def test_a_role_in_a_talk_belongs_to_one_document(label: str) -> None:
    assert is_generic_speaker(label)
    assert speaker_key(label, "s" * 64) != speaker_key(label, "t" * 64)


@pytest.mark.parametrize(
    "name",
    (
        "CDR|Jim Lovell|Speaker Pelosi|Chair|The Clerk|Mayor|THE COURT|FLIGHT|CAPCOM|Mr. Speaker"
        "|Président|Die Vorsitzende|議長|Christopher Guest|Interviewer Rosa Lind|Host Committee"
    ).split("|"),
)
def test_a_named_speaker_is_one_entity_all_over(name: str) -> None:
    assert speaker_key(name, "s" * 64) == speaker_key(name, "t" * 64) == entity_key(name)


def test_tokens_are_characters_by_four_rounded_up() -> None:
    assert [estimate_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
