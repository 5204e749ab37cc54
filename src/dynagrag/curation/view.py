"""The view of a graph for curation: entities with counts of their names, quotes, merges, and the
state of edits.

`read_seen` reads a workspace once; all else is computed of that. Read-only.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain, zip_longest

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import entity_key, plain_key
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import (
    UNMEASURED,
    CosineScale,
    Document,
    Edit,
    EditKind,
    Entity,
    Graph,
    Mention,
    MentionKind,
    Merge,
    Passage,
    Turn,
)
from dynagrag.core.text import collapse, cut
from dynagrag.curation.entity_lookup import called, is_called
from dynagrag.curation.quotes import Quote, quote_at
from dynagrag.curation.suggestions import Suggestion, suggest_merges
from dynagrag.graph_store.derived.canonical import effective_edits, undone_edits
from dynagrag.graph_store.derived.glossary import glossary_rows
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.senses import documents_of, mentions_in_senses, read_senses
from dynagrag.models.cosine_scales import kept_scale

_MAX_SHOWN = 60
_BY_HAND = "by hand"


class EditState(StrEnum):
    """How an edit stands. The values are those of `graph edits --json`; `word` is what people
    read.
    """

    IN_FORCE = "in force"
    INACTIVE = "sleeping"
    """Its names are not in the graph now: it acts again as soon as they are."""
    UNDONE = "undone"

    @property
    def word(self) -> str:
        """The state as it is printed."""
        return "inactive" if self is EditState.INACTIVE else self.value


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """An edit, what it says, how it stands, and what took it back."""

    edit: Edit
    text: str
    state: EditState
    undone_by: Edit | None = None


@dataclass(frozen=True, slots=True)
class MadeMerge:
    """A merge in force: the entity it made and how often each of its names was said. `rule`: a
    rule's name, model, or by hand.

    `id` is the merge's or the edit's.
    """

    id: str
    rule: str
    saw: str
    entity: Entity
    members: tuple[tuple[str, int], ...]
    by: str = ""


@dataclass(frozen=True)
class Seen:
    """A workspace as it was at one moment. `counted`: the mentions that count, under the keys that
    they stand for.
    """

    version: str
    graph: Graph
    documents: Mapping[str, Document]
    passages: Mapping[str, Passage]
    counted: tuple[Mention, ...]
    mentions: tuple[Mention, ...]
    merges: tuple[Merge, ...]
    edits: tuple[Edit, ...]
    turns: Mapping[str, Sequence[Turn]] = field(default_factory=dict)
    scale: CosineScale = UNMEASURED

    @cached_property
    def by_id(self) -> dict[str, Entity]:
        """Entities by id."""
        return {e.id: e for e in self.graph.entities}

    @cached_property
    def by_key(self) -> dict[str, Entity]:
        """Entities by each of their keys."""
        return {key: e for e in self.graph.entities for key in e.keys}

    @cached_property
    def mentions_of(self) -> dict[str, list[Mention]]:
        """The mentions that count by key, in the order of the documents."""
        found: dict[str, list[Mention]] = defaultdict(list)
        for mention in sorted(
            self.counted, key=lambda m: (self.documents[m.document_id].title, m.chunk_start, m.id)
        ):
            found[mention.key].append(mention)
        return dict(found)

    @cached_property
    def suggestions(self) -> list[Suggestion]:
        """Merges to look at, likeliest first."""
        return suggest_merges(self.graph, self.mentions, self.edits, scale=self.scale)

    def said(self, key: str) -> int:
        """How often a name was said."""
        return sum(m.kind is MentionKind.SAID for m in self.mentions_of.get(key, ()))

    def shown(self, key: str) -> str:
        """A key as it is usually spelt."""
        names = Counter(m.name for m in self.mentions_of.get(key, ()))
        return min(names, key=lambda n: (-names[n], len(n), n)) if names else plain_key(key)

    def spelt(self, entity: Entity) -> tuple[tuple[str, str, int], ...]:
        """(key, usual spelling, how often it was said) of an entity's names, most said first."""
        rows = [(key, self.shown(key), self.said(key)) for key in entity.keys]
        return tuple(sorted(rows, key=lambda row: (-row[2], row[0])))

    def in_documents(self, entity: Entity) -> tuple[tuple[Document, int], ...]:
        """The documents that hold an entity, with how many mentions each, by title."""
        counts = Counter(
            m.document_id for key in entity.keys for m in self.mentions_of.get(key, ())
        )
        return tuple(
            (self.documents[i], counts[i])
            for i in sorted(counts, key=lambda i: (self.documents[i].title, i))
        )

    def find(self, text: str, limit: int = 20) -> list[Entity]:
        """Entities by any part of their names: the whole name first, then its beginning, then the
        most mentioned.
        """
        wanted, part = entity_key(text), collapse(text.casefold())
        if not part:
            return []
        parts = {part, wanted or part}
        ranked = []
        for entity in self.graph.entities:
            names = [name.casefold() for name in (entity.name, *entity.aliases)] + [*entity.keys]
            hits = [name for name in names if any(known in name for known in parts)]
            if hits:
                is_opening = any(name.startswith(part) for name in hits)
                rank = (not is_called(entity, text), not is_opening, -entity.weight, entity.key)
                ranked.append((rank, entity))
        return [entity for _, entity in sorted(ranked, key=lambda row: row[0])[:limit]]

    def entity(self, name: str) -> Entity:
        """The one entity with this name or key. UsageError names near misses."""
        exact = self.by_key.get(name) or called(self.graph.entities, name)
        if exact is not None:
            return exact
        near = ", ".join(e.name for e in self.find(name, 8))
        hint = f"near: {near}" if near else "`dynagrag graph show` lists the heaviest"
        raise UsageError(f"no entity {clipped(name)!r}; {hint}")

    def quotes(self, keys: Sequence[str], limit: int = 2) -> list[Quote]:
        """Where these names were said, each name once before any twice, documents likewise."""
        quotes: dict[tuple[str, int], Quote] = {}
        lists = [_spread(self.mentions_of.get(key, [])) for key in keys]
        for mention in chain.from_iterable(zip_longest(*lists)):
            quote = self._quote(mention) if mention else None
            if quote is not None:
                quotes.setdefault((quote.document_id, quote.start), quote)
            if mention and len(quotes) >= limit:
                break
        return [*quotes.values()]

    def _quote(self, mention: Mention) -> Quote | None:
        document = self.documents[mention.document_id]
        passage = next((self.passages[p] for p in mention.passage_ids if p in self.passages), None)
        if passage is None:
            return None
        bounds = (passage.start, passage.end)
        start, end = max(passage.start, mention.chunk_start), min(passage.end, mention.chunk_end)
        if start >= end:
            start, end = bounds
        turns = self.turns.get(document.id, ())
        where = (start, start)
        pattern = r"\s+".join(re.escape(word) for word in mention.name.split())
        if pattern and (
            name := re.compile(pattern, re.IGNORECASE).search(document.text, start, end)
        ):
            where = name.span()
        if mention.kind is MentionKind.SPEAKER:
            # their own words, not those of whoever speaks first in the passage
            key = entity_key(mention.name)
            inside = (turn for turn in turns if turn.start < end and start < turn.end)
            own = next((turn for turn in inside if entity_key(turn.speaker or "") == key), None)
            if own:
                where, bounds = (own.start, own.start), (own.start, own.end)
            start, end = bounds
        turn = next((t for t in turns if t.start <= where[0] < t.end), None)
        return quote_at(document, turn, where, bounds)


