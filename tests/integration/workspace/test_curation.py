"""A person's corrections: what they change, that they hold through ingests, deletions and
derivations, and that each can be taken back.
"""

from collections.abc import Callable
from typing import Any

import pytest
from corrected import FAST, FIRST, SECOND, correct_everything, document, named, names, seen, states

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import EditKind
from dynagrag.curation import corrections
from dynagrag.curation.view import EditState, history, made_merges
from dynagrag.ingest.graph_deriver import Deriver
from dynagrag.upkeep.doctor import derived_digest
from dynagrag.workspace.facade import Workspace

ON_SQLITE = pytest.mark.parametrize("any_store", ["sqlite"], indirect=True)
"""That a store holds the graph of each kind of correction is shown in `test_stores_agree`."""


@pytest.fixture
def space(open_space: Callable[..., Workspace], any_store: str, corpus: Any) -> Workspace:
    """Two transcripts by the fast extractor, on either store."""
    made = open_space(store=any_store)
    made.ingest([corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)], FAST)
    return made


# ------------------------------------------------------------------------------------------ changes


@ON_SQLITE
def test_a_speaker_is_shown_by_their_own_words(space: Workspace) -> None:
    looked = seen(space)
    for name in ("Ada", "Ben"):
        quotes = looked.quotes(looked.entity(name).keys, limit=5)
        assert quotes
        for quote in quotes:
            assert quote.speaker == name
            said = [words for speaker, words in (*FIRST, *SECOND) if speaker == name]
            assert any(
                (quote.before + quote.words + quote.after).strip("…") in words for words in said
            )


def test_a_suggestion_is_accepted_and_the_merged_entity_has_the_weight_of_both(
    space: Workspace,
) -> None:
    first = seen(space).suggestions[0]
    assert set(first.keys) == {"zanzibar relay", "relay zanzibar"}
    assert first.reasons[0] == "the same words"
    parts = [named(space, key) for key in first.keys]
    preview = corrections.preview_merge(seen(space), parts, "Relay")
    done = corrections.merge(space, first.keys, "Relay", by="me")
    merged = named(space, "Relay")
    assert (merged.weight, merged.keys) == (
        sum(e.weight for e in parts),
        ("relay zanzibar", "zanzibar relay"),
    )
    assert (preview.weight, preview.name) == (merged.weight, merged.name)
    assert (done.num_before - done.num_after, done.came[0].name) == (1, "Relay")
    assert {e.name for e in done.went} >= {e.name for e in parts}
    assert set(first.keys) not in [set(s.keys) for s in seen(space).suggestions]
    assert [m.rule for m in made_merges(seen(space)) if m.entity.name == "Relay"] == ["by hand"]


@ON_SQLITE
def test_a_dismissed_suggestion_does_not_come_back_and_no_model_joins_it(
    space: Workspace, corpus: Any
) -> None:
    pair = seen(space).suggestions[0].keys
    corrections.keep_apart(space, pair, by="me")
    assert set(pair) not in [set(s.keys) for s in seen(space).suggestions]
    space.ingest(
        [corpus.write("three.vtt", [("Ada", "Zanzibar Relay and Relay Zanzibar met again.")])], FAST
    )
    assert named(space, pair[0]).id != named(space, pair[1]).id
    assert set(pair) not in [set(s.keys) for s in seen(space).suggestions]


