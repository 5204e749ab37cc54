"""A person's glossaries: which names are one thing, which are two, and what each means.

A glossary is stored as one edit of kind glossary, whose `what` holds its rows; so it is a record,
holds in later ingests, and is taken back like any edit. Its effect is worked out here each time,
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
from itertools import chain

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
    """One thing. `names` and their `keys`, the terms first; `definitions`: those of its rows."""

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
    rows = []
    for entry in stored if isinstance(stored, list) else ():
        match entry:
            case [str(term), list(aliases), str(definition), int(line)]:
                names = tuple(alias for alias in aliases if isinstance(alias, str))
                rows.append(GlossaryRow(term, names, definition, line))
    return tuple(rows)


def read_glossary(edits: Iterable[Edit]) -> Glossary:
    """The glossaries in force as one."""
    texts = [edit.what for edit in effective_edits(edits) if edit.kind is EditKind.GLOSSARY]
    return _resolved(tuple(sorted(texts))) if texts else Glossary()


@lru_cache(maxsize=4)
def _resolved(texts: tuple[str, ...]) -> Glossary:
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
        claimants = [*terms.get(key, ()), *claims.get(key, ())]
        if len(set(map(joined.root, claimants))) > 1:
            ambiguous[key] = tuple(sorted({entries[n].shown[entries[n].term] for n in claimants}))
        owners = set(map(joined.root, terms.get(key) or claims[key]))
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
    entries = []
    for term, of_term in sorted(by_term.items()):
        for some in _rows_by_thing(term, of_term):
            shown: dict[str, str] = {}
            names = [name for row in some for name in (row.term, *row.aliases)]
            for name in sorted(names, key=lambda n: (len(n), n)):
                shown.setdefault(entity_key(name), name)
            shown.pop("", None)
            aliases = tuple(sorted(shown.keys() - {term}))
            definition = max((row.definition for row in some), key=lambda d: (len(d), d))
            entries.append(_Entry(term, aliases, shown, definition))
    return entries


def _rows_by_thing(term: str, rows: Sequence[GlossaryRow]) -> list[list[GlossaryRow]]:
    """The rows of a term by thing: rows that share an alias or a definition are one thing, and so
    are two sets of rows of which one has only aliases or only a definition.
    """
    joined = _Joined(len(rows))
    first: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows):
        signs = [("alias", key) for key in map(entity_key, row.aliases) if key not in ("", term)]
        if meaning := " ".join(row.definition.split()).casefold():
            signs.append(("definition", meaning))
        for sign in signs:
            joined.unite(first.setdefault(sign, number), number)
    things: dict[int, list[GlossaryRow]] = defaultdict(list)
    for number, row in enumerate(rows):
        things[joined.root(number)].append(row)

    def contents(some: Sequence[GlossaryRow]) -> tuple[bool, bool]:
        """Whether rows have aliases, and whether they have a definition."""
        return any(row.aliases for row in some), any(row.definition for row in some)

    several = sorted(things.values(), key=contents, reverse=True)
    if len(several) == 2:
        has_aliases, has_definitions = zip(*map(contents, several), strict=True)
        if not all(has_aliases) and not all(has_definitions):
            return [[*several[0], *several[1]]]
    return [some for some in several if any(contents(some))] or several[:1]


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
        terms = [e.term for e in own]
        keys = terms + sorted({key for e in own for key in e.aliases} - set(terms))
        kept = [key for key in keys if owner.get(key) == root]
        shown = {key: e.shown[key] for e in reversed(own) for key in e.shown}
        thing_of.update(dict.fromkeys(kept, len(things)))
        definitions = tuple(dict.fromkeys(e.definition for e in own if e.definition))
        things.append(GlossaryThing(tuple(shown[key] for key in kept), tuple(kept), definitions))
    return Glossary(tuple(things), thing_of, dict(ambiguous), tuple(circles))


def explained(entities: Sequence[Entity], glossary: Glossary) -> list[Entity]:
    """Entities with their glossary's definitions before other summaries, and its names that nobody
    uses as aliases.
    """
    if not glossary.things:
        return list(entities)
    used = {key for entity in entities for key in entity.keys}
    of_thing = glossary.thing_of
    things = [{of_thing[key] for key in e.keys if key in of_thing} for e in entities]
    num_holders = Counter(chain.from_iterable(things))
    made = []
    for entity, some in zip(entities, things, strict=True):
        if len(some) == 1:
            thing = glossary.things[min(some)]
            aliases = set(entity.aliases)
            if num_holders[min(some)] == 1:
                named = zip(thing.names, thing.keys, strict=True)
                aliases |= {name for name, key in named if key not in used}
            entity = replace(
                entity,
                aliases=tuple(sorted(aliases - {entity.name})),
                summaries=tuple(dict.fromkeys((*thing.definitions, *entity.summaries))),
            )
        made.append(entity)
    return made
