"""The entities that a question names: greedy longest exact match of its words with entity keys
(docs/papers.md, Bridge-PPR, step 2).
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.ids import entity_key, plain_key
from dynagrag.core.schema import Document, Entity
from dynagrag.language.words import FUNCTION_WORDS
from dynagrag.retrieval.bridge.speaker_linking import speaker_linker

MAX_WORDS = 10
"""The longest name that is looked up."""
_WORD = re.compile(r"[^\W_]+(?:['’&\-.][^\W_]+)*[+#]*")
_POSSESSIVE = re.compile(r"['’]s?$")
_ARTICLE = re.compile(r"^(?:the|an|a)\s+", re.IGNORECASE)


class EntityLinker:
    """Looks names up among the keys of a graph's entities."""

    def __init__(
        self,
        entities: Sequence[Entity],
        is_wanted: NDArray[np.bool_],
        documents: Iterable[Document] = (),
    ) -> None:
        """`is_wanted` (n,): which entities may be found; `documents`: those whose speakers' roles
        count.
        """
        wanted = np.flatnonzero(is_wanted).tolist()
        self._index = {key: i for i in wanted for key in entities[i].keys}
        for i in wanted:  # a name that a person gave, and one whose other sense alone is here
            named = map(entity_key, (entities[i].name, *entities[i].aliases))
            for key in (*named, *map(plain_key, entities[i].keys)):
                self._index.setdefault(key, i)
        self._speakers = speaker_linker(entities, wanted, documents)

    def link(self, text: str) -> tuple[int, ...]:
        """Indices of the entities that a text names, in its order, each once.

        From each word on the longest run of up to 10 words that is a key is taken. A single word
        must hold a capital or a digit, and be no function word: "may" is no name, "May" is one.
        Speakers who are meant by their last name, title or role come last.
        """
        spans = [match.span() for match in _WORD.finditer(text)]
        found: dict[int, None] = {}
        first = 0
        while first < len(spans):
            for last in range(min(first + MAX_WORDS, len(spans)) - 1, first - 1, -1):
                name = _POSSESSIVE.sub("", text[spans[first][0] : spans[last][1]])
                entity = self._index.get(entity_key(name)) if _may_be_name(name) else None
                if entity is not None:
                    found[entity] = None
                    first = last
                    break
            first += 1
        found.update(dict.fromkeys(self._speakers.find(text)))
        return tuple(found)


def _may_be_name(text: str) -> bool:
    """Several words, or one with a capital or digit ("the state" is one word with an article)."""
    key = entity_key(text)
    if " " in key:
        return True
    has_sign = any(c.isupper() or c.isdigit() for c in _ARTICLE.sub("", text))
    return has_sign and key not in FUNCTION_WORDS
