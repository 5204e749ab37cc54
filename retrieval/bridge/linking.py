"""Which entities a question names: greedy longest exact match of its words with entity keys (docs/papers.md, Bridge-PPR, step 2)."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynagrag.ids import entity_key, plain_key
from dynagrag.schema import Entity
from dynagrag.words import FUNCTION_WORDS

MAX_WORDS = 10
"""The longest name that is looked up."""
_WORD = re.compile(r"[^\W_]+(?:['’&\-.][^\W_]+)*[+#]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_ARTICLE = re.compile(r"^(?:the|an|a)\s+", re.IGNORECASE)


class EntityLinker:
    """Looks names up among the keys of a graph's entities."""

    def __init__(self, entities: Sequence[Entity], is_wanted: NDArray[np.bool_]) -> None:
        """`is_wanted` (n,): which entities may be found."""
        self._entities = entities
        self._is_wanted = is_wanted

    @cached_property
    def _index(self) -> Mapping[str, int]:
        wanted = np.flatnonzero(self._is_wanted).tolist()
        index = {key: i for i in wanted for key in self._entities[i].keys}
        for i in wanted:  # a name that a person gave, and one whose other sense alone is here
            entity = self._entities[i]
            for key in (entity_key(entity.name), *map(plain_key, entity.keys)):
                index.setdefault(key, i)
        return index

    def link(self, text: str) -> tuple[int, ...]:
        """Indices of the entities that a text names, in its order, each once.

        From each word on the longest run of up to 10 words that is a key is taken. A single word must hold a capital or a digit, and be no
        function word: "may" is no name, "May" is one.
        """
        spans = [match.span() for match in _WORD.finditer(text)]
        found: dict[int, None] = {}
        first = 0
        while first < len(spans):
            for last in range(min(first + MAX_WORDS, len(spans)) - 1, first - 1, -1):
                entity = self._find(_POSSESSIVE.sub("", text[spans[first][0] : spans[last][1]]))
                if entity is not None:
                    found[entity] = None
                    first = last
                    break
            first += 1
        return tuple(found)

    def _find(self, name: str) -> int | None:
        key = entity_key(name)
        is_single = " " not in key  # "the state" is one word with an article
        if is_single and (not any(c.isupper() or c.isdigit() for c in _ARTICLE.sub("", name)) or key in FUNCTION_WORDS):
            return None
        return self._index.get(key)
