"""Corrections that make no sense, that meet each other or an ingest, and names that are hard to
show.
"""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from corrected import FAST, FIRST, SECOND, document, named, seen

from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.schema import Edit, EditKind
from dynagrag.curation import corrections
from dynagrag.curation.view import history, made_merges
from dynagrag.workspace.facade import Workspace


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("...", "empty"),
        ("x" * 10_000, "10,000 characters"),
        ("a\x00b", "cannot be shown"),
    ],
)
def test_what_can_be_no_name_is_refused_and_nothing_is_stored(
    open_space: Callable[..., Workspace], corpus: Any, name: str, complaint: str
) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    with pytest.raises(UsageError, match=complaint):
        corrections.rename(space, "port arthur", name, by="me")
    if name.strip():
        with pytest.raises(UsageError, match=complaint):
            corrections.merge(space, ["port arthur", "mercury"], name, by="me")
    assert space.store.edits() == ()


def test_what_makes_no_sense_is_refused_with_its_remedy(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)], FAST)
    one, two = document(space, "one"), document(space, "two")
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: corrections.merge(space, ["mercury", "Mercury"], by="me"), "one entity already"),
        (lambda: corrections.merge(space, [], by="me"), "no entity was chosen"),
        (lambda: corrections.merge(space, ["mercury", "nobody"], by="me"), "no entity 'nobody'"),
        (lambda: corrections.keep_apart(space, ["mercury"], by="me"), "or split this one"),
        (lambda: corrections.split(space, "mercury", [], by="me"), "no name was chosen"),
        (lambda: corrections.undo_edit(space, "feed", by="me"), "0 corrections match 'feed'"),
        (lambda: corrections.undo_edit(space, "", by="me"), "0 corrections match"),
        (lambda: corrections.undo_made_merge(space, "feed", by="me"), "not there any more"),
        (lambda: corrections.undo_made_merge(space, "", by="me"), "merges match ''"),
        (
            lambda: corrections.tell_senses_apart(space, "mercury", [], "Planet", by="me"),
            "choose documents",
        ),
        (
            lambda: corrections.tell_senses_apart(space, "sun", [one], "Star", by="me"),
            "choose documents that mention 'Sun'",
        ),
        (
            lambda: corrections.tell_senses_apart(space, "mercury", [two], "MERCURY", by="me"),
            "call the other thing differently",
        ),
        (
            lambda: corrections.tell_senses_apart(
                space, "mercury", [two], other="mercury", by="me"
            ),
            "its own other sense",
        ),
    ]
    for act, complaint in refused:
        with pytest.raises(UsageError, match=complaint):
            act()
    assert space.store.edits() == ()
    corrections.rename(space, "sun", "Star", by="me")
    with pytest.raises(UsageError, match="not undone"):
        corrections.redo_edit(space, space.store.edits()[0].id, by="me")
    corrections.undo_edit(space, space.store.edits()[0].id, by="me")
    with pytest.raises(UsageError, match="undone already by me"):
        corrections.undo_edit(space, history(seen(space))[0].edit.id, by="you")


def test_markup_in_a_name_is_kept_as_it_was_written(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    name = "<b>![x](http://evil.example/x.png)</b>"
    corrections.rename(space, "port arthur", name, by="  a\nb  ")
    assert named(space, "port arthur").name == name
    assert space.store.edits()[0].by == "a b"


def test_of_two_who_undo_the_same_at_once_the_second_is_told(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space, other = open_space(), open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    corrections.merge(space, ["zanzibar relay", "relay zanzibar"], by="me")
    edit = space.store.edits()[0]
    told: list[str] = []

    def undo(who: Workspace) -> None:
        try:
            corrections.undo_edit(who, edit.id, by="me")
        except UsageError as err:
            told.append(str(err))

    threads = [threading.Thread(target=undo, args=(who,)) for who in (space, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 1
    assert "undone already" in told[0]
    assert len(space.store.edits()) == 2


def test_while_an_ingest_derives_a_correction_says_so_and_nothing_is_lost(
    open_space: Callable[..., Workspace], corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, other = open_space(), open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    monkeypatch.setattr(corrections, "MAX_WAIT_S", 0.3)
    with (
        other.parts.writing(),
        pytest.raises(WorkspaceError, match="another process has been changing workspace"),
    ):
        corrections.rename(space, "port arthur", "Fort", by="me")
    assert space.store.edits() == ()
    corrections.rename(space, "port arthur", "Fort", by="me")


def test_corrections_within_a_second_keep_their_order(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    space.store.put_edit(
        Edit("ahead", EditKind.RENAME, ("mercury",), "Z", "", "me", "2999-01-01T00:00:00+00:00")
    )
    for name in ("A", "B", "C"):
        corrections.rename(space, "port arthur", name, by="me")
        corrections.undo_edit(space, space.store.edits()[-1].id, by="me")
    times = [e.at for e in space.store.edits()]
    assert times == sorted(set(times))
    assert named(space, "port arthur").name == "Port Arthur"


def test_an_empty_workspace_has_nothing_to_correct(open_space: Callable[..., Workspace]) -> None:
    space = open_space()
    nothing = seen(space)
    assert (nothing.suggestions, made_merges(nothing), history(nothing), nothing.find("x")) == (
        [],
        [],
        [],
        [],
    )
