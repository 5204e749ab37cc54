"""Who does what to whom, as rules read it off the order of the words."""

import pytest

from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.roles import (
    KIN_DOWN,
    KIN_UP,
    Roles,
    is_auxiliary,
    is_be,
    occurrences,
    parent_roles,
    predicate_of,
    verb_roles,
)
from dynagrag.generation.claims.word_senses import lemma


def words(reading: Reading, places: frozenset[int] | None) -> str | None:
    """The words at these places, names alone where there are some: "Ada Bob"."""
    if places is None:
        return None
    return " ".join(reading.words[i].text for i in sorted(places & reading.in_names))


@pytest.mark.parametrize(
    ("claim", "word", "is_passive"),
    [
        # the verb
        ("Ada hired Bob.", "hired", False),
        ("Ada wrote a letter.", "wrote", False),
        ("The union sued the company.", "sued", False),
        ("The crew know Ada.", "know", False),
        ("The plan of Ada failed.", "failed", False),
        ("Ada works in Rome.", "works", False),
        ("She lectures in Rome.", "lectures", False),
        ("The works of Ada burned.", "burned", False),
        ("The hired pilot of Acme left.", "left", False),
        ("Ada's sales tripled.", "tripled", False),
        ("Ada, an American, fled.", "fled", False),
        ("The old boats Ada owned sank.", "owned", False),
        ("Ada and boats sank.", "sank", False),
        ("Sued by Ada, Bob left.", "left", False),
        ("Ada quickly won.", "won", False),
        # behind an auxiliary
        ("Bob was hired by Ada.", "hired", True),
        ("Bob was hired again by Ada.", "hired", True),
        ("Bob was hired in 1990 by Ada.", "hired", False),
        ("Bob was very quickly hired by Ada.", "hired", True),
        ("Bob has hired staff by phone.", "hired", False),
        ("Ada has just left Rome.", "left", False),
        ("Ada has quit.", "quit", False),
        ("Ada will lecture.", "lecture", False),
        ("Ada is writing.", "writing", False),
        ("The window is broken.", "broken", False),
        ("The letter was sent.", "sent", False),
        ("Ada was born in Rome.", "born", False),
        ("Ada is dead.", "dead", False),
        ("Ada never won.", "won", False),
        ("May Lee has won.", "won", False),
        ("The jury in May met Ada.", "met", False),
        ("The Will Ferrell film won.", "won", False),
        # only put together
        ("Ada is in Rome.", None, False),
        ("Ada is able to.", None, False),
        ("Ada was an engaged pilot.", None, False),
        ("Ada has 3 cars.", None, False),
        ("Ada is", None, False),
        ("Ada can be Bob.", None, False),
        ("Ada is Bob.", None, False),
        ("Rome", None, False),
        ("Two old boats of Ada in Rome", None, False),
        ("The former teacher of Ada in Rome", None, False),
        # kinship
        ("Ada is the daughter of Bob.", "daughter", False),
        ("Ada's father was hired by Bob.", "father", False),
        ("Ada is married to Bob.", "married", False),
        ("Ada is a cousin of Bob.", "cousin", False),
        ("Father Brown met Ada.", "met", False),
    ],
)
def test_what_a_claim_says_of_its_names(claim: str, word: str | None, is_passive: bool) -> None:
    reading = read(claim)
    predicate = predicate_of(reading)
    assert (predicate and reading.words[predicate.at].text) == word
    if predicate:
        assert (predicate.stem, predicate.is_passive) == (
            reading.words[predicate.at].stem,
            is_passive,
        )


def test_may_is_a_month_and_may_a_verb() -> None:
    may, month, been = (
        read("it may be May").words[1],
        read("it may be May").words[3],
        read("has been").words,
    )
    assert [is_auxiliary(may), is_auxiliary(month), *map(is_auxiliary, been)] == [
        True,
        False,
        True,
        True,
    ]
    assert [*map(is_be, been)] == [False, True]


@pytest.mark.parametrize(
    ("line", "verb", "places"),
    [
        ("Ada directed it, and the director left.", "directed", ["directed", "director"]),
        ("The directors met.", "direct", ["directors"]),
        ("Director Inc. met Ada.", "direct", []),
        ("Ada directed Director Lee.", "direct", ["directed"]),
        ("Ada owned it; the owner left.", "own", ["owned"]),
        ("The painters and paintings by Ada.", "paint", ["painters", "paintings"]),
        ("A painting by Ada.", "paint", ["painting"]),
        ("A portrait by Ada.", "paint", ["portrait"]),
        ("A portrait of Ada.", "paint", []),
        ("It is a film by Ada.", "direct", ["film"]),
        ("It is a film of Ada.", "direct", []),
        ("It is a film", "direct", []),
        ("It is a novel by Ada.", "write", ["novel"]),
        ("It is a novel by Ada.", "direct", []),
        ("It is a song by Ada.", "sing", ["song"]),
        ("It is a song by Ada.", "compose", ["song"]),
        ("It is an album by Ada.", "compose", []),
        ("Ada wrote the song.", "compose", ["wrote"]),
        ("Ada wrote the letter.", "compose", []),
        ("Ada wrote the letter.", "write", ["wrote"]),
    ],
)
def test_where_a_line_says_it(line: str, verb: str, places: list[str]) -> None:
    reading = read(line)
    assert [reading.words[i].low for i in occurrences(reading, lemma(verb))] == places


