"""What glossaries come to: which names are one thing, which are two, and what that does to merges
and entities.
"""

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import merged, run, said

from dynagrag.core.schema import Edit, EditKind, Entity
from dynagrag.graph_store.derived.canonical import make_edit, undo_merge
from dynagrag.graph_store.derived.edits_left import edits_left
from dynagrag.graph_store.derived.glossary import (
    GlossaryRow,
    explained,
    glossary_rows,
    glossary_text,
    read_glossary,
    resolve,
)
from dynagrag.ingest.consolidate.guards import MergeGuard
from dynagrag.ingest.consolidate.safe_rules import safe_merges
from dynagrag.ingest.consolidate.used_names import used_names


def _row(term: str, *aliases: str, definition: str = "") -> GlossaryRow:
    return GlossaryRow(term, aliases, definition)


def _edit(*rows: GlossaryRow, name: str = "g.csv", at: str = "2026-01-01T00:00:00+00:00") -> Edit:
    return make_edit(EditKind.GLOSSARY, name=name, what=glossary_text(rows), by="me", at=at)


def _things(*rows: GlossaryRow) -> set[frozenset[str]]:
    return {frozenset(thing.keys) for thing in resolve(rows).things if len(thing.keys) > 1}


def test_a_term_and_its_aliases_are_one_thing() -> None:
    found = resolve([_row("Lunar Module", "LM", "LEM", definition="It lands.")])
    assert found.things[0].keys == ("lunar module", "lem", "lm")
    assert found.things[0].definitions == ("It lands.",)


@pytest.mark.parametrize(
    ("rows", "things", "ambiguous"),
    [
        ([_row("a1", "b1"), _row("b1", "a1")], [{"a1", "b1"}], []),  # a circle
        ([_row("a1", "b1"), _row("b1", "c1"), _row("c1", "a1")], [{"a1", "b1", "c1"}], []),
        (
            [_row("LM", "Lem"), _row("Lunar Module", "LM")],
            [{"lm", "lem", "lunar module"}],
            [],
        ),  # a chain
        (
            [_row("Guidance", "AGC", "G1"), _row("Gain", "AGC", "G2")],
            [{"guidance", "g1"}, {"gain", "g2"}],
            ["agc"],
        ),
        ([_row("CM", "command module"), _row("CM", "centimetre")], [], ["cm"]),
        ([_row("CM", definition="a ship"), _row("CM", definition="a length")], [], ["cm"]),
        (
            [_row("CM", "command module"), _row("CM", definition="a ship")],
            [{"cm", "command module"}],
            [],
        ),
        (
            [_row("CM", "command module"), _row("CM", "command module", "ship")],
            [{"cm", "command module", "ship"}],
            [],
        ),
        (
            [_row("CM", "command module", definition="x"), _row("CM", "ship", definition="X")],
            [{"cm", "command module", "ship"}],
            [],
        ),
        ([_row("CM"), _row("CM", "command module")], [{"cm", "command module"}], []),
        ([_row("x1", "t1"), _row("y1", "t1"), _row("t1", "z1")], [{"t1", "z1"}], ["t1"]),
        ([_row("a1", "a1", "A1")], [], []),
        ([], [], []),
    ],
)
def test_circles_chains_and_double_meanings(
    rows: list[GlossaryRow], things: list[set[str]], ambiguous: list[str]
) -> None:
    assert _things(*rows) == {frozenset(thing) for thing in things}
    assert sorted(resolve(rows).ambiguous) == ambiguous


def test_a_circle_is_told() -> None:
    assert resolve([_row("Alpha", "Beta"), _row("Beta", "Alpha")]).circles == (("Alpha", "Beta"),)


_name = st.sampled_from(["a", "b", "c", "d", "e", "f"]).map(lambda c: f"{c} name")
_rows = st.lists(
    st.builds(
        GlossaryRow, _name, st.lists(_name, max_size=3).map(tuple), st.sampled_from(["", "x", "y"])
    ),
    max_size=8,
)


