"""A person's corrections after documents are deleted: names that only these documents held go from
the corrections, too.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from dynagrag.core.ids import entity_key, plain_key
from dynagrag.core.schema import Edit, EditKind, Mention
from dynagrag.graph_store.derived.canonical import make_edit, make_merge
from dynagrag.graph_store.derived.senses import documents_of, documents_text


@dataclass(frozen=True, slots=True)
class EditsLeft:
    """`dropped`: ids of edits that go; `put`: those that take the place of some of them, with the
    names that are left.
    """

    dropped: tuple[str, ...]
    put: tuple[Edit, ...]


def keys_only_in(mentions: Iterable[Mention], document_ids: Collection[str]) -> set[str]:
    """The keys that are mentioned in these documents and in no other."""
    inside: set[str] = set()
    outside: set[str] = set()
    for mention in mentions:
        (inside if mention.document_id in document_ids else outside).add(mention.key)
    return inside - outside


def edits_left(
    edits: Iterable[Edit], gone_keys: Collection[str], gone_uris: Collection[str]
) -> EditsLeft:
    """The edits without these keys and documents. One that says nothing any more goes, and with it
    what takes it back.
    """
    ordered = sorted(edits, key=lambda e: (e.at, e.id))
    now = {edit.id: _left(edit, gone_keys, gone_uris) for edit in ordered}
    for edit in ordered:  # in order of time, so what an undo names has been looked at
        if edit.kind is EditKind.UNDO and edit.what in now:
            target = now[edit.what]
            if target is None:
                now[edit.id] = None
            else:
                is_same = target.id == edit.what
                now[edit.id] = edit if is_same else _again(replace(edit, what=target.id))
    changed = [edit for edit in ordered if now[edit.id] != edit]
    put = (now[edit.id] for edit in changed)
    return EditsLeft(
        tuple(edit.id for edit in changed), tuple(edit for edit in put if edit is not None)
    )


def _left(edit: Edit, gone_keys: Collection[str], gone_uris: Collection[str]) -> Edit | None:
    """The edit without what is gone; None where it says nothing any more."""
    if edit.kind is EditKind.GLOSSARY:
        return edit  # a file of the person's own: nothing of it came from a document
    keys = tuple(k for k in edit.keys if k not in gone_keys and plain_key(k) not in gone_keys)
    name = "" if entity_key(edit.name) in gone_keys else edit.name
    what = edit.what
    if edit.kind is EditKind.SENSE:
        what = documents_text(uri for uri in documents_of(edit) if uri not in gone_uris)
        if what == documents_text(()) or not name:
            return None
    elif edit.kind is EditKind.UNDO and keys != edit.keys:
        what = make_merge(keys, "", "", "").id
    least = 2 if edit.kind in (EditKind.MERGE, EditKind.UNDO) else 1
    if edit.keys and len(keys) < least:
        return None
    if edit.kind is EditKind.RENAME and not name:
        return None
    if (keys, name, what) == (edit.keys, edit.name, edit.what):
        return edit
    return _again(replace(edit, keys=keys, name=name, what=what))


def _again(edit: Edit) -> Edit:
    """The edit with the id of its present content."""
    return make_edit(
        edit.kind, keys=edit.keys, name=edit.name, what=edit.what, by=edit.by, at=edit.at
    )
