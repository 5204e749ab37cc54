"""Names that differ in form alone: designators that move, heads that are left out, words cut short,
plurals inside a name.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_judge import merged, run, said

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
