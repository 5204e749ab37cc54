"""Which entity a name means."""

from dataclasses import replace

import pytest

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.curation.entity_lookup import alike, called, is_called


def _entity(name: str, *keys: str, aliases: tuple[str, ...] = ()) -> Entity:
    return Entity(keys[0], keys[0], name, "", keys, aliases, "", 1, ())


_RELAY = _entity("Port Arthur", "zanzibar relay", "relay zanzibar")  # a person called it so
_PORT = _entity("Port Arthur", "port arthur", "old delft", aliases=("Old Delft",))
_MODULE = _entity("LM", "lm", aliases=("Aquarius", "LEM Old Delft", "..."))
_OTHER = _entity("Aquarius", "water bearer")


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("port  ARTHUR", _PORT),  # the texts use it
        ("Relay Zanzibar", _RELAY),
        ("LEM Old Delft", _MODULE),
        ("Aquarius", _OTHER),  # its own name before another's second one
        ("LM", _MODULE),
        ("Old", None),
        ("...", None),
        ("", None),
    ],
)
def test_an_entity_is_found_by_each_of_its_names(name: str, entity: Entity | None) -> None:
    every = [_RELAY, _PORT, _MODULE, _OTHER]
    assert called(every, name) is entity
    assert called(every[::-1], name) is entity
    assert is_called(_MODULE, name) == (entity_key(name) in ("lm", "aquarius", "lem old delft"))


_SPEAKER = Entity("s", "s", "Don Meredith", "", ("don meredith",), (), "", 1, (), is_speaker=True)
_JONES = replace(_SPEAKER, name="ANN SMITH-JONES", keys=("ann smith-jones",))
_ROBERTS = replace(_SPEAKER, name="John G. Roberts, Jr.", keys=("john g. roberts, jr",))
_ANN = replace(_SPEAKER, name="Ann Wei", keys=("ann wei",))
_TOWN = _entity("Port Meredith", "port meredith")
_JOSE = _entity("José Núñez", "josé núñez")
_LEE = _entity("Dr. Lee", "dr. lee")


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("Mr. Meredith", _SPEAKER),  # a speaker before a town
        ("Mr. Don Meredith", _SPEAKER),
        ("Meredith", _SPEAKER),  # the only person of that name
        ("don", _SPEAKER),
        ("Port", None),  # nobody's
        ("Smith Jones", _JONES),
        ("Ms. Smith-Jones", _JONES),
        ("ann smith-jones", _JONES),
        ("Roberts", _ROBERTS),
        ("John Roberts", _ROBERTS),
        ("Ann", None),  # of two
        ("Jose Nunez", _JOSE),
        ("Professor Nunez", _JOSE),
        ("Lee", _LEE),
        ("Mr.", None),
        ("Mr. Nobody", None),
    ],
)
def test_titles_and_marks_hide_nobody(name: str, entity: Entity | None) -> None:
    every = [_TOWN, _SPEAKER, _JOSE, _LEE, _JONES, _ROBERTS, _ANN]
    assert called(every, name) is entity


def test_all_people_of_a_name_are_alike() -> None:
    assert alike([_TOWN, _JONES, _ANN], "ann") == [_JONES, _ANN]


def test_a_last_name_of_two_people_is_nobody_s_and_both_are_offered() -> None:
    other = _entity("Ann Meredith", "ann meredith")
    people = [other, _TOWN]
    assert called(people, "Ms. Meredith") is None
    assert alike(people, "Ms. Meredith") == people
