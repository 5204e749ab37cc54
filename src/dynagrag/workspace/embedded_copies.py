"""A workspace as another embedder has it: a copy of its records beside it, embedded and derived
there. The switch of the embedder is made of one, and so is a comparison of embedders.

What was embedded is kept in the copy, batch by batch, so that what was stopped or killed goes on. A
deletion of a document removes all copies (`deletion`).
"""

import fcntl
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dynagrag.core.errors import WorkspaceError
from dynagrag.core.files.private_files import make_folder, private
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder, GraphStore
from dynagrag.core.schema import EmbedderIdentity, VectorKind
from dynagrag.core.text import duration_text
from dynagrag.graph_store.rules import RECORD_KINDS
from dynagrag.graph_store.transfer import COPY_NOTE, copy_records
from dynagrag.ingest.embedding_batches import embedding_work
from dynagrag.ingest.graph_deriver import Deriver, GraphReport, Progress
from dynagrag.registry.stores import sqlite_store
from dynagrag.workspace.deletion import EMBEDDER_TRIALS, NEXT_EMBEDDER
from dynagrag.workspace.parts import WorkspaceParts

_SAMPLE = 16
_OTHER_CHARS = 60
"""Of a text that is no passage, about: names, labels, sentences."""
_BYTES_A_NUMBER = 4
_COPIED_NOTE = "embedded copy of"
"""A note on a copy: the version of the workspace's store that it is of."""


@dataclass(frozen=True, slots=True)
class EmbeddingEstimate:
    """What it takes to embed all of a workspace with another embedder. `num_done`: vectors that an
    earlier run made; `seconds_of_all`: with those. `size_bytes`: of all the new vectors, needed
    beside the old ones until a switch.
    """

    before: EmbedderIdentity | None
    after: EmbedderIdentity
    num_vectors: int
    num_done: int
    seconds_of_all: float
    size_bytes: int

    @property
    def seconds(self) -> float:
        """For the vectors that aren't there yet."""
        done = min(self.num_done, self.num_vectors) / max(1, self.num_vectors)
        return self.seconds_of_all * (1 - done)

    def __str__(self) -> str:
        had = f"; {self.num_done:,} are there already" if self.num_done > 0 else ""
        return (
            f"{self.num_vectors:,} vectors{had}, about {duration_text(self.seconds)},"
            f" {self.size_bytes / 1e6:,.0f} MB"
        )


class EmbeddedCopy:
    """The copy of one workspace for one embedder, in a folder that need not be there yet."""

    def __init__(self, parts: WorkspaceParts, embedder: Embedder, folder: Path) -> None:
        self._parts, self._embedder, self.folder = parts, embedder, folder

    @classmethod
    def to_switch(cls, parts: WorkspaceParts, embedder: Embedder) -> "EmbeddedCopy":
        """The one that a switch of the embedder is made of."""
        return cls(parts, embedder, parts.folder / NEXT_EMBEDDER)

    @classmethod
    def to_try(cls, parts: WorkspaceParts, embedder: Embedder) -> "EmbeddedCopy":
        """The one in which an embedder is compared with others."""
        identity = embedder.identity
        key = content_id(identity.name, identity.dimension)[:12]
        return cls(parts, embedder, parts.folder / EMBEDDER_TRIALS / key)

    def estimate(self) -> EmbeddingEstimate:
        """Embeds a few passages to see how fast the embedder is."""
        store = self._parts.store
        passages = store.passages()
        texts = {d.id: d.text for d in store.documents()}
        sizes = [embedding_work(texts[p.document_id][p.start : p.end]) for p in passages]
        num_others = sum(
            len(store.vector_ids(kind)) for kind in RECORD_KINDS if kind is not VectorKind.PASSAGE
        )
        work = sum(sizes) + num_others * embedding_work("x" * _OTHER_CHARS)
        sample = [texts[p.document_id][p.start : p.end] for p in passages[:_SAMPLE]]
        seconds = _seconds(self._embedder, sample) * work / max(1, sum(map(embedding_work, sample)))
        num = len(passages) + num_others
        after = self._embedder.identity
        size = num * after.dimension * _BYTES_A_NUMBER
        return EmbeddingEstimate(store.embedder(), after, num, self.num_done() or 0, seconds, size)

    def num_done(self) -> int | None:
        """Vectors that are there; None where they are another embedder's."""
        if not self.folder.is_dir():
            return 0
        with closing(self._opened()) as store:
            if store.embedder() not in (None, self._embedder.identity):
                return None
            return sum(len(store.vector_ids(kind)) for kind in RECORD_KINDS)

    @contextmanager
    def store(self) -> Iterator[GraphStore]:
        """The copy's store, made where it isn't there."""
        make_folder(self.folder)
        with closing(self._opened()) as store:
            yield store

    def bring_up_to_date(self, store: GraphStore, progress: Progress) -> GraphReport:
        """Takes over the workspace's records and makes the vectors and the graph of them."""
        copy_records(self._parts.store, store, "embedder", progress)
        return Deriver(store, self._embedder, self._parts.journal, progress=progress).rederive()

    def prepare_to_ask(self, progress: Progress) -> None:
        """Brings it up to date where the workspace has changed since, so that it can be opened.

        Raises:
            WorkspaceError: The workspace was written to meanwhile.
        """
        with self.store() as store:
            version = self._parts.store.version()
            if store.note(_COPIED_NOTE) == version:
                return
            store.set_note(_COPIED_NOTE, "")
            self.bring_up_to_date(store, progress)
            if self._parts.store.version() != version:
                raise WorkspaceError(
                    f"workspace {self._parts.name!r} was written to meanwhile; wait until its"
                    " ingest is done and run this again (what was embedded stays)"
                )
            store.set_note(COPY_NOTE, "")
            store.set_note(_COPIED_NOTE, version)

    def _opened(self) -> GraphStore:
        parts = self._parts
        return sqlite_store("", self.folder, parts.store.workspace, parts.settings)


def remove_copies(parts: WorkspaceParts, *names: str) -> bool:
    """Removes copies of a workspace, by default all; whether there was anything."""
    there = [
        folder
        for name in names or (NEXT_EMBEDDER, EMBEDDER_TRIALS)
        if (folder := parts.folder / name).exists()
    ]
    for folder in there:
        shutil.rmtree(folder)
    return bool(there)


@contextmanager
def copying_lock(parts: WorkspaceParts) -> Iterator[None]:
    """One process at a time makes copies of a workspace; the system lets go however it ends.
    WorkspaceError where another one does.
    """
    place = parts.folder / f"{NEXT_EMBEDDER}.lock"
    with open(place, "w", encoding="utf-8", opener=private) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise WorkspaceError(
                f"another process gives workspace {parts.name!r} another embedder, or tries some;"
                " wait until it is done"
            ) from err
        yield


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    """Of embedding these, once it is loaded."""
    embedder.embed_documents(["warm"])
    began = time.perf_counter()
    embedder.embed_documents(texts)
    return time.perf_counter() - began
