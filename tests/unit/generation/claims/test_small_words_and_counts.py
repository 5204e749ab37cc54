"""Small words, and what a number counts."""

import pytest

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.comparison import Comparison
from dynagrag.generation.claims.number_checks import counted_gap
from dynagrag.generation.claims.word_checks import order_gap


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
    found = order_gap(Comparison(Attributed("", claim), Line(line)))
    assert found == ((gap, False) if gap else None)


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
    found = counted_gap(Comparison(Attributed("", claim), Line(line)))
    assert found == ((gap, True) if gap else None)
