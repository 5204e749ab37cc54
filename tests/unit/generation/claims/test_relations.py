"""Small words and the order of nouns that are no names."""

import pytest

from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.relations import (
    complement_gap,
    number_binding_gap,
    order_gap,
    pivot_gap,
    preposition_gap,
)


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        (
            "They voted for the budget.",
            "They voted against the budget.",
            "says 'against', not 'for'",
        ),
        (
            "They voted against the budget.",
            "They voted for the budget.",
            "says 'for', not 'against'",
        ),
        ("They voted for the budget.", "They voted for the budget.", ""),
        (
            "They voted for the budget.",
            "They voted for and against the budget.",
            "says 'against', not 'for'",
        ),
        ("They voted for the budget.", "First for the budget, then against the budget.", ""),
        ("They voted for the budget.", "They voted on the budget.", ""),
        ("They voted for the budget.", "They voted against the tax.", ""),
        ("The letter from Ann came.", "The letter to Ann came.", "says 'to', not 'from'"),
        ("It fell by 5 percent.", "It fell to 5 percent.", "says 'to', not 'by'"),
        ("It fell to the ground.", "It fell by the ground.", "says 'by', not 'to'"),
        # how far the thing may stand
        ("It fell to the very ground.", "It fell by ground.", "says 'by', not 'to'"),
        ("It fell to just the very ground.", "It fell by ground.", ""),
        ("It fell to, the ground.", "It fell by ground.", "says 'by', not 'to'"),
        ("It fell by", "It fell to", ""),
        # names
        ("It went to The Hague.", "It came from The Hague.", "says 'from', not 'to'"),
        ("We saw From Hell.", "We went to Hell.", ""),
    ],
)
def test_small_words_that_say_the_opposite(claim: str, line: str, gap: str) -> None:
    assert preposition_gap(read(claim), read(line)) == gap