@pytest.mark.parametrize(
    ("line", "verb", "agents", "patients"),
    [
        # active
        ("Ada hired Bob in 1990.", "hire", "Ada", "Bob"),
        ("In 1990 Ada hired Bob.", "hire", "Ada", "Bob"),
        ("Cleo left; Ada hired Bob.", "hire", "Ada", "Bob"),
        ("Ada came and, in 1990; then hired Bob.", "hire", "Ada", "Bob"),
        ("Ada hires Bob.", "hire", "Ada", "Bob"),
        ("Ada, hiring Bob, left.", "hire", "Ada", "Bob"),
        ("Ada wrote to Bob.", "write", "Ada", "Bob"),
        # by
        ("Bob was hired by Ada.", "hire", "Ada", "Bob"),
        ("Bob was hired in Rome by Ada and Cleo in Bonn.", "hire", "Ada Cleo", "Bob Rome Bonn"),
        (
            "The film, produced, written and directed by Ada and Cleo, stars Bob.",
            "produce",
            "Ada Cleo",
            "Bob",
        ),
        ("It was produced by Ada and directed by Cleo.", "produce", "Ada", "Cleo"),
        ("It was produced by Ada, directed by Cleo.", "produce", "Ada", "Cleo"),
        ("It was produced by Ada Lee directed by Cleo.", "produce", "Ada Lee", "Cleo"),
        ("It was produced by noted singer Ada with Cleo.", "produce", "Ada", "Cleo"),
        ("It was produced by Ada; Cleo starred.", "produce", "Ada", "Cleo"),
        ("It was produced by Ada is a film of Cleo.", "produce", "Ada", "Cleo"),
        ("It was produced by Ada", "produce", "Ada", ""),
        ("Bob was hired for a film by Ada.", "hire", "Ada", "Bob"),
        ("Bob was hired on short notice by Ada.", "hire", "Ada", "Bob"),
        ("Bob was hired for Cleo by what is now Acme Works.", "hire", "Acme Works", "Bob Cleo"),
        ("Bob was hired by what is now Acme Works.", "hire", "Acme Works", "Bob"),
        ("Bob was hired when by Ada he came.", "hire", None, None),
        ("Bob was hired is by Ada.", "hire", None, None),
        ("Bob was hired; by Ada it was.", "hire", None, None),
        ("Bob was hired a b c d e f g h by Ada.", "hire", "Ada", "Bob"),
        ("Bob was hired a b c d e f g h i by Ada.", "hire", None, None),
        # nobody is named
        ("Bob was hired in 1990.", "hire", None, None),
        ("Bob was quickly hired.", "hire", None, None),
        ("Bob was very quickly hired.", "hire", None, None),
        ("The production of Bob.", "produce", None, None),
        ("The appointment of Bob.", "appoint", None, None),
        ("The performance of Bob.", "perform", None, None),
        ("They want to hire Bob.", "hire", None, None),
        # what somebody's doing is called
        ("Ada's production of Bob.", "produce", "Ada's", "Bob"),
        ("Ada's late production of Bob.", "produce", "Ada's", "Bob"),
        ("Ada's production for Bob.", "produce", None, None),
        ("Ada's production", "produce", None, None),
        # one who does it
        ("Ada is the director of Bob.", "direct", "Ada", "Bob"),
        ("Ada, the director, met Bob.", "direct", "Ada Bob", None),
        ("The directors of Bob; Ada left.", "direct", "Ada", "Bob"),
        ("Ada came and a b c d e f g h i j k l m n director.", "direct", "", None),
        ("Then Ada a b c d e f g h i j k l m n director.", "direct", "Ada", None),
        ("The director a b c d e f Ada.", "direct", "Ada", None),
        ("The director a b c d e f g Ada.", "direct", "", None),
        ("They sing of Bob.", "sing", None, None),
        ("Ada, director of Bob.", "direct", "Ada", "Bob"),
        ("Ada is the author of Bob.", "write", "Ada", "Bob"),
        ("Ada met the singers of Bob.", "sing", "Ada", "Bob"),
    ],
)
def test_who_does_it_and_to_whom(
    line: str, verb: str, agents: str | None, patients: str | None
) -> None:
    reading = read(line)
    role = next(verb_roles(reading, lemma(verb)))
    assert (words(reading, role.agents), words(reading, role.patients)) == (agents, patients)


