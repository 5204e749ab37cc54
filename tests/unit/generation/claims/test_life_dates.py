"""Where a line speaks of a birth, a death or a burial."""

import time

import pytest

from dynagrag.generation.claims.life_dates import BIRTH, BURIAL, DEATH, event_of, event_texts
from dynagrag.generation.claims.word_senses import lemma


def told(line: str, event: str) -> list[str]:
    return [text.strip(" –-,") for text in event_texts(line, event)]


@pytest.mark.parametrize(
    ("word", "event"),
    [
        ("born", BIRTH),
        ("birth", BIRTH),
        ("died", DEATH),
        ("murdered", DEATH),
        ("deceased", DEATH),
        ("buried", BURIAL),
        ("grave", BURIAL),
        ("lived", None),
    ],
)
def test_a_word_may_say_an_event_of_a_life(word: str, event: str | None) -> None:
    assert event_of(lemma(word)) == event


@pytest.mark.parametrize(
    ("line", "born", "died"),
    [
        (
            "Ann Lee (1 May 1950, Ohio – 3 June 2000, Rome) flew.",
            ["1 May 1950, Ohio"],
            ["3 June 2000, Rome"],
        ),
        (
            "Ann Lee (1 May 1950 Ohio - 3 June 2000 Rome) flew.",
            ["1 May 1950 Ohio"],
            ["3 June 2000 Rome"],
        ),
        ("Ann Lee (1950–2000) flew.", ["1950"], ["2000"]),
        ("Ann Lee (1950-2000) flew.", ["1950"], ["2000"]),
        ("Ann Lee (1950 2000) flew.", ["1950"], ["2000"]),
        (
            "Ann Lee (Anna Kerr; b. 1 May 1950 – 3 June 2000) flew.",
            ["b. 1 May 1950"],
            ["3 June 2000"],
        ),
        ("Ann Lee (in Ohio, 1950 – 2000; a pilot) flew.", ["in Ohio, 1950"], ["2000"]),
        ("1 May 1950 – 3 June 2000) flew.", ["1 May 1950"], ["3 June 2000"]),
        ("(1 May 1950 – 3 June 2000", ["1 May 1950"], ["3 June 2000"]),
        # two dates that are no life
        ("Ann Lee led Acme 1950–2000.", [], []),
        ("Ann Lee (in office 1950–2000) led.", [], []),
        ("Ann Lee (1950) met Bob (2000).", [], []),
        ("Ann Lee (1950 and 2000) met Bob.", [], []),
        ("Ann Lee (9–12) won.", [], []),
    ],
)
def test_two_dates_in_brackets_are_a_birth_and_a_death(
    line: str, born: list[str], died: list[str]
) -> None:
    assert (told(line, BIRTH), told(line, DEATH), told(line, BURIAL)) == (born, died, [])


@pytest.mark.parametrize(
    ("line", "event", "texts"),
    [
        (
            "In 1950 Ann was born in Ohio and died in Rome.",
            BIRTH,
            ["In 1950 Ann was born in Ohio and"],
        ),
        ("In 1950 Ann was born in Ohio and died in Rome.", DEATH, ["died in Rome."]),
        ("Ann died in Rome and was buried in Bonn.", DEATH, ["Ann died in Rome and was"]),
        ("Ann died in Rome and was buried in Bonn.", BURIAL, ["buried in Bonn."]),
        (
            "Ann was killed and died in Rome; her grave is there.",
            DEATH,
            ["Ann was killed and died in Rome", "died in Rome"],
        ),
        # a part ends at brackets, a semicolon, a full stop
        ("Ann died in Rome. She flew. Bob was born in 1950.", BIRTH, ["Bob was born in 1950."]),
        ("She flew; Ann died in Rome; she left a son.", DEATH, ["Ann died in Rome"]),
        ("Ann (born in Ohio) flew.", BIRTH, ["born in Ohio"]),
        ("Ann died at St. Mary's in 2000.", DEATH, ["Ann died at St. Mary's in 2000."]),
        # the name that one is born with does not end it
        ("Ann (born Ann Kerr; 1 May 1950) flew.", BIRTH, ["born Ann Kerr, 1 May 1950"]),
        # what follows a dash is no longer of the birth
        ("Born in Ohio – she flew.", BIRTH, ["Born in Ohio"]),
        ("Ann died in Rome – she flew.", DEATH, ["Ann died in Rome – she flew."]),
        ("Born in Saint-Denis.", BIRTH, ["Born in Saint-Denis."]),
        ("Ann died in 2000, and left.", BIRTH, []),
    ],
)
def test_an_event_is_told_from_its_word_to_the_next_event(
    line: str, event: str, texts: list[str]
) -> None:
    assert told(line, event) == texts


def test_dates_and_words_are_both_read() -> None:
    assert told("Ann (born 1 May 1950 – died 2000)", BIRTH) == [
        "born 1 May 1950",
        "born 1 May 1950",
    ]


def test_long_brackets_are_read_at_once() -> None:
    began = time.process_time()
    list(event_texts("(" + "A-B " * 500 + "x 1950 – 2000", BIRTH))
    assert time.process_time() - began < 1
