"""Parts that questions with the same filters share: the part of the graph that is inside them, and
the retrievers over it, kept until the store changes.
"""

from dataclasses import replace
from functools import partial
from threading import RLock

from dynagrag import wiring
from dynagrag.config.settings import Profile
from dynagrag.core.errors import WorkspaceError
from dynagrag.core.protocols import Retriever
from dynagrag.core.schema import UNMEASURED, CosineScale, Filters, Snapshot
from dynagrag.generation.answer_plan import FilteredView
from dynagrag.models.cosine_scales import scale_of
from dynagrag.registry.retrievers import MakeRetriever
from dynagrag.retrieval.filters import apply_filters
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.parts import WorkspaceParts

_MAX_FILTERED = 4
"""How many filters' views of a workspace are kept for the next question, the last ones asked: each
has a graph and indexes of its own.
"""


class FilteredViews:
    """The views of a workspace, read once per version of the store. Threads may share."""

    def __init__(self, parts: WorkspaceParts, graph: CurrentGraph) -> None:
        self._parts = parts
        self._graph = graph
        self._reading = RLock()
        self._views: dict[Filters, FilteredView] = {}
        self._retrievers: dict[Filters, dict[tuple[str, Profile], Retriever]] = {}
        self._version = ""

    def open(
        self,
        filters: Filters,
        retriever: str,
        profile: Profile,
        make_retriever: MakeRetriever | None = None,
    ) -> tuple[FilteredView, Retriever]:
        """The view behind the filters and the retriever called so over it; one that
        `make_retriever` makes is not kept. WorkspaceError where there is nothing to retrieve from.
        """
        with self._reading:
            view = self._view(filters)
            snapshot, key = view.snapshot, (retriever, profile)
            make_index = partial(self._graph.index, snapshot)
            if make_retriever is not None:
                found = make_retriever(snapshot, profile, view.passages, make_index)
            else:
                kept = self._retrievers[filters]
                if key not in kept:
                    kept[key] = wiring.make_retriever(
                        retriever, snapshot, profile, view.passages, make_index
                    )
                found = kept[key]
        if not self._graph.snapshot().documents:
            raise WorkspaceError(
                f"workspace {self._parts.name!r} is empty; add something first: `dynagrag ingest"
                " PATH`"
            )
        if not snapshot.passages:
            raise WorkspaceError(
                "nothing is inside these filters, or the ingest did not get as far as embedding;"
                " widen them or run it again"
            )
        return view, found

    def _view(self, filters: Filters) -> FilteredView:
        """Of the views whose filters hold something back, the last few are kept."""
        whole = self._graph.snapshot()
        if self._version != whole.version:
            self._views.clear()
            self._retrievers.clear()
            self._version = whole.version
        view = self._views.pop(filters, None)
        if view is None:
            part = apply_filters(whole, self._parts.store, filters)
            files = self._graph.kept_arrays(whole.version) if filters.is_empty else None
            view = FilteredView.of(replace(part, scale=self._scale(whole)), files)
            self._retrievers[filters] = {}
        self._views[filters] = view
        filtered = [key for key in self._views if not key.is_empty]
        for key in filtered[:-_MAX_FILTERED]:
            del self._views[key], self._retrievers[key]
        return view

    def _scale(self, whole: Snapshot) -> CosineScale:
        """Measured here where a workspace, made before this was kept, has none."""
        if whole.scale != UNMEASURED or not whole.passages:
            return whole.scale
        return scale_of(self._parts.store, self._parts.models.embedder)
