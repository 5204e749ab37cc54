"""Another embedder for a workspace that exists: `dynagrag embedder use`.

    copy the records beside the workspace -> embed them there -> derive their graph
    -> replace vectors and graph in one transaction, if the records are still the same; else again
    -> remove the copy

Until the transaction questions are answered with the old vectors, and ingests go on with the old
embedder. What was embedded is kept in the copy, batch by batch, so that a run that was stopped or
killed goes on when it is run again. A deletion of a document removes the copy too.
"""

from dataclasses import dataclass

from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.graph_store.rules import RECORD_KINDS
from dynagrag.ingest.graph_deriver import Progress
from dynagrag.models.cosine_scales import SCALE_NOTE
from dynagrag.workspace.deletion import NEXT_EMBEDDER
from dynagrag.workspace.embedded_copies import (
    EmbeddedCopy,
    EmbeddingEstimate,
    copying_lock,
    remove_copies,
)
from dynagrag.workspace.facade import Workspace

_MAX_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class SwitchReport:
    """A switch that was done. `num_entities`: of the graph as the new vectors have it."""

    after: EmbedderIdentity
    num_vectors: int
    num_entities: int


def estimate_switch(space: Workspace, embedder: Embedder) -> EmbeddingEstimate:
    """Embeds a few passages to see how fast it is.

    Raises:
        WorkspaceError: The workspace has no vectors yet.
        UsageError: It has this embedder already.
    """
    _check_switch(space, embedder.identity)
    copy = EmbeddedCopy.to_switch(space.parts, embedder)
    tried = EmbeddedCopy.to_try(space.parts, embedder)
    return (copy if copy.num_done() or not tried.num_done() else tried).estimate()


def switch_embedder(space: Workspace, embedder: Embedder, progress: Progress) -> SwitchReport:
    """Gives the workspace the vectors of another embedder, and the graph that follows from them.
    Corrections and verdicts that a model gave before hold. What is stopped goes on when it is
    called again with the same embedder; with another it begins anew. It begins with the vectors
    that a comparison of embedders has made of it.

    Raises:
        WorkspaceError: The workspace has no vectors yet, is written to all the while, or another
        process switches it.
        UsageError: It has this embedder already.
    """
    _check_switch(space, embedder.identity)
    space.parts.check_whole()
    copy = EmbeddedCopy.to_switch(space.parts, embedder)
    with copying_lock(space.parts):
        if copy.num_done() is None:
            remove_copies(space.parts, NEXT_EMBEDDER)
        tried = EmbeddedCopy.to_try(space.parts, embedder)
        if tried.num_done() and not copy.num_done():
            remove_copies(space.parts, NEXT_EMBEDDER)
            tried.folder.rename(copy.folder)
        report = _switch(space, copy, embedder.identity, progress)
        space.parts.embedder.remember()
        remove_copies(space.parts)
    return report


def _switch(
    space: Workspace, copy: EmbeddedCopy, after: EmbedderIdentity, progress: Progress
) -> SwitchReport:
    parts = space.parts
    with copy.store() as staged:
        for _ in range(_MAX_ROUNDS):
            records = parts.store.records()
            report = copy.bring_up_to_date(staged, progress)
            progress("switch", 0, 1)
            with parts.writing(progress=progress):
                done = parts.store.replace_vectors(staged, records)
            if done:
                parts.store.set_note(SCALE_NOTE, staged.note(SCALE_NOTE))
                progress("switch", 1, 1)
                num = sum(len(staged.vector_ids(kind)) for kind in RECORD_KINDS)
                return SwitchReport(after, num, report.num_entities)
    raise WorkspaceError(
        f"workspace {parts.name!r} was written to in each of {_MAX_ROUNDS} rounds; wait"
        " until its ingest is done and run this again (what was embedded stays)"
    )


def give_up_switch(space: Workspace) -> bool:
    """Removes what an unfinished switch and comparisons of embedders have made; whether there was
    anything. WorkspaceError where another process is at it.
    """
    with copying_lock(space.parts):
        return remove_copies(space.parts)


def _check_switch(space: Workspace, after: EmbedderIdentity) -> None:
    before = space.parts.store.embedder()
    if before is None:
        raise WorkspaceError(
            f"workspace {space.parts.name!r} has no vectors yet; ingest with --embedder"
        )
    if before == after:
        raise UsageError(f"workspace {space.parts.name!r} has the embedder {after.name} already")
