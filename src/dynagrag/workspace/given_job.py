"""An ingest of documents that are given rather than read from transcripts: the same durable job as any other, without a model."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dynagrag.errors import WorkspaceError
from dynagrag.graph_store.transfer import is_unfinished
from dynagrag.ingest.given.given_corpus import Given, GivenCorpus, as_corpus, read_given
from dynagrag.ingest.given.given_extractor import GivenExtractor
from dynagrag.ingest.given.given_plan import plan_given
from dynagrag.ingest.pipeline import IngestReport, Progress
from dynagrag.journal.jobs import Job, JobRequest
from dynagrag.protocols import Extractor
from dynagrag.workspace.address import shown_address, store_address
from dynagrag.workspace.ingest_job import INGEST, Host, IngestOptions, PreparedIngest


def ingest_given(space: Host, documents: Given, extractor: Extractor, progress: Progress | None = None) -> IngestReport:
    """Stores given passages and documents of turns, and makes the graph of them. Names are merged by rules alone.

    Safe to repeat: what is there is left alone, and a run that was killed goes on. Documents that are given again under the same source
    replace those that stood in their places before; those at places that are no more stay.

    Args:
        space: The workspace.
        documents: A corpus that was read, or documents in memory, whose source is then called `given`.
        extractor: Of these documents: `GivenExtractor(documents)`, or `FastExtractor(titles=corpus.titles)`.
        progress: Told of each step.

    Raises:
        LoadError: A document has no words.
        WorkspaceError: A copy into this workspace was not ended.
    """
    report = prepare_given(space, [as_corpus(documents)], extractor).run(progress)
    if report.stopped_by is not None:
        raise report.stopped_by
    return report


def prepare_given(space: Host, corpora: Sequence[GivenCorpus], extractor: Extractor) -> PreparedIngest:
    """What an ingest of these corpora would do, before it does anything.

    Its job has no options: what was given in memory can't be read again, so it can be repeated, but not resumed by its number.
    """
    paths = tuple(c.source for c in corpora if Path(c.source).is_absolute())
    return _prepared(space, corpora, extractor, _request(space, paths, {}), False, None)


def prepare_given_files(space: Host, paths: Sequence[str | Path], options: IngestOptions, job: Job | None = None) -> PreparedIngest:
    """What an ingest of files of passages with their extractions would do: `--extractor file`. `job`: the one that is resumed.

    Raises LoadError where a file is no such file.
    """
    corpora = [read_given(path) for path in paths]
    request = _request(space, tuple(str(Path(p).absolute()) for p in paths), TypeAdapter(IngestOptions).dump_python(options, mode="json"))
    return _prepared(space, corpora, GivenExtractor(*corpora), request, options.remove_missing, job.id if job else None)


def _request(space: Host, paths: tuple[str, ...], options: Mapping[str, Any]) -> JobRequest:
    store = shown_address(store_address(space.folder, space.settings))
    return JobRequest(paths, options, embedder=space.settings.embedder, store=store)


def _prepared(
    space: Host, corpora: Sequence[GivenCorpus], extractor: Extractor, request: JobRequest, removes_missing: bool, job_id: int | None
) -> PreparedIngest:
    if is_unfinished(space.store):
        raise WorkspaceError(
            f"a copy or restore into workspace {space.name!r} is under way, or was stopped; let it end, or run it again, before you ingest"
        )
    version = space.store.version()
    plan_again = partial(plan_given, corpora, space.store, extractor.name, removes_missing=removes_missing)
    return PreparedIngest(space, INGEST, request, plan_again(), version, extractor, None, None, plan_again, job_id)
