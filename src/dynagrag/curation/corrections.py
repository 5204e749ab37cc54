"""A person's corrections of the graph: merge, keep apart, split, rename, homonyms, and taking each
back.

Every correction is an Edit record with who and when, stored under the workspace's lock; then the
graph is derived again. So it holds in later ingests, and an edit whose names are not in the graph
is inactive until they are.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import entity_key, plain_key, sense_key
from dynagrag.core.schema import Edit, EditKind, Entity, Graph, Merge
from dynagrag.core.text import collapse
from dynagrag.curation.fullest_name import fullest_name
from dynagrag.curation.view import Seen, clipped, read_seen
from dynagrag.graph_store.derived.canonical import make_merge, undone_edits
from dynagrag.graph_store.derived.senses import documents_text
from dynagrag.workspace.edit_stamp import MAX_NAME, Stamp
from dynagrag.workspace.edit_stamp import somebody as somebody
from dynagrag.workspace.facade import Workspace

MAX_WAIT_S = 5.0
"""How long a correction waits for an ingest that is deriving the graph, before it says so."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of a correction. `went` and `came`: entities that are no more as they were, and as
    they are now, heaviest first.
    """

    edits: tuple[Edit, ...]
    num_before: int
    num_after: int
    went: tuple[Entity, ...]
    came: tuple[Entity, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of a merge."""

    name: str
    weight: int
    names: tuple[str, ...]
    types: tuple[str, ...]
    num_between: int


def checked_name(name: str) -> str:
    """A name that a person gave, on one line. UsageError where it can't be one."""
    line = collapse(name)
    if not any(c.isalnum() for c in line):
        raise UsageError("the name is empty; write one with a letter or a digit in it")
    if len(line) > MAX_NAME:
        raise UsageError(f"the name has {len(line):,} characters; use at most {MAX_NAME}")
    if not line.isprintable():
        raise UsageError("the name holds characters that cannot be shown; write it without them")
    return line


def preview_merge(seen: Seen, entities: Sequence[Entity], name: str = "") -> Preview:
    """Previews a merge of these entities without storing it."""
    ids = {e.id for e in entities}
    return Preview(
        name=collapse(name) or fullest_name(entities),
        weight=sum(e.weight for e in entities),
        names=tuple(dict.fromkeys(shown for e in entities for _, shown, _ in seen.spelt(e))),
        types=tuple(dict.fromkeys(e.type for e in entities if e.type)),
        num_between=sum(r.head in ids and r.tail in ids for r in seen.graph.relations),
    )


def merge(space: Workspace, keys: Sequence[str], name: str = "", *, by: str) -> Outcome:
    """Makes one entity of those that hold these keys, under a name (empty: the fullest of
    theirs).
    """

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        entities = _distinct(seen, keys)
        if len(entities) < 2:
            raise UsageError(
                f"{clipped(entities[0].name)!r} is one entity already; choose two different ones"
            )
        called = checked_name(name) if name.strip() else fullest_name(entities)
        first = next((e for e in entities if entity_key(called) in e.keys), None)
        ordered = [e.key for e in entities]
        if first is not None:
            ordered = [entity_key(called), *(e.key for e in entities if e is not first)]
        return [stamp.edit(EditKind.MERGE, ordered, name=called)]

    return _correct(space, edits, by)


def keep_apart(space: Workspace, keys: Sequence[str], *, by: str) -> Outcome:
    """Says that entities are not the same: neither rules nor a model will merge them."""

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        canonical = [e.key for e in _distinct(seen, keys)]
        if len(canonical) < 2:
            raise UsageError(
                "these names are one entity; name two or more entities, or split this one"
            )
        return [
            stamp.edit(
                EditKind.UNDO,
                sorted(canonical),
                what=make_merge(canonical, canonical[0], "", "").id,
            )
        ]

    return _correct(space, edits, by)


def undo_made_merge(space: Workspace, reference: str, *, by: str) -> Outcome:
    """Takes a merge by rule or verdict back for good, by its id or the beginning of it, or by its
    canonical name.
    """

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        return [stamp.undo(_merge(seen, reference))]

    return _correct(space, edits, by)