@ON_SQLITE
def test_names_are_split_out_alone_or_together_and_the_only_name_is_not(space: Workspace) -> None:
    keys = ["zanzibar relay", "relay zanzibar", "port arthur", "old delft"]
    corrections.merge(space, keys, by="me")
    corrections.split(space, keys[0], keys[2:], is_together=True, by="me")
    assert named(space, "Port Arthur").keys == ("old delft", "port arthur")
    assert named(space, "Zanzibar Relay").keys == ("relay zanzibar", "zanzibar relay")
    assert len(names(space)) == len(
        space.graph().entities
    )  # the rest isn't called by a name that has left it
    corrections.split(space, "Zanzibar Relay", ["relay zanzibar"], by="me")
    assert named(space, "Relay Zanzibar").keys == ("relay zanzibar",)
    assert ("relay zanzibar", "zanzibar relay") not in [
        tuple(sorted(s.keys)) for s in seen(space).suggestions
    ]
    with pytest.raises(UsageError, match="one name only"):
        corrections.split(space, "Relay Zanzibar", ["relay zanzibar"], by="me")
    with pytest.raises(UsageError, match="'sun' is no name of 'Port Arthur'"):
        corrections.split(space, "port arthur", ["sun"], by="me")
    with pytest.raises(UsageError, match="leave at least one"):
        corrections.split(
            space, "port arthur", ["old delft", "port arthur"], is_together=True, by="me"
        )


@ON_SQLITE
def test_an_entity_is_renamed_and_found_by_both_names(space: Workspace) -> None:
    corrections.rename(space, "Port Arthur", "  Fort\n Arthur ", by="me")
    assert named(space, "fort arthur").id == named(space, "port arthur").id
    assert named(space, "port arthur").aliases == ("Port Arthur",)
    assert space.graph().entities  # and it is searched by it
    assert {
        space.store.neighbourhood(i, num_hops=0).entities[0].name
        for i, _ in space.store.search_entities("Fort")
    } == {"Fort Arthur"}
    with pytest.raises(UsageError, match="called 'Fort Arthur' already"):
        corrections.rename(space, "port arthur", "Fort Arthur", by="me")


@ON_SQLITE
def test_two_things_with_one_name_are_kept_apart_by_their_documents(space: Workspace) -> None:
    before = named(space, "Mercury").weight
    corrections.tell_senses_apart(
        space, "Mercury", [document(space, "two")], "Planet Mercury", by="me"
    )
    ship, planet = named(space, "mercury"), named(space, "Planet Mercury")
    assert (ship.weight + planet.weight, planet.sense) == (before, "planet mercury")
    assert [d.title for d, _ in seen(space).in_documents(planet)] == ["two"]
    assert [d.title for d, _ in seen(space).in_documents(ship)] == ["one"]
    assert {q.title for q in seen(space).quotes(planet.keys, 9)} == {"two"}
    assert not [s for s in seen(space).suggestions if set(s.entity_ids) == {ship.id, planet.id}]


@ON_SQLITE
def test_a_name_that_stands_for_an_entity_that_is_there_joins_it(space: Workspace) -> None:
    weights = named(space, "Mercury").weight, named(space, "Sun").weight
    done = corrections.tell_senses_apart(
        space, "Mercury", [document(space, "two")], other="sun", by="me"
    )
    assert [e.kind for e in done.edits] == [EditKind.SENSE, EditKind.MERGE]
    assert named(space, "Sun").weight + named(space, "Mercury").weight == sum(weights)
    assert named(space, "Sun").name == "Sun"
    assert "mercury (sun)" in named(space, "Sun").keys


# ------------------------------------------------------------------------- they hold, and come back


def test_corrections_hold_when_files_change_and_sleep_while_their_names_are_gone(
    space: Workspace, corpus: Any
) -> None:
    correct_everything(space)
    digest = space.store.digest()
    changed = corpus.write("two.vtt", [*SECOND, ("Ada", "And Old Delft saw Mercury once more.")])
    space.ingest([changed], FAST)
    assert names(space) >= {"Relay", "Delft", "Planet Mercury", "Mercury"}
    assert [d.title for d, _ in seen(space).in_documents(named(space, "Planet Mercury"))] == ["two"]
    space.ingest([corpus.write("two.vtt", [("Ada", "The Sun shone on Port Arthur.")])], FAST)
    assert states(space) == [
        (EditKind.SENSE, EditState.INACTIVE),
        (EditKind.UNDO, EditState.IN_FORCE),
        (EditKind.RENAME, EditState.INACTIVE),
        (EditKind.MERGE, EditState.IN_FORCE),
    ]
    assert not names(space) & {"Delft", "Planet Mercury"}
    space.ingest([corpus.write("two.vtt", SECOND)], FAST)
    assert {state for _, state in states(space)} == {EditState.IN_FORCE}
    assert space.store.digest() == digest


