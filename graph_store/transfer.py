"""Copies a workspace from one store into another, whatever the two are made of: `dynagrag graph
copy`, backup and restore.

    claim the target -> documents with their extractions, edits -> vectors in batches -> the graph
    -> compare -> release the target

A note on the target says that a copy into it is under way, from where, and which documents it
brings. So a copy that was interrupted goes on when it is run again: what is there already is
compared, not sent. Without that note a target that holds anything is left alone.

A source that changes meanwhile is gone over again, which sends what is new and deletes what is
gone, until it stood still for a round.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.errors import StoreError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import GraphStore, RecordStore, VectorStore
from dynagrag.core.schema import Document, VectorKind, Vectors
from dynagrag.graph_store.deletions import check_no_deletion
from dynagrag.graph_store.rules import missing_ids

COPY_NOTE = "copy"
"""The note of an unfinished copy, on the target."""

_EXTRACTIONS_AT_ONCE = 500
_VECTORS_AT_ONCE = 500
"""Of 384 floats: under a megabyte a transaction, as the server's store wants it."""
_MAX_ROUNDS = 5
_KINDS_OF_RECORDS = (VectorKind.PASSAGE, VectorKind.MENTION, VectorKind.RECORD, VectorKind.LABEL)
"""The other kinds, of entities and relations, come with the graph."""

