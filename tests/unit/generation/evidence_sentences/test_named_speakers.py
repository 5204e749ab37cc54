"""Whose lines a question asks for: each person once, with all their labels, and nobody whom it is
only about.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.retrieval.named_speakers import NamedSpeakers
from tests.transcripts import snapshot_of

COURT = ("JUSTICE KAGAN", "JUSTICE ALITO", "CHIEF JUSTICE ROBERTS", "MR. STEWART")
MEETING = ("Project Manager", "User Interface", "Marketing", "Industrial Designer")
SENEDD = ("Eluned Morgan AM", "Julie Morgan AM", "Suzy Davies AM")
TALK = ("Alice Weber", "Bob", "Carol")
PANEL = ("Ida Smith-Jones", "Tim Falk", "Art Voss", "Tom Dr. Lim", "PhD A", "PhD B")


def named(speakers: Sequence[str], entities: Sequence[Sequence[str]] = ()) -> NamedSpeakers:
    """`entities`: the labels of each speaker of the graph."""
    snapshot = snapshot_of([(who, "The mill is near Delft.") for who in speakers])
    made = tuple(
        Entity(
            str(i),
            entity_key(own[0]),
            own[0],
            "",
            tuple(map(entity_key, own)),
            tuple(own[1:]),
            "speaker",
            1,
            (),
            is_speaker=True,
        )
        for i, own in enumerate(entities)
    )
    return NamedSpeakers(replace(snapshot, graph=replace(snapshot.graph, entities=made)))


def asked(
    speakers: Sequence[str], text: str, entities: Sequence[Sequence[str]] = ()
) -> set[frozenset[str]]:
    people = named(speakers, entities).people_in(text)
    assert len(set(people)) == len(people)
    return set(people)


def each(*labels: str) -> set[frozenset[str]]:
    return {frozenset([label]) for label in labels}


@pytest.mark.parametrize(
    ("speakers", "text", "people"),
    [
        (TALK, "What do Alice and Bob think about the mill?", ["Alice Weber", "Bob"]),
        (TALK, "what do alice and bob think about the mill?", ["Alice Weber", "Bob"]),
        (TALK, "How do Alice’s and Bob's views differ?", ["Alice Weber", "Bob"]),
        (TALK, "Compare Alice, Bob, and Carol on the mill.", ["Alice Weber", "Bob", "Carol"]),
        (TALK, "What did Alice say about Bob and Carol?", ["Alice Weber"]),
        (TALK, "What did Alice think of the mill that Bob bought?", ["Alice Weber", "Bob"]),
        (TALK, "What does Alice think of Bob?", ["Alice Weber"]),
        (TALK, "What are the views of Alice and Bob?", ["Alice Weber", "Bob"]),
        (TALK, "Is the view of Alice another than Bob's?", ["Alice Weber", "Bob"]),
        (TALK, "What about Alice and Bob?", ["Alice Weber", "Bob"]),
        (TALK, "What was said about the mill?", []),
        (PANEL, "What did Ms. Smith Jones say?", ["Ida Smith-Jones"]),
        (PANEL, "Do Ida and Tim agree?", ["Ida Smith-Jones", "Tim Falk"]),
        (PANEL, "What art is there?", []),
        (PANEL, "What did Dr. Kim say to a PhD?", []),
        (COURT, "Do Justice Kagan and Justice Alito agree?", ["JUSTICE KAGAN", "JUSTICE ALITO"]),
        (COURT, "What did Justice Kagan say about Justice Alito?", ["JUSTICE KAGAN"]),
        (
            SENEDD,
            "Why did Eluned Morgan disagree with Suzy Davies?",
            ["Eluned Morgan AM", "Suzy Davies AM"],
        ),
        (
            MEETING,
            "What did the Project Manager think when the user interface was discussed?",
            ["Project Manager"],
        ),
        (
            MEETING,
            "What did the industrial designer and the user interface designer say?",
            ["Industrial Designer", "User Interface"],
        ),
        (
            ("Speaker 1", "Speaker 2", "Speaker 3"),
            "Do Speaker 1 and Speaker 2 agree?",
            ["Speaker 1", "Speaker 2"],
        ),
    ],
)
def test_each_person_who_is_asked_for_is_found(
    speakers: Sequence[str], text: str, people: Sequence[str]
) -> None:
    assert asked(speakers, text) == each(*people)


def test_a_word_that_several_have_names_one_person() -> None:
    assert asked(SENEDD, "What did Morgan say?") == {
        frozenset({"Eluned Morgan AM", "Julie Morgan AM"})
    }
    assert asked(
        ("Hon. Bill Morneau", "Hon. Bill Morneau (Minister of Finance)", "Ann"),
        "Did Morneau and Ann agree?",
    ) == {
        frozenset({"Hon. Bill Morneau", "Hon. Bill Morneau (Minister of Finance)"}),
        frozenset({"Ann"}),
    }


def test_labels_that_were_merged_are_one_person_and_a_last_name_of_the_graph_counts() -> None:
    speakers, merged = ("Vic", "Victor Lim", "Ann Lee"), [["Vic", "Victor Lim"], ["Ann Lee"]]
    people = {frozenset({"Vic", "Victor Lim"}), frozenset({"Ann Lee"})}
    assert asked(speakers, "Do Vic and Ann Lee agree?", merged) == people
    assert asked(speakers, "Do Lim and Lee agree?", merged) == people
    assert asked(speakers, "What did Ann Lee say about Victor Lim?", merged) == each("Ann Lee")


def test_words_in_a_label_s_brackets_name_nobody() -> None:
    speakers = named(("Chrystia Freeland (Deputy Prime Minister)", "Ann"))
    assert speakers.named_in("What did the prime minister say?") == frozenset()
    assert speakers.named_in("What did Freeland say?") == {
        "Chrystia Freeland (Deputy Prime Minister)"
    }


def test_people_stand_in_one_order_whatever_the_seed_of_hashes() -> None:
    speakers = named(("Zed Zimmer", "Ann Abel", "Moe Miller", "Bea Brown"))
    people = speakers.people_in("What did Zed Zimmer, Moe Miller, Bea Brown and Ann Abel say?")
    assert [*map(sorted, people)] == [["Ann Abel"], ["Bea Brown"], ["Moe Miller"], ["Zed Zimmer"]]