def read_seen(store: GraphStore) -> Seen:
    """Reads the curation view of a workspace as it is now."""
    with store.reading():
        stored, version = store.records(), store.version()
        documents = {d.id: d for d in stored.documents}
        counted = counting_mentions(stored.mentions, len(stored.passages))
        turns: dict[str, list[Turn]] = defaultdict(list)
        for turn in store.turns():
            turns[turn.document_id].append(turn)
        return Seen(
            version=version,
            graph=store.graph(),
            documents=documents,
            passages={p.id: p for p in stored.passages},
            counted=tuple(mentions_in_senses(counted, read_senses(stored.edits, documents))),
            mentions=stored.mentions,
            merges=store.consolidation().merges,
            edits=stored.edits,
            turns=turns,
            scale=kept_scale(store) or UNMEASURED,
        )


def _spread(mentions: Iterable[Mention]) -> list[Mention]:
    """Said before other kinds; of each document one before any second."""
    seen: Counter[str] = Counter()
    ranks: list[tuple[bool, int]] = []
    mentions = [*mentions]
    for mention in mentions:
        ranks.append((mention.kind is not MentionKind.SAID, seen[mention.document_id]))
        seen[mention.document_id] += 1
    return [mentions[i] for i in sorted(range(len(mentions)), key=ranks.__getitem__)[:50]]


