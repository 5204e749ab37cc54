"""An entity by what somebody calls it."""

from collections.abc import Iterable

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.core.text import plain_latin
from dynagrag.ingest.consolidate.guards import TITLES, tokens_of, without_letters
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_PERSON_TYPES = words_of(WordClass.PERSON_TYPE)
_SUFFIXES = words_of(WordClass.NAME_SUFFIX)


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
    """Entities of the same name but for titles, hyphens and marks on letters ("Mr. Jose Nunez":
    José Núñez); where there are none, those of whose name it is the last name, with a title ("Mr.
    Meredith": Don Meredith), speakers before others; without one, the people of whose name it is
    the first or last name, or both ("Roberts", "John Roberts": John G. Roberts, Jr.).
    """
    titled = tokens_of(entity_key(name))
    words = _name_words(titled)
    if not words:
        return []
    named = [(e, [_name_words(tokens_of(key)) for key in e.keys]) for e in entities]
    same = [e for e, names in named if words in names]
    if same:
        return same
    if any(token in TITLES for token in titled):
        found = [e for e, names in named if any(_ends_in(own, words) for own in names)]
    else:
        people = [(e, names) for e, names in named if e.is_speaker or e.type in _PERSON_TYPES]
        found = [e for e, names in people if any(_has_part(own, words) for own in names)]
    return [e for e in found if e.is_speaker] or found


def _ends_in(own: list[str], words: list[str]) -> bool:
    return len(own) > len(words) and own[-len(words) :] == words


def _has_part(own: list[str], words: list[str]) -> bool:
    """Whether words are the first or last of a name, or its first and last."""
    is_first = len(own) > len(words) and own[: len(words)] == words
    both = len(own) > 2 and [own[0], own[-1]] == words
    return is_first or both or _ends_in(own, words)


def _name_words(tokens: tuple[str, ...]) -> list[str]:
    """The words of a name without titles, what stands behind it, and marks on letters."""
    own = without_letters(tokens)
    return [plain_latin(token) for token in own if token not in TITLES | _SUFFIXES]


def _closeness(entity: Entity, key: str) -> int | None:
    if not key:
        return None
    ways = (
        key in entity.keys,
        key == entity_key(entity.name),
        key in map(entity_key, entity.aliases),
    )
    return ways.index(True) if True in ways else None
