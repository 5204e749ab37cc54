"""A claim beside a line: each kind of gap between the two, found and not found."""

from dataclasses import dataclass, replace

import pytest

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.comparison import Comparison
from dynagrag.generation.claims.number_checks import number_gap
from dynagrag.generation.claims.role_checks import name_gap, role_gap
from dynagrag.generation.claims.stance import stance_gap
from dynagrag.generation.claims.word_checks import (
    added_gap,
    described_gap,
    opposite_gap,
    order_gap,
    replaced_gap,
    verb_gap,
)

FLOOR = "In May the crew laid a floor that is tough and easy to clean, and it lets you move freely."
Found = tuple[str, bool] | None
"""The gap that a check finds."""


@dataclass(frozen=True)
class Beside:
    claim: str
    line: str
    speaker: str | None = None
    title: str = ""


def about(pair: Beside, attribution: Attributed | None = None) -> Comparison:
    said = attribution or Attributed("", pair.claim)
    return Comparison(replace(said, what=pair.claim), Line(pair.line, pair.speaker, pair.title))


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("It has 5 valves.", "It has 5 valves."), None),
        (Beside("It has 5 valves.", "It has 6 valves."), ("says 6, not 5", True)),
        (Beside("It has 5 valves.", "It has valves."), ("does not say 5", False)),
        (Beside("It has 5 volts.", "It has 6 amps."), ("does not say 5 volts", False)),
        (
            Beside("It has at least 5 valves.", "It has 5 valves."),
            ("says 5, not at least 5", False),
        ),
        (Beside("It has 5 volts.", "It has 5 amps."), ("says 5 amps, not 5 volts", False)),
        (Beside("At 5:20 it opened.", "On 3 March it opened."), ("does not say 5:20", False)),
        (Beside("Of 5 valves 7 failed.", "Of 5 valves 6 failed."), ("says 5, not 7", True)),
        # a number in a name that the line has, or in a title, is no amount
        (Beside("Apollo 13 has 5 valves.", "Apollo 13 has 5 valves."), None),
        (Beside("Apollo 13 flew.", "Apollo flew."), ("does not say 13", False)),
        (Beside("Ada, 6th Countess of Kent, left.", "Ada left."), None),
        (Beside("Ada, 6 Kent Road, left.", "Ada left."), ("does not say 6", False)),
        (Beside("On 3rd May Ada left.", "Ada left."), ("does not say 3rd May", False)),
        (Beside("On May 3rd Ada left.", "Ada left."), ("does not say May 3rd", False)),
    ],
)
def test_numbers(pair: Beside, gap: Found) -> None:
    assert number_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("We met Ada in Rome.", "We met Ada in Rome."), None),
        (
            Beside("We met Ada Lee in Bonn.", "We met Ada Lee in Rome."),
            ("does not name Bonn", False),
        ),
        (Beside("We met Ada Lee.", "We met Bob."), ("does not name Ada Lee", False)),
        # in the title or the speaker
        (Beside("We met Ada.", "We met her.", title="Ada"), None),
        (Beside("We met Ada.", "We met her.", speaker="ADA"), None),
        (Beside("We met Ada Lee.", "We met her.", title="Ada"), ("does not name Ada Lee", False)),
        # the subject may go without a name where the line opens with no other
        (Beside("Ada opened the valve.", "She opened the valve."), None),
        (
            Beside("Ada opened the valve.", "The pilot opened the valve."),
            ("does not name Ada", False),
        ),
        (Beside("Ada opened the valve.", "Opened the valve."), None),
        (Beside("Ada opened the valve.", "Slowly opened the valve."), None),
        (Beside("Ada died in 1990.", "Death came in 1990, in Rome."), None),
        (Beside("Ada opened it in 1990.", "1990 saw it opened, in Rome."), None),
        (Beside("Ada opened the valve.", "opened the valve"), None),
        (Beside("Ada opened the valve.", "Bob opened the valve."), ("does not name Ada", False)),
        (
            Beside("Ada opened the valve.", "pilots of Rome opened the valve."),
            ("does not name Ada", False),
        ),
        (Beside("Ada opened the valve in Rome.", "pilots of Rome opened the valve."), None),
        (Beside("Ada opened the valve.", "5 of Rome opened the valve."), None),
        (
            Beside("Ada opened the valve.", "The pilot of Rome opened the valve."),
            ("does not name Ada", False),
        ),
        (Beside("Ada opened the valve.", "?!"), ("does not name Ada", False)),
        (Beside("The Acme opened the valve.", "It opened the valve."), None),
        (
            Beside("In May Ada opened the valve.", "It opened the valve."),
            ("does not name Ada", False),
        ),
        (Beside("They met Ada.", "They met him."), ("does not name Ada", False)),
        (Beside("Ada is in Rome.", "She is in Rome."), None),
        (Beside("It is Ada.", "She it is."), ("does not name Ada", False)),
        (Beside("Ada left Rome.", "She left Bonn."), ("does not name Rome", False)),
        # of two names of a subject one is enough
        (Beside("Ada, Bob opened the valve.", "Bob of Rome opened the valve."), None),
    ],
)
def test_names(pair: Beside, gap: Found) -> None:
    assert name_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("The old pump failed at noon.", "The old pump failed at noon."), None),
        (
            Beside("The old pump failed at noon.", "The old valve failed at noon."),
            ("says 'valve', not 'pump'", False),
        ),
        (
            Beside("The red pump failed.", "The green valve of Rome broke down."),
            None,
        ),  # speaks of something else
        (
            Beside("We met old Ada Lee in Bonn.", "We met old Ada Lee in Rome."),
            ("says 'Rome', not 'Bonn'", False),
        ),
        (
            Beside("Ada opened the old pump valve.", "Bob opened the old pump valve."),
            None,
        ),  # the subject is for others to tell
        (Beside("Pumps and old valves failed today.", "Tanks and old valves failed today."), None),
        (
            Beside(
                "The pump and old valves failed today.", "The tank and old valves failed today."
            ),
            ("says 'tank', not 'pump'", False),
        ),
        (Beside("The doctor left the room at noon.", "The physician left the room at noon."), None),
        (Beside("We met Brazilian pilots in town.", "We met Brazil pilots in town."), None),
        (
            Beside(
                "The first old pump valve seal failed x.", "The first old pump valve seal failed y."
            ),
            None,
        ),
        (
            Beside(
                "The first old pump valve seal failed 5.", "The first old pump valve seal failed 6."
            ),
            None,  # the check of numbers tells
        ),
        (
            Beside(
                "The first old pump valve seal failed ox.",
                "The first old pump valve seal failed ax.",
            ),
            ("says 'ax', not 'ox'", False),
        ),
        (
            Beside(
                "Tall red blue valve seal cover broke today hot.",
                "Tall green black valve seal cover broke today hot.",
            ),
            ("says 'green', not 'red'", False),
        ),
        (
            Beside("The first old pump seal went on.", "The first old pump valve seal went on."),
            None,
        ),
        # of a longer sentence, between two words that both have
        (
            Beside("The floor is fragile and hard to clean.", FLOOR),
            ("says 'tough', not 'fragile'", False),
        ),
        (Beside("The floor is tough and easy to clean.", FLOOR), None),
        (Beside("The crew made a floor.", FLOOR), None),
        (
            Beside("The crew came home by train.", "The tired crew went home by bus on Monday."),
            None,
        ),
        (
            Beside("The crew walked home by train.", "The tired crew flew home by bus on Monday."),
            ("says 'flew', not 'walked'", False),
        ),
        (
            Beside("Ada Lee was born in 1950.", "Ada Lee (1950-2001) was a painter of old Bonn."),
            None,
        ),
    ],
)
def test_replaced_words(pair: Beside, gap: Found) -> None:
    assert replaced_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (
            Beside("Retired seniors get it.", "It is for all the working seniors."),
            ("says 'working', not 'Retired'", False),
        ),
        (Beside("Retired seniors get it.", "It is for seniors."), None),
        (Beside("Retired seniors get it.", "Working seniors pay, but some seniors get it."), None),
        (Beside("Huge boats sank.", "The big boats sank."), None),
        (Beside("Thankful boats sank.", "The old boats sank, thank you."), None),
    ],
)
def test_what_a_thing_is_like(pair: Beside, gap: Found) -> None:
    assert described_gap(about(pair)) == gap


