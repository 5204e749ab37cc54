"""Active ingests of a workspace, for readers."""

from contextlib import closing

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.text import cut
from dynagrag.journal.jobs import Job, JobStatus
from dynagrag.journal.workspace_journal import Journal

_MAX_PATH = 80


def describe_active_jobs(name: str, settings: Settings) -> str:
    """Names the running jobs of a workspace of the home folder in one line, with their start and
    process; "" for none.

    The journal is opened only if a lock file of a job exists, so this is cheap when nothing runs.
    Jobs that another machine runs on the same server are not seen.
    """
    folder = settings.workspaces_dir / name
    if not (folder / wiring.JOURNAL_FILE).is_file() or not any((folder / "jobs").glob("*.lock")):
        return ""
    with closing(wiring.make_journal(folder)) as journal:
        running = [job for job in journal.jobs() if job.status is JobStatus.RUNNING]
        jobs = " and ".join(_described(job, journal) for job in running)
    if not running:
        return ""
    are = "is" if len(running) == 1 else "are"
    return f"{jobs} {are} at work in workspace {name!r}: what is shown is the state so far"


def _described(job: Job, journal: Journal) -> str:
    paths = job.request.paths
    of = f" of {cut(paths[0], _MAX_PATH)}{' ...' if len(paths) > 1 else ''}" if paths else ""
    process = journal.job_book.process_of(job.id)
    by = f", process {process}" if process else ""
    place = f", {job.stage} {job.done}/{job.total}" if job.stage else ""
    return (
        f"job {job.id} ({job.kind}{of}, since {job.started_at[:16].replace('T', ' ')}"
        f" UTC{by}{place})"
    )
