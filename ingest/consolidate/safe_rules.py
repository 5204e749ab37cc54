"""Merges that need no model: spelling variants, plurals, acronyms that the text itself defines. The rule is named on each merge.

Linear in the number of keys: every rule looks names up under a plainer form. Guards hold here too; the cosine does not, since O.2 and O2
are the same whatever an embedder makes of them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.graph_store.derived.canonical import make_merge
from dynagrag.ids import entity_key
from dynagrag.ingest.consolidate.blocking import initials, squashed
from dynagrag.ingest.consolidate.guards import MAX_GROUP, MergeGuard, Name, tokens_of
from dynagrag.schema import Mention, MentionKind, Merge

_NOT_PLURAL = frozenset(
    [
        *("news", "means", "goods", "customs", "arms", "physics", "politics", "economics", "mathematics", "lens", "thanks", "mechanics"),
        *("always", "perhaps", "besides", "series", "species", "sometimes", "towards", "glasses", "statistics", "electronics", "dynamics"),
    ]
)
_WORD = r"(?:[A-Z][\w'-]*|of|and|the|for|in)"
_DEFINITION = re.compile(rf"({_WORD}(?:[ \n]{_WORD}){{1,7}}) ?\(([A-Z][A-Z0-9&.-]{{1,9}})s?\)")


@dataclass(frozen=True, slots=True)
class UsedName:
    """A key as the rules see it: with its usual spelling and how often it is mentioned."""

    name: Name
    surface: str
    weight: int

    @property
    def key(self) -> str:
        """The key."""
        return self.name.key


@dataclass(frozen=True, slots=True)
class SafeGroup:
    """Keys that rules made one, or a key of which they said nothing. `name` is the canonical key's."""

    name: Name
    keys: tuple[str, ...]

    @property
    def key(self) -> str:
        """The canonical key."""
        return self.name.key


def used_names(mentions: Iterable[Mention]) -> list[UsedName]:
    """The keys in alphabetical order, with their usual type and spelling (ties: shortest, alphabetical)."""
    types: dict[str, Counter[str]] = defaultdict(Counter)
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    weights: Counter[str] = Counter()
    speakers: set[str] = set()
    for m in mentions:
        surfaces[m.key][m.name] += 1
        if m.type:
            types[m.key][m.type] += 1
        if m.kind is MentionKind.SPEAKER:
            speakers.add(m.key)
        weights[m.key] += m.kind is MentionKind.SAID
    return [
        UsedName(Name(key, _usual(types[key]) if key in types else "", key in speakers), _usual(surfaces[key]), weights[key])
        for key in sorted(surfaces)
    ]


def _usual(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda text: (-counts[text], len(text), text))


def safe_merges(names: Sequence[UsedName], guard: MergeGuard, texts: Iterable[str] = ()) -> list[Merge]:
    """Merges by rule, disjoint, in order of their canonical key: the most mentioned member (ties: shortest, alphabetical).

    Args:
        names: Keys in a fixed order.
        guard: Says which of them may be one.
        texts: Where acronyms may be defined, as in "Manned Spacecraft Center (MSC)".
    """
    by_key = {n.key: n for n in names}
    group_of: dict[str, list[str]] = {}
    rules: dict[str, set[str]] = defaultdict(set)
    for rule, a, b in (*_spellings(names), *_plurals(by_key), *_acronyms(by_key, texts)):
        left, right = group_of.setdefault(a, [a]), group_of.setdefault(b, [b])
        if left is right or len(left) + len(right) > MAX_GROUP or not guard.may_join_all(left, right):
            continue
        left.extend(right)
        group_of.update(dict.fromkeys(right, left))
        for key in (a, b):
            rules[key].add(rule)
    merges = []
    for group in {id(g): g for g in group_of.values() if len(g) > 1}.values():
        canonical = min(group, key=lambda k: (-by_key[k].weight, len(k), k))
        used = sorted({rule for key in group for rule in rules[key]})
        merges.append(make_merge(group, canonical, "+".join(used), " / ".join(sorted(by_key[k].surface for k in group))))
    return sorted(merges, key=lambda m: m.canonical)


def safe_groups(names: Iterable[UsedName], merges: Iterable[Merge]) -> list[SafeGroup]:
    """All keys by group, in the order of their canonical keys among the names."""
    merge_of = {key: merge for merge in merges for key in merge.members}
    groups = []
    for name in names:
        merge = merge_of.get(name.key)
        if merge is None or merge.canonical == name.key:
            groups.append(SafeGroup(name.name, merge.members if merge else (name.key,)))
    return groups


def _spellings(names: Sequence[UsedName]) -> Iterator[tuple[str, str, str]]:
    """Same letters and digits: high-gain / high gain, O.2 / O2. Two letters say too little (us / U.S.)."""
    plain: dict[str, str] = {}
    for name in names:
        key = name.key
        form = squashed(key)
        if len(form) < 3 and not any(c.isdigit() for c in form):
            continue
        if plain.setdefault(form, key) != key:
            yield "spelling", plain[form], key


def _plurals(by_key: Mapping[str, UsedName]) -> Iterator[tuple[str, str, str]]:
    """oxygen tanks / oxygen tank. A lone capitalised word without a type may be a surname (Rogers) and is left alone."""
    for key, name in by_key.items():
        head, _, last = key.rpartition(" ")
        is_bare_name = not head and not name.name.type and name.surface[:1].isupper()
        if name.name.is_person or is_bare_name or last in _NOT_PLURAL or not last.isalpha():
            continue
        for singular in _singulars(last):
            other = f"{head} {singular}" if head else singular
            if other in by_key and not by_key[other].name.is_person:
                yield "plural", other, key


def _singulars(word: str) -> list[str]:
    forms = []
    if word.endswith("ies") and len(word) > 4:
        forms.append(word[:-3] + "y")
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        forms.append(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        forms.append(word[:-1])
    return [f for f in forms if len(f) >= 3]


def _acronyms(by_key: Mapping[str, UsedName], texts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Acronyms that a text defines in brackets, unless texts define them differently."""
    meanings: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for words, acronym in _DEFINITION.findall(text):
            short, parts = entity_key(acronym), words.split()
            for start in range(len(parts) - 1):
                long = entity_key(" ".join(parts[start:]))
                if initials(long) == squashed(short) or "".join(t[0] for t in tokens_of(long)) == squashed(short):
                    meanings[short].add(long)
                    break
    for short in sorted(meanings):
        (long, *others) = meanings[short]
        if not others and short in by_key and long in by_key:
            yield "acronym", long, short
