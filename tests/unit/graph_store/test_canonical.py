"""Which keys stand for one entity, and under which key and name, where merges and a person's edits
meet.
"""

import pytest
from derived import edit

from dynagrag.core.ids import content_id, sense_key
from dynagrag.core.schema import Consolidation, Edit, EditKind, Merge
from dynagrag.graph_store.derived.canonical import (
    canonical_keys,
    kept_apart,
    make_edit,
    make_merge,
    undo_merge,
)
from dynagrag.graph_store.derived.embedded_texts import text_id

NOW = "2026-01-01T00:00:00Z"


def merged(*merges: Merge) -> Consolidation:
    return Consolidation(merges)


@pytest.mark.parametrize(
    ("counts", "canonical"),
    [({"bb": 2, "a": 1}, "bb"), ({"cc": 1, "b": 1}, "b"), ({"b": 1, "a": 1}, "a")],
    ids=["most mentions", "shortest", "alphabet"],
)
def test_where_no_merge_says_it_the_canonical_key_is_the_most_mentioned_then_shortest(
    counts: dict[str, int], canonical: str
) -> None:
    merge = make_merge([*counts, "gone"], "gone", "model", "")
    assert set(canonical_keys(counts, merged(merge), ()).of.values()) == {canonical}


def test_a_key_that_a_merge_chose_is_canonical_though_another_is_mentioned_more() -> None:
    absorbed = [
        make_merge(["a", "b"], "b", "model", ""),
        make_merge(["b", "a", "c"], "a", "plural", ""),
    ]
    assert set(canonical_keys({"a": 1, "b": 2, "c": 9}, merged(*absorbed), ()).of.values()) == {"b"}


def test_an_undo_of_two_keys_leaves_a_wider_merge_with_its_canonical_key() -> None:
    undo = undo_merge(make_merge(["b", "c"], "b", "model", ""), by="me", at=NOW)
    wider = make_merge(["a", "b", "c"], "c", "model", "")
    assert canonical_keys({"a": 1, "b": 1, "c": 1}, merged(wider), [undo]).of == {
        "a": "c",
        "b": "b",
        "c": "c",
    }


def test_of_keys_told_apart_the_alphabetically_first_stays_in_a_wider_merge_under_another_key() -> (
    None
):
    undo = undo_merge(make_merge(["b", "c"], "b", "model", ""), by="me", at=NOW)
    wider = make_merge(["a", "b", "c"], "a", "model", "")
    assert canonical_keys({"a": 1, "b": 1, "c": 1}, merged(wider), [undo]).of == {
        "a": "a",
        "b": "a",
        "c": "c",
    }


def test_an_undo_that_names_a_merge_alone_takes_it_back() -> None:
    merge = make_merge(["a", "b"], "a", "model", "")
    assert canonical_keys(
        {"a": 1, "b": 1}, merged(merge), [edit(EditKind.UNDO, what=merge.id)]
    ).of == {"a": "a", "b": "b"}


def test_one_sense_told_twice_is_not_kept_apart_from_itself() -> None:
    told = [
        edit(EditKind.SENSE, "x", name="God", what=what) for what in ('["/a.txt"]', '["/b.txt"]')
    ]
    assert set(kept_apart(told)) == {("x", sense_key("x", "God"))}


@pytest.mark.parametrize(("name", "left"), [("Port Arthur", {}), ("Relay", {"a": "Relay"})])
def test_a_name_that_is_split_out_takes_what_the_entity_was_called_by_it(
    name: str, left: dict[str, str]
) -> None:
    edits = [
        edit(EditKind.MERGE, "a", "b", "port arthur", name=name),
        edit(EditKind.SPLIT, "port arthur", day=2),
    ]
    canon = canonical_keys({"a": 1, "b": 1, "port arthur": 1}, Consolidation(), edits)
    assert canon.of["port arthur"] == "port arthur"
    assert canon.of["b"] == canon.of["a"] == "a"
    assert canon.names == left