CAMPAIGN = "I just launched a campaign."


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("Ann cancelled a campaign.", CAMPAIGN, "Ann"), ("does not say 'cancelled'", False)),
        (Beside("Ann launched a campaign.", CAMPAIGN, "Ann"), None),
        (Beside("Ann opened a campaign.", CAMPAIGN, "Ann"), None),  # near it
        (Beside("Ann took a campaign.", CAMPAIGN, "Ann"), None),  # says little
        (Beside("The pump closed.", "The pump opened."), None),  # for opposites to tell
        (Beside("The pump is above it.", "The pump is over it."), None),  # no verb
        (Beside("Ada is in Rome.", "Ada, of Rome."), None),
    ],
)
def test_the_verb(pair: Beside, gap: Found) -> None:
    assert verb_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("The pump failed.", "The pump failed."), None),
        (
            Beside("The old blue pump failed.", "The pump failed."),
            ("says nothing of 'old blue'", False),
        ),
        (Beside("The old pump failed.", "The pump failed."), None),
        (Beside("The old pump failed badly.", "The pump failed."), None),
        (
            Beside("The valve opened slowly near tanks.", "The valve opened."),
            ("says nothing of 'slowly tanks'", False),
        ),
        (Beside("Ada is a citizen national of Rome.", "Ada of Rome."), None),
        (
            Beside("The valve, an old seal, opened.", "It opened."),
            ("says nothing of 'valve old'", False),
        ),
        (Beside("The red valve opened.", "It opened.", title="A red valve"), None),
        (Beside("The red valve opened.", "It opened.", speaker="RED VALVE"), None),
        # a subject that the line doesn't name, with what is said of it before the verb
        (Beside("Ada, the red pilot, opened it.", "She opened it."), None),
        (
            Beside("Ada, the red pilot, opened it.", "Ada opened it."),
            ("says nothing of 'red pilot'", False),
        ),
    ],
)
def test_added_words(pair: Beside, gap: Found) -> None:
    assert added_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "share"),
    [
        (Beside("The old pump failed.", "The old pump failed."), 1),
        (Beside("The red pump failed.", "The pump failed."), 2 / 3),
        (Beside("The pump opened.", "The pump closed."), 1),  # the opposite is of the same thing
        (Beside("Ada is in Rome.", "It rained."), 1),  # nothing but names
        (Beside("Ada, the red pilot, opened it.", "She opened it."), 1),
        (Beside("Ada, the red pilot, opened it.", "Ada opened it."), 1 / 3),
        (Beside("Ada is a citizen of Rome.", "Ada of Rome."), 1),
        (Beside("Ada's father was Bob.", "Ada and Bob."), 1),
        (Beside("The song was sung by Ada.", "A song by Ada."), 1),
        (Beside("The song was eaten by Ada.", "A song by Ada."), 0.5),
    ],
)
def test_the_share_of_words_that_a_line_has(pair: Beside, share: float) -> None:
    assert about(pair).share() == pytest.approx(share)


