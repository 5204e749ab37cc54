"""`dynagrag embedder`: another embedder for a workspace that exists."""

from dataclasses import asdict
from typing import Annotated

import typer

from dynagrag.cli.options import JSON, STORE, WORKSPACE
from dynagrag.cli.terminal import ProgressBars, complain, open_space, read_settings, say, say_json

embedder_app = typer.Typer(
    help="Give a workspace another embedder.", no_args_is_help=True, rich_markup_mode=None
)


@embedder_app.command("use")
def use(
    spec: Annotated[
        str,
        typer.Argument(metavar="EMBEDDER", help="As --embedder takes it, e.g. bge-small."),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show the estimate, or what would be fetched; change nothing."
        ),
    ] = False,
    give_up: Annotated[
        bool,
        typer.Option("--give-up", help="Remove what an unfinished switch has made, and stop."),
    ] = False,
    as_json: JSON = False,
) -> int:
    """Embed all texts of a workspace again, and make its graph of the new vectors.

    Questions are answered with the old vectors until the new ones replace them, in one transaction.
    Ctrl-C pauses; the same command goes on, also after a crash. Trained pruners and soft prompts
    belong to the embedder of before: train them again.

    Example: dynagrag embedder use bge-small -w talks
    """
    from dynagrag.config.settings import where_set
    from dynagrag.models.embedders import open_embedder
    from dynagrag.models.local_embedder import LocalEmbedder
    from dynagrag.upkeep.embedder_switch import estimate_switch, give_up_switch, switch_embedder
    from dynagrag.workspace.own_embedder import is_named

    settings = read_settings(embedder=spec, store=store)
    with open_space(workspace, settings) as space:
        if give_up:
            say("removed" if give_up_switch(space) else "there was no unfinished switch")
            return 0
        opened = open_embedder(spec, settings)
        local = opened if isinstance(opened, LocalEmbedder) else None
        if dry_run and local is not None and (fetched := local.to_fetch()):
            if as_json:
                say_json({"to_fetch": fetched})
            else:
                say(
                    f"it would fetch {fetched} first; nothing was fetched. The time is estimated"
                    f" once it is there: `dynagrag models pull {spec}`"
                )
            return 0
        found = estimate_switch(space, space.embedder)
        if local is not None and (note := local.catalogue_note()):
            complain(note)
        if dry_run and as_json:
            say_json(asdict(found) | {"seconds": found.seconds})
            return 0
        if not as_json and found.before is not None:
            say(
                f"from {found.before.name} to {found.after.name} ({found.after.dimension}"
                f" dimensions): {found}"
            )
        if dry_run:
            return 0
        try:
            with ProgressBars(as_json) as progress:
                report = switch_embedder(space, space.embedder, progress)
        except KeyboardInterrupt:
            complain("paused; the same command goes on where it stopped, --give-up removes it")
            raise
    if as_json:
        say_json(asdict(report))
        return 0
    say(
        f"{report.num_vectors:,} vectors of {report.after.name};"
        f" {report.num_entities:,} entities. Commands use it for this workspace from now on."
    )
    if (other := read_settings()).embedder != spec and is_named(other):
        complain(
            f"{where_set('embedder')} names {other.embedder}, with which it can't be asked any"
            f" more: take that out, or write --embedder {spec}"
        )
    return 0