def split(
    space: Workspace, key: str, out: Sequence[str], *, is_together: bool = False, by: str
) -> Outcome:
    """Takes names out of an entity: each on its own, or together as one entity."""

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        entity = seen.entity(key)
        leaving = list(dict.fromkeys(out))
        strangers = [k for k in leaving if k not in entity.keys]
        if strangers or not leaving:
            what = "no name was chosen"
            if strangers:
                what = f"{clipped(strangers[0])!r} is no name of {clipped(entity.name)!r}"
            names = ", ".join(clipped(k) for k in entity.keys[:20])
            raise UsageError(f"{what}; its names are: {names}")
        if len(entity.keys) < 2:
            raise UsageError(
                f"{clipped(entity.name)!r} has one name only, so there is nothing to split; use"
                " homonyms for one name of two things"
            )
        if len(leaving) == len(entity.keys) and is_together:
            raise UsageError("all names together are the entity as it is; leave at least one")
        made = [stamp.edit(EditKind.SPLIT, leaving)]
        if is_together and len(leaving) > 1:
            heaviest = max(leaving, key=seen.said)
            ordered = [heaviest, *(k for k in leaving if k != heaviest)]
            made.append(stamp.edit(EditKind.MERGE, ordered, name=seen.shown(heaviest)))
        return made

    return _correct(space, edits, by)


def rename(space: Workspace, key: str, name: str, *, by: str) -> Outcome:
    """Gives an entity a name."""

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        entity, called = seen.entity(key), checked_name(name)
        if called == entity.name:
            raise UsageError(f"it is called {clipped(called)!r} already")
        return [stamp.edit(EditKind.RENAME, [entity.key], name=called)]

    return _correct(space, edits, by)


def tell_senses_apart(
    space: Workspace,
    key: str,
    document_ids: Sequence[str],
    name: str = "",
    *,
    other: str = "",
    by: str,
) -> Outcome:
    """Homonyms: in these documents an entity's names stand for something else, called `name`, or
    for the entity with the key `other`.
    """

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        entity = seen.entity(key)
        target = seen.entity(other) if other else None
        if target is not None and target.id == entity.id:
            raise UsageError(
                f"{clipped(entity.name)!r} cannot be its own other sense; choose another entity"
            )
        called = checked_name(target.name if target and not name.strip() else name)
        if target is None and entity_key(called) in entity.keys:
            raise UsageError(
                f"{clipped(called)!r} is a name of this entity; call the other thing differently,"
                " e.g. with what it is"
            )
        held = {d.id: d for d, _ in seen.in_documents(entity)}
        ids = dict.fromkeys(document_ids)
        if not ids or not held.keys() >= ids.keys():
            raise UsageError(f"choose documents that mention {clipped(entity.name)!r}")
        mentions = (m for k in entity.keys for m in seen.mentions_of[k])
        keys = sorted({plain_key(m.key) for m in mentions if m.document_id in ids})
        what = documents_text(held[i].uri for i in ids)
        made = [stamp.edit(EditKind.SENSE, keys, name=called, what=what)]
        if target is not None:
            both = [target.key, sense_key(keys[0], called)]
            made.append(stamp.edit(EditKind.MERGE, both, name=target.name))
        return made

    return _correct(space, edits, by)


def undo_edit(space: Workspace, *edit_ids: str, by: str) -> Outcome:
    """Takes edits back, each by its id or the beginning of it; all or none."""

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        named, undone = [_edit(seen, edit_id) for edit_id in edit_ids], undone_edits(seen.edits)
        undoing = next((undone[e.id] for e in named if e.id in undone), None)
        if undoing is not None:
            raise UsageError(f"it was undone already by {undoing.by} at {undoing.at[:19]}")
        return [stamp.edit(EditKind.UNDO, (), what=e.id) for e in named]

    return _correct(space, edits, by)