@pytest.mark.parametrize(
    ("line", "verb", "is_clear"),
    [
        ("Ada hired Bob.", "hire", True),
        ("Ada employed Bob.", "hire", True),
        ("Bob worked for Ada.", "hire", False),
        ("Ada is the director of it.", "direct", True),
        ("It is a film by Ada.", "direct", True),
        ("Ada is a winner.", "receive", False),
        ("Acme's education of Bob.", "study", False),
    ],
)
def test_words_that_are_only_related_do_not_tell_who_does_it(
    line: str, verb: str, is_clear: bool
) -> None:
    assert [role.is_clear for role in verb_roles(read(line), lemma(verb))] == [is_clear]


@pytest.mark.parametrize(
    ("line", "wanted", "parents", "children"),
    [
        # children
        ("Ann is the daughter of Bert and Cleo.", "parent", "Bert Cleo", "Ann"),
        ("Ann is the daughter of Bert and Cleo.", "father", "Bert", "Ann"),
        ("Ann is the daughter of Bert and Cleo.", "mother", "Cleo", "Ann"),
        ("Ann is the daughter of Bert and his wife Cleo.", "mother", "Cleo", "Ann"),
        ("Ann is the daughter of Queen Cleo and King Bert.", "mother", "Queen Cleo", "Ann"),
        ("Ann is the daughter of Queen Cleo and King Bert.", "father", "King Bert", "Ann"),
        ("Ann is the daughter of Bert by his marriage to Cleo.", "mother", "Cleo", "Ann"),
        ("Ann, daughter of Bert, Leo directed.", "parent", "Bert", "Ann Leo"),
        ("Ann is a daughter of Bert", "parent", "Bert", "Ann"),
        ("Ann, daughter of Bert, a pilot.", "parent", "Bert", "Ann"),
        ("Bert is Ann's father.", "father", "Bert", "Ann's"),
        ("Ann, daughter of Bert, Leo and Max.", "parent", "Bert Leo Max", "Ann"),
        (
            "Ann, brother of Cleo and son of Bert and cousin of Max.",
            "parent",
            "Bert",
            "Ann Cleo Max",
        ),
        ("Ann is a daughter of Bert; Cleo left.", "parent", "Bert", "Ann Cleo"),
        ("Bert's daughter Ann left.", "parent", "Bert's", "Ann"),
        ("Bert's second eldest daughter is Ann.", "parent", "Bert's", "Ann"),
        ("Bert had a son Ann.", "parent", "Bert", "Ann"),
        ("Bert had a son Ann; Cleo left.", "parent", "Bert", "Ann"),
        ("Bert had a son Ann and a daughter Cleo.", "parent", "Bert", "Ann"),
        # parents
        ("Bert is the father of Ann.", "father", "Bert", "Ann"),
        ("Bert is the father of Ann.", "parent", "Bert", "Ann"),
        ("Bert is a parent of Ann.", "father", "Bert", "Ann"),
        ("Ann's father is Bert.", "father", "Bert", "Ann's"),
        ("Ann's father Bert and Cleo left.", "father", "Bert Cleo", "Ann's"),
        ("Ann's parents are Bert and Cleo.", "mother", "Cleo", "Ann's"),
        ("Ann's parents are Bert and Cleo.", "father", "Bert", "Ann's"),
        ("Her father is Bert.", "father", "Bert", None),
        # born to
        ("Ann was born to Bert and Cleo.", "mother", "Cleo", "Ann"),
        ("Ann was born to Bert and Cleo.", "parent", "Bert Cleo", "Ann"),
        ("Ann was born to her father Bert and Cleo.", "father", "Bert", "Ann"),
        (
            "Ann is the daughter of Queen Cleo and Queen Dora.",
            "mother",
            "Queen Cleo Queen Dora",
            "Ann",
        ),
        ("Ann's very old kind father is Bert.", "father", "Bert", "Ann's"),
    ],
)
def test_parents_and_children(line: str, wanted: str, parents: str, children: str | None) -> None:
    reading = read(line)
    role = next(parent_roles(reading, wanted))
    assert reading.words[role.at].low in {*KIN_DOWN, *KIN_UP, "born"}
    assert (words(reading, role.agents), words(reading, role.patients)) == (parents, children)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Bert is the father of Ann.", "mother"),
        ("Ann was born in Rome.", "parent"),
        ("Ann was born", "parent"),
        ("Father Brown", "father"),
    ],
)
def test_who_is_no_parent_of_the_kind(line: str, wanted: str) -> None:
    assert list(parent_roles(read(line), wanted)) == []


def test_the_word_that_says_it_is_told() -> None:
    assert [
        role.at for role in verb_roles(read("Ada hired Bob, who was hired by Cleo."), lemma("hire"))
    ] == [1, 6]
    assert list(parent_roles(read("Ann was born to Cleo"), "parent")) == [
        Roles(2, frozenset([4]), frozenset([0, 1]))
    ]
