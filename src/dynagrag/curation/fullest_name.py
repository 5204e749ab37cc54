"""The default name of a merged entity: the fullest of its names."""

from collections.abc import Sequence

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.ingest.consolidate.acronyms import spells_out
from dynagrag.ingest.consolidate.guards import tokens_of
from dynagrag.language.words import FUNCTION_WORDS, HONORIFICS

_MAX_WORDS = 10
"""A longer name is a phrase that the extractor cut badly rather than a name."""


def fullest_name(entities: Sequence[Entity]) -> str:
    """The name that holds the words, or spells out the letters, of most others: Clarence Thomas
    rather than Thomas or Justice Thomas.

    Ties: a speaker's name of several words, then the most mentioned entity's, then its own name
    before its aliases, in alphabetical order.
    """
    named = [
        (name, entity, name == entity.name)
        for entity in entities
        for name in (entity.name, *entity.aliases)
    ]
    words = {name: _words(name) for name, _, _ in named}
    usable = [row for row in named if len(row[0].split()) <= _MAX_WORDS] or named

    def rank(row: tuple[str, Entity, bool]) -> tuple[int, bool, int, bool, str]:
        name, entity, is_own = row
        num_less_full = len(
            {other for other in words if _is_fuller(name, other, words[name], words[other])}
        )
        return (
            -num_less_full,
            not (entity.is_speaker and is_own and len(words[name]) > 1),
            -entity.weight,
            not is_own,
            name,
        )

    return min(usable, key=rank)[0]


def _words(name: str) -> frozenset[str]:
    return frozenset(
        t for t in tokens_of(entity_key(name)) if t not in HONORIFICS and t not in FUNCTION_WORDS
    )


def _is_fuller(name: str, other: str, own: frozenset[str], others: frozenset[str]) -> bool:
    return (bool(others) and others < own) or (
        len(own) > 1 and spells_out(entity_key(name), entity_key(other))
    )