def test_a_correction_that_was_killed_holds_once_it_is_repeated(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Deriver, "rederive", killed)
        with pytest.raises(KeyboardInterrupt):
            corrections.merge(space, ["port arthur", "mercury"], "Harbour", by="me")
    assert not space.store.is_derived_current()
    with pytest.raises(UsageError, match="is one entity already"):
        corrections.merge(space, ["port arthur", "mercury"], "Harbour", by="me")
    assert space.store.is_derived_current()
    assert len(space.store.edits()) == 1
    assert set(named(space, "Harbour").keys) == {"port arthur", "mercury"}


def test_an_undo_that_was_killed_holds_once_it_is_repeated(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    before = space.store.digest()
    corrections.merge(space, ["port arthur", "mercury"], "Harbour", by="me")
    (edit,) = space.store.edits()
    with monkeypatch.context() as patch:
        patch.setattr(Deriver, "rederive", killed)
        with pytest.raises(KeyboardInterrupt):
            corrections.undo_edit(space, edit.id, by="me")
    assert not space.store.is_derived_current()
    with pytest.raises(UsageError, match="undone"):
        corrections.undo_edit(space, edit.id, by="me")
    assert space.store.is_derived_current()
    assert named(space, "port arthur").id != named(space, "mercury").id
    assert [state for _, state in states(space)].count(EditState.UNDONE) == 1
    assert space.store.digest() == before


def test_a_deleted_document_takes_the_names_that_only_it_held_out_of_the_corrections(
    space: Workspace,
) -> None:
    correct_everything(space)
    corrections.merge(space, ["port arthur", "mercury", "sun"], "Harbour", by="me")
    kept = [e for e in space.store.edits() if e.name == "Relay"]
    space.documents.delete("two")
    left = space.store.edits()
    assert [(e.kind, set(e.keys), e.name, e.by) for e in left] == [
        (EditKind.MERGE, {"zanzibar relay", "relay zanzibar"}, "Relay", "me"),
        (EditKind.MERGE, {"port arthur", "mercury"}, "Harbour", "me"),
    ]
    assert [left[0]] == kept
    assert not any(word in repr(left).casefold() for word in ("delft", "sun", "two.vtt"))
    assert set(named(space, "Harbour").keys) == {"port arthur", "mercury"}


@ON_SQLITE
def test_what_takes_a_shortened_correction_back_still_does(space: Workspace) -> None:
    corrections.merge(space, ["port arthur", "mercury", "sun"], "Harbour", by="me")
    corrections.undo_edit(space, space.store.edits()[0].id, by="me")
    space.documents.delete("two")
    assert states(space) == [(EditKind.MERGE, EditState.UNDONE)]
    assert space.store.edits()[0].keys == ("port arthur", "mercury")
    assert named(space, "port arthur").id != named(space, "mercury").id


def test_deleting_a_document_leaves_what_was_there_without_it(
    open_space: Callable[..., Workspace], any_store: str, corpus: Any
) -> None:
    one, two = corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)
    space, alone = open_space("both", store=any_store), open_space("alone", store=any_store)
    space.ingest([one, two], FAST)
    correct_everything(space)
    alone.ingest([one], FAST)
    for edit in space.store.edits():
        alone.store.put_edit(edit)
    alone.parts.deriver(None).rederive()
    space.documents.delete("two")
    assert space.store.digest() == alone.store.digest()


