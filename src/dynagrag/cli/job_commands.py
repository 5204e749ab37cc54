"""`dynagrag jobs`: lists, resumes and cancels ingests, and retries what they set aside."""

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE, WORKSPACE, YES
from dynagrag.cli.run_job import run_prepared
from dynagrag.cli.terminal import (
    confirm,
    in_line,
    open_space,
    open_to_read,
    read_settings,
    say,
    say_json,
    set_up_log,
    tell_of_work,
)
from dynagrag.core.errors import UsageError

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.journal.jobs import JobRequest

jobs_app = typer.Typer(
    help="List, resume and cancel ingests; retry what they set aside.", rich_markup_mode=None
)
MAX_CALLS = Annotated[
    int | None,
    typer.Option(
        min=1,
        help=(
            "Stop this run before it calls the model more often than this. Default: the job's"
            " limit."
        ),
    ),
]
MAX_TOKENS = Annotated[
    int | None,
    typer.Option(
        min=1,
        help=(
            "Stop this run before prompts and replies take more tokens than this. Default: the"
            " job's limit."
        ),
    ),
]
JOB = Annotated[int, typer.Argument(metavar="ID", help="A job's number, from `dynagrag jobs`.")]


@jobs_app.callback(invoke_without_command=True)
def _jobs(context: typer.Context, workspace: WORKSPACE = None, as_json: JSON = False) -> int:
    """List the ingests of a workspace. The commands below resume, cancel and retry them."""
    if context.invoked_subcommand is None:
        return jobs_list(workspace, as_json)
    if workspace is not None or as_json:
        raise UsageError(
            f"options go after the command's name: `dynagrag jobs {context.invoked_subcommand}"
            " --workspace NAME`"
        )
    return 0


@jobs_app.command("list")
def jobs_list(workspace: WORKSPACE = None, as_json: JSON = False) -> int:
    """List the ingests of a workspace. Each line gives number, kind, status, progress, start,
    paths, and why it ended.
    """
    from dynagrag.workspace.facade import open_journal

    settings = read_settings()
    with closing(open_journal(workspace, settings)) as journal:
        jobs = journal.jobs()
    tell_of_work(workspace, settings)
    if as_json:
        say_json([asdict(job) for job in jobs])
        return 0
    for job in jobs:
        place = f"{job.stage} {job.done}/{job.total}" if job.stage and job.status != "done" else ""
        paths = job.request.paths
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        what = (
            f"{in_line(paths[0])}{more}"
            if paths
            else ", ".join(f"{count} {name}" for name, count in job.counts.items())
        )
        line = (
            f"{job.id:>4}  {job.kind:<7} {job.status:<12} {place:<22}"
            f" {job.started_at[:16].replace('T', ' ')}  {what}"
        )
        say(f"{line}  ({job.reason})" if job.reason else line)
    if not jobs:
        say("no jobs")
    return 0


@jobs_app.command("resume")
def jobs_resume(
    job_id: Annotated[
        int | None,
        typer.Argument(
            metavar="ID", help="A job's number. Default: the last job that can be resumed."
        ),
    ] = None,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    max_calls: MAX_CALLS = None,
    max_tokens: MAX_TOKENS = None,
    yes: YES = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Resume an ingest that did not finish. Paths, options and models stay as they were.

    What you give here replaces the job's own. Stored replies are not asked for again.

    A job that you didn't begin on this machine is resumed after a yes in a terminal.
    """
    set_up_log(verbose)
    from dynagrag.workspace.facade import open_journal
    from dynagrag.workspace.ingest_job import check_own, demands_of, options_of

    settings = read_settings(llm, embedder, store)
    with closing(open_journal(workspace, settings)) as journal:
        job = journal.job_book.to_resume() if job_id is None else journal.job_book.job(job_id)
    if not job.is_own:  # asked before the store that it names is opened
        options_of(job.request)
        if not confirm(f"{demands_of(job)}. Resume it?", False, without_terminal=False):
            check_own(job)
    with open_space(workspace, _as_before(workspace, job.request, llm, embedder, store)) as space:
        prepared = space.prepare_resume(
            job.id, is_agreed=True, max_calls=max_calls, max_tokens=max_tokens
        )
        if not as_json:
            say(f"resuming job {job.id}, begun {job.started_at[:16].replace('T', ' ')}")
        return run_prepared(prepared, yes, as_json)


def _as_before(
    workspace: str | None,
    request: "JobRequest",
    llm: str | None,
    embedder: str | None,
    store: str | None,
) -> "Settings":
    """Settings with the names that a job used where none are given now."""
    from dynagrag.workspace.address import workspace_meant
    from dynagrag.workspace.own_embedder import embedder_of_job

    now = read_settings()
    folder = now.workspaces_dir / workspace_meant(workspace, now)
    return read_settings(
        llm or request.llm,
        embedder_of_job(folder, request, embedder),
        store or request.store or None,
    )


@jobs_app.command("cancel")
def jobs_cancel(job_id: JOB, workspace: WORKSPACE = None) -> int:
    """Stop a running ingest within a second; what was done is kept. An interrupted ingest is only
    marked.
    """
    from dynagrag.workspace.facade import open_journal

    with closing(open_journal(workspace, read_settings())) as journal:
        job = journal.job_book.cancel(job_id)
    say(
        f"job {job.id} stops; replies to calls in flight are kept"
        if job.status == "running"
        else f"job {job.id} is {job.status}"
    )
    return 0


@jobs_app.command("set-aside")
def jobs_set_aside(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """List the chunks that could not be extracted. Each line gives document, position in its text,
    reason and job.
    """
    with open_to_read(workspace, read_settings(store=store)) as space:
        titles = {d.id: d.title for d in space.store.documents()}
        rows = [
            asdict(item) | {"document": titles.get(item.document_id, "")}
            for item in space.journal.set_asides()
        ]
    if as_json:
        say_json(rows)
        return 0
    for row in rows:
        job = "" if row["job_id"] is None else f"  (job {row['job_id']})"
        say(
            f"{row['document'] or row['document_id'][:12]} [{row['start']}:{row['end']}]:"
            f" {row['reason']}{job}"
        )
    if not rows:
        say("no chunk is set aside")
    return 0


@jobs_app.command("retry")
def jobs_retry(
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    extractor: Annotated[
        str | None,
        typer.Option(help="llm or fast. Default: the extractor that set the chunks aside."),
    ] = None,
    max_calls: MAX_CALLS = None,
    max_tokens: MAX_TOKENS = None,
    yes: YES = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Extract the set-aside chunks again, from the stored documents.

    What you give here replaces the ingest's own options and models.

    Ingests with other options or models get a run of their own; --json prints a list of all
    reports.
    """
    set_up_log(verbose)
    from dynagrag.workspace.facade import open_journal
    from dynagrag.workspace.ingest_job import retry_groups

    with closing(open_journal(workspace, read_settings(llm, embedder, store))) as journal:
        groups = retry_groups(journal)
    if not groups and not as_json:
        say("no chunk is set aside")
    codes = [0]
    reports: list[dict[str, Any]] = []
    try:
        for group in groups:
            with open_space(
                workspace, _as_before(workspace, group.request, llm, embedder, store)
            ) as space:
                prepared = space.ingest_jobs.prepare_retry(
                    group, extractor=extractor, max_calls=max_calls, max_tokens=max_tokens
                )
                codes.append(run_prepared(prepared, yes, as_json, reports.append))
    finally:
        if as_json and (reports or not groups):  # also where a later run was stopped
            say_json(reports)
    return max(codes)
