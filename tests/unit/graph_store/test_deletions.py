"""The note of deletions, and what of a person's corrections stays when documents go."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.ids import sense_key
from dynagrag.core.schema import Document, Edit, EditKind, Mention, MentionKind
from dynagrag.graph_store.deletions import (
    DELETIONS_NOTE,
    Deletion,
    check_no_deletion,
    read_deletions,
    write_deletions,
)
from dynagrag.graph_store.derived.canonical import make_edit, make_merge
from dynagrag.graph_store.derived.edits_left import edits_left, keys_only_in
from dynagrag.graph_store.derived.senses import documents_text
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore


def document(title: str) -> Document:
    return Document(f"id-{title}", "w", title, f"/secret/{title}.vtt", "", "", {})


def done(number: int) -> Deletion:
    return Deletion(f"id-{number}", (), f"key-{number}", is_pending=False)


def test_a_deletion_knows_what_its_document_was_called_and_says_no_word_of_it(
    tmp_path: Path,
) -> None:
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    write_deletions(store, [Deletion.of(document("Quetzal"), is_replaced=False)])
    (noted,) = read_deletions(store)
    for name in ("id-Quetzal", "quetzal", "/secret/Quetzal.vtt", "Quetzal.vtt"):
        assert noted.is_called(name)
    assert not noted.is_called("Quetz", "")
    assert not any(
        word in store.note(DELETIONS_NOTE) for word in ("Quetzal.vtt", "quetzal", "secret")
    )
    with pytest.raises(WorkspaceError, match="is being deleted from workspace 'w' in embedded"):
        check_no_deletion(store)
    write_deletions(store, [])
    assert store.note(DELETIONS_NOTE) == ""
    check_no_deletion(store)
    store.close()


_ROW = {"document_id": "a", "names": ["n"], "key": "k", "is_pending": True, "is_replaced": False}


@pytest.mark.parametrize(
    "note",
    [
        *(
            "no JSON",
            "{}",
            '{"a": 1}',
            "null",
            "[1]",
            '[{"document_id": "a"}]',
            '[{"names": [], "another": 1}]',
            "[" * 100_000,
        ),
        *(
            json.dumps([_ROW | change])
            for change in (
                {"document_id": 5},
                {"document_id": []},
                {"document_id": "\ud800"},
                {"names": "abc"},
                {"names": [1]},
                {"key": ["k"]},
            )
        ),
        *(
            json.dumps([_ROW | change])
            for change in ({"is_pending": "no"}, {"of_a_newer_version": 1})
        ),
    ],
    ids=lambda note: str(note)[:60],
)
def test_a_note_of_another_form_is_refused(tmp_path: Path, note: str) -> None:
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    store.set_note(DELETIONS_NOTE, note)
    with pytest.raises(StoreError, match="cannot be read by this version; update dynagrag"):
        read_deletions(store)
    store.close()


def test_the_last_hundred_deletions_are_kept_and_all_that_are_pending(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    pending = Deletion("old", (), "k")
    write_deletions(store, [pending, *map(done, range(150))])
    kept = read_deletions(store)
    assert kept[0] == pending
    assert [d.document_id for d in kept[1:]] == [f"id-{number}" for number in range(50, 150)]
    store.close()


def edit(kind: EditKind, *keys: str, name: str = "", what: str = "", at: str = "1") -> Edit:
    return make_edit(kind, keys=keys, name=name, what=what, by="me", at=at)


def left(edits: Iterable[Edit]) -> tuple[set[str], list[tuple[EditKind, tuple[str, ...], str]]]:
    """Without `gone` and its file: the ids that go, and what takes their places."""
    found = edits_left(edits, {"gone"}, {"/gone.vtt"})
    return set(found.dropped), [(e.kind, e.keys, e.name) for e in found.put]


def test_keys_that_another_document_mentions_stay() -> None:
    def mention(document_id: str, key: str) -> Mention:
        return Mention(
            f"{document_id} {key}",
            document_id,
            0,
            1,
            (),
            key,
            key,
            "",
            "",
            MentionKind.SAID,
            "llm",
            (),
        )

    mentions = [
        mention("a", "only"),
        mention("a", "shared"),
        mention("b", "shared"),
        mention("c", "other"),
    ]
    assert keys_only_in(mentions, {"a"}) == {"only"}
    assert keys_only_in(mentions, {"a", "b"}) == {"only", "shared"}


@pytest.mark.parametrize(
    "goes",
    [
        edit(EditKind.MERGE, "gone", "a"),
        edit(EditKind.RENAME, "gone", name="A"),
        edit(EditKind.RENAME, "a", name="Gone"),
        edit(EditKind.SPLIT, "gone"),
        edit(EditKind.SENSE, "a", name="A", what=documents_text(["/gone.vtt"])),
        edit(EditKind.SENSE, "a", name="The Gone", what=documents_text(["/b.vtt"])),
        edit(EditKind.UNDO, "a", "gone", what=make_merge(["a", "gone"], "a", "", "").id),
    ],
    ids=lambda e: f"{e.kind} {'+'.join(e.keys)}",
)
def test_a_correction_that_says_nothing_without_the_document_goes_with_what_takes_it_back(
    goes: Edit,
) -> None:
    stays = edit(EditKind.RENAME, "b", name="B")
    back = edit(EditKind.UNDO, what=goes.id, at="2")
    again = edit(EditKind.UNDO, what=back.id, at="3")
    assert left([goes, stays, back, again]) == ({goes.id, back.id, again.id}, [])


@pytest.mark.parametrize(
    ("is_now", "becomes"),
    [
        (edit(EditKind.MERGE, "a", "gone", "b", name="Gone"), (EditKind.MERGE, ("a", "b"), "")),
        (edit(EditKind.SPLIT, "a", "gone"), (EditKind.SPLIT, ("a",), "")),
        (
            edit(
                EditKind.SENSE, "a", "gone", name="A", what=documents_text(["/b.vtt", "/gone.vtt"])
            ),
            (EditKind.SENSE, ("a",), "A"),
        ),
        (edit(EditKind.UNDO, "a", "b", "gone", what="merge"), (EditKind.UNDO, ("a", "b"), "")),
    ],
    ids=lambda e: str(e[0] if isinstance(e, tuple) else e.kind),
)
def test_a_correction_of_more_names_keeps_the_others_and_so_does_what_takes_it_back(
    is_now: Edit, becomes: tuple[EditKind, tuple[str, ...], str]
) -> None:
    back = edit(EditKind.UNDO, what=is_now.id, at="2")
    dropped, put = left([back, is_now])
    assert dropped == {is_now.id, back.id}
    assert put == [becomes, (EditKind.UNDO, (), "")]
    one, other = edits_left([back, is_now], {"gone"}, {"/gone.vtt"}).put
    assert other.what == one.id
    assert one.what == {
        EditKind.SENSE: documents_text(["/b.vtt"]),
        EditKind.UNDO: make_merge(["a", "b"], "", "", "").id,  # what a merge of these would be
    }.get(one.kind, "")
    assert (one.by, one.at, other.by, other.at) == ("me", "1", "me", "2")
    assert "gone" not in repr((one, other)).casefold()


@pytest.mark.parametrize(
    "stays",
    [
        edit(EditKind.MERGE, "a", "b", name="A"),
        edit(EditKind.UNDO, "a", "b", what="a merge"),
        edit(EditKind.UNDO, what="an edit of another store"),
        edit(EditKind.SPLIT, "a"),
        edit(EditKind.RENAME, "a", name="B"),
        edit(EditKind.SENSE, "a", name="A", what=documents_text(["/b.vtt"])),
        edit(EditKind.GLOSSARY, what="gone, gone away"),
    ],
    ids=lambda e: f"{e.kind} {'+'.join(e.keys)}",
)
def test_a_correction_of_other_names_stays_as_it_is_with_what_takes_it_back(stays: Edit) -> None:
    back = edit(EditKind.UNDO, what=stays.id, at="2")
    again = edit(EditKind.UNDO, what=back.id, at="3")
    assert left([stays, back, again]) == (set(), [])


def test_a_key_of_a_sense_goes_with_the_name_that_it_is_of() -> None:
    told = edit(EditKind.MERGE, "a", "b", sense_key("gone", "The other"))
    dropped, put = left([told])
    assert (dropped, put) == ({told.id}, [(EditKind.MERGE, ("a", "b"), "")])
