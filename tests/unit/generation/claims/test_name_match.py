"""Whether a line has a claim's name."""

import pytest

from dynagrag.generation.claims.name_match import has_name, labels
from dynagrag.generation.claims.reading import read


@pytest.mark.parametrize(
    ("name", "line", "is_there"),
    [
        # all of its words
        ("Ada Lee", "We met Ada Lee.", True),
        ("Ada Lee", "We met Lee, Ada.", True),
        ("Dr. Ada Lee", "We met Ada Lee.", True),
        ("Ada Lee", "We met Bob.", False),
        ("Zoë", "We met Zoe.", True),
        ("Brazil", "A Brazilian pump.", True),
        # its last word, where no other first name stands before it
        ("Ada Lee", "We met Lee.", True),
        ("Ada Lee", "We met Bob Lee.", False),
        ("Ada Lee", "We met A. Lee.", True),
        ("Mike Lee", "We met Michael Lee.", True),
        ("Ada Lee", "We met Bob Lee and Alan Lee.", False),
        ("Mike Lee", "We met Bob Lee and Michael Lee.", True),
        ("Yury Lee", "We met Yuri Lee.", True),
        ("Bob Lee", "We met Robert Lee.", True),
        ("Ada Lee", "Bob Lee met Lee.", True),
        ("Ada Lee", "we met lee and Bob Kerr", True),
        ("Mike Lee", "We met John Michael Lee.", True),
        ("Ada Lee", "we met lee in rome", True),
        # its first word, where that is a name alone
        ("Ada Lee", "We met Ada.", True),
        ("Ada Lee", "We met Ada Kerr.", False),
        ("Ada Lee", "We met Ada and Bob Kerr.", True),
        ("Ada Bea Lee", "We met Bea.", False),
        # but for one of many
        ("Ada Bea Cleo Dora Lee", "We met Ada Bea Cleo Dora.", True),
        ("Ada Bea Cleo Lee", "We met Ada Bea Cleo.", False),
        # a name of one word may be said in another
        ("Doctor", "We met the physician.", True),
        ("Doctor", "We met the pilot.", False),
        ("Captain Lee", "We met the captain.", False),
        # what makes another place of it
        ("York", "We saw New York.", False),
        ("New York", "We saw York.", False),
        ("New York", "We saw New York City.", True),
        ("Korea", "We saw a South Korean film.", False),
        ("South Korea", "We saw a South Korean film.", True),
        ("South Korea", "We saw a film of Korea.", False),
        ("Korea", "We went south, Korea was hot.", True),
        ("Korea", "We drove the south Korea road.", True),
        ("South Kent Road", "We saw Kent Road.", False),
        # another thing of the kind
        ("University of Wales", "We saw the University of South Wales.", False),
        ("University of South Wales", "We saw the University of Wales.", False),
        (
            "University of Wales",
            "We saw the University of South Wales and the University of Wales.",
            True,
        ),
        ("University of Wales", "We saw the University of Delft in Wales.", False),
        ("Department of Health", "We saw the Departments of Trade and Health.", True),
        ("Department of Health", "We saw the Department of Trade and health care.", False),
        ("Department of Health", "We saw the Department of Public Health.", False),
        ("Department of Health", "We saw the Department of the Health.", True),
        ("Department of Health", "We saw the Department of Trade and Public Health.", False),
        ("Department of the Health", "We saw the Department of Health.", True),
        ("Wales University", "We saw the University of Wales.", True),
        ("University of Wales", "We saw Wales, of the university of chaos.", True),
        # labels
        ("MAIN A", "We lost MAIN A.", True),
        ("MAIN A", "We lost a main.", False),
        ("MAIN A", "We lost MAIN B.", False),
        ("Apollo 13", "We saw Apollo 13.", True),
        ("Apollo 13", "We saw Apollo 11.", False),
        ("Apollo 13", "We saw 13 of Apollo.", False),
    ],
)
def test_a_line_has_a_name_or_not(name: str, line: str, is_there: bool) -> None:
    claim = read(f"So {name} left.")
    assert has_name(claim, (1, len(claim.words) - 2), read(line)) is is_there


@pytest.mark.parametrize(
    ("name", "line", "words", "is_there"),
    [
        ("Ada Lee", "We met Ada Lee and Bob Kerr.", range(5), True),
        ("Ada Lee", "We met Ada Lee and Bob Kerr.", range(4, 8), False),
        ("Ada Lee", "We met Bob and Lee.", range(4, 5), True),
        ("Ada Lee", "We met Lee and Bob Lee.", range(4, 6), False),
        ("Ada Lee", "We met Bob Lee and Lee.", range(4, 6), True),
        ("Ada Lee", "We met Bob and Ada.", range(3), False),
        ("Ada Lee", "We met Bob Lee and Ada.", range(3, 5), False),
        ("Doctor", "We met the physician and Bob.", range(4, 6), False),
    ],
)
def test_a_name_is_looked_for_in_a_region(
    name: str, line: str, words: range, is_there: bool
) -> None:
    claim = read(f"So {name} left.")
    assert has_name(claim, (1, len(claim.words) - 2), read(line), frozenset(words)) is is_there


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cell 1 is on MAIN B.", [("cell", "1"), ("main", "b")]),
        ("Apollo 13", [("apollo", "13")]),
        ("13 cells", []),
        ("5, 6", []),
        ("It is a cell.", []),
        ("He is the I of it", [("the", "i")]),
        ("Ann B. Lee left.", []),  # an initial
        ("Ann B.", []),
        ("MAIN B. It is off.", [("main", "b")]),
        ("Tank B", [("tank", "b")]),
        ("", []),
    ],
)
def test_a_label_is_a_word_with_its_number_or_letter(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert labels(read(text).words) == found
