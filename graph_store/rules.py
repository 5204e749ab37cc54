"""Checks and errors that all stores share, in the same words: impossible names, another workspace's
documents, vectors that don't fit, another embedder, kinds that are not for this call.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from dynagrag.core.embedder_names import name_without_prefix
from dynagrag.core.errors import EmbedderMismatchError, StoreError, WorkspaceError
from dynagrag.core.schema import Document, EmbedderIdentity, Finding, Vector, VectorKind, Vectors

WORKSPACE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
REPAIR = "run `dynagrag doctor --repair`"
RECORD_KINDS = (VectorKind.PASSAGE, VectorKind.MENTION, VectorKind.RECORD, VectorKind.LABEL)
"""The kinds that `put_vectors` and `keep_vectors` take; the others come and go with the graph."""
SEARCHED_KINDS = (VectorKind.PASSAGE, VectorKind.ENTITY)


def check_workspace_name(name: str) -> None:
    """Raises WorkspaceError where a workspace can't have this name."""
    if not WORKSPACE_NAME.fullmatch(name):
        raise WorkspaceError(
            f"{name[:80]!r} cannot be a workspace's name; use up to 64 letters, digits, dots,"
            " dashes and underscores"
        )


def check_document(workspace: str, document: Document) -> None:
    """A document's id holds the name of its workspace, so it can't be put into another."""
    if document.workspace != workspace:
        raise StoreError(
            f"document {document.title!r} belongs to workspace {document.workspace!r}, not"
            f" {workspace!r}"
        )


def no_document(workspace: str, document_id: str) -> StoreError:
    """The error for an id that no document has."""
    return StoreError(
        f"workspace {workspace!r} holds no document {document_id!r}; `dynagrag graph stats` lists"
        " them"
    )


def check_vectors(
    workspace: str,
    embedder: EmbedderIdentity | None,
    kind: VectorKind,
    ids: Sequence[str],
    vectors: Vectors,
) -> None:
    """Vectors on their way into a store: of this embedder, one an id, numbers, and of a kind that
    is put by itself.
    """
    check_record_kind(kind)
    if len(ids) != len(vectors):
        raise StoreError(
            f"{len(ids)} ids for {len(vectors)} {kind.value} vectors; give one id a vector"
        )
    check_dimension(workspace, embedder, vectors)
    if not np.isfinite(vectors).all():
        raise StoreError(
            f"the embedder gave vectors of {kind}s that hold no numbers (NaN or infinite); check it"
            " and run it again"
        )


def check_record_kind(kind: VectorKind) -> None:
    """Entity and relation vectors belong to the graph."""
    if kind not in RECORD_KINDS:
        raise StoreError(
            f"{kind.value} vectors come and go with the graph; write them with write_graph"
        )


def check_dimension(workspace: str, embedder: EmbedderIdentity | None, vectors: Vectors) -> None:
    """(n, d) with the embedder's d. EmbedderMismatchError otherwise, StoreError where there is no
    embedder yet.
    """
    if embedder is None:
        raise StoreError(
            f"workspace {workspace!r} has no embedder yet; fix it with set_embedder before storing"
            " vectors"
        )
    if vectors.ndim != 2 or vectors.shape[1] != embedder.dimension:
        raise EmbedderMismatchError(
            f"workspace {workspace!r} holds vectors of {embedder.name} ({embedder.dimension}"
            f" dimensions), not of shape {vectors.shape}; have its server serve the model of"
            " before, or ingest into another workspace with -w"
        )


def check_embedder(
    workspace: str, stored: EmbedderIdentity | None, wanted: EmbedderIdentity
) -> None:
    """A workspace keeps the embedder of its first vectors."""
    if stored is not None and stored != wanted:
        raise EmbedderMismatchError(
            f"workspace {workspace!r} holds vectors of {stored.name} ({stored.dimension}"
            f" dimensions), not of {wanted.name} ({wanted.dimension}); {_remedy(stored, wanted)}"
        )


def _remedy(stored: EmbedderIdentity, now: EmbedderIdentity) -> str:
    """How to get the embedder of a workspace's vectors again."""
    base, base_now = (name_without_prefix(own.name) for own in (stored, now))
    if base != base_now:
        return (
            f"use --embedder {base}, or have it embedded anew by `dynagrag embedder use {base_now}`"
        )
    if stored.name != now.name:
        return (
            "its texts were embedded behind another DYNAGRAG_DOCUMENT_PREFIX: set that of before,"
            " or have it embedded anew by `dynagrag embedder use`"
        )
    return (
        "its server has another model under this name now, or cuts its vectors: have it serve the"
        " model of before, or ingest into another workspace with -w"
    )


def check_asking_embedder(
    workspace: str, stored: EmbedderIdentity | None, mine: EmbedderIdentity
) -> None:
    """A workspace's questions are embedded by the embedder of its vectors."""
    if stored is not None and stored != mine:
        raise EmbedderMismatchError(
            f"workspace {workspace!r} was embedded by {stored.name} ({stored.dimension}"
            f" dimensions), but the embedder is {mine.name} ({mine.dimension});"
            f" {_remedy(stored, mine)}"
        )


def check_search(
    workspace: str, embedder: EmbedderIdentity | None, kind: VectorKind, vector: Vector
) -> None:
    """A query vector (d,) for passages or entities."""
    if kind not in SEARCHED_KINDS:
        raise StoreError(
            f"{kind.value} vectors are not searched; known:"
            f" {', '.join(k.value for k in SEARCHED_KINDS)}"
        )
    if embedder is not None:
        check_dimension(workspace, embedder, vector.reshape(1, -1))


def missing_ids(ids: Iterable[str], stored: Collection[str]) -> tuple[str, ...]:
    """Those of the ids that are not stored, in order, without doubles."""
    return tuple(id_ for id_ in dict.fromkeys(ids) if id_ not in stored)


def check_none_missing(kind: VectorKind, ids: Sequence[str], stored: Collection[str]) -> None:
    """Vectors that are asked for must be there."""
    missing = missing_ids(ids, stored)
    if missing:
        raise StoreError(
            f"{len(missing)} {kind.value} vectors are missing, the first {missing[0]!r}; ingest"
            " again to embed them"
        )


def by_cosine(
    ids: Sequence[str], array: Vectors, vector: Vector, limit: int
) -> tuple[tuple[str, float], ...]:
    """(id, cosine) of the rows nearest to a vector, best first, ties by id; a row without length is
    at 0.
    """
    lengths = np.linalg.norm(array, axis=1) * (np.linalg.norm(vector) or 1.0)
    cosines = (array @ vector) / np.where(lengths > 0, lengths, 1.0) if len(ids) else np.zeros(0)
    order = sorted(range(len(ids)), key=lambda i: (-cosines[i], ids[i]))[:limit]
    return tuple((ids[i], float(cosines[i])) for i in order)


def no_entity(entity_id: str) -> StoreError:
    """The error for an id that the graph doesn't hold."""
    return StoreError(
        f"there is no entity {entity_id!r} in the graph; `dynagrag graph show` lists the heaviest"
    )


def orphans(counts: Mapping[str, int]) -> Finding:
    """The finding on records whose document or extraction is gone, with how many of each kind."""
    some = [f"{num} {what}" for what, num in counts.items() if num]
    return Finding("orphaned records", not some, ", ".join(some) or "none", REPAIR)
