"""Deletions that survive a kill: noted in the store before anything goes, and finished by whoever
opens or holds the workspace next.

    note -> corrections -> records -> this folder's journal, conversations, index, uploads -> graph
    -> files wiped -> noted as done

Other folders that share the store, on other machines, forget what is theirs when they are opened
next.
"""

import fcntl
import json
import logging
import os
import shutil
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dynagrag.core.files.private_files import write_text
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Document
from dynagrag.graph_store.deletions import Deletion, hash_of, read_deletions, write_deletions
from dynagrag.graph_store.derived.edits_left import edits_left, keys_only_in
from dynagrag.ingest.plan import uri_of
from dynagrag.journal.workspace_journal import Journal
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.workspace_soft_prompt import FOLDER as SOFT_PROMPTS

_LOG = logging.getLogger(__name__)
NEXT_EMBEDDER = "next-embedder"
"""In a workspace's folder: the records as another embedder has them, while it is being switched."""
EMBEDDER_TRIALS = "embedder-trials"
"""In a workspace's folder: the records as other embedders have them, a folder each, to compare."""
_FORGOTTEN = "forgotten"
"""In a workspace's folder: the keys of the deletions that this folder has carried out."""


class DocumentDeletions:
    """The deletions of one workspace, as its folder and its store have them. Whoever begins or ends
    one holds the workspace.
    """

    def __init__(self, folder: Path, store: GraphStore, journal: Journal, restoring: Path) -> None:
        """`restoring`: where a restore of this workspace unpacks its file."""
        self._folder = folder
        self._store = store
        self._journal = journal
        self._restoring = restoring
        self._recovered: tuple[str, tuple[Deletion, ...]] = ("", ())

    def pending(self) -> tuple[Deletion, ...]:
        """Deletions that were begun and not finished."""
        return tuple(d for d in read_deletions(self._store) if d.is_pending)

    def is_noted(self, *references: str) -> bool:
        """Whether a document that has gone was called one of these."""
        return any(
            d.is_called(*references) for d in read_deletions(self._store) if not d.is_pending
        )

    def is_recovered(self, *references: str) -> bool:
        """Whether what was called one of these was just finished in place of a killed process, and
        nothing has happened since.
        """
        version, deletions = self._recovered
        return any(d.is_called(*references) for d in deletions) and self._store.version() == version

    def begin_and_delete(self, documents: Sequence[Document], *, is_replaced: bool) -> None:
        """Notes that these documents go, and deletes all but their part of the graph; `end` is
        called when that has gone, too.

        `is_replaced`: new versions stand in their places, so corrections and conversations stay.
        """
        ids = {document.id for document in documents}
        others = [d for d in read_deletions(self._store) if d.document_id not in ids]
        write_deletions(
            self._store, [*others, *(Deletion.of(d, is_replaced=is_replaced) for d in documents)]
        )
        self._delete_pending()

    def recover(self, derive: Callable[[], None]) -> None:
        """Finishes what a killed process left; `derive` makes the graph of the records that are
        left.
        """
        pending = self.pending()
        if pending:
            _LOG.warning(
                "finishing the deletion of documents that was interrupted: %d", len(pending)
            )
            self._delete_pending()
            derive()
            self.end()
            self._recovered = (self._store.version(), pending)

    def _delete_pending(self) -> None:
        pending = self.pending()
        going = {d.document_id for d in pending}
        deleted = [d for d in pending if not d.is_replaced]
        there = [document for document in self._store.documents() if document.id in going]
        ids = {d.document_id for d in deleted}
        self._drop_corrections([document for document in there if document.id in ids])
        for document in there:
            self._store.delete_document(document.id)
        self._journal.forget_documents(going)
        if deleted:
            self._forget_files(deleted)

    def end(self) -> None:
        """Notes that the pending documents have gone, once the graph is that of the records that
        are left.
        """
        pending = self.pending()
        if not pending:
            return
        if not all(d.is_replaced for d in pending):
            self._store.wipe()
        left = [d for d in read_deletions(self._store) if not d.is_replaced]
        left = [replace(d, is_pending=False) for d in left]
        write_deletions(self._store, left)
        forgotten = self._forgotten() | {d.key for d in pending}
        self._note_forgotten([d for d in left if d.key in forgotten])

    def catch_up(self) -> None:
        """Forgets in this folder the documents that were deleted from another one that shares the
        store.
        """
        done = [d for d in read_deletions(self._store) if not d.is_pending]
        known = self._forgotten() if done else set()
        new = [d for d in done if d.key not in known]
        if not new:
            return
        stored = {document.id for document in self._store.documents()}
        gone = [d for d in new if d.document_id not in stored]  # else it was brought in again
        if gone:
            self._journal.forget_documents([d.document_id for d in gone])
            self._forget_files(gone)
            self._store.wipe()
        self._note_forgotten(done)

    # inside

    def _drop_corrections(self, documents: Collection[Document]) -> None:
        """Drops corrections about names that only these documents have."""
        edits = self._store.edits() if documents else ()
        if not edits:
            return
        keys = keys_only_in(self._store.mentions(), {d.id for d in documents})
        left = edits_left(edits, keys, {d.uri for d in documents})
        # first: killed in between, both are there, and the next run drops the old one
        for edit in left.put:
            self._store.put_edit(edit)
        if left.dropped:
            self._store.drop_edits(left.dropped)
            _LOG.info(
                "%d corrections named what only the deleted documents held: dropped, or kept"
                " without it",
                len(left.dropped),
            )

    def _forget_files(self, deletions: Sequence[Deletion]) -> None:
        """Conversations, indexes, what a killed restore left, copies for other embedders, and
        uploads of these documents.
        """
        documents = self._store.documents()
        ConversationBook(self._folder).keep_documents([d.id for d in documents])
        for derived in ("index", SOFT_PROMPTS, NEXT_EMBEDDER, EMBEDDER_TRIALS):
            shutil.rmtree(self._folder / derived, ignore_errors=True)
        (self._folder / ".journal.sqlite.partial").unlink(missing_ok=True)
        if self._restoring.is_dir():
            with (self._restoring / "lock").open("a") as handle, suppress(BlockingIOError):
                # a running restore holds its lock
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(self._restoring)
        uploads = self._folder / "uploads"
        if not uploads.is_dir() or uploads.is_symlink():
            return  # through a link they would be somebody's own files
        names, stored = {name for d in deletions for name in d.names}, {d.uri for d in documents}
        for path in list(uploads.iterdir()):
            if hash_of(uri_of(path)) in names and uri_of(path) not in stored:
                path.unlink(missing_ok=True)

    def _forgotten(self) -> set[str]:
        """Keys of the deletions that this folder knows of; none where the file is not as we wrote
        it: forgetting twice harms nothing.
        """
        try:
            return set(json.loads((self._folder / _FORGOTTEN).read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError, RecursionError):
            return set()

    def _note_forgotten(self, deletions: Sequence[Deletion]) -> None:
        partial = self._folder / f"{_FORGOTTEN}.partial"
        write_text(partial, json.dumps([d.key for d in deletions]))
        os.replace(partial, self._folder / _FORGOTTEN)
