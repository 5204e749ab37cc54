"""Canonical keys: which keys stand for one entity, by automatic merges first, then by a person's
edits, which win. And the form in which relation labels meet.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from dynagrag.core.ids import content_id, entity_key, sense_key
from dynagrag.core.schema import Consolidation, Edit, EditKind, Merge

_BLANKS = re.compile(r"[\s_]+")


def label_key(label: str) -> str:
    """The form in which relation labels meet: NFKC, casefold, underscores and blanks as one space,
    outer punctuation off. Idempotent.
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    return _BLANKS.sub(" ", text).strip(" \"'.,;:!?")


def make_merge(members: Iterable[str], canonical: str, rule: str, saw: str) -> Merge:
    """A merge with its id, which depends on the members alone.

    So a person's undo holds although the same keys are found again by another rule, under another
    name, or with more to see.
    """
    keys = tuple(sorted(set(members)))
    return Merge(content_id("merge", *keys), keys, canonical, rule, saw)


def make_edit(
    kind: EditKind, *, keys: Sequence[str] = (), name: str = "", what: str = "", by: str, at: str
) -> Edit:
    """A person's correction with its id. `at` is an ISO 8601 time in UTC, so that its order as text
    is its order in time.
    """
    return Edit(
        content_id("edit", kind, len(keys), *keys, name, what, by, at),
        kind,
        tuple(keys),
        name,
        what,
        by,
        at,
    )


def undo_merge(merge: Merge, *, by: str, at: str) -> Edit:
    """The edit that keeps a merge's members apart for good, even when a later merge would hold more
    keys than this one.
    """
    return make_edit(EditKind.UNDO, keys=merge.members, what=merge.id, by=by, at=at)


def undone_edits(edits: Iterable[Edit]) -> dict[str, Edit]:
    """Ids of the edits, and merges, that an UNDO in force takes back; with that UNDO, the earliest
    where there are several.
    """
    undone: dict[str, Edit] = {}
    for edit in sorted({e.id: e for e in edits}.values(), key=lambda e: (e.at, e.id), reverse=True):
        if edit.kind is EditKind.UNDO and edit.id not in undone and edit.what:
            undone[edit.what] = edit
    return undone


