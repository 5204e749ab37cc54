"""A text as rules read it: words, clauses, names."""

import pytest

from dynagrag.generation.claims.reading import folded, read, same_word


def names(text: str) -> list[str]:
    reading = read(text)
    return [
        " ".join(word.text for word in reading.words[start:end]) for start, end in reading.names
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We met Ada in Rome.", ["Ada", "Rome"]),
        ("We met Ada Lee.", ["Ada Lee"]),
        ("We met Ada and Bob.", ["Ada", "Bob"]),
        ("We met ada.", []),
        # words that join the parts of a name, a few at most
        ("We met the Bank of Ohio.", ["Bank of Ohio"]),
        ("We met Ludwig van der Rohe.", ["Ludwig van der Rohe"]),
        ("We met Marks & Spencer.", ["Marks & Spencer"]),
        ("We met Jean-Luc Picard.", ["Jean - Luc Picard"]),
        ("We met the House of the of Ada.", ["House of the of Ada"]),
        ("We met the House of the of the Ada.", ["House", "Ada"]),
        ("We met Ada of late.", ["Ada"]),
        ("We met Ada, Bob.", ["Ada", "Bob"]),
        # a full stop ends a name, but for initials and titles
        ("We met J. R. Lee.", ["J . R . Lee"]),
        ("We met Dr. Lee.", ["Dr . Lee"]),
        ("We met Bob Lee Jr. Rome was far.", ["Bob Lee Jr . Rome"]),
        ("We met in Rome. He left.", ["Rome"]),
        # a possessive ends one
        ("We met Ada's Bob.", ["Ada's", "Bob"]),
        ("We met Ada’s Bob.", ["Ada's", "Bob"]),
        # numbers
        ("We saw Apollo 13.", ["Apollo 13"]),
        ("We saw Apollo 999.", ["Apollo 999"]),
        ("We saw Apollo 1970.", ["Apollo"]),
        ("We saw Apollo of 13.", ["Apollo"]),
        ("We saw the Bank of Ohio 13 too.", ["Bank of Ohio 13"]),
        # months and I are none
        ("We met in May.", []),
        ("We met Ada May 3.", ["Ada"]),
        ("Then I left, as I'd said.", []),
        # the first word of a sentence is one where it is no plain word, or goes on as a name
        ("Oxygen is low.", ["Oxygen"]),
        ("The valve is off.", []),
        ("The Beatles sang.", ["Beatles"]),
        ("Tanks leak. Ada left.", ["Tanks", "Ada"]),
        ("Tell them.", []),
        ("Tell of it.", ["Tell"]),
        ("New York is big.", ["New York"]),
        ("New York", ["New York"]),
        ("New 7 is big.", ["New 7"]),
        ("New 7.5 is big.", ["New"]),
        ("New-Haven is big.", ["New - Haven"]),
        ("New's dog ran.", ["New's"]),
        ("New dogs ran.", []),
        ("Directed by Ada.", ["Ada"]),
        ("Closing it took long.", []),
        ("Slowly it rose.", []),
        ("Buy it.", []),  # a word with others that say the same
        ("Vent it.", []),
        ("We left, Buy it.", []),
        ("Ada", ["Ada"]),
        ("New", []),
        ("I'd left.", []),
        ("", []),
    ],
)
def test_names_are_found_by_their_capitals(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_words_in_names_are_no_content_words_and_neither_are_small_ones_and_months() -> None:
    reading = read("In May the pump of Acme Works failed, 5 volts down.")
    assert [reading.words[i].low for i in reading.content()] == ["pump", "failed", "volts"]
    assert [reading.words[i].low for i in sorted(reading.in_names)] == ["acme", "works"]


@pytest.mark.parametrize(
    ("name", "telling"),
    [
        ("Dr. Ada Lee", ("ada", "lee")),
        ("Bank of Ohio", ("bank", "ohio")),
        ("Queen Ada", ("ada",)),
        ("J. R. Lee", ("j", "r", "lee")),
        ("Captain", ("captain",)),  # nothing else would be left
        ("Jürgen", ("jurgen",)),
    ],
)
def test_a_name_is_told_by_its_words_without_titles(name: str, telling: tuple[str, ...]) -> None:
    reading = read(name)
    assert reading.name(0, len(reading.words)) == telling


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Ada left.", [0, 0, 1]),
        ("Ada left; Bob ran", [0, 0, 1, 1, 1]),
        ("Ada left while Bob ran", [0, 0, 1, 1, 1]),
        ("Ada (Bob) ran", [0, 1, 1, 2, 2]),
        ("Ada left, Bob ran", [0, 0, 0, 0, 0]),
        ("J. Lee ran", [0, 0, 0, 0]),
        ("St. Lee Jr. ran", [0, 0, 0, 0, 0, 0]),
        ("Lee Sr. ran! He left", [0, 0, 0, 0, 1, 1, 1]),
        (". Ada", [1, 1]),
    ],
)
def test_words_are_numbered_by_their_clause(text: str, clauses: list[int]) -> None:
    assert [word.clause for word in read(text).words] == clauses


def test_a_word_has_its_text_and_is_compared_without_accents_case_and_possessive() -> None:
    words = read("Zoë's tanks: 5, engineers' Ada’s").words
    assert [word.text for word in words] == [
        "Zoë's",
        "tanks",
        ":",
        "5",
        ",",
        "engineers",
        "'",
        "Ada's",
    ]
    assert [word.low for word in words] == ["zoe", "tanks", ":", "5", ",", "engineers", "'", "ada"]
    assert [word.stem for word in words][:2] == ["zoe", "tank"]
    assert [word.is_word for word in words[:4]] == [True, True, False, False]
    assert [word.is_possessive for word in words] == [
        True,
        False,
        False,
        False,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("Is it?", True),
        ("“Is it?” ", True),
        ("(Is it?)", True),
        ("It is.", False),
        ("Is it? No.", False),
    ],
)
def test_a_text_that_ends_with_a_question_mark_asks(text: str, is_question: bool) -> None:
    assert read(text).is_question is is_question


def test_folding_takes_accents_and_case() -> None:
    assert folded("ÉCOLE Straße") == "ecole strasse"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("brazil", "brazil", True),
        ("brazil", "brazilian", True),
        ("german", "germany", True),
        ("italy", "italian", True),
        ("peru", "peruvian", True),
        ("iran", "iranians", True),
        ("french", "france", True),
        ("dutch", "netherlands", True),
        ("british", "britain", True),
        ("brazil", "brazilia", True),
        ("rome", "bonn", False),
        ("ada", "adas", False),  # too short for an ending
        ("john", "johnson", False),
        ("iran", "iraq", False),
        ("austria", "australia", False),
        ("french", "britain", False),
        ("marc", "mars", False),
    ],
)
def test_words_of_names_are_one_with_and_without_an_ending(
    one: str, other: str, is_same: bool
) -> None:
    assert same_word(one, other) is is_same
    assert same_word(other, one) is is_same
