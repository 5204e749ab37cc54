"""What a snapshot has from its mentions, kept for the next process: the facts, and which text each
summary was embedded in. Reading all mentions is most of what reading a snapshot costs.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from dynagrag import core, language
from dynagrag.core.code_version import code_version
from dynagrag.core.files.kept_arrays import (
    KeptArrays,
    texts_as_arrays,
    texts_of_arrays,
)
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import VectorStore
from dynagrag.core.schema import Facts, Graph, Mention, Passage, VectorKind
from dynagrag.graph_store import derived, stepping
from dynagrag.graph_store.derived.embedded_texts import mention_text, text_id
from dynagrag.retrieval.bridge import fact_arrays

FILE = "facts.safetensors"
MADE_BY = (core, language, derived, stepping, fact_arrays)
"""The code that makes facts of records, with this module."""
_TEXTS = ("texts", "words")


def stamp_of(version: str, passages: Iterable[Passage], graph: Graph) -> str:
    """Of facts: of the code, the store's version, and the passages and entities that they number;
    empty where the code isn't known.
    """
    code = code_version((*MADE_BY, sys.modules[__name__]), ())
    numbered = [passage.id for passage in passages], [entity.id for entity in graph.entities]
    return content_id(code, version, *numbered[0], "", *numbered[1]) if code else ""


def texts_of_summaries(mentions: Sequence[Mention]) -> dict[str, str]:
    """By each summary, the id of the text that it was embedded in."""
    # Backwards, so that the first name's text comes last, and stays.
    return {m.summary: text_id(mention_text(m)) for m in reversed(mentions) if m.summary}


@dataclass(frozen=True, slots=True)
class MentionedTexts:
    """The facts of a corpus, and by each summary of a mention the id of the text that it was
    embedded in.
    """

    facts: Facts
    summaries: Mapping[str, str]

    @classmethod
    def kept(cls, files: KeptArrays, store: VectorStore, stamp: str) -> "MentionedTexts | None":
        """What is kept under a `stamp_of`; None where nothing is."""
        arrays = files.load(FILE, stamp)
        if arrays is None:
            return None
        texts = {name: texts_of_arrays(name, arrays) for name in (*_TEXTS, "summaries", "ids")}
        own: dict[str, Any] = {f.name: arrays[f.name] for f in fields(Facts) if f.name in arrays}
        own |= {name: texts[name] for name in _TEXTS}
        ids = [text_id(text) for text in texts["texts"]]
        facts = Facts(**own | {"vectors": store.vectors(VectorKind.RECORD, ids)})
        return cls(facts, dict(zip(texts["summaries"], texts["ids"], strict=True)))

    def keep(self, files: KeptArrays, stamp: str) -> None:
        """Keeps them under a `stamp_of`, without the facts' vectors, which the store has."""
        own = {field.name: getattr(self.facts, field.name) for field in fields(Facts)}
        texts = {name: own.pop(name) for name in _TEXTS}
        texts |= {"summaries": tuple(self.summaries), "ids": tuple(self.summaries.values())}
        del own["vectors"]
        for name, some in texts.items():
            own |= texts_as_arrays(name, some)
        files.keep(FILE, stamp, own)
