"""Merges that need no model: spellings, plurals, words cut short, designators, last names of
speakers, definitions, acronyms. The rule is named on each merge.

Near-linear in the number of keys: every rule looks names up under a plainer form. Guards hold here
too; the cosine does not, since O.2 and O2 are the same whatever an embedder makes of them. Each
rule sees what those before it joined as one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import Merge
from dynagrag.graph_store.derived.canonical import make_merge
from dynagrag.ingest.consolidate.acronyms import corpus_acronyms
from dynagrag.ingest.consolidate.definitions import (
    defined_acronyms,
    find_definitions,
    stated_aliases,
)
from dynagrag.ingest.consolidate.guards import MAX_GROUP, MergeGuard, Name
from dynagrag.ingest.consolidate.name_variants import cut_words, designators, plurals, spellings
from dynagrag.ingest.consolidate.person_parts import PART_RULE, parts_of_persons
from dynagrag.ingest.consolidate.speaker_variants import LAST_NAME_RULE, speakers_last_names
from dynagrag.ingest.consolidate.used_names import Proposal, UsedName

GLOSSARY_RULE = "glossary"


@dataclass(frozen=True, slots=True)
class SafeGroup:
    """Keys that rules joined, or a key that no rule concerns. `name` is the canonical key's."""

    name: Name
    keys: tuple[str, ...]

    @property
    def key(self) -> str:
        """The canonical key."""
        return self.name.key


class _Groups:
    """Keys that rules join, as far as the guards let them."""

    def __init__(self, guard: MergeGuard) -> None:
        self._guard = guard
        self._group_of: dict[str, list[str]] = {}
        self._rules: dict[str, set[str]] = defaultdict(set)

    def root(self, key: str) -> str:
        """The first key of a key's group; itself where it stands alone or is in no use."""
        return self._group_of[key][0] if key in self._group_of else key

    def join(self, proposals: Iterable[Proposal]) -> None:
        """Joins what may be one, in the order of the proposals."""
        for rule, a, b in proposals:
            left, right = self._group_of.setdefault(a, [a]), self._group_of.setdefault(b, [b])
            if left is right:
                continue
            if rule == GLOSSARY_RULE:
                may_join = not self._guard.are_kept_apart(left, right)
            else:
                is_small = self._size(left) + self._size(right) <= MAX_GROUP
                may_join = is_small and self._guard.may_join_all(left, right)
            if may_join:
                left.extend(right)
                self._group_of.update(dict.fromkeys(right, left))
                for key in (a, b):
                    self._rules[key].add(rule)

    def _size(self, group: Sequence[str]) -> int:
        """The number of keys of a group; those that the glossary has as one count once."""
        num_stated = sum(key in self._guard.glossary.thing_of for key in group)
        return len(group) - max(num_stated - 1, 0)

    def groups(self) -> list[tuple[list[str], str]]:
        """The groups of several keys, each with the names of the rules that made it."""
        several = {id(group): group for group in self._group_of.values() if len(group) > 1}
        return [
            (group, "+".join(sorted({rule for key in group for rule in self._rules[key]})))
            for group in several.values()
        ]


def safe_merges(
    names: Sequence[UsedName],
    guard: MergeGuard,
    texts: Iterable[str] = (),
    step: Callable[[], None] = lambda: None,
) -> list[Merge]:
    """Merges by rule, disjoint, in order of their canonical key: a glossary's term, else a
    whole name beside a part of it, else the most mentioned member (ties: shortest,
    alphabetical).

    Args:
        names: Keys in a fixed order.
        guard: Says which of them may be one, and which are by a person's glossary.
        texts: Where names may be defined, as in "Manned Spacecraft Center (MSC)".
        step: Called again and again; may raise.
    """
    by_key, texts = {n.key: n for n in names}, tuple(texts)
    glossary = guard.glossary
    joined = _Groups(guard)
    for thing in glossary.things:
        used = [key for key in thing.keys if key in by_key]
        joined.join((GLOSSARY_RULE, used[0], key) for key in used[1:])
    for proposals in (
        spellings(names),
        plurals(by_key),
        designators(by_key),
        cut_words(names),
        speakers_last_names(names, texts),
        parts_of_persons(names, texts),
    ):
        joined.join(list(proposals))
        step()
    definitions = find_definitions(texts, by_key, step)
    # Lists, since a rule looks at the groups as they are before any of its own proposals.
    aliases = list(stated_aliases(definitions, joined.root))
    joined.join(p for p in aliases if not glossary.ambiguous.keys() & p[1:])
    acronyms = list(defined_acronyms(definitions, by_key, joined.root))
    joined.join(p for p in acronyms if p[2] not in glossary.ambiguous)
    defined = definitions.acronyms.keys()
    joined.join(list(corpus_acronyms(names, joined.root, defined, glossary.ambiguous)))
    merges = []
    for group, rule in joined.groups():
        shown = _shown(group, rule, by_key)
        # Of two spellings used as often the one with marks: whoever types them means them.
        canonical = min(shown, key=lambda k: (-by_key[k].weight, k.isascii(), len(k), k))
        of_glossary = [
            glossary.things[glossary.thing_of[k]] for k in group if k in glossary.thing_of
        ]
        if of_glossary and of_glossary[0].keys[0] in group:
            canonical = of_glossary[0].keys[0]  # a glossary's term
        evidence = " / ".join(sorted(by_key[k].surface for k in group))
        merges.append(make_merge(group, canonical, rule, evidence))
    return sorted(merges, key=lambda m: m.canonical)


def _shown(group: Sequence[str], rule: str, by_key: Mapping[str, UsedName]) -> Sequence[str]:
    """The keys of which one names the group: whole names where parts of names are in it."""
    rules = rule.split("+")
    if LAST_NAME_RULE in rules:
        return [key for key in group if by_key[key].name.is_speaker]
    return [key for key in group if " " in key] if PART_RULE in rules else group


def safe_groups(names: Iterable[UsedName], merges: Iterable[Merge]) -> list[SafeGroup]:
    """All keys by group, in the order of their canonical keys among the names."""
    merge_of = {key: merge for merge in merges for key in merge.members}
    groups = []
    for name in names:
        merge = merge_of.get(name.key)
        if merge is None or merge.canonical == name.key:
            groups.append(SafeGroup(name.name, merge.members if merge else (name.key,)))
    return groups