@given(_rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing_and_no_name_is_of_two_things(
    rows: list[GlossaryRow], rnd: random.Random
) -> None:
    found = resolve(rows)
    shuffled = list(rows)
    rnd.shuffle(shuffled)
    assert resolve(shuffled) == found
    keys = [key for thing in found.things for key in thing.keys]
    assert len(keys) == len(set(keys)) == len(found.thing_of)


@given(_rows)
def test_rows_read_back_from_their_edit(rows: list[GlossaryRow]) -> None:
    assert glossary_rows(_edit(*rows)) == tuple(rows)


@pytest.mark.parametrize(
    "what", ["", "no json", "{}", "[[1, 2]]", '[["t", "no list", "", 1]]', "[null]"]
)
def test_what_does_not_read_back_says_nothing(what: str) -> None:
    edit = make_edit(EditKind.GLOSSARY, name="g", what=what, by="me", at="2026")
    assert read_glossary([edit]).things == ()


def test_a_glossary_joins_what_guards_would_not_and_rules_add_to_it() -> None:
    names = ["AC electrical bus", "AC BUS 1", "AC BUS 2", "AC electrical buses"]
    found = merged(
        run(
            [said(n, type_="thing") for n in names],
            edits=[_edit(_row("AC electrical bus", "AC BUS 1", "AC BUS 2"))],
        )
    )
    assert [(canonical, set(members)) for canonical, members, _ in found] == [
        ("ac electrical bus", {n.casefold() for n in names})
    ]
    assert found[0][2] == "glossary+plural"


def test_more_than_twelve_names_of_a_glossary_are_one() -> None:
    codes = [f"{letter}-{n}" for letter in "ABCD" for n in range(1, 5)]
    found = merged(
        run([said(n) for n in ("Thruster", *codes)], edits=[_edit(_row("Thruster", *codes))])
    )
    assert [len(members) for _, members, _ in found] == [17]


def test_a_term_of_thousands_of_aliases_is_joined_in_linear_time() -> None:
    def num_lines(size: int) -> int:
        names = [f"Name {n} of it" for n in range(size)]
        mentions, edit = [said(n) for n in ("Thruster", *names)], _edit(_row("Thruster", *names))
        guard = MergeGuard(
            {n.key: n.name for n in used_names(mentions)}, glossary=read_glossary([edit])
        )
        count = 0

        def trace(frame: object, event: str, arg: object) -> object:
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            (merge,) = safe_merges(used_names(mentions), guard)
        finally:
            sys.settrace(before)
        assert len(merge.members) == size + 1
        return count

    assert num_lines(2000) < 20 * num_lines(200)


def test_what_a_glossary_has_as_two_no_rule_makes_one() -> None:
    mentions = [said("fuel cell", type_="x"), said("fuel cells", type_="x")]
    assert len(merged(run(mentions))) == 1
    assert merged(run(mentions, edits=[_edit(_row("fuel cell"), _row("fuel cells"))])) == []


def test_an_acronym_of_two_things_joins_neither() -> None:
    mentions = [said(n, type_="") for n in ("Apollo Guidance Computer", "AGC")]
    text = ["the Apollo Guidance Computer (AGC)"]
    assert len(merged(run(mentions, texts=text))) == 1
    edit = _edit(_row("Apollo Guidance Computer", "AGC"), _row("Automatic Gain Control", "AGC"))
    assert merged(run(mentions, texts=text, edits=[edit])) == []


def test_a_glossary_and_each_of_its_merges_can_be_taken_back() -> None:
    mentions, edit = [said("Eagle"), said("Lunar Module")], _edit(_row("Lunar Module", "Eagle"))
    (merge,) = run(mentions, edits=[edit]).consolidation.merges
    apart = undo_merge(merge, by="me", at="2026-02-01")
    assert merged(run(mentions, edits=[edit, apart])) == []
    gone = make_edit(EditKind.UNDO, what=edit.id, by="me", at="2026-02-01")
    assert merged(run(mentions, edits=[edit, gone])) == []


def test_a_glossary_outlives_the_documents() -> None:
    edit = _edit(_row("Lunar Module", "LM"), name="lm")
    assert edits_left([edit], {"lunar module", "lm"}, set()) == edits_left([], (), ())


def _entity(name: str, *keys: str) -> Entity:
    return Entity(name, keys[0], name, "", keys, (), "", 1, ("said",))


def test_an_entity_has_the_glossarys_definition_and_the_names_that_nobody_uses() -> None:
    glossary = resolve([_row("Lunar Module", "LM", "Spider", definition="It lands.")])
    (lm,) = explained([_entity("LM", "lm")], glossary)
    assert (lm.aliases, lm.summaries) == (("Lunar Module", "Spider"), ("It lands.", "said"))
    one, two = explained([_entity("LM", "lm"), _entity("Spider", "spider")], glossary)
    assert (one.aliases, two.aliases) == ((), ())  # a person keeps them apart
    assert one.summaries[0] == "It lands."
    assert explained([_entity("Moon", "moon")], glossary) == [_entity("Moon", "moon")]