@pytest.mark.parametrize(
    ("claim", "verb", "line", "is_swapped"),
    [
        ("The union sued the company.", "sued", "The company sued the union.", True),
        ("The union sued the company.", "sued", "The firm sued the union.", True),
        ("The union sued the company.", "sued", "The union sued the company.", False),
        (
            "The union sued the company.",
            "sued",
            "The company sued the union; the union sued the company.",
            False,
        ),
        ("The union sued the company.", "sued", "The company was sued by the union.", False),
        ("The union sued the company.", "sued", "The union was sued by the company.", True),
        ("The union sued the company.", "sued", "The union was not sued by the company.", True),
        ("The union sued the company.", "sued", "The union was sued then by the company.", True),
        (
            "The union sued the company.",
            "sued",
            "The union was sued once and then by the company.",
            False,
        ),
        ("The union sued the company.", "sued", "The union was sued over the company.", False),
        (
            "The union sued the company.",
            "sued",
            "The union was not once sued by the company.",
            True,
        ),
        (
            "The union sued the company.",
            "sued",
            "The union was sued once then by the company.",
            True,
        ),
        ("The union sued the company.", "sued", "Was union sued by company?", True),
        ("The union was sued by the company.", "sued", "The union sued the company.", True),
        ("The union was sued by the company.", "sued", "The company sued the union.", False),
        ("The union was sued over the company.", "sued", "The company sued the union.", False),
        ("The union sued the company.", "sued", "The company sued the pilot.", False),
        ("The union sued the company.", "sued", "The pilot sued the union.", False),
        ("The union sued the company.", "sued", "The company sued.", False),
        ("The union sued the company.", "sued", "After the company sued, the union left.", True),
        ("The union sued the company.", "sued", "It helped the company; it sued the union.", False),
        ("The union sued the company.", "sued", "The company left the union.", False),
        ("The union sued.", "sued", "The company sued the union.", False),
        ("Acme sued the company.", "sued", "The company sued the union.", False),
        ("The old union sued the small company.", "sued", "The big company sued the union.", False),
        (
            "The old union sued the company there.",
            "sued",
            "The company sued the union there.",
            True,
        ),
    ],
)
def test_nouns_that_change_places(claim: str, verb: str, line: str, is_swapped: bool) -> None:
    reading = read(claim)
    at = [word.low for word in reading.words].index(verb)
    assert order_gap(reading, at, read(line)) is is_swapped


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        ("five fuel cells", "three fuel cells and five batteries", "says three of it, not five"),
        ("three fuel cells", "three fuel cells and five batteries", ""),
        ("five batteries", "three fuel cells and five batteries", ""),
        ("2 main pumps", "3 main pumps and 2 spare pumps", "says 3 of it, not 2"),
        ("2 spare pumps", "3 main pumps and 2 spare pumps", ""),
        ("2 pumps", "3 main pumps and 2 spare pumps", ""),
        ("4 pumps", "3 main pumps and 2 spare pumps", "says 3 of it, not 4"),
        ("4 fans", "3 main pumps", ""),
        # a number amid the words is of its unit
        ("31 cells", "31 individual 1 volt cells", ""),
        ("1 volt", "31 individual 1 volt cells", ""),
        ("31 volts", "31 individual 1 volt cells", "says 1 of it, not 31"),
        ("7 valves", "7 old 3 way valves", ""),
        ("3 valves", "7 old 3 way valves", ""),
        # the first number that has no match, not the first alone
        ("4 fans and 5 pumps", "6 pumps", "says 6 of it, not 5"),
        ("5 [main] pumps", "6 [main] pumps", "says 6 of it, not 5"),
        ("5 big old red pumps", "6 big old red pumps", "says 6 of it, not 5"),
        # no thing, dates and years
        ("It is 5.", "It is 6.", ""),
        ("5 of the pumps", "6 of the pumps", "says 6 of it, not 5"),
        ("in 1990 pumps ran", "in 1991 pumps ran", ""),
        ("on 5 May pumps ran", "on 6 May pumps ran", ""),
    ],
)
def test_a_number_is_of_the_thing_behind_it(claim: str, line: str, gap: str) -> None:
    assert number_binding_gap(claim, line) == gap


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        ("The rule is broad.", "The rule is narrow.", "does not say 'broad'"),
        ("The rule is broad.", "It is a broad rule.", ""),
        ("The rule is really not the broad rule.", "It is narrow.", "does not say 'broad'"),
        ("It is an old red pump.", "It is an old pump.", "does not say 'red'"),
        (
            "It is a big old red iron pump.",
            "It is a big old red pump.",
            "",
        ),  # three words are enough
        ("It is an old pump in the red room.", "It is an old pump.", ""),
        ("It is in the red room.", "It runs.", ""),
        ("It is Ada.", "It runs.", ""),
        ("It is a citizen of Delft.", "It is of Delft.", ""),
        ("The old rule of the Is was broad.", "The rule is broad.", ""),
        ("The pump runs well.", "The fan.", ""),
    ],
)
def test_what_something_is_stands_in_the_line(claim: str, line: str, gap: str) -> None:
    assert (
        complement_gap(read(claim), read(line), frozenset({read("citizen").words[0].stem})) == gap
    )


@pytest.mark.parametrize(
    ("claim", "line", "is_round"),
    [
        (
            "The pump failed because the valve closed.",
            "The pump failed because the valve closed.",
            False,
        ),
        (
            "The pump failed because the valve closed.",
            "The valve closed because the pump failed.",
            True,
        ),
        (
            "The pump failed because the valve closed.",
            "Because the valve closed, the pump failed.",
            False,
        ),
        (
            "The pump failed because the valve closed.",
            "Because the pump failed, the valve closed.",
            True,
        ),
        (
            "Because the pump failed, the valve closed.",
            "The pump failed because the valve closed.",
            True,
        ),
        (
            "The pump failed because the valve closed.",
            "The valve closed after the pump failed.",
            False,
        ),
        (
            "The pump failed because the valve closed.",
            "The valve closed because the fan failed.",
            True,
        ),
        (
            "The pump failed because the valve closed.",
            "The fan stopped because the pump failed.",
            False,
        ),
        (
            "The pump stopped because the pump broke.",
            "The pump broke because the pump stopped.",
            True,
        ),
        ("She prefers tea to coffee.", "She prefers coffee to tea.", True),
        ("She prefers tea to coffee.", "She gave coffee to tea.", False),
        ("Oslo is north of Rome.", "Rome is north of Oslo.", True),
        ("Oslo is north of Rome.", "Rome is south of Oslo.", False),
        ("Ada is senior to Bob.", "Bob is senior to Ada.", True),
        ("Ada is the head of Bob.", "Bob is the head of Ada.", False),
        ("Because rain fell", "Because snow fell", False),
    ],
)
def test_sides_of_a_word_that_joins(claim: str, line: str, is_round: bool) -> None:
    assert pivot_gap(read(claim), read(line)) is is_round
