"""Speakers that a question names by last name, title or role."""

import json

import numpy as np
import pytest
from bridge_corpora import entity
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key, speaker_key
from dynagrag.core.schema import Document, Entity
from dynagrag.graph_store.derived.speaker_roles import MAX_ROLE, ROLES_KEY, roles_of, roles_text
from dynagrag.ingest.load.json_forms import parse_json
from dynagrag.retrieval.bridge.linking import EntityLinker
from dynagrag.retrieval.bridge.speaker_linking import speaker_among

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
        # the label and its noun may be of several words
        ("What did the flight dynamics officer say?", ["FLIGHT DYNAMICS"], ["FLIGHT DYNAMICS"]),
        ("What did the flight officer say?", ["FLIGHT DYNAMICS"], []),
        # first names: the same, an initial, the beginning of the other
        ("Did Nat Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did Nathaniel Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did Freed Wessler argue that?", _COURT, ["Nathan Freed Wessler"]),
        ("Did Noah Wessler argue that?", _COURT, []),
        # what stands beside is another's name only where nothing but a blank is between
        ("Was it Thomas, Jefferson asked", _COURT, ["Clarence Thomas"]),
        ("Thomas's Jefferson", _COURT, ["Clarence Thomas"]),
        ("Thomas’s Jefferson", _COURT, ["Clarence Thomas"]),
        ("It was Isiah, Thomas said", _COURT, ["Clarence Thomas"]),
        ("Mr Thomas Jefferson", _COURT, ["Clarence Thomas"]),
        ("Thomas", _COURT, ["Clarence Thomas"]),
        ("What did Li say?", ["Ann Li", "Bo Fox"], []),  # two letters
        ("What did Liu say?", ["Ann Liu", "Bo Fox"], ["Ann Liu"]),
        ("Kagan, Thomas and Kagan", _COURT, ["Elena Kagan", "Clarence Thomas"]),
        # brackets hold a role
        ("What did the CDR see, and CDR Lovell?", _LOOPS, ["Jim Lovell (CDR)"]),
        ("what did cdr see?", _LOOPS, []),
        ("What did the pilot see?", ["Jack Swigert [Pilot]"], ["Jack Swigert [Pilot]"]),
    ],
)
def test_speakers_are_found_where_one_fits(
    text: str, speakers: list[str], found: list[str]
) -> None:
    assert _linked(text, speakers, roles=_ROLES if speakers is _COURT else None) == found


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("the secretary of state for foreign affairs", True),
        ("the secretary", True),  # without what it is of
        ("Secretary", True),
        ("a secretary", False),  # one word needs its article or a capital
        ("secretary of state", False),
        ("the state", False),
        ("the of", False),
    ],
)
def test_a_role_is_named_whole_or_without_what_it_is_of(text: str, is_found: bool) -> None:
    roles = {"Ann Lee": "Secretary of State for Foreign Affairs"}
    assert _linked(f"What did {text} say?", ["Ann Lee", "Bo Fox"], roles=roles) == (
        ["Ann Lee"] if is_found else []
    )


@pytest.mark.parametrize(("num_words", "is_found"), [(8, True), (9, False)])
def test_a_role_of_more_than_eight_words_is_not_looked_for(num_words: int, is_found: bool) -> None:
    role = " ".join(f"word{letter}" for letter in "abcdefghi"[:num_words])
    found = _linked(f"Did the {role} speak?", ["Ann Lee"], roles={"Ann Lee": role})
    assert found == (["Ann Lee"] if is_found else [])


def test_of_roles_that_begin_at_a_word_the_longest_is_meant() -> None:
    roles = {"Ann Lee": "Chief", "Bo Fox": "Chief Clerk", "Cy Ray": "Chief Clerk Deputy"}
    names = list(roles)
    assert _linked("Did the chief clerk speak?", names, roles=roles) == ["Bo Fox"]
    assert _linked("Did the chief clerk deputy speak?", names, roles=roles) == ["Cy Ray"]
    assert _linked("Did the chief speak?", names, roles=roles) == ["Ann Lee"]


def test_a_role_is_of_the_speaker_of_that_label_alone() -> None:
    assert _linked("Did the clerk speak?", ["Ann Lee"], roles={"Di Ray": "Clerk"}) == []
    assert _linked("Did the clerk speak?", [], ("Ann Lee",), roles={"Ann Lee": "Clerk"}) == []


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


def test_a_role_label_means_its_documents_speaker_else_that_of_an_older_graph() -> None:
    own = {"interviewee": 3, speaker_key("Interviewee", "a" * 64): 5}
    assert speaker_among(own, "Interviewee", "a" * 64) == 5
    assert speaker_among(own, "Interviewee", "b" * 64) == 3
    assert speaker_among({}, "Interviewee", "a" * 64) is None
