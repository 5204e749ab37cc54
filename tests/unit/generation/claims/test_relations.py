"""Small words and the order of nouns that are no names."""

import pytest

from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.relations import order_gap, preposition_gap


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        ("They voted for the budget.", "They voted against the budget.", "says 'against', not 'for'"),
        ("They voted against the budget.", "They voted for the budget.", "says 'for', not 'against'"),
        ("They voted for the budget.", "They voted for the budget.", ""),
        ("They voted for the budget.", "They voted for and against the budget.", "says 'against', not 'for'"),
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
        ("The union sued the company.", "sued", "The company sued the union; the union sued the company.", False),
        ("The union sued the company.", "sued", "The company was sued by the union.", False),
        ("The union sued the company.", "sued", "The union was sued by the company.", True),
        ("The union sued the company.", "sued", "The union was not sued by the company.", True),
        ("The union sued the company.", "sued", "The union was sued then by the company.", True),
        ("The union sued the company.", "sued", "The union was sued once and then by the company.", False),
        ("The union sued the company.", "sued", "The union was sued over the company.", False),
        ("The union sued the company.", "sued", "The union was not once sued by the company.", True),
        ("The union sued the company.", "sued", "The union was sued once then by the company.", True),
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
        ("The old union sued the company there.", "sued", "The company sued the union there.", True),
    ],
)
def test_nouns_that_change_places(claim: str, verb: str, line: str, is_swapped: bool) -> None:
    reading = read(claim)
    at = [word.low for word in reading.words].index(verb)
    assert order_gap(reading, at, read(line)) is is_swapped
