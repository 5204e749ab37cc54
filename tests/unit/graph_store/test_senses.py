"""One name that stands for two things: a person says in which documents it stands for the other."""

from dataclasses import replace
from functools import partial

import derived
import numpy as np
import pytest
from derived import edit, entity, keyed, record, said
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key, plain_key, sense_key, sense_of
from dynagrag.core.schema import Document, Edit, EditKind
from dynagrag.graph_store.derived.canonical import (
    effective_edits,
    kept_apart,
    make_edit,
    undone_edits,
)
from dynagrag.graph_store.derived.fact_texts import counted_facts
from dynagrag.graph_store.derived.graph_digest import digest
from dynagrag.graph_store.derived.senses import (
    documents_of,
    documents_text,
    mentions_in_senses,
    read_senses,
    records_in_senses,
)
from dynagrag.retrieval.bridge.linking import EntityLinker

FILES = {
    f"d{i}": Document(f"d{i}", "w", f"title {i}", f"/d{i}.txt", f"sha{i}", "0123456789 " * 100)
    for i in range(2)
}
PLANET = "mercury (planet mercury)"

graph_of = partial(derived.graph_of, documents=FILES)


def sense(
    *uris: str, keys: tuple[str, ...] = ("mercury",), name: str = "Planet Mercury", day: int = 1
) -> Edit:
    return make_edit(
        EditKind.SENSE,
        keys=keys,
        name=name,
        what=documents_text(uris),
        by="me",
        at=f"2026-01-{day:02}T00:00:00Z",
    )


MENTIONS = [
    said("Mercury", doc="d0"),
    said("Mercury", doc="d1", at=10),
    said("Mercury", doc="d1", at=20),
    said("Glenn", doc="d0", at=30),
]
MENTIONS += [said("Sun", doc="d1", at=30)]
RECORDS = [
    record("glenn", "flew", "mercury", doc="d0"),
    record("mercury", "orbits", "sun", doc="d1", at=10),
]


def test_a_key_stands_for_something_else_in_the_documents_that_a_person_named() -> None:
    graph = graph_of(MENTIONS, RECORDS, edits=[sense("/d1.txt")])
    ship, planet = entity(graph, "mercury"), entity(graph, PLANET)
    assert (ship.name, ship.weight, ship.sense, planet.name, planet.weight, planet.sense) == (
        ("Mercury", 1, "", "Planet Mercury", 2, "planet mercury")
    )
    assert planet.aliases == ("Mercury",)
    assert ship.id != planet.id
    assert keyed(graph) == [("glenn", "flew", "mercury", 1, 1), (PLANET, "orbits", "sun", 1, 1)]
    assert digest(graph) != digest(graph_of(MENTIONS, RECORDS))


def test_the_documents_of_a_sense_are_written_once_each_sorted_and_as_they_are_called() -> None:
    """The text is part of the edit's id, so that not a letter of it may change."""
    assert documents_text(["/ü b.txt", "/a.txt", "/ü b.txt"]) == '["/a.txt", "/ü b.txt"]'
    assert documents_text(()) == "[]"
    assert documents_of(sense("/ü b.txt", "/a.txt")) == ("/a.txt", "/ü b.txt")


@pytest.mark.parametrize(
    ("what", "uris"), [("", ()), ("{", ()), ('{"/a": 1}', ()), ('["/a", 1, null]', ("/a",))]
)
def test_what_is_no_list_of_documents_names_none(what: str, uris: tuple[str, ...]) -> None:
    assert documents_of(replace(sense("/a.txt"), what=what)) == uris


def test_both_ends_of_a_record_have_the_sense_of_its_document() -> None:
    graph = graph_of(
        MENTIONS, [record("sun", "lights", "mercury", doc="d1")], edits=[sense("/d1.txt")]
    )
    assert keyed(graph) == [("sun", "lights", PLANET, 1, 1)]


def test_what_is_embedded_stays_as_it_was_said() -> None:
    plain = graph_of(MENTIONS, RECORDS)
    told = graph_of(
        MENTIONS, RECORDS, edits=[sense("/d1.txt")]
    )  # raises where a text has no vector
    assert sorted(plain.relation_vectors.tolist()) == sorted(told.relation_vectors.tolist())


