"""Names that differ in form alone: designators that move, heads that are left out, words cut short,
plurals inside a name.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import merged, run, said

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Flag
from dynagrag.ingest.consolidate.guards import Name, conflict
from dynagrag.ingest.consolidate.name_variants import (
    cut_words,
    designators,
    is_cut,
    plurals,
    spellings,
)
from dynagrag.ingest.consolidate.used_names import used_names


def _joined(*names: str) -> set[frozenset[str]]:
    mentions = [said(name, doc=f"d{n}", type_="") for n, name in enumerate(names)]
    return {frozenset(members) for _, members, _ in merged(run(mentions))}


def test_a_bus_is_one_wherever_its_letter_stands_and_without_its_head() -> None:
    joined = _joined("MAIN A", "MAIN BUS A", "MAIN B BUS", "Main Bus B", "MAIN B")
    assert joined == {
        frozenset({"main a", "main bus a"}),
        frozenset({"main b bus", "main bus b", "main b"}),
    }


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["Ward North 3", "Ward 3 North"], [{"ward north 3", "ward 3 north"}]),
        (["Trial Arm B", "Trial B Arm", "Trial B"], [{"trial arm b", "trial b arm", "trial b"}]),
        (  # one word that stands alone is no thing of its own yet
            ["Trial Arm B", "Trial B Arm", "Trial B", "Trial"],
            [{"trial arm b", "trial b arm", "trial b"}],
        ),
        (
            ["Exhibit Folder 7", "Exhibit 7 Folder", "Exhibit 8"],
            [{"exhibit folder 7", "exhibit 7 folder"}],
        ),
        (
            ["Server Rack 4", "Server 4 Rack", "Server 4", "Servers"],
            [{"server rack 4", "server 4 rack"}],
        ),
        (
            ["AC BUS 1", "AC BUS 2", "AC 1", "AC 2", "AC buses"],
            [{"ac bus 1", "ac 1"}, {"ac bus 2", "ac 2"}],
        ),
        (
            ["fuel cell 1", "fuel cell 1 pump", "fuel cell pump 1", "fuel cells"],
            [{"fuel cell 1 pump", "fuel cell pump 1"}],
        ),
        (["Photoshop 5", "Photoshop Elements 5", "Photoshop Elements 6", "Photoshop 6"], []),
        (["Windows 10", "Windows Server 10"], []),
        (["Apollo 13", "Apollo 14"], []),
        (["Main A", "Main B", "Main"], []),
        (["Tank 1 Heater 2", "Tank 2 Heater 1"], []),
        (["A Team", "Team A"], []),
    ],
)
def test_designators(names: list[str], joined: list[set[str]]) -> None:
    assert _joined(*names) == {frozenset(group) for group in joined}


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["RATE CMD", "Rate Command"], True),
        (["ATT HOLD", "Attitude Hold"], True),
        (["PROP ISOL", "Propellant Isolation"], True),
        (["INTL AIRPORT", "International Airport"], True),
        (["ACCEL CMD", "Acceleration Command"], True),
        (
            ["OIL TANK", "Oil Tanker", "Water Tank"],
            False,
        ),  # a word of the corpus is nobody's abbreviation
        (["John Cart", "John Carter"], False),
        (["RATE CMD", "Rate Command", "Rate Commodity"], True),
        (["PROP ISOL", "Propellant Isolation", "Propeller Isolation"], False),
        (["RATE CMD 1", "Rate Command 2"], False),
    ],
)
def test_words_cut_short(names: list[str], joined: bool) -> None:
    assert bool(_joined(*names)) is joined


@pytest.mark.parametrize(
    ("short", "word", "expected"),
    [
        ("cmd", "command", True),
        ("dept", "department", True),
        ("prop", "propellant", True),
        ("intl", "international", True),
        ("cm", "command", False),
        ("command", "command", False),
        ("cmx", "command", False),
        ("tank", "tanks", False),
        ("come", "command", False),
        ("bus", "business", True),
        ("cmnd", "command", True),
        ("cman", "command", False),
        ("comd", "command", True),
        ("cad", "command", False),
        ("cmm", "command", False),
        ("dmd", "command", False),
        ("pro", "prope", True),
        ("prop", "prope", False),
        ("cdm", "command", False),
        ("ctl", "control", True),
    ],
)
def test_what_a_word_cut_short_is(short: str, word: str, expected: bool) -> None:
    assert is_cut(short, word) is expected


@pytest.mark.parametrize(
    ("one", "many", "are_one"),
    [
        ("reactant valve", "reactants valve", True),
        ("CBs", "CB", True),
        ("BMAGs", "BMAG", True),
        ("Kings Park", "King Park", False),
        ("Rogers", "Roger", False),
        ("customs duty", "custom duty", False),
        ("valve 1s", "valve 1", False),
    ],
)
def test_plurals_within_a_name_and_of_acronyms(one: str, many: str, are_one: bool) -> None:
    assert bool(_joined(one, many)) is are_one


@pytest.mark.parametrize(
    ("one", "many", "are_one"),
    [
        ("HTTP", "HTTPS", False),
        ("SFTP", "SFTPS", False),
        ("GP", "GPS", False),
        ("HTTP port", "HTTPS port", False),
        ("IMAP server", "IMAPS servers", False),
        ("SMS", "SMSs", True),
        ("OXYGEN VALVE", "OXYGEN VALVES", True),
        ("VALVE", "VALVES", True),
        ("MacBook", "MacBooks", True),
    ],
)
def test_a_capital_s_is_a_letter_of_an_acronym_but_for_everyday_nouns(
    one: str, many: str, are_one: bool
) -> None:
    names = [said(name, doc=f"d{n}", type_="name") for n, name in enumerate((one, many))]
    assert bool(merged(run(names))) is are_one


@pytest.mark.parametrize(
    ("marked", "plain", "are_one"),
    [
        ("François Mercier", "Francois Mercier", True),
        ("José Núñez", "Jose Nunez", True),
        ("Søren Kjær", "Soren Kjaer", True),
        ("Søren Kjær", "Soeren Kjaer", True),
        ("Jürgen Groß", "Juergen Gross", True),
        ("Łukasz Żak", "Lukasz Zak", True),
        ("Åse", "Aase", True),
        ("Café Roma", "Cafe Roma", True),
        ("José Núñez", "Josè Nunez", False),  # two marked ones: neither is the other unmarked
        ("François Mercier", "Francois Merciers", False),
        ("Май", "Маи", False),  # й is a letter of its own
        ("がく", "かく", False),
    ],
)
@pytest.mark.parametrize("type_", ["name", "person"])
def test_a_name_is_one_with_and_without_the_marks_on_its_letters(
    marked: str, plain: str, are_one: bool, type_: str
) -> None:
    names = [said(name, doc=f"d{n}", type_=type_) for n, name in enumerate((plain, marked))]
    expected = {frozenset(map(entity_key, (marked, plain)))} if are_one else set()
    assert {frozenset(members) for _, members, _ in merged(run(names))} == expected
    if are_one:
        assert [name for name, *_ in merged(run(names))] == [entity_key(marked)]


def test_of_several_marked_names_none_is_the_unmarked_one() -> None:
    assert _joined("Mái Hoang", "Mai Hoàng", "Mai Hoang") == set()


def test_marks_tell_words_apart() -> None:
    words = [replace(said(w, type_=""), flags=(Flag.CONTENT_WORD,)) for w in ("resume", "résumé")]
    assert merged(run(words)) == []
    half = [words[0], said("Résumé", doc="d2", type_="")]
    assert merged(run(half)) == []


@pytest.mark.parametrize(
    ("a", "b", "may_be_one"),
    [
        ("françois mercier", "francois mercier", True),
        ("françois mercier mp", "francois mercier", True),
        ("josé núñez", "jose nuno", False),
    ],
)
def test_two_speakers_may_be_one_where_only_marks_differ(a: str, b: str, may_be_one: bool) -> None:
    found = conflict(Name(a, "", is_speaker=True), Name(b, "", is_speaker=True))
    assert (found is None) is may_be_one


@pytest.mark.parametrize(
    ("rule", "names", "canonical"),
    [
        ("spelling", ["high-gain antenna", "high gain antenna"], "high gain antenna"),
        ("spelling", ["O.2", "O2"], "o2"),
        ("", ["us", "U.S."], ""),  # two letters and no digit
        ("spelling", ["usa", "U.S.A."], "usa"),
        ("plural", ["oxygen tanks", "oxygen tank"], "oxygen tank"),
        ("plural", ["rogers", "roger"], "roger"),
        ("", ["Rogers", "Roger"], ""),  # a surname, perhaps
        ("plural", ["CBs", "cb"], "cb"),
        ("plural", ["oxygen CBs", "oxygen CB"], "oxygen cb"),
        ("", ["VALVES", "valve"], ""),
        ("plural", ["reactants valves", "reactant valve"], "reactant valve"),
        ("", ["Reactants Valve", "Reactant valve"], ""),  # in title case the words are its own
        ("plural", ["reactants Mark valve", "reactant Mark valve"], "reactant mark valve"),
        ("", ["series valve", "sery valve"], ""),
        ("plural", ["bodies", "body"], "body"),
        ("plural", ["bodies", "bodie"], "bodie"),
        ("", ["ties", "ty"], ""),
        ("designator", ["Ward North 3", "Ward 3 North"], "ward 3 north"),
        ("designator", ["AC BUS 1", "AC 1", "AC buses"], "ac 1"),
        ("designator", ["AC BUS 1", "AC 1", "AC BUSs"], "ac 1"),
        ("", ["AC BUS 1", "AC 1", "AC buses", "AC"], ""),
        ("", ["AC BUS 1", "AC 1", "AC busing"], ""),
        ("abbreviation", ["RATE CMD", "Rate Command"], "rate cmd"),
        ("abbreviation", ["rate CMD", "rate command"], "rate cmd"),
        ("abbreviation", ["ROLL RATE CMD", "Roll Rate Command"], "roll rate cmd"),
        ("", ["RATE CMD", "RATE COMMAND"], ""),  # all capitals: what is whole can't be seen
        ("", ["CMD", "Command"], ""),  # one word alone
        ("", ["RATE CMD", "Rate Command", "cmd line"], ""),  # a word of the corpus
        ("", ["RATE CMD", "Rate Command Line"], ""),
        ("", ["RATE CMD", "Pace Command"], ""),
        ("", ["RATE CMD", "Rare Command"], ""),
    ],
)
def test_names_that_differ_in_form_are_one_by_the_rule_that_says_so(
    rule: str, names: list[str], canonical: str
) -> None:
    mentions = [said(name, doc=f"d{n}", type_="") for n, name in enumerate(names)]
    members = tuple(sorted(entity_key(name) for name in names[:2]))
    found = [m for m in merged(run(mentions)) if set(m[1]) & set(members)]
    assert found == ([(canonical, members, rule)] if rule else [])


def test_a_name_that_is_a_thing_of_its_own_keeps_its_designator_apart() -> None:
    """fuel cell 1 is no fuel cell 1 pump: the corpus has the fuel cell, or fuel cells, without."""
    names = ["fuel cell pump 1", "fuel cell 1 pump", "fuel cell 1"]
    pump = frozenset({"fuel cell pump 1", "fuel cell 1 pump"})
    assert _joined(*names) == {pump | {"fuel cell 1"}}
    for thing in ("fuel cell", "fuel cells"):
        assert _joined(*names, thing) - {frozenset({"fuel cell", "fuel cells"})} == {pump}


@pytest.mark.parametrize(
    ("plural_type", "type_", "is_one"),
    [("", "", True), ("person", "", False), ("", "person", False), ("person", "person", False)],
)
def test_a_persons_name_is_no_plural(plural_type: str, type_: str, is_one: bool) -> None:
    used = used_names([said("ann lees", type_=plural_type), said("ann lee", type_=type_)])
    assert bool(list(plurals({n.key: n for n in used}))) is is_one


def test_what_is_cut_short_is_neither_a_persons_name_nor_a_mere_word() -> None:
    short, whole = said("ROB DEPT", type_=""), said("Rob Department", type_="")
    for long, is_cut_short in (
        (whole, True),
        (replace(whole, type="person"), False),
        (replace(whole, flags=(Flag.CONTENT_WORD,)), False),
    ):
        assert bool(list(cut_words(used_names([short, long])))) is is_cut_short


def test_a_plural_acronym_is_no_plural_of_a_mere_word() -> None:
    word = replace(said("ab", type_=""), flags=(Flag.CONTENT_WORD,))
    for single, is_plural in ((said("AB", type_=""), True), (word, False)):
        used = used_names([said("ABs", type_=""), single])
        assert bool(list(plurals({n.key: n for n in used}))) is is_plural


_part = st.sampled_from(
    ["main", "bus", "a", "b", "1", "2", "tank", "tanks", "CMD", "Command", "rate", "pump"]
)
_some = st.lists(
    st.lists(_part, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=10, unique=True
)


@given(_some, st.randoms(use_true_random=False))
def test_no_rule_depends_on_order_or_joins_what_a_guard_forbids(names: list[str], rnd) -> None:  # type: ignore[no-untyped-def]
    mentions = [said(name, doc=f"d{n}", type_="") for n, name in enumerate(names)]
    before = merged(run(mentions))
    assert all(
        conflict(Name(a), Name(b)) is None
        for _, members, _ in before
        for a in members
        for b in members
    )
    rnd.shuffle(mentions)
    assert merged(run(mentions)) == before


@given(_some)
def test_each_rule_proposes_names_in_use_and_none_with_itself(names: list[str]) -> None:
    used = used_names([said(name, type_="") for name in names])
    by_key = {n.key: n for n in used}
    for _, a, b in (*spellings(used), *plurals(by_key), *designators(by_key), *cut_words(used)):
        assert {a, b} <= by_key.keys()
        assert a != b


def test_letters_on_both_sides_of_a_sentences_dot_spell_no_acronym() -> None:
    assert _joined("C. DC", "CDC") == set()
    assert _joined("U. S. Navy", "US Navy") == {frozenset({"u. s. navy", "us navy"})}
    assert _joined("J. R. Smith", "J R Smith") == {frozenset({"j. r. smith", "j r smith"})}
