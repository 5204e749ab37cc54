"""The graph as questions need it: the snapshot and the ego-graph indexes of the store's version,
kept until the store changes.
"""

import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from dynagrag import wiring
from dynagrag.config.settings import Profile
from dynagrag.core.collection import without_collection
from dynagrag.core.errors import WorkspaceError
from dynagrag.core.files.kept_arrays import KeptArrays
from dynagrag.core.schema import UNMEASURED, Edit, Snapshot
from dynagrag.ingest.graph_deriver import GraphReport
from dynagrag.ingest.whole_files import carried_over
from dynagrag.models.cosine_scales import kept_scale
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.filters import FILTERED
from dynagrag.retrieval.snapshots import read_snapshot
from dynagrag.workspace.parts import WorkspaceParts

_LOG = logging.getLogger(__name__)
_MANY_ENTITIES = 5000
"""From here on `paper`'s index can take minutes where there are hubs: 10,000 entities round one
took 27 s of CPU, `default` 0.7 s.
"""


class CurrentGraph:
    """Reads and keeps what questions share. One thread at a time."""

    def __init__(self, parts: WorkspaceParts) -> None:
        self._parts = parts
        self._snapshot: Snapshot | None = None
        self._indexes: dict[tuple[str, str], EgoIndex] = {}

    def kept_arrays(self, version: str) -> KeptArrays:
        """What is kept there, and may be written as long as this is the store's version."""
        return KeptArrays(self._parts.index_folder, partial(self._keeping, version))

    @contextmanager
    def _keeping(self, version: str) -> Iterator[bool]:
        """Whether the store is of this version, and stays so meanwhile: else words of a document
        that is being deleted would be left.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(self._parts.lock.hold(0))
            except (WorkspaceError, OSError):
                yield False  # somebody else has the workspace, or the folder can't be written
            else:
                yield self._parts.store.version() == version

    def snapshot(self) -> Snapshot:
        """All that a question needs, read once per version of the store. WorkspaceError where a
        copy into it was not ended.
        """
        self._parts.check_whole()
        self._derive_if_interrupted()
        if self._snapshot is None or self._snapshot.version != self._parts.store.version():
            store = self._parts.store
            with without_collection(), store.reading():
                made = read_snapshot(store, self.kept_arrays(store.version()))
            # Else somebody wrote meanwhile, and whether the graph is that of the records must be
            # asked after they were read.
            made = made if store.version() == made.version else read_snapshot(store)
            self._snapshot = replace(made, scale=kept_scale(store) or UNMEASURED)
            self._indexes.clear()
        return self._snapshot

    def is_derived_when_read(self) -> bool:
        """Whether the graph is older than the records, and the next snapshot derives it."""
        parts = self._parts
        if parts.store.is_derived_current() or parts.store.embedder() not in (
            None,
            parts.models.embedder.identity,
        ):
            return False
        return not parts.journal.job_book.is_any_at_work_or_paused()  # it derives at its end

    def _derive_if_interrupted(self) -> None:
        """A run that was killed, or another title, left records that the graph doesn't show yet, or
        shows though they are gone: derived now, by rules alone.

        While another process is at work, or a job is paused, that is its business; the graph is
        then shown as far as its records are there.
        """
        if not self.is_derived_when_read():
            return
        parts = self._parts
        try:
            with parts.writing(wait_s=0):
                if parts.store.documents():
                    parts.deriver(None).rederive()
        except WorkspaceError:
            return

    def index(self, snapshot: Snapshot, profile: Profile) -> EgoIndex:
        """The ego-graphs of a snapshot: made for a filtered one, else those that are saved, made
        and saved where they are not.
        """
        if snapshot.version.endswith(FILTERED):
            return EgoIndex.build(snapshot.graph, profile)
        key = (snapshot.version, profile.name)
        if key not in self._indexes:
            num_entities = len(snapshot.graph.entities)
            if (
                profile.max_ego_nodes is None
                and profile.num_hops > 1
                and num_entities > _MANY_ENTITIES
            ):
                _LOG.warning(
                    "profile %s cuts no hubs, as the paper has it: indexing %d entities takes long",
                    profile.name,
                    num_entities,
                )
            self._indexes[key] = EgoIndex.open(
                self._parts.index_folder / profile.name, snapshot, profile
            )
        return self._indexes[key]

    def ego_index(self, profile: str | Profile) -> EgoIndex:
        """The ego-graphs that questions under a profile, or one of this name, get."""
        return self.index(
            self.snapshot(), wiring.make_profile(profile) if isinstance(profile, str) else profile
        )

    def build_index(self) -> None:
        """Brings the saved index up to date, if the profile of the settings has one, so that the
        next question doesn't wait for it.
        """
        profile = wiring.make_profile(self._parts.settings.profile)
        if profile.has_ego_graphs and (snapshot := self.snapshot()).graph.entities:
            self.index(snapshot, profile)

    def store_edits(self, edits: Iterable[Edit]) -> GraphReport:
        """Stores a person's corrections, which `curation` makes, and derives the graph again. The
        caller holds the workspace (`WorkspaceParts.writing`).
        """
        with carried_over(self._parts.store):
            for edit in edits:
                self._parts.store.put_edit(edit)
            return self._parts.deriver(self._parts.previous_judge()).rederive()

    def forget(self) -> None:
        """After a deletion no trace of the old graph stays in saved indexes."""
        shutil.rmtree(self._parts.index_folder, ignore_errors=True)
        self._snapshot = None
        self.build_index()
