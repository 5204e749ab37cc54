"""Changes of a workspace's documents, and with them of its graph: ingests and their jobs, new
titles, deletions. Whoever changes them holds the workspace.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.protocols import Extractor
from dynagrag.core.schema import Document
from dynagrag.ingest.earlier_readings import keep_marks
from dynagrag.ingest.graph_deriver import GraphReport, Progress
from dynagrag.ingest.imported.imported_corpus import ImportedCorpus, ImportedDocuments, as_corpus
from dynagrag.ingest.kept_language import in_language
from dynagrag.ingest.kept_title import titled
from dynagrag.ingest.pipeline import IngestReport
from dynagrag.ingest.plan import uri_of
from dynagrag.ingest.whole_files import carried_over
from dynagrag.journal.jobs import RESUMABLE, Job
from dynagrag.language.document_language import language_code
from dynagrag.workspace.current_graph import CurrentGraph
from dynagrag.workspace.imported_job import prepare_imported, prepare_imported_files
from dynagrag.workspace.ingest_job import (
    RETRY,
    IngestOptions,
    PreparedIngest,
    RetryGroup,
    check_own,
    options_of,
    prepare_ingest,
    prepare_retry,
    retry_groups,
)
from dynagrag.workspace.parts import WorkspaceParts

MAX_TITLE = 200
_MAX_LIKE = 5


class IngestJobs:
    """Prepares ingests, each as a job that can be followed, stopped and resumed."""

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

    def ingest_imported(
        self, documents: ImportedDocuments, extractor: Extractor, progress: Progress | None = None
    ) -> IngestReport:
        """Stores given passages and documents of turns, and makes the graph of them. Names are
        merged by rules alone.

        Safe to repeat: what is there is left alone, and a killed run is resumed. Documents that are
        given again under the same source replace those that stood in their places before; those at
        places that are no more stay.

        Args:
            documents: A corpus that was read, or documents in memory, whose source is then called
            `given`.
            extractor: Of these documents: `ImportedExtractor(documents)`, or
            `FastExtractor(titles=corpus.titles)`.
            progress: Told of each step.

        Raises:
            LoadError: A document has no words.
            WorkspaceError: A copy into this workspace was not ended.
        """
        return self.prepare_imported([as_corpus(documents)], extractor).run_to_its_end(progress)

    def prepare_imported(
        self, corpora: Sequence[ImportedCorpus], extractor: Extractor, has_index: bool = True
    ) -> PreparedIngest:
        """The plan of an ingest of these corpora. Its job can be repeated, but not resumed by its
        number.

        `has_index`: whether the ego-graph index is brought up to date at the end.
        """
        return prepare_imported(
            self._parts,
            self._graph.build_index if has_index else lambda model: None,
            corpora,
            extractor,
        )

    def prepare_resume(
        self,
        job_id: int | None,
        progress: Progress | None = None,
        *,
        is_agreed: bool = False,
        **changes: Any,
    ) -> PreparedIngest:
        """A job again that ended before it was done, with its paths and options but those given.

        `is_agreed`: also a job of a journal that came from elsewhere, which isn't this user's own.
        """
        book = self._parts.journal.job_book
        job = book.to_resume() if job_id is None else book.job(job_id)
        if job.status not in RESUMABLE:
            raise UsageError(
                f"job {job.id} is {job.status}: only a job that was interrupted, stopped, cancelled"
                " or failed can be resumed"
            )
        options = options_of(job.request, **changes)
        if not is_agreed:
            check_own(job)
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
        those given (None: not given).
        """
        return prepare_retry(
            self._parts, self._graph.build_index, group.places, options_of(group.request, **changes)
        )


