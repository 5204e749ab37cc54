"""A store's note of deletions: which documents are on their way out, and which have gone.

It is written before anything is deleted, so whoever opens the workspace after a killed deletion can
finish it, from any machine that shares the store. What has gone stays noted for a while: another
machine's folder forgets it, too, and a deletion that is repeated succeeds. The note holds ids and
hashes, no word of a document.
"""

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import GraphStore, RecordStore
from dynagrag.core.schema import Document

DELETIONS_NOTE = "deletions"
_MAX_KEPT = 100
"""How many finished deletions stay noted: a note is read with every look at a server's store."""
_HASH_DIGITS = 16
MIN_ID_DIGITS = 8
"""How long an id's beginning must be to name a document."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """A document that goes or has gone. `names`: hashes of what it can be called by; `key`: of this
    deletion, since a document may come back and go again. `is_replaced`: a new version took its
    place.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    document_id: str
    names: tuple[str, ...]
    key: str
    is_pending: bool = True
    is_replaced: bool = False

    @classmethod
    def of(cls, document: Document, *, is_replaced: bool) -> "Deletion":
        """A deletion that is about to begin."""
        called = (document.uri, document.title.casefold(), Path(document.uri).name)
        return cls(
            document.id,
            tuple(dict.fromkeys(map(hash_of, called))),
            secrets.token_hex(4),
            is_replaced=is_replaced,
        )

    def is_called(self, *references: str) -> bool:
        """Whether one of these is the document's id or its beginning, its path, title or file
        name.
        """
        is_id = any(
            len(name) >= MIN_ID_DIGITS and self.document_id.startswith(name) for name in references
        )
        return is_id or any(hash_of(name) in self.names for name in references)


_DELETIONS = TypeAdapter(tuple[Deletion, ...])


def hash_of(name: str) -> str:
    """The hash that a note holds in place of a name."""
    return content_id("called", name)[:_HASH_DIGITS]


def read_deletions(store: RecordStore) -> tuple[Deletion, ...]:
    """All that are noted, oldest first. StoreError where another version of dynagrag noted them in
    another form.
    """
    text = store.note(DELETIONS_NOTE)
    try:
        return _DELETIONS.validate_json(text, strict=True) if text else ()
    except ValidationError as err:
        raise StoreError(
            f"what workspace {store.workspace!r} notes of deleted documents cannot be read by this"
            " version; update dynagrag"
        ) from err


def write_deletions(store: RecordStore, deletions: Iterable[Deletion]) -> None:
    """Keeps all that are pending, and the last of those that are done."""
    rows = list(deletions)
    num_done = sum(not row.is_pending for row in rows)
    kept = []
    for row in rows:
        if not row.is_pending:
            num_done -= 1
        if row.is_pending or num_done < _MAX_KEPT:
            kept.append(asdict(row))
    store.set_note(DELETIONS_NOTE, json.dumps(kept) if kept else "")


def check_no_deletion(store: GraphStore, address: str | None = None) -> None:
    """WorkspaceError where a deletion is under way or was killed: what the store holds then is
    neither with nor without the document.

    `address`: what to call the store, where this is a copy of it.
    """
    if any(deletion.is_pending for deletion in read_deletions(store)):
        raise WorkspaceError(
            f"a document is being deleted from workspace {store.workspace!r} in"
            f" {address or store.address()}, or its deletion was interrupted; wait until it is"
            " done, or finish it with `dynagrag graph stats`, then run this again"
        )
