"""Things that an extractor found in a chunk, placed in its text, to be compared with what is marked
there.

Records name things and the sentence or chunk they were read in; a thing is taken to be found
wherever its name stands there. What people are shown is decided as when a graph is derived:
candidates that don't count in the corpus are left out, and so are content words, unless the corpus
has them as names too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import CO_OCCURRENCE, MentionKind
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk, places
from dynagrag.evaluation.extraction.found_lines import FoundLine, FoundMention
from dynagrag.graph_store.derived.linking_words import (
    is_word,
    thing_keys,
    without_words_of_things,
)
from dynagrag.graph_store.derived.live_mentions import counting_mentions

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Thing:
    """A mention with its place; `span` is None where its name doesn't stand in what was read."""

    span: Span | None
    name: str
    key: str
    type: str


@dataclass(frozen=True, slots=True)
class ThingPair:
    """Two things by key with the span of the quote that joins them. `is_together`: it only says
    that both are mentioned there.
    """

    head: str
    tail: str
    label: str
    quote: Span
    is_together: bool


@dataclass(frozen=True, slots=True)
class FoundThings:
    """Things found in a chunk, or marked in it: `things` as people see them, `words` apart, `raw`
    all candidates but words.
    """

    things: tuple[Thing, ...]
    pairs: tuple[ThingPair, ...]
    words: tuple[Thing, ...] = ()
    raw: tuple[Thing, ...] = ()


def marked(chunk: GoldChunk) -> FoundThings:
    """The marks of people."""
    things = tuple(
        Thing(entity.span, entity.text, entity.key, entity.type) for entity in chunk.entities
    )
    pairs = []
    for relation in chunk.relations:
        start = chunk.text.index(relation.quote)
        quote = (start, start + len(relation.quote))
        pairs.append(
            ThingPair(
                entity_key(relation.head), entity_key(relation.tail), relation.label, quote, False
            )
        )
    return FoundThings(things, tuple(pairs))


def found_in(chunks: Iterable[GoldChunk], lines: Mapping[str, FoundLine]) -> dict[str, FoundThings]:
    """The things found in each chunk; which candidates count is decided on all of the chunks
    together.
    """
    mentions = {
        id_: [m for m in line.mentions if m.kind is MentionKind.SAID] for id_, line in lines.items()
    }
    num_passages = sum(line.num_passages for line in lines.values())
    chunks = tuple(chunks)
    every = [
        m.mention(chunk.document or chunk.id) for chunk in chunks for m in lines[chunk.id].mentions
    ]
    counted = without_words_of_things(counting_mentions(every, num_passages))
    counting, names = {m.id for m in counted}, thing_keys(counted)
    return {
        chunk.id: _found(chunk.text, lines[chunk.id], mentions[chunk.id], counting, names)
        for chunk in chunks
    }


def _found(
    text: str,
    line: FoundLine,
    mentions: Sequence[FoundMention],
    counting: set[str],
    names: set[str],
) -> FoundThings:
    counted = [m for m in mentions if m.id in counting]
    shown = {m.key for m in counted if m.key in names}
    pairs = {
        ThingPair(r.head, r.tail, r.label, (r.start, r.end), r.label == CO_OCCURRENCE): None
        for r in line.relations
        if r.head in shown and r.tail in shown
    }
    return FoundThings(
        things=tuple(_placed(text, [m for m in counted if m.key in names])),
        pairs=tuple(pairs),
        words=tuple(_placed(text, [m for m in counted if m.key not in names])),
        raw=tuple(_placed(text, [m for m in mentions if not is_word(m.mention())])),
    )


def _placed(text: str, mentions: Sequence[FoundMention]) -> Iterator[Thing]:
    """Each mention at every place of its name in what it was read from, but not inside a longer
    name, unless it stands nowhere else.
    """
    at: list[tuple[FoundMention, list[Span]]] = []
    for m in mentions:  # as it is written, else with other capitals
        read = text[m.start : m.end]
        found = list(places(m.name, read)) or list(places(m.name, read, re.IGNORECASE))
        at.append((m, [(m.start + start, m.start + end) for start, end in found]))
    every = sorted({span for _, spans in at for span in spans}, key=lambda s: (s[0] - s[1], s))
    outer = {
        span
        for i, span in enumerate(every)
        # the longest come first, each once
        if not any(longer[0] <= span[0] and span[1] <= longer[1] for longer in every[:i])
    }
    placed: dict[tuple[Span | None, str], Thing] = {}
    for mention, spans in at:
        kept: Sequence[Span | None] = [span for span in spans if span in outer] or spans[:1]
        for span in kept or [None]:
            key = (span, mention.key if span is None else "")
            placed.setdefault(key, Thing(span, mention.name, mention.key, mention.type))
    yield from placed.values()
