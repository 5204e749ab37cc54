"""What texts define: how far the words beside a short form reach, and where a name begins and
ends.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from scripted_judge import said

from dynagrag.core.schema import Flag, Mention
from dynagrag.ingest.consolidate.definitions import (
    Definitions,
    defined_acronyms,
    find_definitions,
    stated_aliases,
)
from dynagrag.ingest.consolidate.used_names import UsedName, used_names


def _in_use(*names: str) -> dict[str, UsedName]:
    return {n.key: n for n in used_names([said(name, type_="") for name in names])}


def _acronyms(text: str, *names: str) -> dict[str, set[str]]:
    found = find_definitions([text], _in_use(*names))
    return {short: set(longs) for short, longs in found.acronyms.items()}


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("lunar module (LM)", "lm", "lunar module"),
        ("LM (lunar module)", "lm", "lunar module"),
        ("a large lunar module (LM)", "lm", "lunar module"),  # the fewest words that spell it
        ("LM (lunar module system)", "lm", "lunar module"),
        (
            "North Atlantic Treaty Organization (NATO.)",
            "nato",
            "north atlantic treaty organization",
        ),
        ("the Department of Defense (DOD)", "dod", "department of defense"),
        ("UTIs (urinary tract infections)", "uti", "urinary tract infections"),
        ("capsule communicator (CapCom)", "capcom", "capsule communicator"),
        ("CapCom (capsule communicator)", "capcom", "capsule communicator"),
        ("“lunar module” (“LM”)", "lm", "lunar module"),
        ("lunar\nmodule (LM)", "lm", "lunar module"),
        ("LM (lunar\nmodule)", "lm", "lunar module"),
        (f"{'x ' * 90}lunar module (LM)", "lm", "lunar module"),
        (f"LM (lunar module{' x' * 90})", "lm", "lunar module"),
        ("It was heavy. The lunar module (abbreviated as LM) flew.", "lm", "lunar module"),
    ],
)
def test_brackets_define_an_acronym_whether_or_not_the_long_form_is_a_name(
    text: str, short: str, long: str
) -> None:
    assert _acronyms(text) == {short: {long}}


@pytest.mark.parametrize(
    "text",
    [
        "lunar\n\nmodule (LM)",  # another paragraph
        "LM (lunar\n\nmodule)",
        "lunar. module (LM)",
        "lunar, module (LM)",
        "LM (lunar; module)",
        "lunar-module (LM)",  # one word
        "module (LM)",
        "lunar big module (LM)",
        "lunar module (lm)",
        "lunar module (L)",
        "lunar module 4 (LM4)",
    ],
)
def test_words_that_are_no_phrase_before_or_behind_an_acronym_define_nothing(text: str) -> None:
    assert _acronyms(text, "lunar module", "LM") == {}


def test_a_word_that_reaches_far_back_is_taken_whole_or_not_at_all() -> None:
    """Only so much of the text before is looked at: an l there is no initial of the word."""
    for num in range(100, 200):
        assert _acronyms(f"x{'l' * num} module (LM)") == {}
        assert _acronyms(f"{'a ' * num}lunar module (LM)") == {"lm": {"lunar module"}}
    assert _acronyms(f"l{'x' * 100} module (LM)") == {"lm": {f"l{'x' * 100} module"}}


@pytest.mark.parametrize(
    "text",
    [
        "lunar module, or LM, flew",
        "lunar module called LM",
        "LM, the lunar module, flew",
        "LM, our lunar module",
        "LM stands for lunar module",
        "LM is short for the lunar module",
    ],
)
def test_without_brackets_only_a_name_in_use_is_a_long_form(text: str) -> None:
    assert _acronyms(text, "Lunar Module") == {"lm": {"lunar module"}}
    assert _acronyms(text) == {}
    (word,) = used_names([_as_word(said("lunar module", type_=""))])
    assert not find_definitions([text], {word.key: word}).acronyms


def _as_word(mention: Mention) -> Mention:
    return replace(mention, flags=(Flag.CONTENT_WORD,))


def test_all_that_texts_define_is_found_and_steps_are_counted_on_the_way() -> None:
    texts = [
        "The lunar module (LM) met the command module (CM).",
        "LM (landing mechanism), also known as Spider",
    ]
    steps: list[None] = []
    found = find_definitions(texts, _in_use("LM", "Spider"), lambda: steps.append(None))
    assert found.acronyms == {
        "lm": {"lunar module", "landing mechanism"},
        "cm": {"command module"},
    }
    assert len(steps) > 2


# ------------------------------------------------------------------------------------------ aliases


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("Hercules, also known as Heracles, won.", True),
        ("Hercules, who was also known as “Heracles”, won.", True),
        ("Hercules (then also called Heracles) won.", True),
        ("Hercules\nalso known as Heracles", True),
        ("Hercules, also known as\nHeracles", True),
        ("Hercules was previously called Heracles.", True),
        ("Hercules is a nickname for Heracles.", True),
        ("The Hercules, also known as the Heracles", True),
        ("Then Hercules aka Heracles came", False),  # "Then" may be part of the name
        ("I think Hercules aka Heracles came", True),
        ("Hercules. Also known as Heracles.", False),
        ("Hercules, also known as Hercules", False),
        # the second name goes on
        ("Hercules, also known as Heracles Senior", False),
        ("Hercules, also known as Heracles 2", False),
        ("Hercules, also known as Heracles-like", False),
        ("Hercules, also known as Heracles/Alcides", False),
        ("Hercules, also known as Heracles of Thebes", False),
        ("Hercules, also known as Heracles and the Lion", False),
        ("Hercules, also known as Heracles statues", False),
        # or is followed by words that are none of it
        ("Hercules, also known as Heracles of old", True),
        ("Hercules, also known as Heracles and others", True),
        ("Hercules, also known as Heracles said so", True),
        # the first name began before
        ("King Hercules, also known as Heracles", False),
        ("Samson-Hercules, also known as Heracles", False),
        ("a temple of Hercules, also known as Heracles", False),
        ("a temple by the Hercules, also known as Heracles", False),
        ("some old temple by the Hercules, also known as Heracles", False),
        ("some old temple the Hercules, also known as Heracles", True),
    ],
)
def test_two_names_are_one_where_nothing_belongs_to_either_but_the_name(
    text: str, is_said: bool
) -> None:
    found = find_definitions([text], _in_use("Hercules", "Heracles"))
    assert found.aliases == ({("hercules", "heracles")} if is_said else set())


def test_of_names_within_one_another_a_text_speaks_of_the_longest() -> None:
    text = "The Big Red Barn, also known as the Old Red House, stood."
    names = ("Red Barn", "Barn", "Big Red Barn", "Old", "Old Red", "Old Red House")
    assert find_definitions([text], _in_use(*names)).aliases == {("big red barn", "old red house")}


@pytest.mark.parametrize("num_words", [8, 9])
def test_a_name_of_more_than_eight_words_is_not_looked_for(num_words: int) -> None:
    long = " ".join(f"W{letter}" for letter in "abcdefghi"[:num_words])
    for text in (f"{long}, also known as Bob", f"Bob, also known as {long}"):
        found = find_definitions([text], _in_use(long, "Bob"))
        assert bool(found.aliases) is (num_words <= 8)


def test_neither_a_mere_word_nor_a_number_is_a_name() -> None:
    text = "Hercules, also known as Heracles; 1812, also known as Heracles"
    by_key = _in_use("1812", "Heracles")
    words = used_names([_as_word(said("Hercules", type_=""))])
    assert not find_definitions([text], {**by_key, "hercules": words[0]}).aliases


# ---------------------------------------------------------------------------- what definitions join


@pytest.mark.parametrize(
    ("longs", "used", "joined"),
    [
        (["lunar module"], ["lunar module"], ["lunar module"]),
        (["lunar module"], [], []),
        (["lunar module", "landing mechanism"], ["lunar module", "landing mechanism"], []),
        (["lunar module", "landing mechanism"], ["lunar module"], []),
        (["lunar module", "lunar modules"], ["lunar module"], ["lunar module"]),
        (["act of union", "acts of union"], ["acts of union"], ["acts of union"]),
    ],
)
def test_an_acronym_is_the_one_name_in_use_that_texts_say_it_is(
    longs: Sequence[str], used: Sequence[str], joined: Sequence[str]
) -> None:
    definitions = Definitions({"lm": frozenset(longs)}, frozenset())
    assert list(defined_acronyms(definitions, _in_use("LM", *used), str)) == [
        ("acronym", long, "lm") for long in joined
    ]
    assert not list(defined_acronyms(definitions, _in_use(*used), str))


def test_spellings_that_are_one_group_are_one_meaning_of_an_acronym() -> None:
    definitions = Definitions({"lm": frozenset({"lunar module", "lunar modules"})}, frozenset())
    by_key = _in_use("LM", "lunar module", "lunar modules")
    assert not list(defined_acronyms(definitions, by_key, str))
    assert list(defined_acronyms(definitions, by_key, lambda key: key.removesuffix("s"))) == [
        ("acronym", "lunar module", "lm"),
        ("acronym", "lunar modules", "lm"),
    ]


def test_an_alias_of_two_groups_is_of_neither_and_one_of_one_group_of_all_its_names() -> None:
    definitions = Definitions(
        {}, frozenset({("george ruth", "babe"), ("ruths", "babe"), ("bombay", "mumbai")})
    )
    assert list(stated_aliases(definitions, str)) == [("definition", "bombay", "mumbai")]
    groups = {"george ruth": "ruths"}
    assert list(stated_aliases(definitions, lambda key: groups.get(key, key))) == [
        ("definition", "bombay", "mumbai"),
        ("definition", "george ruth", "babe"),
        ("definition", "ruths", "babe"),
    ]
