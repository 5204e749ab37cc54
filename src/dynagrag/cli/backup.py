"""Looking after a workspace from the command line: doctor, backup, restore, graph copy."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.options import EMBEDDER, FORCE, JSON, LLM, STORE, WORKSPACE, YES
from dynagrag.cli.terminal import (
    ProgressBars,
    complain,
    confirm,
    open_space,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
from dynagrag.registry.stores import StoreAddress, store_words


def doctor(
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help=(
                "Mend the store first (missing indexes, orphaned records) and derive the graph"
                " again."
            ),
        ),
    ] = False,
    as_json: JSON = False,
) -> int:
    """Check installation, settings, models, store and workspace. Exit 1 when something is wrong."""
    set_up_log(False)
    from dynagrag.upkeep.doctor import check
    from dynagrag.upkeep.doctor import repair as mend

    settings = read_settings(llm, embedder, store)
    checks = [*(mend(settings, workspace) if repair else []), *check(settings, workspace)]
    if as_json:
        say_json([asdict(c) for c in checks])
    else:
        for item in checks:
            remedy = f"; {item.remedy}" if item.remedy and not item.is_ok else ""
            say(
                f"{'ok  ' if item.is_ok else 'BAD '} {item.what:<22}"
                f" {' '.join(item.finding.split())}{remedy}"
            )
    return 0 if all(c.is_ok for c in checks) else 1


def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File to write, such as talks.dynagrag.zip.")
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> int:
    """Write a workspace to one file. It holds records, graph, vectors and the journal of model
    calls. An ingest may be running.
    """
    set_up_log(False)
    from dynagrag.upkeep.workspace_backup import back_up

    with (
        open_space(workspace, read_settings(store=store)) as space,
        ProgressBars(as_json) as progress,
    ):
        manifest = back_up(space, file, is_forced=force, progress=progress)
        why = ", since an ingest is under way" if space.journal.job_book.is_any_running() else ""
    if as_json:
        say_json({"file": str(file)} | manifest.model_dump())
        return 0
    size, num, digest = file.stat().st_size, manifest.counts["documents"], manifest.digest[:12]
    say(
        f"{file}: workspace {manifest.workspace}, {plural(num, 'document')}, {size / 1e6:.1f} MB,"
        f" digest {digest}"
    )
    if not manifest.is_current:
        complain(
            f"the graph in the file is older than its records{why}; it is derived again once it is"
            " restored"
        )
    return 0


def restore(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file that `dynagrag backup` wrote.")
    ],
    workspace: Annotated[
        str | None,
        typer.Option(
            "--workspace",
            "-w",
            help=(
                "Check that the backup has this name: it is restored under its own, and `dynagrag"
                " workspaces rename` gives it another. Default: any."
            ),
        ),
    ] = None,
    store: STORE = None,
    as_json: JSON = False,
) -> int:
    """Restore a workspace from a backup. The workspace must not exist; the whole file is checked
    before anything is written.
    """
    set_up_log(False)
    from dynagrag.upkeep.workspace_backup import restore as put_back

    with ProgressBars(as_json) as progress:
        restored = put_back(file, read_settings(store=store), workspace, progress)
    manifest = restored.manifest
    if as_json:
        say_json({"address": restored.address} | manifest.model_dump())
        return 0
    name, num, digest = manifest.workspace, manifest.counts["documents"], manifest.digest[:12]
    say(
        f"workspace {name}: {plural(num, 'document')}, digest {digest}, in {restored.address};"
        f" ask it with -w {name}"
    )
    return 0


def copy(
    source: Annotated[
        str,
        typer.Option("--from", help=f"Store that holds the workspace: {store_words()}."),
    ],
    target: Annotated[str, typer.Option("--to", help=f"Store to copy it to: {store_words()}.")],
    workspace: WORKSPACE = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Delete what the target holds of this workspace first."),
    ] = False,
    yes: YES = False,
    as_json: JSON = False,
) -> int:
    """Copy a workspace to another store. If it is stopped, run it again to resume. A
    server's password is a setting, such as NEO4J_PASSWORD.

    Example: dynagrag graph copy --from sqlite --to bolt://localhost:7687
    """
    set_up_log(False)
    from dynagrag.upkeep.workspace_backup import copy_between
    from dynagrag.workspace.address import workspace_meant

    settings = read_settings()
    name, shown = workspace_meant(workspace, settings), StoreAddress(target).shown
    if replace and not confirm(
        f"Delete workspace {name!r} in {shown} before copying it there?",
        yes,
        without_terminal=False,
    ):
        raise UsageError(
            f"nothing was copied: confirm that workspace {name!r} in {shown} is replaced with --yes"
        )
    with ProgressBars(as_json) as progress:
        report = copy_between(
            settings, name, source, target, is_replacing=replace, progress=progress
        )
    if as_json:
        say_json(asdict(report))
        return 0
    say(
        f"copied {plural(report.num_documents, 'document')} ({report.num_sent} sent by this run),"
        f" digest {report.digest}"
    )
    say(f"workspace {name} stays where it was; use the copy with --store {shown}")
    return 0