def test_what_a_line_has_of_a_claim_is_told_by_its_places() -> None:
    found = about(Beside("Ada Lee and Bob opened 5 red valves.", "Bob opened 5 valves.")).there()
    assert found == {("word", 4), ("word", 7), ("name", 3), ("number", 23)}
    assert about(Beside("Ada opened it.", "She opened it.", title="Ada")).there() == {
        ("word", 1),
        ("name", 0),
    }


ROUND, OTHERS, PLACE = (
    ("has it the other way round", True),
    ("says it of somebody or something else", False),
    "names another place or cause for it",
)


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (Beside("Ada is in Rome.", "It rained."), None),
        (Beside("Ada hired Bob.", "Ada hired Bob."), None),
        (Beside("Ada hired Bob.", "Bob hired Ada."), ROUND),
        (Beside("Bob was hired by Ada.", "Ada hired Bob."), None),
        (Beside("Bob was hired by Ada.", "Bob hired Ada."), ROUND),
        (Beside("Ada hired Bob.", "Cleo hired Bob, not Ada."), OTHERS),
        (Beside("Ada hired Bob.", "She hired Bob."), None),
        (Beside("Ada hired Bob.", "Cleo hired Bob."), OTHERS),
        (Beside("Bob was hired in Rome.", "Cleo hired Bob."), None),
        (Beside("Ada hired Bob.", "Bob hired Ada, then Ada hired Bob."), None),
        (Beside("Ada hired Bob.", "Cleo hired Bob, then Bob hired Ada."), ROUND),
        # a release may be said by the work's kind and year
        (Beside("Hiawatha was released in 1913.", "Hiawatha is a 1913 film."), None),
        (Beside("Hiawatha was published in 1913.", "Hiawatha is a 1913 novel."), None),
        # births and deaths
        (Beside("Ada died in 1990.", "Ada died in 1990."), None),
        (
            Beside("Ada died in 1990.", "Ada died in 1991."),
            ("gives another time for it than 1990", True),
        ),
        (Beside("Ada died in 1990.", "Ada left in 1990."), ("does not say 'died'", False)),
        (Beside("Ada died in Rome.", "Ada died in Rome."), None),
        (
            Beside("Ada died in Rome.", "Ada of Rome was born in Bonn and died in Ohio."),
            (PLACE, False),
        ),
        (Beside("Ada 5 died in 1990.", "Ada 5 died in 1990."), None),
        # parents and children
        (Beside("Ada's father was Bob.", "Ada was the daughter of Bob."), None),
        (Beside("Ada's father was Bob.", "Bob was the son of Ada."), ROUND),
        (Beside("Bob was Ada's father.", "Ada was the daughter of Bob."), None),
        (Beside("Bob was Ada's father.", "Bob was the son of Ada."), ROUND),
        (Beside("Bob was the father of Ada.", "Ada was the daughter of Bob."), None),
        (Beside("Bob was the father of Ada.", "Bob was the son of Ada."), ROUND),
        (Beside("Ada was the daughter of Bob.", "Bob was the father of Ada."), None),
        (Beside("Ada was the daughter of Bob.", "Ada was the mother of Bob."), ROUND),
        (Beside("Ada was Bob's daughter.", "Bob was the father of Ada."), None),
        (Beside("Ada was Bob's daughter.", "Ada was the mother of Bob."), ROUND),
        (Beside("Bob's daughter is Ada.", "Bob was the father of Ada."), None),
        (Beside("Bob's daughter is Ada.", "Ada was the mother of Bob."), ROUND),
        (Beside("Bob's daughter is Ada.", "Bob met Ada."), ("does not say 'daughter'", False)),
        (Beside("The parents of Ada were Bob.", "Bob was the father of Ada."), None),
        (
            Beside(
                "The parents of Ada were Bob and Cleo.", "Ada was the daughter of Bob and Cleo."
            ),
            None,
        ),
    ],
)
def test_who_did_what(pair: Beside, gap: Found) -> None:
    assert role_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (
            Beside("The board voted for the budget.", "The board voted against the budget."),
            ("says 'against', not 'for'", False),
        ),
        # what is compared with what
        (Beside("The pump is faster than the fan.", "The pump is faster than the fan."), None),
        (Beside("The pump is faster than the fan.", "The fan is faster than the pump."), ROUND),
        (Beside("MAIN A is hotter than MAIN B.", "MAIN B is hotter than MAIN A."), ROUND),
        (Beside("Cell 1 has more volts than cell 3.", "Cell 3 has more volts than cell 1."), ROUND),
        (Beside("The pump is faster than the fan.", "The fan is hotter than the pump."), None),
        (Beside("The pump is faster than the fan.", "The fan is faster than the tank."), None),
        (Beside("The pump is faster than the fan.", "The tank is faster than the pump."), None),
        (Beside("More than 5 came.", "More than 5 came."), None),
        (Beside("The pump has rather than is.", "It has."), None),
        (
            Beside("The money is from Ada.", "The money is to Ada."),
            ("says 'to', not 'from'", False),
        ),
    ],
)
def test_the_order_of_nouns_and_small_words(pair: Beside, gap: Found) -> None:
    assert order_gap(about(pair)) == gap


