"""Names that may be one as a model sees them: a line each, in which a document's text can neither
open a new line nor close the fence.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from dynagrag.core.schema import Mention, RelationRecord
from dynagrag.core.text import collapse
from dynagrag.ingest.consolidate.safe_rules import SafeGroup

_MAX_NAME = 60
_MAX_TYPE = 20
_MAX_SUMMARY = 70
_MAX_NEIGHBOUR = 24
_NUM_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """Names to be judged together: `names` (unique), the `lines` that the model sees, and the
    `documents` whose text the lines hold.
    """

    names: tuple[str, ...]
    lines: tuple[str, ...]
    documents: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines as the model sees them."""
        return "\n".join(self.lines)


def fenced_excerpt(text: str, max_chars: int) -> str:
    """Text of a document as part of a line: it can neither open a new line nor close the fence."""
    short = collapse(text).replace("<", "‹").replace(">", "›")
    return short if len(short) <= max_chars else short[: max_chars - 1].rstrip() + "…"


def distinct_names(texts: Sequence[str], max_chars: int) -> tuple[str, ...]:
    """Texts as one-line names that differ; those that would look the same are numbered."""
    short = [fenced_excerpt(t, max_chars) for t in texts]
    seen: dict[str, int] = {}
    names = []
    for name in short:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} [{seen[name]}]")
    return tuple(names)


@dataclass(slots=True)
class _Seen:
    """A group of keys in the sources: its summaries, how often it occurs with which other key, and
    the documents of all that.
    """

    summaries: set[str] = field(default_factory=set)
    neighbours: Counter[str] = field(default_factory=Counter)
    documents: set[str] = field(default_factory=set)


def name_blocks(
    blocks: Sequence[Sequence[SafeGroup]],
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord],
    surfaces: Mapping[str, str],
) -> tuple[ShownBlock, ...]:
    """Groups as a model sees them: of each its type, its longest summary and the three names that
    it most often occurs with.

    `surfaces`: the usual spelling of every key.
    """
    seen: dict[str, _Seen] = {}
    for group in chain.from_iterable(blocks):
        seen.update(dict.fromkeys(group.keys, _Seen()))
    for mention in mentions:
        if (own := seen.get(mention.key)) is not None:
            own.documents.add(mention.document_id)
            if mention.summary:
                own.summaries.add(mention.summary)
    for record in records:
        for key, other in ((record.head, record.tail), (record.tail, record.head)):
            own = seen.get(key)
            if own is not None and seen.get(other) is not own:
                own.neighbours[other] += 1
                own.documents.add(record.document_id)
    shown = []
    for block in blocks:
        names = distinct_names([surfaces[group.key] for group in block], _MAX_NAME)
        lines = [
            _name_line(name, group.name.type, seen[group.key], surfaces)
            for name, group in zip(names, block, strict=True)
        ]
        documents = set[str]().union(*(seen[group.key].documents for group in block))
        shown.append(ShownBlock(names, tuple(lines), tuple(sorted(documents))))
    return tuple(shown)


def _name_line(name: str, type_: str, seen: _Seen, surfaces: Mapping[str, str]) -> str:
    line = f"{name} ({fenced_excerpt(type_, _MAX_TYPE)})" if type_ else name
    if seen.summaries:
        line += ": " + fenced_excerpt(min(seen.summaries, key=lambda s: (-len(s), s)), _MAX_SUMMARY)
    most = sorted(seen.neighbours, key=lambda k: (-seen.neighbours[k], k))[:_NUM_NEIGHBOURS]
    if most:
        line += " | " + ", ".join(fenced_excerpt(surfaces.get(k, k), _MAX_NEIGHBOUR) for k in most)
    return line