def test_a_new_version_of_a_file_has_the_sense_and_a_deleted_one_leaves_no_trace() -> None:
    newer = {"d0": FILES["d0"], "new": replace(FILES["d1"], id="new", sha256="other")}
    mentions = [m if m.document_id == "d0" else replace(m, document_id="new") for m in MENTIONS]
    assert entity(graph_of(mentions, edits=[sense("/d1.txt")], documents=newer), PLANET).weight == 2
    alone = [m for m in MENTIONS if m.document_id == "d0"]
    without = graph_of(alone)
    assert digest(graph_of(alone, edits=[sense("/d1.txt")])) == digest(without)


def test_of_two_edits_the_later_holds_and_an_undo_takes_it_back() -> None:
    first, second = sense("/d1.txt", "/d0.txt"), sense("/d1.txt", name="Roman god", day=2)
    undo = edit(EditKind.UNDO, what=second.id, day=3)
    senses = read_senses([second, first], FILES)
    assert senses == {("d0", "mercury"): PLANET, ("d1", "mercury"): "mercury (roman god)"}
    assert read_senses([first, second, undo], FILES) == {
        ("d0", "mercury"): PLANET,
        ("d1", "mercury"): PLANET,
    }
    assert set(undone_edits([first, second, undo])) == {second.id}
    assert effective_edits([first, second, undo]) == (first,)


def test_senses_of_a_name_stay_apart_and_a_merge_by_hand_still_joins_one() -> None:
    told = sense("/d1.txt", keys=("mercury", "mercury's"))
    apart = kept_apart([told, sense("/d0.txt", name="God", day=2)])
    assert ("mercury", PLANET) in apart
    assert ("mercury's", PLANET) in apart
    assert (PLANET, "mercury (god)") in apart
    joined = edit(EditKind.MERGE, "sun", PLANET, name="Sun", day=2)
    graph = graph_of(MENTIONS, RECORDS, edits=[sense("/d1.txt"), joined])
    assert (entity(graph, "sun").weight, entity(graph, "mercury").weight) == (3, 1)


def test_all_names_of_an_entity_that_stand_for_the_other_thing_are_one_entity() -> None:
    mentions = [*MENTIONS, said("Merc", doc="d1", at=40)]
    graph = graph_of(mentions, edits=[sense("/d1.txt", keys=("mercury", "merc"))])
    assert [e.weight for e in graph.entities if e.name == "Planet Mercury"] == [3]


def test_facts_and_the_subject_of_a_document_have_the_sense() -> None:
    titled = {**FILES, "d1": replace(FILES["d1"], title="Mercury", uri="/x/1.txt")}
    facts = counted_facts(MENTIONS, RECORDS, titled, 10, [sense("/x/1.txt")])
    assert facts.subjects["d1"] == PLANET
    assert {key for fact in facts.facts for key in fact.keys} == {"glenn", "mercury", PLANET, "sun"}
    assert all("planet" not in fact.text for fact in facts.facts)


def test_a_question_finds_an_entity_by_the_name_that_a_person_gave_it() -> None:
    graph = graph_of(
        MENTIONS,
        RECORDS,
        edits=[sense("/d1.txt"), edit(EditKind.RENAME, "glenn", name="John Glenn")],
    )
    linker = EntityLinker(graph.entities, np.ones(len(graph.entities), dtype=bool))
    linked = [
        graph.entities[i].name
        for i in linker.link("Did John Glenn see Planet Mercury from Mercury?")
    ]
    assert linked == ["John Glenn", "Planet Mercury", "Mercury"]


def test_rewriting_twice_changes_nothing_more_and_a_damaged_edit_nothing_at_all() -> None:
    senses = read_senses([sense("/d1.txt")], FILES)
    once = mentions_in_senses(MENTIONS, senses), records_in_senses(RECORDS, senses)
    assert (mentions_in_senses(once[0], senses), records_in_senses(once[1], senses)) == once
    damaged = [replace(sense(), what=what) for what in ("", "{}", '"/d1.txt"', "[1, null]")]
    assert all(documents_of(e) == () for e in damaged)
    assert read_senses(damaged, FILES) == {}
    assert (
        read_senses([sense("/elsewhere.txt")], {"d": Document("d", "w", "t", "/d.txt", "s", "")})
        == {}
    )


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_sense_has_a_key_that_no_name_has(name: str, sense_name: str) -> None:
    key = entity_key(name)
    scoped = sense_key(key, sense_name)
    assert scoped != entity_key(scoped)
    assert plain_key(scoped) == key
    assert sense_key(scoped, sense_name) == scoped
    assert (plain_key(key), sense_of(key)) == (key, "")
