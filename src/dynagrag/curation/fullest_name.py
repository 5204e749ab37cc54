"""The default name of a merged entity: the fullest of its names."""

from collections.abc import Sequence

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Entity
from dynagrag.ingest.consolidate.acronyms import spells_out
from dynagrag.ingest.consolidate.guards import tokens_of
from dynagrag.language.words import FUNCTION_WORDS, HONORIFICS

_NO_NAMES = HONORIFICS | FUNCTION_WORDS
_MAX_WORDS = 10
"""A longer name is a phrase that the extractor cut badly rather than a name."""


def fullest_name(entities: Sequence[Entity]) -> str:
    """The name that holds the words, or spells out the letters, of most others: Clarence Thomas
    rather than Thomas or Justice Thomas.

    Ties: a speaker's name of several words, then the most mentioned entity's, then its own name
    before its aliases, in alphabetical order.
    """
    named = [(name, entity) for entity in entities for name in (entity.name, *entity.aliases)]
    usable = [row for row in named if len(row[0].split()) <= _MAX_WORDS] or named
    keys = {name: entity_key(name) for name, _ in named}
    words = {name: frozenset(tokens_of(key)) - _NO_NAMES for name, key in keys.items()}

    def rank(row: tuple[str, Entity]) -> tuple[int, bool, int, bool, str]:
        name, entity = row
        num_less_full = 0
        for other, others in words.items():
            is_spelt_out = len(words[name]) > 1 and spells_out(keys[name], keys[other])
            num_less_full += is_spelt_out or (bool(others) and others < words[name])
        is_own = name == entity.name
        is_speakers = entity.is_speaker and is_own and len(words[name]) > 1
        return (-num_less_full, not is_speakers, -entity.weight, not is_own, name)

    return min(usable, key=rank)[0]
