"""Ingests of imported corpora: the same durable jobs as any other, without a model."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dynagrag.core.protocols import Extractor
from dynagrag.ingest.imported.imported_corpus import ImportedCorpus, read_imported
from dynagrag.ingest.imported.imported_extractor import ImportedExtractor
from dynagrag.ingest.imported.imported_plan import plan_imported
from dynagrag.journal.jobs import Job, JobRequest
from dynagrag.workspace.address import store_address
from dynagrag.workspace.glossaries import read_glossaries
from dynagrag.workspace.ingest_job import (
    INGEST,
    BuildIndex,
    IngestOptions,
    PreparedIngest,
)
from dynagrag.workspace.parts import WorkspaceParts


def prepare_imported(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    corpora: Sequence[ImportedCorpus],
    extractor: Extractor,
) -> PreparedIngest:
    """Plans an ingest of these corpora; nothing is stored yet.

    The job has no options: a corpus in memory can't be read again, so the ingest can be repeated,
    but not resumed by its number.
    """
    paths = tuple(c.source for c in corpora if Path(c.source).is_absolute())
    return _prepared(parts, build_index, corpora, extractor, _request(parts, paths, {}))


def prepare_imported_files(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    paths: Sequence[str | Path],
    options: IngestOptions,
    job: Job | None = None,
) -> PreparedIngest:
    """Plans an ingest of files of passages with their extractions (`--extractor file`).

    Args:
        job: the job to resume; None for a new one.

    Raises:
        LoadError: a file does not hold such passages.
    """
    corpora = [read_imported(path) for path in paths]
    request = _request(
        parts,
        tuple(str(Path(p).absolute()) for p in paths),
        TypeAdapter(IngestOptions).dump_python(options, mode="json"),
    )
    job_id = job.id if job else None
    prepared = _prepared(
        parts,
        build_index,
        corpora,
        ImportedExtractor(*corpora),
        request,
        options.remove_missing,
        job_id,
    )
    prepared.glossaries = read_glossaries(options.glossaries, parts.store if job else None)
    return prepared


def _request(
    parts: WorkspaceParts, paths: tuple[str, ...], options: Mapping[str, Any]
) -> JobRequest:
    store = store_address(parts.folder, parts.settings).shown
    return JobRequest(paths, options, embedder=parts.settings.embedder, store=store)


def _prepared(
    parts: WorkspaceParts,
    build_index: BuildIndex,
    corpora: Sequence[ImportedCorpus],
    extractor: Extractor,
    request: JobRequest,
    removes_missing: bool = False,
    job_id: int | None = None,
) -> PreparedIngest:
    parts.check_whole()
    version = parts.store.version()
    plan_again = partial(
        plan_imported, corpora, parts.store, extractor.name, removes_missing=removes_missing
    )
    return PreparedIngest(
        parts,
        INGEST,
        request,
        plan_again(),
        version,
        extractor,
        plan_again,
        job_id=job_id,
        build_index=build_index,
    )