def redo_edit(space: Workspace, edit_id: str, *, by: str) -> Outcome:
    """Brings back an edit that was undone."""

    def edits(seen: Seen, stamp: Stamp) -> list[Edit]:
        edit = _edit(seen, edit_id)
        undone = undone_edits(seen.edits)
        if edit.id not in undone:
            raise UsageError("it is not undone, so there is nothing to bring back")
        return [
            stamp.edit(EditKind.UNDO, (), what=e.id)
            for e in seen.edits
            if e.kind is EditKind.UNDO and e.what == edit.id and e.id not in undone
        ]

    return _correct(space, edits, by)


# ----------------------------------------------------------------------------------------- plumbing


def _correct(space: Workspace, make: Callable[[Seen, Stamp], list[Edit]], by: str) -> Outcome:
    """Reads, decides, stores and derives under the lock, so that of two people who do the same at
    once the second gets an error.
    """
    with space.parts.writing(MAX_WAIT_S):
        if not space.store.is_derived_current():
            # a killed run left a graph that is none, or one without its own correction
            space.current_graph.store_edits(())
        before = read_seen(space.store)
        edits = tuple(make(before, Stamp(before.edits, by)))
        report = space.current_graph.store_edits(edits)
        after = space.store.graph()
    old = {(e.keys, e.name, e.weight): e for e in before.graph.entities}
    new = {(e.keys, e.name, e.weight): e for e in after.entities}
    return Outcome(
        edits,
        len(before.graph.entities),
        len(after.entities),
        _heaviest(old[k] for k in old.keys() - new.keys()),
        _heaviest(new[k] for k in new.keys() - old.keys()),
        (*report.notes, *_remarks(edits, after)),
    )


def _heaviest(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(entities, key=lambda e: (-e.weight, e.key)))


def _remarks(edits: Iterable[Edit], after: Graph) -> list[str]:
    """Warnings: another correction is stronger, or a name stands twice."""
    remarks = []
    by_key = {key: entity.id for entity in after.entities for key in entity.keys}
    for edit in edits:
        key = entity_key(edit.name)
        num_called = sum(entity_key(e.name) == key for e in after.entities) if edit.name else 0
        if num_called > 1:
            remarks.append(
                f"{num_called} entities are called {clipped(edit.name)!r} now; merge them if they"
                " are the same"
            )
        if edit.kind is not EditKind.UNDO:
            continue
        live = [key for key in edit.keys if key in by_key]
        for a, b in product(live, live):
            if a < b and by_key[a] == by_key[b]:
                remarks.append(
                    f"{a} and {b} are still one: another merge or a correction by hand joins them"
                    " (see the history)"
                )
                break
    return remarks


def _distinct(seen: Seen, keys: Sequence[str]) -> list[Entity]:
    """The entities of these keys, each once, in their order. UsageError where there are none."""
    entities = {e.id: e for e in (seen.entity(key) for key in keys)}
    if not entities:
        raise UsageError("no entity was chosen")
    return list(entities.values())


def _edit(seen: Seen, reference: str) -> Edit:
    found = [e for e in seen.edits if reference and e.id.startswith(reference)]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} corrections match {clipped(reference)!r}; `dynagrag graph edits` lists"
            " them with their ids"
        )
    return found[0]


def _merge(seen: Seen, reference: str) -> Merge:
    """The one merge with this id, beginning of an id, or canonical name."""
    merges = seen.merges if reference else ()
    found = [m for m in merges if m.id.startswith(reference) or m.canonical == reference.casefold()]
    if len(found) == 1:
        return found[0]
    if reference and not found:
        for what, undoing in undone_edits(seen.edits).items():
            if undoing.keys and what.startswith(reference):
                raise UsageError(
                    f"this merge was undone already by {undoing.by} at {undoing.at[:19]}"
                )
    gone = ", or it is not there any more" if reference and not found else ""
    raise UsageError(
        f"{len(found)} merges match {clipped(reference)!r}{gone}; `dynagrag graph merges` lists"
        " them with their ids"
    )