class WorkspaceDocuments:
    """Finds, renames and deletes a workspace's documents."""

    def __init__(self, parts: WorkspaceParts, graph: CurrentGraph) -> None:
        self._parts = parts
        self._graph = graph

    def find(self, reference: str) -> Document:
        """The one document with this id, path or title. UsageError where it names none or
        several.
        """
        found = self._documents_called(reference)
        if not found:
            # whoever renames or deletes a document calls it by all of its title
            part = reference.strip().casefold()
            documents = self._parts.store.documents() if part else ()
            titles = [repr(d.title) for d in documents if part in d.title.casefold()]
            more = " ..." if len(titles) > _MAX_LIKE else ""
            like = f"; it is a part of {', '.join(titles[:_MAX_LIKE])}{more}" if titles else ""
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
        """Those of this id, else path, else title, else file name or beginning of an id."""
        documents = self._parts.store.documents()
        path, title, is_long = uri_of(reference), reference.casefold(), len(reference) >= 8
        return (
            [d for d in documents if d.id == reference]
            or [d for d in documents if d.uri == path]
            or [d for d in documents if d.title.casefold() == title]
            or [
                d
                for d in documents
                if Path(d.uri).name == reference or (is_long and d.id.startswith(reference))
            ]
        )

    def is_deleted(self, reference: str) -> bool:
        """Whether this id, path or title is that of a document that has been deleted, and of none
        that is there: `delete` does no harm.
        """
        names = (reference, reference.casefold(), uri_of(reference))
        deletions = self._parts.deletions
        return deletions.is_recovered(*names) or (
            not self._documents_called(reference) and deletions.is_noted(*names)
        )

    def delete(
        self, reference: str, progress: Progress | None = None
    ) -> tuple[Document, GraphReport]:
        """Deletes a document by id, path or title, with all that came from it: records, vectors,
        cached replies, index, conversations that quote it, its uploaded file, and corrections of
        names that only it held.

        Killed, it is finished by whoever opens the workspace next; a repeated deletion does no
        harm, and nothing is known of its document but what it is called here. Raises UsageError
        when it names none or several, WorkspaceError when an ingest is at work on it.
        """
        parts = self._parts
        with parts.writing(progress=progress), carried_over(parts.store):
            if self.is_deleted(reference):  # its deletion may have been finished without the model
                document = Document(reference, parts.name, reference, "", "", "", {})
                report = parts.deriver(parts.previous_judge(), progress).rederive()
            else:
                document = self.find(reference)
                self._check_unclaimed(document)
                deriver = parts.deriver(parts.previous_judge(), progress)
                parts.deletions.begin_and_delete([document], is_replaced=False)
                report = deriver.rederive()
                parts.deletions.end()
            keep_marks(parts.store, {})
            self._graph.forget()
        return document, report

    def _check_unclaimed(self, document: Document) -> None:
        job_id = self._parts.journal.job_book.claims().get(document.id)
        if job_id is not None:
            raise WorkspaceError(
                f"job {job_id} is at work on {document.title!r} and would bring it back; wait, or"
                f" `dynagrag jobs cancel {job_id}`"
            )

    def rename(self, reference: str, title: str) -> Document:
        """Gives the document with this id, path or title another title: what lists, citations and
        prompts call it. Its file, path and id stay.

        The files of answers that were kept stay as they are; the app shows their lines under the
        new title. A changed version of the file, and a copy of it, keep the title.

        Raises:
            UsageError: None or several are called so, or the title is empty or too long.
        """
        wanted = " ".join(title.split())
        if not wanted:
            raise UsageError("a document needs a title; nothing was renamed")
        if len(wanted) > MAX_TITLE:
            raise UsageError(
                f"a title has at most {MAX_TITLE} characters, this one {len(wanted):,}; shorten it"
            )
        store = self._parts.store
        with self._parts.writing():
            renamed = titled(self.find(reference), wanted)
            store.put_document(renamed, store.turns(renamed.id), store.passages(renamed.id))
        return renamed

    def set_language(self, reference: str, language: str) -> Document:
        """Names the language of the document with this id, path or title, by its code (ISO 639-1)
        or English name: its words are searched by that language's stems at once, and its sentences
        are parted by that language's rules when its file is ingested again. A changed version of
        the file keeps it.

        Raises:
            UsageError: None or several are called so, or the language is unknown.
        """
        code, store = language_code(language), self._parts.store
        with self._parts.writing():
            changed = in_language(self.find(reference), code)
            store.put_document(changed, store.turns(changed.id), store.passages(changed.id))
            self._graph.forget()
        return changed
