"""A speaker and their last name are one thing where only one person can be meant."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from scripted_judge import merged, run, said

from dynagrag.core.schema import Flag, Mention, MentionKind
from dynagrag.ingest.consolidate.speaker_variants import LAST_NAME_RULE, speakers_last_names
from dynagrag.ingest.consolidate.used_names import used_names


def speaks(name: str, doc: str = "d0") -> Mention:
    return said(name, doc=doc, type_="speaker", kind=MentionKind.SPEAKER)


def joined(mentions: Sequence[Mention]) -> dict[str, tuple[str, ...]]:
    return {key: members for key, members, rule in merged(run(mentions)) if LAST_NAME_RULE in rule}


@pytest.mark.parametrize(
    ("speaker", "called"),
    [
        ("Elena Kagan", "Kagan"),
        ("Michael R. Dreeben", "Mr. Dreeben"),
        ("Nathan Freed Wessler", "Wessler"),
        ("James A. Lovell, Jr.", "Jim Lovell"),
        ("James Lovell", "J. Lovell"),
        ("Lynne Neagle AM", "Lynne Neagle"),
        ("Lynne Neagle MS", "Ms Neagle"),
        ("Ann Lee KC MP", "Lee"),
        ("Ann Smith-Jones", "Smith Jones"),
        ("Ann Smith-Jones MP", "Ms. Smith-Jones"),
    ],
)
def test_a_speaker_is_called_by_their_last_name_and_keeps_the_whole_one(
    speaker: str, called: str
) -> None:
    (found,) = joined(
        [speaks(speaker), said(called, type_=""), said(called, "again", type_="")]
    ).items()
    assert found[0].startswith(speaker.split()[0].casefold())
    assert len(found[1]) == 2


@pytest.mark.parametrize(
    "others",
    [
        [speaks("Isiah Thomas")],  # two speakers of one last name
        [said("Isiah Thomas", type_="")],  # another person of that name
        [said("Thomas Jefferson", type_="")],  # the word is a first name
        [said("Thomas County", type_="")],
        [said("Thomas", doc="d1", type_="")],  # said where the speaker is not
    ],
)
def test_who_may_be_another_stays_apart(others: list[Mention]) -> None:
    assert joined([speaks("Clarence Thomas"), said("Thomas", type_="")])
    assert not joined([speaks("Clarence Thomas"), said("Thomas", type_=""), *others])


@pytest.mark.parametrize(
    "label", ["SPEAKER_01", "Speaker Two", "Project Manager", "CAPCOM", "EECOM WHITE", "Thomas"]
)
def test_a_label_that_is_no_whole_name_has_no_last_name(label: str) -> None:
    assert not joined(
        [speaks(label), said(label.split()[-1].title(), type_=""), said("Mr. Thomas", type_="")]
    )


def test_a_plain_word_is_nobodys_last_name() -> None:
    assert not joined([speaks("Anne Will"), said("Will", type_="")])


def test_a_last_name_that_a_text_has_in_small_letters_is_a_word() -> None:
    names = used_names([speaks("User Interface"), said("Interface", type_="")])
    assert list(speakers_last_names(names, ["The Interface is new."]))
    assert not list(speakers_last_names(names, ["The Interface is new.", "an interface"]))


@pytest.mark.parametrize(
    ("label", "text", "is_name"),
    [
        ("MS. SMITH-JONES", "Smith Jones says so.", True),  # a title and a last name
        ("MS. SMITH-JONES", "the smith-jones rule", False),
        ("ANN SMITH-JONES", "I thank Ms. Smith Jones.", True),
        ("ANN SMITH-JONES", "Smith Jones says so.", False),  # all in capitals: maybe a role
    ],
)
def test_a_label_in_capitals_has_a_last_name_by_a_title(
    label: str, text: str, is_name: bool
) -> None:
    names = used_names([speaks(label), said("Smith Jones", type_="")])
    assert bool(list(speakers_last_names(names, [text]))) is is_name


@pytest.mark.parametrize("letters", ["AM", "MP", "MS", "KC", "QC", "KC MP"])
def test_a_speaker_with_the_letters_of_an_office_in_one_document_alone_is_one(letters: str) -> None:
    (members,) = joined(
        [
            speaks("Lynne Neagle"),
            speaks(f"Lynne Neagle {letters}", "d1"),
            said("Neagle", doc="d1", type_=""),
        ]
    ).values()
    assert members == ("lynne neagle", f"lynne neagle {letters.casefold()}", "neagle")


def test_two_speakers_of_one_last_name_stay_two_whatever_letters_they_have() -> None:
    assert not joined([speaks("Ann Neagle AM"), speaks("Lynne Neagle"), said("Neagle", type_="")])


def test_neither_a_mere_word_nor_another_speaker_is_what_a_speaker_is_called() -> None:
    speaker, called = speaks("Elena Kagan"), said("Kagan", type_="")
    word = replace(said("kagan rule", type_=""), flags=(Flag.CONTENT_WORD,))

    def proposed(*mentions: Mention) -> list[tuple[str, str]]:
        return [(a, b) for _, a, b in speakers_last_names(used_names(mentions))]

    assert proposed(speaker, called) == [("elena kagan", "kagan")]
    assert proposed(speaker, called, word) == [("elena kagan", "kagan")]
    assert proposed(speaker, called, replace(word, flags=())) == []  # another Kagan, perhaps
    assert proposed(speaker, replace(called, flags=(Flag.CONTENT_WORD,))) == []
    assert proposed(speaker, replace(speaks("Kagan"), document_id="d1")) == []


def test_a_last_name_that_another_document_says_may_be_somebody_elses() -> None:
    speaker = speaks("Elena Kagan")
    for document, names in (("d0", ["kagan"]), ("d1", [])):
        found = speakers_last_names(used_names([speaker, said("Kagan", doc=document, type_="")]))
        assert [called for _, _, called in found] == names
