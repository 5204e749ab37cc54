"""What a snapshot has from its mentions, kept for the next process: the facts, and which text each
summary was embedded in. Reading all mentions is most of what reading a snapshot costs.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from dynagrag import core, language
from dynagrag.core.code_version import code_version
from dynagrag.core.files.kept_arrays import (
    KeptArrays,
    texts_as_arrays,
    texts_of_arrays,
)
from dynagrag.core.protocols import VectorStore
from dynagrag.core.schema import Facts, Mention, VectorKind
from dynagrag.graph_store import derived, stepping
from dynagrag.graph_store.derived.embedded_texts import mention_text, text_id
from dynagrag.retrieval.bridge import fact_arrays

FILE = "facts.safetensors"
MADE_BY = (core, language, derived, stepping, fact_arrays)
"""The code that makes facts of records, with this module."""
_TEXTS = ("texts", "words")


def _stamp(version: str) -> str:
    code = code_version((*MADE_BY, sys.modules[__name__]), ())
    return f"{code} {version}" if code else ""


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
    def kept(cls, files: KeptArrays, store: VectorStore, version: str) -> "MentionedTexts | None":
        """What is kept for this version of the store; None where nothing is."""
        arrays = files.load(FILE, _stamp(version))
        if arrays is None:
            return None
        texts = {name: texts_of_arrays(name, arrays) for name in (*_TEXTS, "summaries", "ids")}
        own: dict[str, Any] = {f.name: arrays[f.name] for f in fields(Facts) if f.name in arrays}
        own |= {name: texts[name] for name in _TEXTS}
        ids = [text_id(text) for text in texts["texts"]]
        facts = Facts(**own | {"vectors": store.vectors(VectorKind.RECORD, ids)})
        return cls(facts, dict(zip(texts["summaries"], texts["ids"], strict=True)))

    def keep(self, files: KeptArrays, version: str) -> None:
        """Keeps them without the facts' vectors, which the store has."""
        own = {field.name: getattr(self.facts, field.name) for field in fields(Facts)}
        texts = {name: own.pop(name) for name in _TEXTS}
        texts |= {"summaries": tuple(self.summaries), "ids": tuple(self.summaries.values())}
        del own["vectors"]
        for name, some in texts.items():
            own |= texts_as_arrays(name, some)
        files.keep(FILE, _stamp(version), own)
