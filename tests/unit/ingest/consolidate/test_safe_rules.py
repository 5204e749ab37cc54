"""Rules that need no model: which name stands for a group, what a key is usually called, how large
a group may be.
"""

import pytest
from scripted_judge import merged, run, said

from dynagrag.core.schema import MentionKind
from dynagrag.ingest.consolidate.used_names import used_names


def test_only_what_is_said_counts_for_which_key_stands_for_a_group() -> None:
    titles = [said("oxygen tanks", doc=f"d{n}", kind=MentionKind.TITLE) for n in range(3)]
    assert merged(run([said("oxygen tank"), *titles]))[0][0] == "oxygen tank"


def test_the_usual_type_and_spelling_are_the_most_frequent_ties_the_shortest() -> None:
    types = ["equipment", "equipment", "thing"]
    names = ["oxygen tank", "OXYGEN TANK", "OXYGEN TANK"]
    (name,) = used_names(
        [said(n, str(i), type_=t) for i, (n, t) in enumerate(zip(names, types, strict=True))]
    )
    assert (name.name.type, name.surface, name.weight) == ("equipment", "OXYGEN TANK", 3)
    (tied,) = used_names(
        [said("a tank", "x", type_="equipment"), said("a tank", "y", type_="thing")]
    )
    assert tied.name.type == "thing"


def test_spellings_of_one_name_are_joined_up_to_twelve() -> None:
    letters = "abcdefghjklmnopqrs"
    names = [f"{letters[:at]}-{letters[at:]}" for at in range(2, 16)]
    assert [len(members) for _, members, _ in merged(run([said(name) for name in names]))] == [12]


@pytest.mark.parametrize(
    ("one", "many", "is_plural"),
    [
        ("fuel box", "fuel boxes", True),
        ("air hatch", "air hatches", True),
        ("old church", "old churches", True),
        ("wing flash", "wing flashes", True),
        ("gas quiz", "gas quizes", True),
        ("fuel gas", "fuel gases", True),
        ("main battery", "main batteries", True),
        ("red die", "red dies", True),
        ("wide ax", "wide axes", False),  # of two letters
        ("oxygen glas", "oxygen glass", False),
        ("nav cor", "nav corps", False),
        ("fuel mean", "fuel means", False),
        ("cell 1", "cell 1s", False),
    ],
)
def test_plurals(one: str, many: str, is_plural: bool) -> None:
    found = merged(run([said(one), said(many)]))
    assert [rule for _, _, rule in found] == (["plural"] if is_plural else [])


@pytest.mark.parametrize(
    ("text", "long", "short"),
    [
        ("The Manned Spacecraft Center (MSC) was built.", "Manned Spacecraft Center", "MSC"),
        ("The Department of Defense (DOD) agreed.", "Department of Defense", "DOD"),
        ("The Office for Arms and Ships (OAS) agreed.", "Office for Arms and Ships", "OAS"),
    ],
)
def test_an_acronym_is_made_of_first_letters_with_or_without_the_small_words(
    text: str, long: str, short: str
) -> None:
    assert [rule for _, _, rule in merged(run([said(long), said(short)], texts=[text]))] == [
        "acronym"
    ]
    assert merged(run([said(long), said("XQZ")], texts=[text.replace(short, "XQZ")])) == []
