"""Which entity a name means."""

import pytest

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.curation.entity_lookup import called, is_called


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
