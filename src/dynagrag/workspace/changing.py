"""Changes of a workspace's graph: ingests and their jobs, deletions, a person's corrections. Each
holds the workspace's lock.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.protocols import Extractor
from dynagrag.core.schema import Document, Edit
from dynagrag.ingest.graph_deriver import GraphReport, Progress
from dynagrag.ingest.imported.imported_corpus import ImportedCorpus
from dynagrag.ingest.plan import uri_of
from dynagrag.journal.jobs import RESUMABLE, Job
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.imported_job import prepare_imported, prepare_imported_files
from dynagrag.workspace.ingest_job import (
    RETRY,
    IngestOptions,
    PreparedIngest,
    RetryGroup,
    options_of,
    prepare_ingest,
    prepare_retry,
    retry_groups,
)
from dynagrag.workspace.parts import WorkspaceParts

_MAX_LIKE = 5


class GraphChanging:
    """Prepares ingests, and carries out what is done at once."""

    def __init__(self, parts: WorkspaceParts, graph: CurrentGraph) -> None:
        self._parts = parts
        self._graph = graph

    def prepare(
        self,
        paths: Sequence[str | Path],
        options: IngestOptions,
        job: Job | None = None,
        progress: Progress | None = None,
    ) -> PreparedIngest:
        """An ingest of these paths, as a job. `progress`: of the reading."""
        if wiring.extractor_choice(options.extractor).takes_imported:
            return prepare_imported_files(self._parts, self._graph.build_index, paths, options, job)
        return prepare_ingest(
            self._parts, self._graph.build_index, paths, options, job, progress or (lambda *_: None)
        )

    def prepare_imported(
        self, corpora: Sequence[ImportedCorpus], extractor: Extractor, has_index: bool
    ) -> PreparedIngest:
        """An ingest of what is given, as a job. `has_index`: whether the ego-graph index is brought
        up to date at its end.
        """
        return prepare_imported(
            self._parts,
            self._graph.build_index if has_index else lambda model: None,
            corpora,
            extractor,
        )

    def prepare_resume(
        self, job_id: int | None, progress: Progress | None = None, **changes: Any
    ) -> PreparedIngest:
        """A job again that ended before it was done, with its paths and options but those given."""
        book = self._parts.journal.job_book
        job = book.to_resume() if job_id is None else book.job(job_id)
        if job.status not in RESUMABLE:
            raise UsageError(
                f"job {job.id} is {job.status}: only a job that was interrupted, stopped, cancelled"
                " or failed can be resumed"
            )
        options = options_of(job.request, **changes)
        if job.kind != RETRY:
            return self.prepare(job.request.paths, options, job, progress)
        aside = {
            (item.document_id, item.start, item.end) for item in self._parts.journal.set_asides()
        }
        places = [place for place in job.request.places if place in aside]
        return prepare_retry(self._parts, self._graph.build_index, places, options, job)

    def prepare_retries(self, options: IngestOptions | None) -> list[PreparedIngest]:
        """The set-aside chunks again: a run for each set of options that they were set aside under,
        or one with these.
        """
        groups = retry_groups(self._parts.journal)
        if groups and options is not None:
            places = [place for group in groups for place in group.places]
            return [prepare_retry(self._parts, self._graph.build_index, places, options)]
        return [self.prepare_retry(group) for group in groups]

    def prepare_retry(self, group: RetryGroup, **changes: Any) -> PreparedIngest:
        """A group of the set-aside chunks again, with the options they were set aside under but
        those given.
        """
        return prepare_retry(
            self._parts, self._graph.build_index, group.places, options_of(group.request, **changes)
        )

    def find_document(self, reference: str) -> Document:
        """The one document with this id, path or title."""
        found = self._documents_called(reference)
        if not found:
            like = self._like(reference)
            raise UsageError(
                f"no document {reference!r} in workspace {self._parts.name!r}{like}; `dynagrag"
                " documents` lists them"
            )
        if len(found) > 1:
            ids = ", ".join(d.id[:12] for d in found)
            raise UsageError(
                f"{len(found)} documents are called {reference!r}; name one by its id: {ids}"
            )
        return found[0]

    def _documents_called(self, reference: str) -> list[Document]:
        documents = self._parts.store.documents()
        path = uri_of(reference)
        found = [d for d in documents if reference == d.id] or [
            d for d in documents if path == d.uri
        ]
        found = found or [d for d in documents if d.title.casefold() == reference.casefold()]
        return found or [
            d
            for d in documents
            if Path(d.uri).name == reference or (len(reference) >= 8 and d.id.startswith(reference))
        ]

    def _like(self, reference: str) -> str:
        """Tells the titles of which it is a part: whoever renames or deletes a document calls it by
        all of it.
        """
        part = reference.strip().casefold()
        like = [
            repr(d.title)
            for d in self._parts.store.documents()
            if part and part in d.title.casefold()
        ]
        return (
            "; it is a part of"
            f" {', '.join(like[:_MAX_LIKE])}{' ...' if len(like) > _MAX_LIKE else ''}"
            if like
            else ""
        )

    def is_deleted(self, reference: str) -> bool:
        """Whether this is a document that has been deleted, and none that is there."""
        names, deletions = (
            (reference, reference.casefold(), uri_of(reference)),
            self._parts.deletions,
        )
        return deletions.is_recovered(*names) or (
            not self._documents_called(reference) and deletions.is_noted(*names)
        )

    def delete(
        self, reference: str, progress: Progress | None = None
    ) -> tuple[Document, GraphReport]:
        """Deletes a document with all that came from it. Of one that has been deleted, nothing is
        known but what it is called here.
        """
        parts = self._parts
        with parts.writing(progress=progress):
            if self.is_deleted(reference):  # its deletion may have been finished without the model
                document = Document(reference, parts.name, reference, "", "", "", {})
                report = parts.deriver(parts.judge_of_before(), progress).rederive()
            else:
                document = self.find_document(reference)
                job_id = self._parts.journal.job_book.claims().get(document.id)
                if job_id is not None:
                    raise WorkspaceError(
                        f"job {job_id} is at work on {document.title!r} and would bring it back;"
                        " wait, or"
                        f" `dynagrag jobs cancel {job_id}`"
                    )
                deriver = parts.deriver(parts.judge_of_before(), progress)
                parts.deletions.begin_and_delete([document], is_replaced=False)
                report = deriver.rederive()
                parts.deletions.end()
            self._graph.forget()
        return document, report

    def store_edits(self, edits: Iterable[Edit]) -> GraphReport:
        """Stores a person's corrections and derives the graph again; the caller holds the
        workspace.
        """
        for edit in edits:
            self._parts.store.put_edit(edit)
        return self._parts.deriver(self._parts.judge_of_before()).rederive()