def effective_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits in order of time, without those that a later effective UNDO names, and without
    UNDOs of edits.
    """
    known = {e.id: e for e in edits}
    undone = undone_edits(known.values())
    kept = (
        e
        for e in known.values()
        if e.id not in undone and not (e.kind is EditKind.UNDO and e.what in known)
    )
    return tuple(sorted(kept, key=lambda e: (e.at, e.id)))


def scoped_keys(edit: Edit) -> tuple[str, ...]:
    """The keys that a SENSE edit gives its keys where they stand for something else."""
    return tuple(sense_key(key, edit.name) for key in edit.keys)


def kept_apart(edits: Iterable[Edit]) -> tuple[tuple[str, ...], ...]:
    """Sets of keys that a person keeps apart: no two keys of a set are merged automatically."""
    active = effective_edits(edits)
    parting = (EditKind.UNDO, EditKind.SPLIT)
    apart = [e.keys for e in active if e.kind in parting and len(e.keys) > 1]
    senses = [e for e in active if e.kind is EditKind.SENSE]
    for sense in senses:
        apart += product(sense.keys, scoped_keys(sense))
    for one, other in combinations(senses, 2):
        if not set(one.keys).isdisjoint(other.keys):
            pairs = product(scoped_keys(one), scoped_keys(other))
            apart += [(a, b) for a, b in pairs if a != b]
    return tuple(apart)


@dataclass
class _Group:
    """Keys that stand together while edits are applied."""

    keys: set[str]
    canonical: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Canon:
    """Canonical keys. `of`: key -> canonical key, one of the keys that were counted; `names`:
    canonical key -> the name a person gave it.
    """

    of: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)


def canonical_keys(
    counts: Mapping[str, int], consolidation: Consolidation, edits: Iterable[Edit]
) -> Canon:
    """The canonical key of each key in `counts` (key -> number of its mentions).

    Merges and edits may name keys that are not in `counts`: these still link others, but are never
    canonical, so the same decisions fit any subset of the records. Where several merges meet, the
    canonical key is one that no other merge absorbs; ties by (mentions desc, shortest,
    alphabetical). SPLIT makes each of its keys stand alone; MERGE and RENAME give the name; UNDO
    drops a merge or an earlier edit; SENSE names its other thing, whose keys are those of
    `senses.py`.
    """
    active = effective_edits(edits)
    named = dict.fromkeys(counts)
    for merge in consolidation.merges:
        named |= dict.fromkeys(merge.members)
    for edit in active:
        scoped = scoped_keys(edit) if edit.kind is EditKind.SENSE else ()
        named |= dict.fromkeys((*edit.keys, *scoped))
    groups = {key: _Group({key}) for key in named}
    winners, absorbed = _apply_merges(groups, consolidation.merges, active)
    for edit in active:
        _apply_edit(groups, edit)
    of: dict[str, str] = {}
    names: dict[str, str] = {}
    for group in {id(g): g for g in groups.values()}.values():
        live = group.keys & counts.keys()
        if not live:
            continue
        best = (live & winners) - absorbed or live & winners or live
        canonical = group.canonical
        if canonical is None or canonical not in live:
            canonical = min(best, key=lambda k: (-counts[k], len(k), k))
        of.update(dict.fromkeys(live, canonical))
        if group.name:
            names[canonical] = group.name
    return Canon(of, names)


def _apply_merges(
    groups: dict[str, _Group], merges: Collection[Merge], edits: Sequence[Edit]
) -> tuple[set[str], set[str]]:
    """Unites the members of each merge that stands; returns the keys they were merged into, and
    those that were absorbed.
    """
    undone = {e.what for e in edits if e.kind is EditKind.UNDO}
    apart = [set(e.keys) for e in edits if e.kind is EditKind.UNDO and len(e.keys) > 1]
    winners: set[str] = set()
    absorbed: set[str] = set()
    for merge in merges:
        members = set() if merge.id in undone else set(merge.members)
        for keys in apart:
            both = members & keys
            if len(both) > 1:
                members -= both - {merge.canonical if merge.canonical in both else min(both)}
        if len(members) < 2:
            continue
        _unite(groups, sorted(members))
        if merge.canonical in members:
            winners.add(merge.canonical)
            absorbed |= members - {merge.canonical}
    return winners, absorbed


def _apply_edit(groups: dict[str, _Group], edit: Edit) -> None:
    if not edit.keys:
        return
    if edit.kind is EditKind.SENSE:
        _unite(groups, scoped_keys(edit)).name = edit.name
    if edit.kind is EditKind.SPLIT:
        for key in edit.keys:
            left = groups[key]
            left.keys.discard(key)
            if left.name is not None and entity_key(left.name) == key:
                left.name = None  # else two entities would be called by it
            groups[key] = _Group({key})
    elif edit.kind is EditKind.MERGE:
        group = _unite(groups, edit.keys)
        wanted = entity_key(edit.name)
        group.canonical = wanted if wanted in group.keys else edit.keys[0]
        group.name = edit.name or group.name
    elif edit.kind is EditKind.RENAME:
        groups[edit.keys[0]].name = edit.name


def _unite(groups: dict[str, _Group], keys: Sequence[str]) -> _Group:
    """One group of the keys' groups; the first key's name and canonical key stay, else the next
    one's.
    """
    united = groups[keys[0]]
    for key in keys[1:]:
        other = groups[key]
        if other is united:
            continue
        canonical = united.canonical or other.canonical
        name = united.name or other.name
        # The smaller group goes into the larger, so that a long row of merges takes linear time.
        if len(other.keys) > len(united.keys):
            united, other = other, united
        united.canonical, united.name = canonical, name
        united.keys |= other.keys
        groups.update(dict.fromkeys(other.keys, united))
    return united
