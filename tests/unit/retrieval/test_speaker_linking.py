"""Speakers that a question names by last name, title or role."""

import json

import numpy as np
import pytest
from bridge_corpora import entity
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Document, Entity
from dynagrag.graph_store.derived.speaker_roles import MAX_ROLE, ROLES_KEY, roles_of, roles_text
from dynagrag.ingest.load.json_forms import parse_json
from dynagrag.retrieval.bridge.linking import EntityLinker

_COURT = [
    "Clarence Thomas",
    "Elena Kagan",
    "Nathan Freed Wessler",
    "John G. Roberts, Jr.",
    "Lisa S. Blatt",
]
_ROLES = {
    "Clarence Thomas": "Associate Justice of the Supreme Court",
    "Elena Kagan": "Associate Justice of the Supreme Court",
    "John G. Roberts, Jr.": "Chief Justice of the United States",
}
_LOOPS = ["FLIGHT", "CAPCOM", "EECOM", "Jim Lovell (CDR)"]
_MEETING = ["Project Manager", "User Interface", "Marketing", "Industrial Designer"]
_CLINIC = ["Dr. Maria Alvarez", "Nurse Okafor", "Peter Young"]
_TWINS = ["Maria Lopez", "Jose Lopez", "Ines White"]


def _speaker(i: int, name: str) -> Entity:
    return Entity(
        str(i),
        entity_key(name),
        name,
        "",
        (entity_key(name),),
        (),
        "speaker",
        1,
        (),
        is_speaker=True,
    )


def _linked(
    text: str,
    speakers: list[str],
    others: tuple[str, ...] = (),
    roles: dict[str, str] | None = None,
) -> list[str]:
    names = [*speakers, *others]
    entities = [_speaker(i, n) if i < len(speakers) else entity(i, n) for i, n in enumerate(names)]
    document = Document(
        "d", "w", "t", "u", "0" * 64, "", {ROLES_KEY: roles_text(roles)} if roles else {}
    )
    linker = EntityLinker(entities, np.ones(len(names), dtype=bool), [document])
    return [names[i] for i in linker.link(text)]