Progress = Callable[[str, int, int], None]
"""(stage, done, total)"""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Result of a copy. `num_sent`: documents that were written by this run, not by an earlier one.
    `is_moment`: the source stood still, so the copy is the source at one moment; else the copy's
    graph is to be derived again.
    """

    num_documents: int
    num_sent: int
    digest: str
    is_moment: bool


def copy_workspace(
    source: GraphStore,
    target: GraphStore,
    progress: Progress,
    *,
    origin: str | None = None,
    is_trailing: bool = False,
    remedy: str = (
        "copy to another store, or replace what is there with `dynagrag graph copy --replace`"
    ),
    before_done: Callable[[], None] | None = None,
) -> CopyReport:
    """Makes the target hold what the source holds: records, edits, embedder, vectors, merges and
    graph.

    Args:
        source: Read only.
        target: Empty, or with an unfinished copy of the same origin.
        progress: Told of documents, vectors of each kind, and the graph.
        origin: What is copied, by a name that is the same when the copy is resumed (default: the
        source's address).
        is_trailing: A source that never stands still is copied as it was on the way, its graph
        marked as out of date; else that is an
            error.
        remedy: What to do where the target holds the workspace already.
        before_done: Called when all is there and compared, before the target counts as whole;
        called again when a copy is resumed.

    Raises:
        WorkspaceError: The target holds the workspace already, or an unfinished copy of something
        else; nothing was written.
        StoreError: The source kept changing, or what arrived is not what was sent.
    """
    origin_id = content_id("copy", origin or source.address())
    _check_target(source, target, origin_id, remedy)
    sent: set[str] = set()
    for _ in range(_MAX_ROUNDS):
        version = source.version()
        _copy_records(source, target, origin_id, progress, sent)
        _copy_vectors(source, target, progress)
        is_moment = source.version() == version
        if is_moment:
            break
    if not is_moment and not is_trailing:
        raise StoreError(
            f"workspace {source.workspace!r} in {source.address()} is being written to and changed"
            f" in each of {_MAX_ROUNDS} rounds; wait until its ingest is done and run the same copy"
            " again (what was copied stays)"
        )
    digest = _copy_graph(source, target, progress, version if is_moment else None)
    check_no_deletion(source)  # else the graph may be older than the records
    if before_done is not None:
        before_done()
    target.set_note(COPY_NOTE, "")
    return CopyReport(len(target.documents()), len(sent), digest, is_moment)


def copy_records(source: GraphStore, target: GraphStore, origin: str, progress: Progress) -> None:
    """Makes the target's documents, their extractions and the edits those of the source, sending
    what differs. The target is ours alone, and counts as unfinished from then on.
    """
    _copy_records(source, target, content_id("copy", origin), progress, set())


def is_unfinished(store: RecordStore) -> bool:
    """Whether a copy into this store was begun and not ended."""
    return store.note(COPY_NOTE) != ""


# --------------------------------------------------------------------------------------- the target


def _check_target(source: GraphStore, target: GraphStore, origin: str, remedy: str) -> None:
    """Refuses a target that is not empty and not ours, before anything is written."""
    name, where = target.workspace, target.address()
    check_no_deletion(source)
    check_no_deletion(target)
    if source.workspace != name:
        raise WorkspaceError(
            f"workspace {source.workspace!r} cannot be copied to the name {name!r}: its ids hold"
            " its name; use the same name"
        )
    if is_unfinished(target):
        if _begun_by(target)[0] != origin:
            raise WorkspaceError(
                f"{where} holds an unfinished copy of workspace {name!r} from somewhere else;"
                " finish that one, or clear it with `dynagrag graph copy --replace`"
            )
    elif target.documents() or target.edits():
        raise WorkspaceError(
            f"{where} holds a workspace {name!r} already, which was left as it is; {remedy}"
        )
    if target.embedder() not in (None, source.embedder()) and not target.documents():
        # An ingest fixed its embedder and died before it stored a document: nothing is lost.
        target.clear()


def _begun_by(target: RecordStore) -> tuple[str, set[str]]:
    """The origin of the copy that the note is about, and the ids of its documents."""
    text = target.note(COPY_NOTE)
    try:
        note = json.loads(text) if text else {}
        return str(note.get("origin", "")), set(note.get("documents", []))
    except (ValueError, AttributeError, TypeError):
        return "", set()  # not ours: treated as somebody else's


# ------------------------------------------------------------------------------------------ records


def _copy_records(
    source: RecordStore, target: GraphStore, origin: str, progress: Progress, sent: set[str]
) -> None:
    """Copies documents with all that belongs to them, and edits. `sent` grows by the ids of the
    documents that had to be written.
    """
    documents = source.documents()
    there = {d.id: d for d in target.documents()}
    # Documents that no copy is known to have sent are somebody's own, and never deleted.
    known = _begun_by(target)[1] | {d.id for d in documents}
    strangers = [d.title for d in there.values() if d.id not in known]
    if strangers:
        raise WorkspaceError(
            f"{target.address()} got {len(strangers)} documents of its own while the copy was"
            f" unfinished (the first: {strangers[0]!r}); delete them there and run the copy again,"
            " or begin anew with `dynagrag graph copy --replace`"
        )
    target.set_note(COPY_NOTE, json.dumps({"origin": origin, "documents": sorted(known)}))
    for gone in there.keys() - {d.id for d in documents}:
        target.delete_document(gone)
    for i, document in enumerate(documents):
        progress("documents", i, len(documents))
        if _send_document(source, target, document, there.get(document.id)):
            sent.add(document.id)
    progress("documents", len(documents), len(documents))
    stored = set(target.edits())
    for edit in source.edits():
        if edit not in stored:
            target.put_edit(edit)


def _send_document(
    source: RecordStore, target: RecordStore, document: Document, there: Document | None
) -> bool:
    """Makes one document whole at the target. Returns whether anything had to be written."""
    turns, passages = source.turns(document.id), source.passages(document.id)
    extractions = source.extractions(document.id)
    is_whole = (
        there == document
        and target.turns(document.id) == turns
        and target.passages(document.id) == passages
    )
    if not is_whole:
        target.put_document(document, turns, passages)
    stored = set(target.extractions(document.id)) if there is not None else set()
    if stored - set(extractions):
        # The source made it anew since: all again, rather than working out which record replaced
        # which.
        target.delete_document(document.id)
        target.put_document(document, turns, passages)
        stored, is_whole = set(), False
    missing = [e for e in extractions if e not in stored]
    for start in range(0, len(missing), _EXTRACTIONS_AT_ONCE):
        target.put_extractions(missing[start : start + _EXTRACTIONS_AT_ONCE])
    return bool(missing) or not is_whole


# ------------------------------------------------------------------------------------------ vectors


def _copy_vectors(source: VectorStore, target: VectorStore, progress: Progress) -> None:
    """The vectors that the target lacks, of all kinds that belong to records. Equal ids are equal
    texts, so what is there is right.
    """
    embedder = source.embedder()
    if embedder is None:
        return
    target.set_embedder(embedder)
    for kind in _KINDS_OF_RECORDS:
        ids = source.vector_ids(kind)
        target.keep_vectors(kind, ids)
        missing = missing_ids(ids, set(target.vector_ids(kind)))
        for start in range(0, len(missing), _VECTORS_AT_ONCE):
            progress(f"vectors of {kind}s", start, len(missing))
            batch = missing[start : start + _VECTORS_AT_ONCE]
            target.put_vectors(kind, *_read_vectors(source, kind, batch))
        if missing:
            progress(f"vectors of {kind}s", len(missing), len(missing))


def _read_vectors(
    source: VectorStore, kind: VectorKind, ids: Sequence[str]
) -> tuple[Sequence[str], Vectors]:
    """The ids and their vectors, without those that an ingest has dropped since they were
    listed.
    """
    try:
        return ids, source.vectors(kind, ids)
    except StoreError:
        listed = set(source.vector_ids(kind))
        left = [id_ for id_ in ids if id_ in listed]
        if len(left) == len(ids):
            raise
        return left, source.vectors(kind, left)


# -------------------------------------------------------------------------------------------- graph


def _copy_graph(
    source: GraphStore, target: GraphStore, progress: Progress, version: str | None
) -> str:
    """Writes the graph and compares both ends; the digest. `version`: the source's while it was
    read, None when it did not stand still.
    """
    progress("graph", 0, 1)
    graph, consolidation = source.graph(), source.consolidation()
    is_fresh = version is not None and source.is_derived_current()
    arrived = target.records()
    # Derived from other records than those that are there now: so the copy's graph is as much out
    # of date as the source's.
    stamp = arrived if is_fresh else replace(arrived, version="out of date")
    target.write_graph(graph, consolidation, stamp)
    digests = source.digest(), target.digest()
    if version is not None:
        here = source.records()
        differing = []
        for name in ("documents", "passages", "mentions", "relations", "edits"):
            # Stores may sort letters in their own way, so order is no part of it.
            ours, theirs = ({r.id: r for r in getattr(end, name)} for end in (here, arrived))
            if ours != theirs:
                differing.append(name)
        if digests[0] != digests[1]:
            differing.append("the graph")
        if differing and source.version() != version:
            raise StoreError(
                f"workspace {source.workspace!r} in {source.address()} changed while its graph was"
                " copied; run the same copy again (what was copied stays)"
            )
        if differing:
            raise StoreError(
                f"the copy in {target.address()} differs from {source.address()} in {differing[0]}"
                f" (digest {digests[1][:12]}, not {digests[0][:12]}); check both with `dynagrag"
                " doctor`, then copy again with --replace"
            )
    progress("graph", 1, 1)
    return digests[1]