@pytest.mark.parametrize(
    ("pair", "said", "gap"),
    [
        (Beside("The pump failed.", "The pump failed."), Attributed("", ""), None),
        (
            Beside("The pump failed.", "The pump did not fail."),
            Attributed("", ""),
            ("denies it", True),
        ),
        (
            Beside("The pump failed.", "The pump may have failed."),
            Attributed("", ""),
            ("only holds it possible", False),
        ),
        (
            Beside("All pumps failed.", "Pumps failed."),
            Attributed("", ""),
            ("does not say 'all'", False),
        ),
        (Beside("the pump failed", "Did the pump fail?"), Attributed("", "", is_asked=True), None),
        (
            Beside("the pump failed", "Ada asked whether the pump failed."),
            Attributed("", "", is_asked=True),
            None,
        ),
        (
            Beside("the pump failed", "The pump failed."),
            Attributed("", "", is_asked=True),
            ("does not ask it", False),
        ),
        (
            Beside("the pump failed", "The pump may have failed."),
            Attributed("", "", is_opinion=True),
            None,
        ),
        # of several places that which has most of the claim's words around
        (
            Beside("The pump failed.", "The tank may have failed; the pump failed."),
            Attributed("", ""),
            None,
        ),
        (
            Beside("The pump failed.", "The tank failed; the pump may have failed."),
            Attributed("", ""),
            ("only holds it possible", False),
        ),
        (
            Beside("The pump is red.", "The tank may be off; the red pump is on."),
            Attributed("", ""),
            None,
        ),
    ],
)
def test_how_it_is_said(pair: Beside, said: Attributed, gap: Found) -> None:
    assert stance_gap(about(pair, said)) == gap


@pytest.mark.parametrize(
    ("pair", "gap"),
    [
        (
            Beside("The valve is open.", "The valve is closed."),
            ("says 'closed', not 'open'", True),
        ),
        (
            Beside("The pump is faster than the fan.", "The pump is slower than the fan."),
            ("says 'slower', not 'faster'", True),
        ),
        (Beside("The valve is open.", "The valve is open."), None),
        (Beside("The pump is faster than the fan.", "The fan is slower than the pump."), None),
    ],
)
def test_an_opposite_is_said_with_both_words(pair: Beside, gap: Found) -> None:
    assert opposite_gap(about(pair)) == gap
