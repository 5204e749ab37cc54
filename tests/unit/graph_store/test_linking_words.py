"""Plain words link passages and are no entities, unless something says that one is a name."""

from dataclasses import replace

import pytest
from derived import edit, graph_of, record, said
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.schema import EditKind, Flag, Mention
from dynagrag.graph_store.derived.canonical import make_merge
from dynagrag.graph_store.derived.linking_words import merges_of_things, num_words, thing_keys


def word(name: str, at: int) -> Mention:
    return replace(said(name, at=at, type_="word"), flags=(Flag.CONTENT_WORD,))


def test_plain_words_are_no_entities_and_what_stands_beside_them_is_no_relation() -> None:
    words = [word("valve", 0), word("valve", 10), word("leak", 0), word("leak", 10)]
    records = [
        record("ada", "mentioned with", "valve"),
        record("leak", "mentioned with", "valve"),
        record("ada", "mentioned with", "bob"),
    ]
    graph = graph_of([said("Ada"), said("Bob"), *words], records, num_passages=100)
    assert {e.key for e in graph.entities} == {"ada", "bob"}
    assert [(r.weight, r.label) for r in graph.relations] == [(1, "mentioned with")]


def test_a_word_in_a_text_without_capitals_has_the_type_of_the_name_elsewhere() -> None:
    words = [word("apple", 10 * i) for i in range(3)]
    graph = graph_of([*words, said("Apple", doc="d1", type_="organization")], num_passages=100)
    assert [(e.name, e.type, e.weight) for e in graph.entities] == [("Apple", "organization", 4)]
    graph = graph_of([*words, said("Apple", at=50, type_="organization")], num_passages=100)
    assert [(e.name, e.type, e.weight) for e in graph.entities] == [("Apple", "organization", 1)]


@pytest.mark.parametrize("kind", [EditKind.RENAME, EditKind.MERGE])
def test_a_word_that_a_person_named_is_a_thing(kind: EditKind) -> None:
    words = [word("valve", 0), word("valve", 10), word("leak", 0), word("leak", 10)]
    keys = ("valve",) if kind is EditKind.RENAME else ("valve", "relief")
    done = edit(kind, *keys, name="Relief valve")
    assert [(e.name, e.type) for e in graph_of(words, edits=[done], num_passages=100).entities] == [
        ("Relief valve", "")
    ]
    assert not graph_of(
        words, edits=[done, edit(EditKind.UNDO, what=done.id, day=2)], num_passages=100
    ).entities


def test_a_word_that_rules_merged_with_a_name_belongs_to_it() -> None:
    mentions = [word("tanks", 0), word("tanks", 10), said("Tank", at=50)]
    graph = graph_of(
        mentions, merges=[make_merge(["tank", "tanks"], "tank", "plural", "")], num_passages=100
    )
    assert [(e.name, e.keys, e.weight) for e in graph.entities] == [("Tank", ("tank", "tanks"), 3)]


def test_the_merges_of_things_are_neither_those_of_words_nor_those_that_were_taken_apart() -> None:
    words = [word("valve", 0), word("valves", 10), word("valve", 20), word("valves", 30)]
    things = [
        said("Tank", at=50),
        said("Tanks", at=60),
        said("Main A", at=70),
        said("Main Bus A", at=80),
    ]
    of_words = make_merge(["valve", "valves"], "valve", "plural", "")
    made = make_merge(["tank", "tanks"], "tank", "plural", "")
    undone = make_merge(["main a", "main bus a"], "main a", "variant", "")
    merges = [of_words, made, undone]
    edits = [edit(EditKind.UNDO, *undone.members, what=undone.id)]
    assert merges_of_things(
        merges, graph_of([*words, *things], merges=merges, edits=edits, num_passages=100)
    ) == [made]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=20))
def test_a_key_is_a_word_where_no_mention_names_it(found: list[tuple[str, bool]]) -> None:
    mentions = [
        word(key, 10 * i) if is_plain else said(key, at=10 * i)
        for i, (key, is_plain) in enumerate(found)
    ]
    named = {key for key, is_plain in found if not is_plain}
    assert thing_keys(mentions) == named
    assert num_words(mentions) == len({key for key, _ in found} - named)
    assert {e.key for e in graph_of(mentions, num_passages=1000).entities} == named