def test_corrections_hold_with_a_model_and_every_correction_is_taken_back(
    space: Workspace, corpus: Any
) -> None:
    space.ingest(corpus.many(2, num_turns=8))
    before = space.store.digest()
    correct_everything(space)
    after = space.store.digest()
    assert derived_digest(space.store) == after
    space.ingest([corpus.write("more.vtt", [("Ada", "Acme Works acquired Delta Labs.")])])
    space.documents.delete("more")
    assert space.store.digest() == after
    space.ingest([corpus.write("meeting-0.vtt", corpus.meeting(77, 8))])
    assert names(space) >= {"Relay", "Delft", "Planet Mercury", "Mercury"}
    space.ingest([corpus.write("meeting-0.vtt", corpus.meeting(0, 8))])
    assert space.store.digest() == after
    edits = [line.edit for line in history(seen(space))]
    for edit in edits:
        corrections.undo_edit(space, edit.id, by="you")
    assert space.store.digest() == before
    assert {state for _, state in states(space)} == {EditState.UNDONE}
    assert {line.undone_by.by for line in history(seen(space)) if line.undone_by} == {"you"}
    for edit in edits[::-1]:
        corrections.redo_edit(space, edit.id, by="me")
    assert space.store.digest() == after


@ON_SQLITE
def test_a_rules_merge_is_undone_for_good(space: Workspace, corpus: Any) -> None:
    space.ingest(
        [
            corpus.write(
                "plural.vtt",
                [
                    (
                        "Ada",
                        (
                            "Here the Red Battery failed. Then all Red Batteries failed near Port"
                            " Arthur."
                        ),
                    )
                ],
            )
        ],
        FAST,
    )
    (merge,) = [m for m in made_merges(seen(space)) if m.rule == "plural"]
    assert {key for key, _ in merge.members} == {"red battery", "red batteries"}
    corrections.undo_made_merge(space, merge.id, by="me")
    assert named(space, "red battery").id != named(space, "red batteries").id
    with pytest.raises(UsageError, match="undone already by me"):
        corrections.undo_made_merge(space, merge.id, by="you")
    space.ingest([corpus.write("again.vtt", [("Ada", "A Red Battery and Red Batteries.")])], FAST)
    assert named(space, "red battery").id != named(space, "red batteries").id
    corrections.undo_edit(space, space.store.edits()[-1].id, by="me")
    assert named(space, "red battery").id == named(space, "red batteries").id
    with pytest.raises(UsageError, match="0 merges match ''"):
        corrections.undo_made_merge(space, "", by="me")
    corrections.undo_made_merge(
        space, merge.id[:12], by="me"
    )  # again, within a second of the last one
    assert named(space, "red battery").id != named(space, "red batteries").id


def test_a_split_holds_in_later_ingests_though_the_rule_finds_the_names_again(
    space: Workspace, corpus: Any
) -> None:
    told = [("Ada", "Here the Red Battery failed. Then all Red Batteries failed near Port Arthur.")]
    space.ingest([corpus.write("plural.vtt", told)], FAST)
    corrections.split(space, "red battery", ["red batteries"], by="me")
    space.ingest(
        [corpus.write("plural.vtt", [*told, ("Ben", "A Red Battery, and Red Batteries.")])], FAST
    )
    assert named(space, "red battery").id != named(space, "red batteries").id
    assert [m for m in made_merges(seen(space)) if m.rule == "plural"] == []
    space.ingest([corpus.write("plural.vtt", [("Ada", "Nothing failed near Port Arthur.")])], FAST)
    assert states(space) == [(EditKind.SPLIT, EditState.INACTIVE)]


@ON_SQLITE
def test_a_name_that_is_given_twice_is_said(space: Workspace) -> None:
    assert (
        "2 entities are called 'Sun' now"
        in corrections.rename(space, "old delft", "Sun", by="me").notes[0]
    )


@ON_SQLITE
def test_an_undo_that_another_correction_overrules_says_so(space: Workspace, corpus: Any) -> None:
    corrections.merge(space, ["sun", "old delft"], by="me")
    edit = space.store.edits()[-1]
    corrections.split(space, "sun", ["old delft"], by="me")
    corrections.merge(space, ["old delft", "sun"], by="me")
    corrections.undo_edit(space, edit.id, by="me")
    assert named(space, "sun").id == named(space, "old delft").id
    assert len([m for m in made_merges(seen(space)) if m.rule == "by hand"]) == 1
