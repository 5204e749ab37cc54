"""`dynagrag workspaces`: which workspaces there are, another name for one, and the end of one."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import JSON, YES
from dynagrag.cli.terminal import complain, confirm, read_settings, say, say_json, set_up_log
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural

if TYPE_CHECKING:
    from dynagrag.workspace.workspace_catalog import Holdings

workspaces_app = typer.Typer(help="List, rename and delete workspaces.", no_args_is_help=True)


@workspaces_app.command("list")
def list_workspaces(as_json: JSON = False) -> int:
    """List workspaces with what they hold, and where."""
    set_up_log(False)
    from dynagrag.workspace.workspace_catalog import read_holdings, workspace_names

    settings = read_settings()
    found = [read_holdings(name, settings) for name in workspace_names(settings)]
    if as_json:
        say_json([asdict(one) for one in found])
        return 0
    for one in found:
        say(_line(one))
    if not found:
        say(
            f"there is no workspace in {settings.workspaces_dir} yet; `dynagrag ingest PATH`"
            " makes one"
        )
    return 0


def _line(found: "Holdings") -> str:
    counted = (
        f"{plural(found.num_documents, 'document')},"
        f" {plural(found.num_entities, 'entity', 'entities')},"
        f" {plural(found.num_relations, 'relation')}"
    )
    return (
        f"{found.name}: {found.error or counted}; {found.size_bytes / 1e6:.1f} MB, in"
        f" {found.address}"
    )


@workspaces_app.command("rename")
def rename_workspace(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The workspace's name.")],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="Its new name: up to 64 letters, digits, dots, dashes and underscores.",
        ),
    ],
    as_json: JSON = False,
) -> int:
    """Give a workspace another name. Its conversations, notes, corrections, jobs, pruner, soft
    prompts and evaluation runs stay with it.

    Nothing is copied: its folder is moved, and its store keeps the name that it was made with, in a
    Neo4j server (property `ws`) and in backups too. No ingest or evaluation may be at work in it;
    an app that has it open finds it under the new name. Documents are renamed with `rename`.
    """
    set_up_log(False)
    from dynagrag.upkeep.workspace_renaming import rename_workspace as give_name

    settings = read_settings()
    give_name(old, new, settings)
    if as_json:
        say_json({"renamed": old, "name": new})
        return 0
    say(f"workspace {old} is called {new} now; ask it with -w {new}")
    if settings.workspace == old:
        complain(
            f"the setting `workspace` still says {old!r}, which commands without -w make anew; set"
            f" DYNAGRAG_WORKSPACE={new}"
        )
    return 0


@workspaces_app.command("delete")
def delete_workspace(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The workspace's name.")],
    leave_server: Annotated[
        bool,
        typer.Option(
            "--leave-server",
            help=(
                "Delete only what is on this machine: of a Neo4j server that can't be reached any"
                " more."
            ),
        ),
    ] = False,
    yes: YES = False,
    as_json: JSON = False,
) -> int:
    """Delete a workspace for good: documents, graph, vectors, cached replies, jobs, conversations,
    corrections and uploaded files.

    Files elsewhere on this machine stay, and so do backups, exports and runs of `evaluate`. No
    ingest or evaluation may be at work in it. Where nobody can be asked, --yes is needed. A
    document is deleted with `delete`.
    """
    set_up_log(False)
    from dynagrag.evaluation.frame.renamed_workspace import check_no_run
    from dynagrag.workspace.workspace_catalog import delete_workspace as remove
    from dynagrag.workspace.workspace_catalog import (
        read_holdings,
        unknown_workspace,
        workspace_names,
    )

    settings = read_settings()
    if name not in workspace_names(settings):
        raise unknown_workspace(name, str(settings.workspaces_dir), settings)
    check_no_run(settings.home, name)
    if not yes and not confirm(
        f"Delete workspace {_line(read_holdings(name, settings))}?", yes, without_terminal=False
    ):
        raise UsageError(
            f"nothing was deleted: confirm the deletion of workspace {name!r} with --yes"
        )
    remove(name, settings, leaves_server=leave_server)
    if as_json:
        say_json({"deleted": name})
        return 0
    say(f"deleted workspace {name}")
    return 0
