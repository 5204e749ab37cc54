"""Another embedder for a workspace that exists: `dynagrag embedder use`.

    copy the records beside the workspace -> embed them there -> derive their graph
    -> replace vectors and graph in one transaction, if the records are still the same; else again
    -> remove the copy

Until the transaction questions are answered with the old vectors, and ingests go on with the old
embedder. What was embedded is kept in the copy, batch by batch, so that a run that was stopped or
killed goes on when it is run again. A deletion of a document removes the copy too.
"""

import fcntl
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.files.private_files import make_folder, private
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import EmbedderIdentity, VectorKind
from dynagrag.graph_store.rules import RECORD_KINDS
from dynagrag.graph_store.transfer import copy_records
from dynagrag.ingest.embedding_batches import embedding_work
from dynagrag.ingest.graph_deriver import Deriver, Progress
from dynagrag.models.cosine_scales import NOTE as SCALE_NOTE
from dynagrag.registry.stores import sqlite_store
from dynagrag.workspace.deletion import NEXT_EMBEDDER
from dynagrag.workspace.facade import Workspace

_MAX_ROUNDS = 5
_SAMPLE = 16
_OTHER_CHARS = 60
"""Of a text that is no passage, about: names, labels, sentences."""
_BYTES_A_NUMBER = 4


@dataclass(frozen=True, slots=True)
class SwitchEstimate:
    """What a switch takes. `num_done`: vectors that an earlier run made. `size_bytes`: of the new
    vectors, needed beside the old ones until the switch.
    """

    before: EmbedderIdentity
    after: EmbedderIdentity
    num_vectors: int
    num_done: int
    seconds: float
    size_bytes: int


@dataclass(frozen=True, slots=True)
class SwitchReport:
    """A switch that was done. `num_entities`: of the graph as the new vectors have it."""

    after: EmbedderIdentity
    num_vectors: int
    num_entities: int


def estimate_switch(space: Workspace, embedder: Embedder) -> SwitchEstimate:
    """Embeds a few passages to see how fast it is.

    Raises:
        WorkspaceError: The workspace has no vectors yet.
        UsageError: It has this embedder already.
    """
    store, after = space.parts.store, embedder.identity
    before = _before(space, after)
    passages = store.passages()
    texts = {d.id: d.text for d in store.documents()}
    sizes = [embedding_work(texts[p.document_id][p.start : p.end]) for p in passages]
    num_others = sum(
        len(store.vector_ids(kind)) for kind in RECORD_KINDS if kind is not VectorKind.PASSAGE
    )
    work = sum(sizes) + num_others * embedding_work("x" * _OTHER_CHARS)
    sample = [texts[p.document_id][p.start : p.end] for p in passages[:_SAMPLE]]
    seconds = _seconds(embedder, sample) * work / max(1, sum(map(embedding_work, sample)))
    num = len(passages) + num_others
    done = _num_done(space, after) or 0
    return SwitchEstimate(
        before,
        after,
        num,
        done,
        seconds * (1 - min(done, num) / max(1, num)),
        num * after.dimension * _BYTES_A_NUMBER,
    )


def switch_embedder(space: Workspace, embedder: Embedder, progress: Progress) -> SwitchReport:
    """Gives the workspace the vectors of another embedder, and the graph that follows from them.
    Corrections and verdicts that a model gave before hold. What is stopped goes on when it is
    called again with the same embedder; with another it begins anew.

    Raises:
        WorkspaceError: The workspace has no vectors yet, is written to all the while, or another
        process switches it.
        UsageError: It has this embedder already.
    """
    after = embedder.identity
    _before(space, after)
    space.parts.check_whole()
    with _alone(space):
        if _num_done(space, after) is None:
            _remove(space)
        report = _switch(space, embedder, progress)
        _remove(space)
    return report


def _switch(space: Workspace, embedder: Embedder, progress: Progress) -> SwitchReport:
    parts, folder = space.parts, _stage(space)
    make_folder(folder)
    staged = sqlite_store("", folder, parts.store.workspace, parts.settings)
    try:
        for _ in range(_MAX_ROUNDS):
            records = parts.store.records()
            copy_records(parts.store, staged, "embedder", progress)
            report = Deriver(staged, embedder, parts.journal, progress=progress).rederive()
            progress("switch", 0, 1)
            with parts.writing(progress=progress):
                done = parts.store.replace_vectors(staged, records)
            if done:
                parts.store.set_note(SCALE_NOTE, staged.note(SCALE_NOTE))
                progress("switch", 1, 1)
                num = sum(len(staged.vector_ids(kind)) for kind in RECORD_KINDS)
                break
        else:
            raise WorkspaceError(
                f"workspace {parts.name!r} was written to in each of {_MAX_ROUNDS} rounds; wait"
                " until its ingest is done and run this again (what was embedded stays)"
            )
    finally:
        staged.close()
    return SwitchReport(embedder.identity, num, report.num_entities)


def give_up_switch(space: Workspace) -> bool:
    """Removes what an unfinished switch has made; whether there was anything. WorkspaceError where
    another process is at it.
    """
    with _alone(space):
        return _remove(space)


def _remove(space: Workspace) -> bool:
    folder = _stage(space)
    if not folder.exists():
        return False
    shutil.rmtree(folder)
    return True


@contextmanager
def _alone(space: Workspace) -> Iterator[None]:
    """One process at a time; the system lets go however it ends."""
    place = space.parts.folder / f"{NEXT_EMBEDDER}.lock"
    with open(place, "w", encoding="utf-8", opener=private) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise WorkspaceError(
                f"another process gives workspace {space.parts.name!r} another embedder; wait until"
                " it is done"
            ) from err
        yield


def _before(space: Workspace, after: EmbedderIdentity) -> EmbedderIdentity:
    before = space.parts.store.embedder()
    if before is None:
        raise WorkspaceError(
            f"workspace {space.parts.name!r} has no vectors yet; ingest with --embedder"
        )
    if before == after:
        raise UsageError(f"workspace {space.parts.name!r} has the embedder {after.name} already")
    return before


def _stage(space: Workspace) -> Path:
    return space.parts.folder / NEXT_EMBEDDER


def _num_done(space: Workspace, after: EmbedderIdentity) -> int | None:
    """Vectors that an earlier run made with this embedder; None where it had another one."""
    folder = _stage(space)
    if not folder.is_dir():
        return 0
    staged = sqlite_store("", folder, space.parts.store.workspace, space.parts.settings)
    try:
        if staged.embedder() not in (None, after):
            return None
        return sum(len(staged.vector_ids(kind)) for kind in RECORD_KINDS)
    finally:
        staged.close()


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    """Of embedding these, once it is loaded."""
    embedder.embed_documents(["warm"])
    began = time.perf_counter()
    embedder.embed_documents(texts)
    return time.perf_counter() - began
