"""Runs a prepared ingest for the commands: plan and cost, confirmations, progress, report, and how
to resume it when it stops.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from dynagrag.cli.terminal import (
    EXIT_INTERRUPTED,
    EXIT_SET_ASIDE,
    ProgressBars,
    Waiting,
    confirm,
    in_line,
    say,
    say_json,
)
from dynagrag.core.errors import DynaGragError, UsageError
from dynagrag.core.text import duration_text, plural

if TYPE_CHECKING:
    from dynagrag.ingest.pipeline import IngestReport
    from dynagrag.ingest.plan import IngestPlan
    from dynagrag.workspace.ingest_job import PreparedIngest

_MAX_SHOWN = 10


class InterruptedJobError(DynaGragError):
    """Ctrl-C in a job: says how to resume it."""

    exit_code = EXIT_INTERRUPTED


class StoppedJobError(DynaGragError):
    """A job that ended early with its work kept: says how to resume it."""


def run_prepared(
    prepared: "PreparedIngest",
    yes: bool,
    as_json: bool,
    say_report: Callable[[dict[str, Any]], None] = say_json,
) -> int:
    """Shows the plan, asks, runs and reports; the exit code. Raises the error that stopped the run,
    with the job's number.

    `say_report` gets the report as JSON, where that is wanted.
    """
    from dynagrag.journal.jobs import JobCancelledError
    from dynagrag.workspace.glossaries import glossary_lines
    from dynagrag.workspace.unread_languages import unread_line

    plan = prepared.plan
    is_costly = prepared.estimate() is not None and plan.num_chunks > 0
    if not as_json:
        _print_plan(plan, prepared.parts.name)
        if line := unread_line(prepared.parts, prepared.unread_languages()):
            say(f"  note: {line}")
        if is_costly:
            _print_estimate(prepared)
        for line in glossary_lines(prepared.glossaries):
            say(line)
    if prepared.kind == "ingest" and not plan.documents and not plan.unchanged:
        first, num_more = plan.refused[0], len(plan.refused) - 1
        more = f" (and {num_more} more; see `dynagrag inspect`)" if num_more else ""
        raise DynaGragError(f"nothing could be read: {first.path}: {first.refused}{more}")
    if plan.removes_missing and plan.missing:
        gone = f"{plural(len(plan.missing), 'document')} whose files are gone"
        if not confirm(f"Delete {gone}, and continue?", yes, without_terminal=False):
            raise UsageError(f"nothing was done: confirm the deletion of {gone} with --yes")
    elif is_costly and not confirm("Continue?", yes, without_terminal=True):
        prepared.forget_timed_call()
        raise typer.Abort()
    try:
        with ProgressBars(as_json) as progress:
            report = prepared.run(progress)
    except JobCancelledError as err:
        raise StoppedJobError(f"{err}: {_how_to_resume(prepared)}") from err
    except KeyboardInterrupt:
        raise InterruptedJobError(
            f"interrupted; what was stored before stays: {_how_to_resume(prepared)}"
        ) from None
    _print_report(prepared, report, as_json, say_report)
    if report.stopped_by is not None:
        raise StoppedJobError(
            f"{report.stopped_by}: {_how_to_resume(prepared)}"
        ) from report.stopped_by
    return EXIT_SET_ASIDE if report.set_aside or report.refused else 0


def _print_report(
    prepared: "PreparedIngest",
    report: "IngestReport",
    as_json: bool,
    say_report: Callable[[dict[str, Any]], None],
) -> None:
    from dynagrag.workspace.glossaries import lines_once_made, plain_words, terms_not_found
    from dynagrag.workspace.text_reports import ingest_report_json, ingest_report_lines

    usage, store = prepared.chat.usage() if prepared.chat else None, prepared.parts.store
    if as_json:
        row = ingest_report_json(report, usage) | {"job": prepared.job_id}
        row["files"] = [asdict(reading) for reading in prepared.plan.readings]
        row["unread_languages"] = prepared.unread_languages()
        if prepared.glossaries:
            row["glossaries"] = [
                {
                    "name": file.name,
                    "terms": len(file.rows),
                    "aliases": file.num_aliases,
                    "notes": file.notes,
                    "not_found": terms_not_found(file, store.graph()),
                    "plain_words": plain_words(file, store),
                }
                for file in prepared.glossaries
            ]
        say_report(row)
        return
    for line in ingest_report_lines(report, usage):
        say(line)
    if report.stopped_by is None:
        for note in lines_once_made(prepared.glossaries, store):
            say(f"  note: {note}")


def _how_to_resume(prepared: "PreparedIngest") -> str:
    if prepared.job_id is None:
        return "run the same command again to resume"
    name = prepared.parts.name
    workspace = "" if name == prepared.parts.settings.workspace else f" -w {name}"
    return (
        f"resume job {prepared.job_id} with `dynagrag jobs resume {prepared.job_id}{workspace}`, or"
        " run the same command again"
    )


def _print_plan(plan: "IngestPlan", workspace: str) -> None:
    if all(d.is_whole for d in plan.documents):
        moved = f"{len(plan.moved)} moved here from another path, " if plan.moved else ""
        say(
            f"workspace {workspace}: {len(plan.new)} new, {len(plan.changed)} changed,"
            f" {len(plan.unchanged)} unchanged, {moved}{len(plan.refused)} refused;"
            f" {plural(plan.num_chunks, 'chunk')} to extract"
        )
    else:
        say(
            f"workspace {workspace}: {plan.num_chunks} set-aside chunks of {len(plan.documents)}"
            " documents to extract"
        )
    if plan.speaker_names:
        names = plan.speaker_names.items()
        speakers = [
            f"{in_line(label or 'nobody')} is {in_line(name or 'nobody')}" for label, name in names
        ]
        more = " ..." if len(speakers) > _MAX_SHOWN else ""
        say(f"  speakers: {', '.join(speakers[:_MAX_SHOWN])}{more}")
    odd = sorted(plan.readings, key=lambda reading: reading.is_plain)
    for reading in odd[:_MAX_SHOWN]:
        for line in reading.lines():
            say(in_line(f"  {line}"))
    if len(odd) > _MAX_SHOWN:
        say(f"  ... and {plural(len(odd) - _MAX_SHOWN, 'more file')}: see `dynagrag inspect`")
    for name, count in plan.extracted_before.items():
        say(f"  {plural(count, 'document')} extracted by {name} before; those records are replaced")
    for source in plan.refused:
        say(f"  refused {in_line(source.path)}: {source.refused}")
    if plan.missing:
        what = "are deleted" if plan.removes_missing else "stay (--remove-missing deletes them)"
        say(f"  {plural(len(plan.missing), 'document')} whose files are gone {what}:")
        for document in plan.missing[:_MAX_SHOWN]:
            say(f"    {document.title}  ({in_line(document.uri)})")
        if len(plan.missing) > _MAX_SHOWN:
            say(f"    ... and {len(plan.missing) - _MAX_SHOWN} more")


def _print_estimate(prepared: "PreparedIngest") -> None:
    """After one call was timed, where the model runs here."""
    with Waiting("Timing one call"):
        seconds = prepared.time_one_call()
    estimate = prepared.estimate(seconds)
    if estimate is not None:
        money = "" if estimate.money is None else f", price {estimate.money:.2f}"
        timed = "" if seconds is None else f" (one took {seconds:.1f} s)"
        say(
            f"estimate: about {estimate.calls} calls, {estimate.prompt_tokens:,} prompt +"
            f" {estimate.completion_tokens:,} reply tokens,"
            f" {duration_text(estimate.seconds)}{timed}{money}"
        )
