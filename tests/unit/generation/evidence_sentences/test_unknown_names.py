"""A name in a question that no document has is told, and nothing that may be no name or may be
somebody's.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dynagrag.core.schema import Entity
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.evidence_sentences.best_lines import best_lines
from dynagrag.generation.evidence_sentences.doubts import doubts_text
from dynagrag.generation.evidence_sentences.unknown_names import UnknownNames
from dynagrag.graph_store.derived.speaker_roles import ROLES_KEY, roles_text
from tests.transcripts import DIMENSION, line_index, question, snapshot_of

Turns = Sequence[tuple[str | None, str]]
TALK: Turns = [
    (
        "Elena Kagan",
        "The algorithm of You Tube is old, says Sian Bradley, and the committee met in Wales.",
    ),
    ("Neil Gorsuch", "Canada and the Thomas rule are another matter."),
    ("MR. STEWART", "I agree with Zoë."),
]


def told(text: str, turns: Turns = TALK) -> dict[str, tuple[str, ...]]:
    return UnknownNames(snapshot_of(turns)).in_question(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Ginsburg say about the algorithm?", ["Ginsburg"]),
        ("What was Ginsburg's view?", ["Ginsburg"]),
        ("Did Ginsburg and Acme Works see New York?", ["Ginsburg", "New York"]),
        ("What did Justice Ginsburg say?", ["Ginsburg"]),
        ("What did Mr. Fisher say?", ["Fisher"]),
        ("What did Ruth Ginsburg and Stephen Breyer say?", ["Ruth Ginsburg", "Stephen Breyer"]),
        ("What did Elena Ginsburg say?", ["Elena Ginsburg"]),
        (
            "Did O'Connor or McReynolds or Smith-Jones agree?",
            ["O'Connor", "McReynolds", "Smith-Jones"],
        ),
        ("Is Kagan right? Ginsburg says so, and Ginsburg knows.", ["Ginsburg"]),
    ],
)
def test_a_name_that_no_document_has_is_told(text: str, names: Sequence[str]) -> None:
    assert list(told(text)) == list(names)


@pytest.mark.parametrize(
    "text",
    [
        "What did Kagan and Neil Gorsuch say?",  # who speaks
        "What did Bradley say, and Siân, and Zoe?",  # who is named, with and without accents
        "What did Ruth Kagan say?",
        "Are Canadian rules old? What do Canadians say?",
        "Ginsburg said what?",  # a sentence begins
        "Kagan asked. Ginsburg?",
        'She asked: "Ginsburg?"',
        "what did ginsburg say?",
        "WHAT DID GINSBURG SAY?",
        "What Did the Great Ginsburg Say of Torts?",  # a title
        "What does the Senate do, and what did the Product Manager say?",
        "What did Product Manager say?",
        "What of NASA, iPhones, GitHub, B2B, and PhD F?",
        "Was it in March, on Mondays or at Easter?",
        "What did the Committee and some Committee say?",
        "Did Al or X agree?",
        "",
    ],
)
def test_what_may_be_no_name_or_is_known_is_not_told(text: str) -> None:
    assert told(text) == {}


def test_names_that_are_spelt_alike_are_told_with_it() -> None:
    text = "What did Gorsush, Kegan, Stewert and Xavier say?"
    assert told(text) == {
        "Gorsush": ("Neil Gorsuch",),
        "Kegan": ("Elena Kagan",),
        "Stewert": ("MR. STEWART",),
        "Xavier": (),
    }


@pytest.mark.parametrize("speaker", ["CAPCOM", None, "Speaker 1"])
def test_nothing_is_told_where_most_speakers_go_by_no_name(speaker: str | None) -> None:
    turns: Turns = [
        (speaker, "The algorithm is old."),
        (speaker, "I agree."),
        ("Elena Kagan", "So do I."),
    ]
    assert told("What did Ginsburg say?", turns) == {}
    assert list(told("What did Ginsburg say?", turns[1:])) == ["Ginsburg"]


def test_speakers_in_capitals_with_a_title_are_named() -> None:
    assert list(told("What did Ginsburg say?", [("JUSTICE KAGAN", "The algorithm is old.")])) == [
        "Ginsburg"
    ]


def test_titles_roles_and_names_of_the_graph_are_known() -> None:
    snapshot = snapshot_of(TALK)
    entity = Entity("1", "rbg", "RBG", "", ("rbg",), ("Ruth Ginsburg",), "person", 1, ())
    (document,) = snapshot.documents.values()
    meta = {ROLES_KEY: roles_text({"Elena Kagan": "Solicitor of Breyer"})}
    documents = {document.id: replace(document, title="Fisher v. Gonzalez", meta=meta)}
    known = replace(
        snapshot, documents=documents, graph=replace(snapshot.graph, entities=(entity,))
    )
    text = "What did Ginsburg, Breyer, Fisher and Gonzalez say?"
    assert list(UnknownNames(snapshot).in_question(text)) == [
        "Ginsburg",
        "Breyer",
        "Fisher",
        "Gonzalez",
    ]
    assert UnknownNames(known).in_question(text) == {}


def test_the_lines_of_a_question_come_with_its_unknown_names() -> None:
    found = best_lines(
        line_index(TALK),
        question("What did Ginsburg say about the algorithm?"),
        [0],
        FakeEmbedder(DIMENSION),
    )
    assert found.unknown_names == {"Ginsburg": ()}
    assert found.lines


GERMAN: Turns = [
    ("Petra Vogt", "Die Orgel wurde im Mai gestimmt, und der Chor hat neue Noten."),
    ("Jonas Kern", "Frau Seidel spielt am Sonntag."),
]
SPANISH: Turns = [("Inés Mora", "El horno del pueblo lo cerró Tomás."), ("Tomás Gil", "Es verdad.")]
POLISH: Turns = [
    ("Marek Wilk", "Ewa naprawiła dach młyna w Łodzi."),
    ("Joanna Lis", "Zgadzam się."),
]
FRENCH: Turns = [("Luc Morel", "Le four du village est à Nantes."), ("Anne Roux", "Jean le ferma.")]


@pytest.mark.parametrize(
    ("turns", "text", "names"),
    [
        (GERMAN, "Was kostet die Reparatur der Glocke im Turm?", []),
        (GERMAN, "Welche Sorgen gab es um das Geld und die Deutsche Bahn?", []),
        (GERMAN, "Hat Frau Bürgermeisterin Kern dem Chor gedankt?", []),
        (GERMAN, "Was sagte Herr Winkler über die Orgel?", ["Winkler"]),
        (GERMAN, "Was meint Jonas Kerm zum neuen Programm?", ["Jonas Kerm"]),
        (GERMAN, "Hat Jonas Geld für das Programm bekommen?", []),
        (GERMAN, "Was sagt Frau Seidels Mann zum Programm?", []),
        (SPANISH, "¿Quién cerró el horno del pueblo?", []),
        (SPANISH, "¿Qué piensa usted del horno de Tomás?", []),
        (SPANISH, "¿Qué dijo Gutiérrez sobre el horno?", ["Gutiérrez"]),
        (POLISH, "Czym różnią się opinie Marka i Joanny o młynie?", []),
        (POLISH, "Czy Pan Marek rozmawiał z Ewą o dachu?", []),
        (POLISH, "Co powiedział Kowalczyk o dachu młyna?", ["Kowalczyk"]),
        (FRENCH, "Qu'est-ce que Monsieur Morel a dit du four ?", []),
        (FRENCH, "Qu'a dit Dubreuil sur le four du village ?", ["Dubreuil"]),
    ],
)
def test_a_name_is_told_in_other_languages_only_where_it_is_surely_one(
    turns: Turns, text: str, names: Sequence[str]
) -> None:
    assert list(told(text, turns)) == names


CAPTIONS: Turns = [
    (None, "We flew to Lisbon with hoskenson, and the harbor was full of boats."),
    (None, "Portugal is warm in May. Parts of the boat were wet."),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is the capital of France?", ["France"]),
        ("What did they see in New Zealand?", ["New Zealand"]),
        ("What is said about Paris?", ["Paris"]),
        ("Who flew to Lisbon?", []),
        ("What do the Portuguese like about Portugal?", []),
        ("Who flew with Hoskinson?", []),
        ("Who flew to Lissbon?", []),
        ("When was the boat wet?", []),
    ],
)
def test_a_name_that_captions_without_speakers_lack_is_told_and_not_what_was_heard_otherwise(
    text: str, names: Sequence[str]
) -> None:
    assert list(told(text, CAPTIONS)) == names


def test_who_may_speak_in_captions_is_not_told_to_speak_nowhere() -> None:
    index = line_index(CAPTIONS, 40)
    asked = question("What is the capital of France?")
    found = best_lines(index, asked, [0], FakeEmbedder(DIMENSION))
    assert doubts_text(found) == (
        "The name France occurs nowhere in these documents, which don't name who speaks."
    )