def test_of_two_merges_by_hand_the_later_gives_the_name() -> None:
    edits = [
        edit(EditKind.MERGE, "a", "b", name="First"),
        edit(EditKind.MERGE, "a", "c", name="Second", day=2),
    ]
    canon = canonical_keys({"a": 1, "b": 1, "c": 1}, Consolidation(), edits)
    assert (set(canon.of.values()), canon.names) == ({"a"}, {"a": "Second"})


@pytest.mark.parametrize(("first", "second", "name"), [("a", "b", "Anna"), ("b", "a", "Bert")])
def test_a_merge_by_hand_without_a_name_keeps_that_of_its_first_key(
    first: str, second: str, name: str
) -> None:
    """b stands for two keys, so either group may be the larger one."""
    named = [edit(EditKind.RENAME, "a", name="Anna"), edit(EditKind.RENAME, "b", name="Bert")]
    joined = edit(EditKind.MERGE, first, second, day=2)
    canon = canonical_keys(
        {"a": 1, "b": 1, "c": 1}, merged(make_merge(["b", "c"], "b", "model", "")), [*named, joined]
    )
    assert canon.names == {first: name}


@pytest.mark.parametrize("larger", ["sun", "moon"])
def test_senses_that_are_joined_keep_the_canonical_key_of_the_first(larger: str) -> None:
    told = edit(EditKind.SENSE, "x", "y", name="God", day=3)
    first, second = sense_key("x", "God"), sense_key("y", "God")
    joined: list[Edit] = [
        edit(EditKind.MERGE, "sun", first),
        edit(EditKind.MERGE, "moon", second, day=2),
    ]
    counts = dict.fromkeys(("sun", "moon", first, second, "z"), 1)
    canon = canonical_keys(
        counts, merged(make_merge([larger, "z"], larger, "model", "")), [*joined, told]
    )
    assert set(canon.of.values()) == {"sun"}
    assert canon.names == {"sun": "God"}


def test_edits_that_differ_in_anything_have_ids_of_their_own() -> None:
    plain = {"keys": ["a", "b"], "name": "N", "what": "w", "by": "me", "at": NOW}
    changes = [
        {"keys": ["a"]},
        {"keys": ["a", "b", "N"], "name": ""},
        {"name": "M"},
        {"what": "v"},
        {"by": "you"},
        {"at": "2026-01-02T00:00:00Z"},
    ]
    edits = [
        *(make_edit(kind, **plain) for kind in EditKind),
        *(make_edit(EditKind.MERGE, **{**plain, **c}) for c in changes),
    ]
    assert len({e.id for e in edits}) == len(EditKind) + len(changes)
    first = make_edit(EditKind.MERGE, **plain)
    assert first == Edit(first.id, EditKind.MERGE, ("a", "b"), "N", "w", "me", NOW)
    assert first == make_edit(EditKind.MERGE, **plain)


def test_ids_of_edits_and_texts_are_what_stores_hold_already() -> None:
    """Another id would take what was embedded, or corrected, for something else."""
    made = make_edit(EditKind.MERGE, keys=["a", "b"], name="N", what="w", by="me", at=NOW)
    assert made.id == content_id("edit", EditKind.MERGE, 2, "a", "b", "N", "w", "me", NOW)
    assert make_merge(["b", "a", "b"], "a", "", "").id == content_id("merge", "a", "b")
    assert text_id("The pump failed.") == content_id("text", "The pump failed.")


def test_a_merge_that_was_taken_back_leaves_those_that_come_after_it() -> None:
    back, stays = make_merge(["a", "b"], "a", "model", ""), make_merge(["c", "d"], "c", "model", "")
    lone = make_merge(["e"], "e", "model", "")
    undo = undo_merge(back, by="me", at=NOW)
    for merges in ((back, lone, stays), (stays, lone, back)):
        assert canonical_keys(dict.fromkeys("abcd", 1), merged(*merges), [undo]).of == {
            "a": "a",
            "b": "b",
            "c": "c",
            "d": "c",
        }
