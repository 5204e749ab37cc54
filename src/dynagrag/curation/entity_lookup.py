"""An entity by what somebody calls it."""

from collections.abc import Iterable

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity


def is_called(entity: Entity, name: str) -> bool:
    """Whether a name is one of the entity's, also one that only a glossary gives it and no text
    holds.
    """
    return _closeness(entity, entity_key(name)) is not None


def called(entities: Iterable[Entity], name: str) -> Entity | None:
    """The entity of a name: one of which the texts use it before one that is shown by it, and that
    before one that is also called so.
    """
    key = entity_key(name)
    found = [
        (closeness, i, entity)
        for i, entity in enumerate(entities)
        if (closeness := _closeness(entity, key)) is not None
    ]
    return min(found)[-1] if found else None


def _closeness(entity: Entity, key: str) -> int | None:
    if not key:
        return None
    ways = (
        key in entity.keys,
        key == entity_key(entity.name),
        key in map(entity_key, entity.aliases),
    )
    return ways.index(True) if True in ways else None