@pytest.mark.parametrize(
    ("text", "speakers", "found"),
    [
        ("What did Justice Thomas ask?", _COURT, ["Clarence Thomas"]),
        ("What did Thomas ask?", _COURT, ["Clarence Thomas"]),
        ("Thomas's question", _COURT, ["Clarence Thomas"]),
        ("Did Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did Mr. Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did Nathan Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did N. Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("What did Chief Justice Roberts say?", _COURT, ["John G. Roberts, Jr."]),
        ("what did the chief justice say?", _COURT, ["John G. Roberts, Jr."]),
        ("What did the associate justice say?", _COURT, []),  # two are
        ("Justices Thomas and Kagan", _COURT, ["Clarence Thomas", "Elena Kagan"]),
        ("Was Thomas Jefferson quoted?", _COURT, []),
        ("Did Isiah Thomas play?", _COURT, []),
        ("what a wessler is", _COURT, []),
        ("What did the flight director decide?", _LOOPS, ["FLIGHT"]),
        ("What did the Flight Director decide?", _LOOPS, ["FLIGHT"]),
        ("What did FLIGHT and CAPCOM say?", _LOOPS, ["FLIGHT", "CAPCOM"]),
        ("What did the CDR see?", _LOOPS, ["Jim Lovell (CDR)"]),
        ("What did Lovell see?", _LOOPS, ["Jim Lovell (CDR)"]),
        ("How long was the flight?", _LOOPS, []),
        ("What did the marketing expert think?", _MEETING, ["Marketing"]),
        ("What did the user interface designer think?", _MEETING, ["User Interface"]),
        ("What did the industrial designer think?", _MEETING, ["Industrial Designer"]),
        ("What does marketing cost?", _MEETING, []),
        ("What did the team think?", ["The Chair (Ms. Ada Rota)", *_MEETING], []),
        ("What did the chair expert think?", ["The Chair (Ms. Ada Rota)", *_MEETING], []),
        ("What did Dr. Alvarez advise?", _CLINIC, ["Dr. Maria Alvarez"]),
        ("What did Alvarez advise?", _CLINIC, ["Dr. Maria Alvarez"]),
        ("Young people were asked", _CLINIC, ["Peter Young"]),
        ("What did Mr. Young say?", _CLINIC, ["Peter Young"]),
        ("Where is Lopez?", _TWINS, []),  # two are called so
        ("Where is Maria Lopez?", _TWINS, ["Maria Lopez"]),
        ("Where is J. Lopez?", _TWINS, ["Jose Lopez"]),
        ("Where is the White House?", _TWINS, []),
        ("", _TWINS, []),
    ],
)
def test_speakers_are_found_where_one_fits(
    text: str, speakers: list[str], found: list[str]
) -> None:
    assert _linked(text, speakers, roles=_ROLES if speakers is _COURT else None) == found


def test_what_is_called_so_is_found_beside_the_speaker() -> None:
    assert _linked("What did Justice Thomas ask?", _COURT, ("Justice Thomas",)) == [
        "Justice Thomas",
        "Clarence Thomas",
    ]


def test_who_speaks_in_no_wanted_passage_is_not_found_and_leaves_the_other() -> None:
    entities = [_speaker(0, "Maria Lopez"), _speaker(1, "Jose Lopez")]
    linker = EntityLinker(entities, np.array([False, True]))
    assert linker.link("Where is Lopez?") == (1,)


def test_who_does_not_speak_is_not_found_by_a_last_name() -> None:
    assert _linked("Where is Lopez?", [], ("Maria Lopez",)) == []


def test_a_glossarys_name_finds_its_entity() -> None:
    lm = Entity("0", "lm", "LM", "", ("lm",), ("Lunar Module",), "", 1, ())
    assert EntityLinker([lm], np.ones(1, dtype=bool)).link("Was the lunar module cold?") == (0,)


_NAMES = st.lists(
    st.sampled_from(["Ann Lee", "Bo Lee", "Cy Fox", "FLIGHT", "Dr. Di Ray"]),
    min_size=1,
    max_size=5,
    unique=True,
)
_ASKED = st.lists(
    st.sampled_from(["Lee", "Ann", "Fox", "the", "flight", "director", "Dr.", "Ray", "did", "Bo"]),
    max_size=8,
).map(" ".join)


@given(_NAMES, _ASKED, st.randoms(use_true_random=False))
def test_the_order_of_speakers_changes_nothing(names: list[str], text: str, rnd) -> None:  # type: ignore[no-untyped-def]
    before = _linked(text, names)
    shuffled = list(names)
    rnd.shuffle(shuffled)
    assert sorted(_linked(text, shuffled)) == sorted(before)
    assert len(before) == len(set(before))


@given(st.text(max_size=60))
def test_any_question_names_each_speaker_once_at_most(text: str) -> None:
    found = _linked(text, [*_COURT, *_LOOPS])
    assert len(found) == len(set(found))
    assert not found or any(c.isalpha() for c in text)


def test_a_json_transcript_keeps_the_roles_of_its_speakers() -> None:
    turns = [
        {"speaker": "Ann Lee", "role": "Chief  Justice", "text": "Yes."},
        {"speaker": "Bo Lee", "role": None, "text": "No."},
        {"speaker": "Cy Fox", "role": "Clerk", "text": "So."},
        {"speaker": "Cy Fox", "role": "Judge", "text": "So."},
        {"speaker": "Di", "role": "x" * (MAX_ROLE + 1), "text": "So."},
        {"speaker": {"name": "Ed Ray", "roles": [{"role_title": "Counsel"}]}, "text": "So."},
    ]
    meta = parse_json(json.dumps({"turns": turns})).meta
    assert roles_of(Document("d", "w", "t", "u", "", "", meta)) == {
        "Ann Lee": "Chief Justice",
        "Ed Ray": "Counsel",
    }
    assert parse_json(json.dumps([{"speaker": "Ann", "text": "Yes."}])).meta == {}
    assert roles_of(Document("d", "w", "t", "u", "", "", {ROLES_KEY: "no json"})) == {}


@pytest.mark.parametrize("letters", ["AM", "MP", "KC"])
def test_letters_of_an_office_are_no_last_name(letters: str) -> None:
    assert _linked("What did Neagle say?", [f"Lynne Neagle {letters}", "Hefin David"]) == [
        f"Lynne Neagle {letters}"
    ]
