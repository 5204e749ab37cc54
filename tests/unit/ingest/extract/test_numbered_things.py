"""What a number, a letter or a unit makes a thing of, what names nothing, and names with the part
behind them.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key
from dynagrag.ingest.extract.case_use import CaseUse, case_use
from dynagrag.ingest.extract.fast_rules import candidates
from dynagrag.ingest.extract.name_words import COMMANDS, FURNITURE, GENERIC, MONTHS
from dynagrag.ingest.extract.part_words import MEASURES, NUMBERED, singular

NO_USE = CaseUse({}, {}, True)
NOUNS = sorted(NUMBERED)


def names(sentence: str, use: CaseUse = NO_USE) -> list[str]:
    return [c.name for c in candidates(sentence, use) if not c.is_word]


@given(
    st.sampled_from(NOUNS),
    st.one_of(
        st.integers(1, 999).map(str),
        st.sampled_from("BCDEFGH"),
        st.sampled_from(["3A", "11-2", "4.1"]),
    ),
)
def test_a_noun_with_its_number_or_letter_is_a_thing(noun: str, number: str) -> None:
    assert names(f"They went to {noun} {number}, and that is all.") == [f"{noun} {number}"]
    assert names(f"So the {noun} is there.") == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "In the LM, on panel 11 and panel 16, look at tank 2.",
            ["LM", "panel 11", "panel 16", "tank 2"],
        ),
        ("Watch fuel cell 3, main bus B and quad C.", ["fuel cell 3", "main bus B", "quad C"]),
        ("Go to step 13, then meet in room 204.", ["step 13", "room 204"]),
        ("We are selecting water separator number 2 now.", ["water separator number 2"]),
        ("It pulled off the A bus, the second only the B bus.", ["A bus", "B bus"]),
        (
            "Close panels 11 and 16, and quads A, B, and D.",
            ["panels 11 and 16", "quads A, B, and D"],
        ),
        ("We lost O2 tank 2 in Activation 1 step 3.", ["O2 tank 2", "Activation 1 step 3"]),
        ("Inverter 2. Step 3 is done.", ["Inverter 2", "Step 3"]),
        ("On panel 14, BATS 1, 2, 3, and 4 are ON.", ["panel 14", "BATS 1, 2, 3, and 4"]),
    ],
)
def test_numbered_parts_are_whole(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


def test_a_document_decides_of_no_numbered_part_that_it_is_ordinary() -> None:
    use = case_use("The inverter is on, the inverter is off. Inverter 2.")
    assert names("Inverter 2.", use) == ["Inverter 2"]


@given(st.sampled_from(sorted(FURNITURE - {"line", "lines", "fig"})), st.integers(1, 99))
def test_parts_of_a_document_are_no_things(part: str, number: int) -> None:
    assert names(f"They look at {part} {number} again.") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "We have tank 2 percent full.",
        "They switch 3 tanks and pass 2 cars.",
        "Come to the office 2 times at 3:15.",
        "It took step 3 minutes.",
        "So the team I saw is there, in a room a day.",
    ],
)
def test_a_number_that_counts_something_names_no_part(sentence: str) -> None:
    assert names(sentence) == []


@given(
    st.one_of(st.integers(0, 5000).map(lambda n: f"{n:,}"), st.decimals(0, 99, places=1).map(str)),
    st.sampled_from(sorted(MEASURES)),
)
def test_a_number_with_its_unit_is_one_thing(number: str, unit: str) -> None:
    assert names(f"It was about {number} {unit} there.") == [f"{number} {unit}"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "We burn 40 feet a second, or 42 feet per second, or 35 ft/sec.",
            ["40 feet a second", "42 feet per second", "35 ft/sec"],
        ),
        ("It reached 500°C (1,000°F) at 26.25V.", ["500°C", "1,000°F", "26.25V"]),
        ("It is at 10,800 feet.", ["10,800 feet"]),
    ],
)
def test_quantities_are_whole(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


@given(st.one_of(st.integers(2100, 9_999_999), st.integers(0, 999)))
def test_a_bare_number_is_no_thing_unless_it_is_a_year(number: int) -> None:
    assert names(f"They changed it to {number}, and to {number:,} there.") == []
    assert names(f"They read {number} 1402 and 0027.") == []
    assert names("They changed it in 1402, plus 1102.") == ["1402"]


@given(
    st.integers(1, 31),
    st.sampled_from(sorted(MONTHS)),
    st.one_of(st.none(), st.integers(1000, 2020)),
)
def test_a_date_is_whole_whichever_side_its_day_stands_on(
    day: int, month: str, year: int | None
) -> None:
    tail = f" {year}" if year else ""
    date = f"{day} {month.title()}{tail}"
    assert names(f"They came on {date} in a ship.") == [date]


@given(st.sampled_from(sorted(COMMANDS | GENERIC)))
def test_a_command_or_a_position_names_nothing_alone(word: str) -> None:
    shown = word.upper()
    assert names(f"He needs to do an {shown} and go on, {shown}.") == []
    assert names(f"{shown}, FLIGHT.") == ["FLIGHT"]
    assert names(f"Just the {shown} PANEL there.") == [f"{shown} PANEL"]


def test_what_something_is_set_to_is_no_thing_but_who_is_spoken_to_is_one() -> None:
    assert names("Put the DEMAND REGs to CABIN, with the THROTTLE set to LANDER.") == [
        "DEMAND REGs",
        "THROTTLE",
    ]
    assert names("EECOM to FLIGHT.") == ["EECOM", "FLIGHT"]
    assert names("Mark that.") == []
    assert names("Mark left.", case_use("So we asked Mark. Mark left.")) == ["Mark"]


def test_capitals_that_a_document_writes_small_as_a_rule_are_words() -> None:
    use = case_use(
        "We watch the cabin, the cabin, the cabin and the cabin. It is in the CABIN now, with"
        " the LM."
    )
    assert names("It is in the CABIN now, with the LM.", use) == ["LM"]
    assert names("It is in the CABIN now, with the LM.") == ["CABIN", "LM"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("They had five of the immense F-1 engines.", ["F-1", "F-1 engines"]),
        ("And close the DUA breaker.", ["DUA", "DUA breaker"]),
        (
            "It is on the S-II second stage, off the LM inverter.",
            ["S-II", "S-II second stage", "LM", "LM inverter"],
        ),
        ("Then the LM POWER switch, reset.", ["LM POWER", "LM POWER switch"]),
        ("O₂ tanks - fans are on.", ["O₂", "O₂ tanks"]),
        ("He was a Russian Empire stage actress.", ["Russian Empire"]),
        ("They sank it by British aircraft.", ["British"]),
        ("I want to have FLIGHT switch over to it.", ["FLIGHT"]),
    ],
)
def test_a_name_stands_beside_the_part_that_it_tells_apart(
    sentence: str, expected: list[str]
) -> None:
    assert names(sentence) == expected


@given(st.sampled_from(NOUNS), st.sampled_from(["s", "es"]))
def test_a_plural_has_its_noun(noun: str, ending: str) -> None:
    assert singular(noun) == noun
    assert singular(noun + ending) in {noun, noun + ending}
    assert singular("batteries") == "battery"


def test_a_subscript_is_part_of_its_name_and_no_part_of_its_key() -> None:
    (name,) = [
        c for c in candidates("We see erratic CO<sub>2</sub> readings.", NO_USE) if not c.is_word
    ]
    assert (name.name, name.key) == ("CO<sub>2</sub>", "co2")
    (other,) = [c for c in candidates("We see erratic CO₂ readings.", NO_USE) if not c.is_word]
    assert other.key == name.key == entity_key("CO2")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The Command/Service Module had AC/DC power.", ["Command/Service Module", "AC/DC"]),
        ("The Main Bus Tie Bat A/C is on.", ["Main Bus Tie Bat A/C"]),
        (
            "They saw Facebook/YouTube and MAIN A/MAIN B.",
            ["Facebook", "YouTube", "MAIN A", "MAIN B"],
        ),
    ],
)
def test_a_slash_joins_what_is_one_name(sentence: str, expected: list[str]) -> None:
    assert names(sentence) == expected


@pytest.mark.parametrize(
    "rank",
    ["First Lieutenant", "Major General", "Rear Admiral", "Lieutenant Colonel", "Staff Sergeant"],
)
def test_a_rank_of_two_words_is_no_part_of_a_full_name(rank: str) -> None:
    assert names(f"There is {rank} Wayne Koons, the pilot.") == ["Wayne Koons"]


def test_labels_in_a_row_are_no_shout() -> None:
    assert names("On 16, DESCENT ECA CONTROL, CLOSE.") == ["DESCENT ECA CONTROL"]
    assert names("THE COURT OF APPEALS REVERSED, AND REMANDED THE CASE.") == []


def test_a_name_begun_again_counts_whole() -> None:
    assert names("They have it. LANDING - excuse me, LANDING RADAR.") == ["LANDING RADAR"]