# --------------------------------------------------------------------------------- merges and edits


def made_merges(seen: Seen) -> list[MadeMerge]:
    """The merges in force: a model's first, then a person's, then the rules', of each the most
    mentioned first.

    One whose members a person's later edits took apart, or whose members are not in the graph, is
    left out.
    """
    undone = undone_edits(seen.edits)
    made = [
        _made(seen, m.id, m.rule, m.saw, m.members, "") for m in seen.merges if m.id not in undone
    ]
    made += [
        _made(seen, e.id, _BY_HAND, "", e.keys, e.by)
        for e in effective_edits(seen.edits)
        if e.kind is EditKind.MERGE
    ]
    order = {"model": 0, _BY_HAND: 1}
    return sorted(
        (m for m in made if m is not None),
        key=lambda m: (order.get(m.rule, 2), -m.entity.weight, m.entity.key, m.id),
    )


def _made(
    seen: Seen, id_: str, rule: str, saw: str, keys: Sequence[str], by: str
) -> MadeMerge | None:
    found = [(key, seen.by_key[key]) for key in keys if key in seen.by_key]
    counts = Counter(e.id for _, e in found)
    if not counts or counts.most_common(1)[0][1] < 2:
        return None
    entity = seen.by_id[counts.most_common(1)[0][0]]
    members = sorted(
        ((key, seen.said(key)) for key, e in found if e.id == entity.id),
        key=lambda row: (-row[1], row[0]),
    )
    return MadeMerge(id_, rule, saw, entity, tuple(members), by)


def history(seen: Seen) -> list[HistoryLine]:
    """All edits but those that only take others back, newest first."""
    undone = undone_edits(seen.edits)
    known = {e.id for e in seen.edits}
    lines = [
        HistoryLine(edit, describe(edit, seen), _state(edit, seen, undone), undone.get(edit.id))
        for edit in seen.edits
        if not (edit.kind is EditKind.UNDO and edit.what in known)
    ]
    return lines[::-1]


def _state(edit: Edit, seen: Seen, undone: Mapping[str, Edit]) -> EditState:
    if edit.id in undone:
        return EditState.UNDONE
    if edit.kind is EditKind.SENSE:
        uris = set(documents_of(edit))
        mentions = (m for m in seen.mentions if m.key in edit.keys)
        live = sum(seen.documents[m.document_id].uri in uris for m in mentions)
    else:
        live = sum(key in seen.by_key for key in edit.keys)
    least = 2 if edit.kind in (EditKind.MERGE, EditKind.UNDO) else 1
    return EditState.IN_FORCE if live >= least or not edit.keys else EditState.INACTIVE


def describe(edit: Edit, seen: Seen) -> str:
    """An edit in a sentence. It may hold any text of a person: escape it before rendering."""
    names = _first_few([seen.shown(key) for key in edit.keys], 6)
    match edit.kind:
        case EditKind.MERGE:
            return f"{names} are one: {clipped(edit.name or seen.shown(edit.keys[0]))}"
        case EditKind.RENAME:
            return f"{names} is called {clipped(edit.name)}"
        case EditKind.SPLIT:
            return f"{names}: on its own" if len(edit.keys) == 1 else f"{names}: each on its own"
        case EditKind.SENSE:
            uris = set(documents_of(edit))
            titles = sorted(d.title for d in seen.documents.values() if d.uri in uris)
            where = _first_few(titles, 3) or "documents that are not here"
            return f"{names} is {clipped(edit.name)} in {where}"
        case EditKind.GLOSSARY:
            rows = glossary_rows(edit)
            return (
                f"glossary {clipped(edit.name)}: {len(rows):,} terms,"
                f" {sum(len(r.aliases) for r in rows):,} aliases"
            )
        case EditKind.UNDO:
            return f"{names}: not the same" if edit.keys else "an edit taken back"


def _first_few(names: Sequence[str], num: int) -> str:
    shown = ", ".join(clipped(name) for name in names[:num])
    return f"{shown} and {len(names) - num} more" if len(names) > num else shown


def clipped(text: str, size: int = _MAX_SHOWN) -> str:
    """A name on one line, cut where it is long; characters that can't be seen are marked, since not
    every widget takes them out.
    """
    line = "".join(c if c.isprintable() else "\ufffd" for c in collapse(text))
    return cut(line, size)
