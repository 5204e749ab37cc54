"""A person's corrections: what they change, that they hold through ingests, deletions and derivations, and that each can be taken back."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from dynagrag import IngestOptions
from dynagrag.curation import corrections
from dynagrag.curation.suggestions import suggest_merges
from dynagrag.curation.view import EditState, Seen, history, made_merges, read_seen
from dynagrag.errors import UsageError, WorkspaceError
from dynagrag.schema import Edit, EditKind, Entity
from dynagrag.upkeep.doctor import derived_digest
from dynagrag.workspace.facade import Workspace

FAST = IngestOptions(extractor="fast")
FIRST = [
    ("Ada", "We met Zanzibar Relay at dawn. The Zanzibar Relay spoke to Port Arthur about Mercury."),
    ("Ben", "I saw Relay Zanzibar again near Port Arthur. Then Mercury answered Zanzibar Relay."),
]
SECOND = [
    ("Ada", "The probe passed Mercury and the Sun. Beside Mercury stood Old Delft."),
    ("Ben", "We saw Mercury before Old Delft and Relay Zanzibar. It was in Port Arthur."),
]


@pytest.fixture
def space(open_space: Callable[..., Workspace], any_store: str, corpus: Any) -> Workspace:
    """Two transcripts by the fast extractor, on either store."""
    made = open_space(store=any_store)
    made.ingest([corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)], FAST)
    return made


def seen(space: Workspace) -> Seen:
    return read_seen(space.store)


def named(space: Workspace, name: str) -> Entity:
    return seen(space).entity(name)


def names(space: Workspace) -> set[str]:
    return {e.name for e in space.graph().entities}


def document(space: Workspace, name: str) -> str:
    return space.find_document(name).id


def states(space: Workspace) -> list[tuple[EditKind, EditState]]:
    return [(line.edit.kind, line.state) for line in history(seen(space))]


# ------------------------------------------------------------------------------------------------------------- changes


def test_a_speaker_is_shown_by_their_own_words(space: Workspace) -> None:
    looked = seen(space)
    for name in ("Ada", "Ben"):
        quotes = looked.quotes(looked.entity(name).keys, limit=5)
        assert quotes
        for quote in quotes:
            assert quote.speaker == name
            said = [words for speaker, words in (*FIRST, *SECOND) if speaker == name]
            assert any((quote.before + quote.words + quote.after).strip("…") in words for words in said)


def test_a_suggestion_is_accepted_and_the_merged_entity_has_the_weight_of_both(space: Workspace) -> None:
    first = seen(space).suggestions[0]
    assert set(first.keys) == {"zanzibar relay", "relay zanzibar"}
    assert first.reasons[0] == "the same words"
    parts = [named(space, key) for key in first.keys]
    preview = corrections.preview_merge(seen(space), parts, "Relay")
    done = corrections.merge(space, first.keys, "Relay", by="me")
    merged = named(space, "Relay")
    assert (merged.weight, merged.keys) == (sum(e.weight for e in parts), ("relay zanzibar", "zanzibar relay"))
    assert (preview.weight, preview.name) == (merged.weight, merged.name)
    assert (done.num_before - done.num_after, done.came[0].name) == (1, "Relay")
    assert {e.name for e in done.went} >= {e.name for e in parts}
    assert set(first.keys) not in [set(s.keys) for s in seen(space).suggestions]
    assert [m.rule for m in made_merges(seen(space)) if m.entity.name == "Relay"] == ["by hand"]


def test_a_dismissed_suggestion_does_not_come_back_and_no_model_joins_it(space: Workspace, corpus: Any) -> None:
    pair = seen(space).suggestions[0].keys
    corrections.keep_apart(space, pair, by="me")
    assert set(pair) not in [set(s.keys) for s in seen(space).suggestions]
    space.ingest([corpus.write("three.vtt", [("Ada", "Zanzibar Relay and Relay Zanzibar met again.")])], FAST)
    assert named(space, pair[0]).id != named(space, pair[1]).id
    assert set(pair) not in [set(s.keys) for s in seen(space).suggestions]


def test_names_are_split_out_alone_or_together_and_the_only_name_is_not(space: Workspace) -> None:
    keys = ["zanzibar relay", "relay zanzibar", "port arthur", "old delft"]
    corrections.merge(space, keys, by="me")
    corrections.split(space, keys[0], keys[2:], is_together=True, by="me")
    assert named(space, "Port Arthur").keys == ("old delft", "port arthur")
    assert named(space, "Zanzibar Relay").keys == ("relay zanzibar", "zanzibar relay")
    corrections.split(space, "Zanzibar Relay", ["relay zanzibar"], by="me")
    assert named(space, "Relay Zanzibar").keys == ("relay zanzibar",)
    assert ("relay zanzibar", "zanzibar relay") not in [tuple(sorted(s.keys)) for s in seen(space).suggestions]
    with pytest.raises(UsageError, match="one name only"):
        corrections.split(space, "Relay Zanzibar", ["relay zanzibar"], by="me")
    with pytest.raises(UsageError, match="'sun' is no name of 'Port Arthur'"):
        corrections.split(space, "port arthur", ["sun"], by="me")
    with pytest.raises(UsageError, match="leave at least one"):
        corrections.split(space, "port arthur", ["old delft", "port arthur"], is_together=True, by="me")


def test_an_entity_is_renamed_and_found_by_both_names(space: Workspace) -> None:
    corrections.rename(space, "Port Arthur", "  Fort\n Arthur ", by="me")
    assert named(space, "fort arthur").id == named(space, "port arthur").id
    assert named(space, "port arthur").aliases == ("Port Arthur",)
    assert space.graph().entities  # and it is searched by it
    assert {space.store.neighbourhood(i, num_hops=0).entities[0].name for i, _ in space.store.search_entities("Fort")} == {"Fort Arthur"}
    with pytest.raises(UsageError, match="called 'Fort Arthur' already"):
        corrections.rename(space, "port arthur", "Fort Arthur", by="me")


def test_two_things_with_one_name_are_told_apart_by_their_documents(space: Workspace) -> None:
    before = named(space, "Mercury").weight
    corrections.tell_senses_apart(space, "Mercury", [document(space, "two")], "Planet Mercury", by="me")
    ship, planet = named(space, "mercury"), named(space, "Planet Mercury")
    assert (ship.weight + planet.weight, planet.sense) == (before, "planet mercury")
    assert [d.title for d, _ in seen(space).in_documents(planet)] == ["two"]
    assert [d.title for d, _ in seen(space).in_documents(ship)] == ["one"]
    assert {q.title for q in seen(space).quotes(planet.keys, 9)} == {"two"}
    assert not [s for s in seen(space).suggestions if set(s.entity_ids) == {ship.id, planet.id}]


def test_a_name_that_stands_for_an_entity_that_is_there_joins_it(space: Workspace) -> None:
    weights = named(space, "Mercury").weight, named(space, "Sun").weight
    done = corrections.tell_senses_apart(space, "Mercury", [document(space, "two")], other="sun", by="me")
    assert [e.kind for e in done.edits] == [EditKind.SENSE, EditKind.MERGE]
    assert named(space, "Sun").weight + named(space, "Mercury").weight == sum(weights)
    assert named(space, "Sun").name == "Sun"
    assert "mercury (sun)" in named(space, "Sun").keys


# ---------------------------------------------------------------------------------------------- they hold, and come back


def correct_everything(space: Workspace) -> None:
    corrections.merge(space, ["zanzibar relay", "relay zanzibar"], "Relay", by="me")
    corrections.rename(space, "old delft", "Delft", by="me")
    corrections.keep_apart(space, ["port arthur", "sun"], by="me")
    corrections.tell_senses_apart(space, "Mercury", [document(space, "two")], "Planet Mercury", by="me")


def test_corrections_hold_when_files_change_and_sleep_when_they_go(space: Workspace, corpus: Any) -> None:
    correct_everything(space)
    digest = space.store.digest()
    changed = corpus.write("two.vtt", [*SECOND, ("Ada", "And Old Delft saw Mercury once more.")])
    space.ingest([changed], FAST)
    assert names(space) >= {"Relay", "Delft", "Planet Mercury", "Mercury"}
    assert [d.title for d, _ in seen(space).in_documents(named(space, "Planet Mercury"))] == ["two"]
    space.delete("two")
    assert states(space) == [
        (EditKind.SENSE, EditState.SLEEPING),
        (EditKind.UNDO, EditState.SLEEPING),
        (EditKind.RENAME, EditState.SLEEPING),
        (EditKind.MERGE, EditState.IN_FORCE),
    ]
    assert not names(space) & {"Delft", "Planet Mercury"}
    space.ingest([corpus.write("two.vtt", SECOND)], FAST)
    assert {state for _, state in states(space)} == {EditState.IN_FORCE}
    assert space.store.digest() == digest


def test_deleting_a_document_leaves_what_was_there_without_it(open_space: Callable[..., Workspace], any_store: str, corpus: Any) -> None:
    one, two = corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)
    space, alone = open_space("both", store=any_store), open_space("alone", store=any_store)
    space.ingest([one, two], FAST)
    correct_everything(space)
    alone.ingest([one], FAST)
    for edit in space.store.edits():
        alone.store.put_edit(edit)
    alone.rederive()
    space.delete("two")
    assert space.store.digest() == alone.store.digest()


def test_corrections_hold_with_a_model_and_every_correction_is_taken_back(space: Workspace, corpus: Any) -> None:
    space.ingest(corpus.many(2, num_turns=8))
    before = space.store.digest()
    correct_everything(space)
    after = space.store.digest()
    assert derived_digest(space.store) == after
    space.ingest([corpus.write("more.vtt", [("Ada", "Acme Works acquired Delta Labs.")])])
    space.delete("more")
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


def test_a_rules_merge_is_undone_for_good(space: Workspace, corpus: Any) -> None:
    space.ingest(
        [corpus.write("plural.vtt", [("Ada", "Here the Red Battery failed. Then all Red Batteries failed near Port Arthur.")])], FAST
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


def test_a_split_holds_in_later_ingests_though_the_rule_finds_the_names_again(space: Workspace, corpus: Any) -> None:
    told = [("Ada", "Here the Red Battery failed. Then all Red Batteries failed near Port Arthur.")]
    space.ingest([corpus.write("plural.vtt", told)], FAST)
    corrections.split(space, "red battery", ["red batteries"], by="me")
    space.ingest([corpus.write("plural.vtt", [*told, ("Ben", "A Red Battery, and Red Batteries.")])], FAST)
    assert named(space, "red battery").id != named(space, "red batteries").id
    assert [m for m in made_merges(seen(space)) if m.rule == "plural"] == []
    space.delete("plural")
    assert states(space) == [(EditKind.SPLIT, EditState.SLEEPING)]


def test_a_name_that_is_given_twice_is_said(space: Workspace) -> None:
    assert "2 entities are called 'Sun' now" in corrections.rename(space, "old delft", "Sun", by="me").notes[0]


def test_an_undo_that_another_correction_overrules_says_so(space: Workspace, corpus: Any) -> None:
    corrections.merge(space, ["sun", "old delft"], by="me")
    edit = space.store.edits()[-1]
    corrections.split(space, "sun", ["old delft"], by="me")
    corrections.merge(space, ["old delft", "sun"], by="me")
    corrections.undo_edit(space, edit.id, by="me")
    assert named(space, "sun").id == named(space, "old delft").id
    assert len([m for m in made_merges(seen(space)) if m.rule == "by hand"]) == 1


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("", "empty"), (" \n ", "empty"), ("...", "empty"), ("x" * 10_000, "10,000 characters"), ("a\x00b", "cannot be shown")],
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


def test_what_makes_no_sense_is_refused_with_its_remedy(open_space: Callable[..., Workspace], corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)], FAST)
    one, two = document(space, "one"), document(space, "two")
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: corrections.merge(space, ["mercury", "Mercury"], by="me"), "one entity already"),
        (lambda: corrections.merge(space, [], by="me"), "no entity was chosen"),
        (lambda: corrections.merge(space, ["mercury", "nobody"], by="me"), "no entity 'nobody'"),
        (lambda: corrections.keep_apart(space, ["mercury"], by="me"), "split it instead"),
        (lambda: corrections.split(space, "mercury", [], by="me"), "no name was chosen"),
        (lambda: corrections.undo_edit(space, "feed", by="me"), "0 corrections match 'feed'"),
        (lambda: corrections.undo_edit(space, "", by="me"), "0 corrections match"),
        (lambda: corrections.undo_made_merge(space, "feed", by="me"), "not there any more"),
        (lambda: corrections.tell_senses_apart(space, "mercury", [], "Planet", by="me"), "choose documents"),
        (lambda: corrections.tell_senses_apart(space, "sun", [one], "Star", by="me"), "choose documents that mention 'Sun'"),
        (lambda: corrections.tell_senses_apart(space, "mercury", [two], "MERCURY", by="me"), "call the other thing differently"),
        (lambda: corrections.tell_senses_apart(space, "mercury", [two], other="mercury", by="me"), "its own other sense"),
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


def test_markup_in_a_name_is_kept_as_it_was_written(open_space: Callable[..., Workspace], corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    name = "<b>![x](http://evil.example/x.png)</b>"
    corrections.rename(space, "port arthur", name, by="  a\nb  ")
    assert named(space, "port arthur").name == name
    assert space.store.edits()[0].by == "a b"


def test_of_two_who_undo_the_same_at_once_the_second_is_told(open_space: Callable[..., Workspace], corpus: Any) -> None:
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
    with other.writing(), pytest.raises(WorkspaceError, match="another process has been changing workspace"):
        corrections.rename(space, "port arthur", "Fort", by="me")
    assert space.store.edits() == ()
    corrections.rename(space, "port arthur", "Fort", by="me")


def test_corrections_within_a_second_keep_their_order(open_space: Callable[..., Workspace], corpus: Any) -> None:
    space = open_space()
    space.ingest([corpus.write("one.vtt", FIRST)], FAST)
    space.store.put_edit(Edit("ahead", EditKind.RENAME, ("mercury",), "Z", "", "me", "2999-01-01T00:00:00+00:00"))
    for name in ("A", "B", "C"):
        corrections.rename(space, "port arthur", name, by="me")
        corrections.undo_edit(space, space.store.edits()[-1].id, by="me")
    times = [e.at for e in space.store.edits()]
    assert times == sorted(set(times))
    assert named(space, "port arthur").name == "Port Arthur"


def test_many_suggestions_are_bounded_and_come_best_first(open_space: Callable[..., Workspace], corpus: Any) -> None:
    space = open_space()
    told = [(f"Speaker {w}", f"We saw Unit {w} Alpha and Units {w} Alpha.") for w in ("Kilo", "Lima", "Mike", "Oscar", "Papa")]
    space.ingest([corpus.write("many.vtt", told)], FAST)
    found = suggest_merges(space.graph(), space.store.mentions(), ())
    assert len(found) > 5
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert found[:3] == suggest_merges(space.graph(), space.store.mentions(), (), limit=3)


_FIRST = "a first name, one of them a speaker's"


@pytest.mark.parametrize(
    ("speakers", "said", "wanted"),
    [
        (["Dana Whitfield"], "Thank you, Dana. Last week Dana met Boris Yakov in Delft.", {("dana", "dana whitfield"): (_FIRST, True)}),
        (
            ["Dana Whitfield", "Dana Brown"],
            "Thank you, Dana. Last week Dana met Boris Yakov.",
            {("dana", "dana whitfield"): (_FIRST, False), ("dana", "dana brown"): (_FIRST, False)},
        ),
        (
            ["Dana Whitfield"],
            "Thank you, Dana. Last week Whitfield met Boris Yakov in Delft.",
            {("dana", "dana whitfield"): (_FIRST, True)},
        ),
        (["Ann Lee"], "We saw Harlow. Then Harlow Labs burned.", {("harlow", "harlow labs"): ("one name within the other", False)}),
        (["Justice Kagan"], "Thank you. The Justice asked. The Justice left.", {}),
    ],
)
def test_a_first_name_is_likely_its_only_speaker_s(
    speakers: list[str], said: str, wanted: dict[Any, Any], open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space()
    space.ingest([corpus.write("talk.vtt", [*((name, "Thanks for coming.") for name in speakers), ("Tom Ellery", said)])], FAST)
    found = {s.keys: (s.reasons[0], s.is_likely) for s in suggest_merges(space.graph(), space.store.mentions(), ())}
    assert {keys: told for keys, told in found.items() if told[0] in (_FIRST, "one name within the other") and wanted} == wanted
    assert all(told[0] != _FIRST or wanted for told in found.values())


def test_an_empty_workspace_has_nothing_to_correct(open_space: Callable[..., Workspace]) -> None:
    space = open_space()
    nothing = seen(space)
    assert (nothing.suggestions, made_merges(nothing), history(nothing), nothing.find("x")) == ([], [], [], [])


# ------------------------------------------------------------------------------------------------------- command line


def test_every_correction_has_its_command(cli: Callable[..., Any], corpus: Any, server: object) -> None:
    files = [corpus.write("one.vtt", FIRST), corpus.write("two.vtt", SECOND)]
    assert cli("ingest", *files, "--extractor", "fast", "-y").code == 0
    assert "Zanzibar Relay (3)  =  Relay Zanzibar (2)  ? the same words" in cli("graph", "suggest").out
    done = cli("graph", "merge", "zanzibar relay", "Relay Zanzibar", "--name", "Relay")
    assert "+ Relay, mentioned 5 times (also: Relay Zanzibar, Zanzibar Relay)" in done.out
    assert cli("graph", "split", "Relay", "Relay Zanzibar").code == 0
    assert cli("graph", "rename", "Port Arthur", "Fort").code == 0
    assert cli("graph", "apart", "Sun", "Old Delft").code == 0
    sense = cli("graph", "sense", "Mercury", "--in", "two", "--name", "Planet Mercury", "--json").json
    assert [e["kind"] for e in sense["edits"]] == ["sense"]
    listed = cli("graph", "edits").out.splitlines()
    assert [line.split()[1] for line in listed] == ["in"] * 5
    newest = listed[0].split()[0]
    assert cli("graph", "unedit", newest).code == 0
    assert "undone already" in cli("graph", "unedit", newest).complaint(2)
    assert cli("graph", "edits", "--json").json[0]["state"] == "undone"
    assert cli("graph", "unedit", newest, "--redo").code == 0
    assert "no entity 'nobody'" in cli("graph", "merge", "sun", "nobody").complaint(2)
    assert "--name for something new" in cli("graph", "sense", "sun", "--in", "two").complaint(2)
