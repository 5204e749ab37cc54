"""An entity by what somebody calls it."""

from collections.abc import Iterable

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.core.text import plain_latin
from dynagrag.ingest.consolidate.guards import TITLES, tokens_of


def is_called(entity: Entity, name: str) -> bool:
    """Whether a name is one of the entity's, also one that only a glossary gives it and no text
    holds.
    """
    return _closeness(entity, entity_key(name)) is not None


def called(entities: Iterable[Entity], name: str) -> Entity | None:
    """The entity of a name: one of which the texts use it before one that is shown by it, and that
    before one that is also called so. Where none has it, the only one of nearly that name
    (`alike`).
    """
    key = entity_key(name)
    entities = [*entities]
    found = [
        (closeness, i, entity)
        for i, entity in enumerate(entities)
        if (closeness := _closeness(entity, key)) is not None
    ]
    if found:
        return min(found)[-1]
    near = alike(entities, name)
    return near[0] if len(near) == 1 else None


def alike(entities: Iterable[Entity], name: str) -> list[Entity]:
    """Entities of the same name but for titles and marks on letters ("Mr. Jose Nunez": José Núñez);
    where there are none, those whose last name a titled one is ("Mr. Meredith": Don Meredith),
    speakers before others.
    """
    titled = tokens_of(entity_key(name))
    words = _name_words(titled)
    if not words:
        return []
    named = [(e, [_name_words(tokens_of(key)) for key in e.keys]) for e in entities]
    same = [e for e, names in named if words in names]
    if same or len(words) == len(titled) or len(words) > 1:
        return same
    of_last = [e for e, names in named if any(len(own) > 1 and own[-1:] == words for own in names)]
    return [e for e in of_last if e.is_speaker] or of_last


def _name_words(tokens: Iterable[str]) -> list[str]:
    """The words of a name without titles and without marks."""
    return [plain_latin(token) for token in tokens if token not in TITLES]


def _closeness(entity: Entity, key: str) -> int | None:
    if not key:
        return None
    ways = (
        key in entity.keys,
        key == entity_key(entity.name),
        key in map(entity_key, entity.aliases),
    )
    return ways.index(True) if True in ways else None
