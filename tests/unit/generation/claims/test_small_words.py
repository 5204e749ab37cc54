"""Small words that say the opposite."""

import pytest

from dynagrag.core.schema import Line
from dynagrag.generation.claims.attribution import Attributed
from dynagrag.generation.claims.comparison import Comparison
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
