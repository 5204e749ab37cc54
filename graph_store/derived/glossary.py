"""What a person's glossaries say: which names are one thing, which are two, and what each means.

A glossary is stored as one edit of kind glossary, whose `what` holds its rows; so it is a record,
holds in later ingests, and is taken back like any edit. What it comes to is decided here each time,
from all glossaries in force, whatever their order:

- A row's term and aliases are one thing. A term that is an alias of one other row joins the two,
  also in a circle.
- A name that is an alias of several things, or the term of rows that share neither alias nor
  definition, is ambiguous: it joins none of
  them.
- Names of two things are never one by a rule or a model.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Edit, EditKind, Entity
from dynagrag.graph_store.derived.canonical import effective_edits


@dataclass(frozen=True, slots=True)
class GlossaryRow:
    """An entry as its file has it; `line`: where it begins there."""

    term: str
    aliases: tuple[str, ...] = ()
    definition: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class GlossaryThing:
    """One thing. `names` and their `keys`, the terms first; `definitions`: what rows say of it."""

    names: tuple[str, ...]
    keys: tuple[str, ...]
    definitions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Glossary:
    """`thing_of`: key -> its thing's place among the `things`. `ambiguous`: key -> the terms of the
    things that it may be.

    `circles`: terms that are aliases of each other, in alphabetical order, two or more round a
    circle.
    """

    things: tuple[GlossaryThing, ...] = ()
    thing_of: Mapping[str, int] = field(default_factory=dict)
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    circles: tuple[tuple[str, ...], ...] = ()


def glossary_text(rows: Iterable[GlossaryRow]) -> str:
    """Rows as a glossary edit's `what` has them."""
    return json.dumps(
        [[row.term, list(row.aliases), row.definition, row.line] for row in rows],
        ensure_ascii=False,
    )


def glossary_rows(edit: Edit) -> tuple[GlossaryRow, ...]:
    """The rows of a glossary edit; none where its `what` doesn't read back."""
    try:
        stored = json.loads(edit.what)
    except ValueError:
        return ()
    return (
        tuple(row for entry in stored if (row := _row(entry)) is not None)
        if isinstance(stored, list)
        else ()
    )


def _row(entry: Any) -> GlossaryRow | None:
    match entry:
        case [str(term), list(aliases), str(definition), int(line)]:
            return GlossaryRow(
                term, tuple(a for a in aliases if isinstance(a, str)), definition, line
            )
    return None


def read_glossary(edits: Iterable[Edit]) -> Glossary:
    """What the glossaries in force say together."""
    told = tuple(edit for edit in effective_edits(edits) if edit.kind is EditKind.GLOSSARY)
    return _read(tuple(sorted(edit.what for edit in told))) if told else Glossary()


@lru_cache(maxsize=4)
def _read(texts: tuple[str, ...]) -> Glossary:
    edits = [Edit("", EditKind.GLOSSARY, (), "", text, "", "") for text in texts]
    return resolve([row for edit in edits for row in glossary_rows(edit)])


def resolve(rows: Iterable[GlossaryRow]) -> Glossary:
    """Which names of these rows are one thing."""
    entries = _entries(rows)
    terms: dict[str, list[int]] = defaultdict(list)
    claims: dict[str, set[int]] = defaultdict(set)
    for number, entry in enumerate(entries):
        terms[entry.term].append(number)
        for key in entry.aliases:
            if key != entry.term:
                claims[key].add(number)
    joined = _Joined(len(entries))
    aliased: list[tuple[int, int]] = []
    for key in sorted(claims):
        if len(terms.get(key, ())) == 1 and len(claims[key]) == 1:
            (own,), (other,) = terms[key], tuple(claims[key])
            joined.unite(own, other)
            aliased.append((other, own))
    ambiguous: dict[str, tuple[str, ...]] = {}
    owner: dict[str, int] = {}
    for key in sorted({*terms, *claims}):
        owners = {joined.root(n) for n in terms.get(key, ())} or {
            joined.root(n) for n in claims[key]
        }
        claimants = {joined.root(n) for n in (*terms.get(key, ()), *claims.get(key, ()))}
        if len(claimants) > 1:
            ambiguous[key] = tuple(
                sorted(
                    {
                        entries[n].shown[entries[n].term]
                        for n in (*terms.get(key, ()), *claims.get(key, ()))
                    }
                )
            )
        if len(owners) == 1:
            owner[key] = min(owners)
    return _glossary(entries, joined, owner, ambiguous, _circles(entries, aliased))


def _circles(
    entries: Sequence["_Entry"], aliased: Sequence[tuple[int, int]]
) -> list[tuple[str, ...]]:
    """The terms that lead back to themselves by their aliases. `aliased`: pairs of an entry and one
    whose term is its alias.
    """
    if not aliased:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    heads, tails = zip(*aliased, strict=True)
    links = coo_array(([1] * len(aliased), (heads, tails)), shape=(len(entries), len(entries)))
    _, of = connected_components(links, connection="strong")
    round_: dict[int, list[str]] = defaultdict(list)
    for entry, circle in zip(entries, of.tolist(), strict=True):
        round_[circle].append(entry.shown[entry.term])
    return sorted(tuple(terms) for terms in round_.values() if len(terms) > 1)


@dataclass(frozen=True, slots=True)
class _Entry:
    """Rows of one term: its key, those of its aliases, how each is shown, and what it means."""

    term: str
    aliases: tuple[str, ...]
    shown: Mapping[str, str]
    definition: str


def _entries(rows: Iterable[GlossaryRow]) -> list[_Entry]:
    """One entry a term, in alphabetical order; two where its rows share neither an alias nor a
    definition, as of two things.
    """
    by_term: dict[str, list[GlossaryRow]] = defaultdict(list)
    for row in sorted(set(rows), key=lambda r: (r.term, r.aliases, r.definition, r.line)):
        if entity_key(row.term):
            by_term[entity_key(row.term)].append(row)
    return [
        _entry(term, some)
        for term, of_term in sorted(by_term.items())
        for some in _rows_by_thing(term, of_term)
    ]


def _rows_by_thing(term: str, rows: Sequence[GlossaryRow]) -> list[list[GlossaryRow]]:
    """The rows of a term by thing: those that share an alias or a definition, and what has but one
    of the two with the only other.
    """
    joined = _Joined(len(rows))
    first: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows):
        signs = [
            ("alias", key) for alias in row.aliases if (key := entity_key(alias)) not in ("", term)
        ]
        meaning = " ".join(row.definition.split()).casefold()
        for sign in (*signs, *([("definition", meaning)] if meaning else [])):
            joined.unite(first.setdefault(sign, number), number)
    things: dict[int, list[GlossaryRow]] = defaultdict(list)
    for number, row in enumerate(rows):
        things[joined.root(number)].append(row)
    several = sorted(
        things.values(),
        key=lambda some: (not any(r.aliases for r in some), not any(r.definition for r in some)),
    )
    if len(several) == 2 and not (
        _has_both(several, "aliases") or _has_both(several, "definition")
    ):
        return [[*several[0], *several[1]]]
    return [some for some in several if any(r.aliases or r.definition for r in some)] or several[:1]


def _has_both(several: Sequence[Sequence[GlossaryRow]], field_name: str) -> bool:
    return all(any(getattr(row, field_name) for row in some) for some in several)


def _entry(term: str, rows: Sequence[GlossaryRow]) -> _Entry:
    shown: dict[str, str] = {}
    for name in sorted(
        (name for row in rows for name in (row.term, *row.aliases)), key=lambda n: (len(n), n)
    ):
        if entity_key(name):
            shown.setdefault(entity_key(name), name)
    aliases = tuple(sorted(shown.keys() - {term}))
    return _Entry(
        term, aliases, shown, max((row.definition for row in rows), key=lambda d: (len(d), d))
    )


class _Joined:
    """Entries that are one thing."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, i: int) -> int:
        while self._parent[i] != i:
            self._parent[i] = self._parent[self._parent[i]]
            i = self._parent[i]
        return i

    def unite(self, i: int, j: int) -> None:
        a, b = sorted((self.root(i), self.root(j)))
        self._parent[b] = a


def _glossary(
    entries: Sequence[_Entry],
    joined: _Joined,
    owner: Mapping[str, int],
    ambiguous: Mapping[str, tuple[str, ...]],
    circles: Sequence[tuple[str, ...]],
) -> Glossary:
    members: dict[int, list[int]] = defaultdict(list)
    for number in range(len(entries)):
        members[joined.root(number)].append(number)
    things: list[GlossaryThing] = []
    thing_of: dict[str, int] = {}
    for root, numbers in sorted(members.items()):
        own = [entries[n] for n in numbers]
        keys = [e.term for e in own] + sorted(
            {key for e in own for key in e.aliases} - {e.term for e in own}
        )
        kept = [key for key in keys if owner.get(key) == root]
        shown = {key: e.shown[key] for e in reversed(own) for key in e.shown}
        thing_of.update(dict.fromkeys(kept, len(things)))
        definitions = tuple(dict.fromkeys(e.definition for e in own if e.definition))
        things.append(GlossaryThing(tuple(shown[key] for key in kept), tuple(kept), definitions))
    return Glossary(tuple(things), thing_of, dict(ambiguous), tuple(circles))


def explained(entities: Sequence[Entity], glossary: Glossary) -> list[Entity]:
    """Entities with what a glossary says of them: its definitions before other summaries, and its
    names that nobody uses as aliases.
    """
    if not glossary.things:
        return list(entities)
    used = {key for entity in entities for key in entity.keys}
    things = [
        {glossary.thing_of[key] for key in entity.keys if key in glossary.thing_of}
        for entity in entities
    ]
    num_holders = Counter(thing for some in things for thing in some)
    made = []
    for entity, some in zip(entities, things, strict=True):
        if len(some) == 1:
            thing = glossary.things[min(some)]
            more = (
                [n for n, key in zip(thing.names, thing.keys, strict=True) if key not in used]
                if num_holders[min(some)] == 1
                else []
            )
            summaries = tuple(dict.fromkeys((*thing.definitions, *entity.summaries)))
            entity = replace(
                entity,
                aliases=tuple(sorted({*entity.aliases, *more} - {entity.name})),
                summaries=summaries,
            )
        made.append(entity)
    return made
