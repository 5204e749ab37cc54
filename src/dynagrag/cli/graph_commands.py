"""`dynagrag graph`: looks at the graph, takes merges back, exports it; its corrections are in
correct.py, its copy in backup.py.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli import correct
from dynagrag.cli.backup import copy
from dynagrag.cli.options import EMBEDDER, FORCE, JSON, STORE, WORKSPACE
from dynagrag.cli.terminal import in_line, open_space, open_to_read, read_settings, say, say_json

graph_app = typer.Typer(
    help="Look at the graph, export it and correct it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@graph_app.command("stats")
def stats(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """Count records, entities, relations, documents and model calls.

    The average degree is given before and after consolidation. Two graphs with the same digest are
    the same.
    """
    from dynagrag.workspace.glossaries import glossaries_in_force

    with open_to_read(workspace, read_settings(store=store)) as space:
        if as_json:
            say_json(
                asdict(space.stats())
                | {"glossaries": [asdict(g) for g in glossaries_in_force(space.store.edits())]}
            )
        else:
            from dynagrag.workspace.glossaries import glossaries_in_force

            for name, value in asdict(space.stats()).items():
                say(f"{name:<22} {value}")
            say("documents:")
            for document in space.store.documents():
                say(f"  {document.id[:12]}  {document.title}  ({in_line(document.uri)})")
            for glossary in glossaries_in_force(space.store.edits()):
                say(
                    f"glossary {glossary.id[:12]}  {in_line(glossary.name)}: {glossary.num_terms:,}"
                    " terms,"
                    f" {glossary.num_aliases:,} aliases ({glossary.by}, {glossary.at[:19]}); remove"
                    " it with"
                    f" `dynagrag graph undo-edit {glossary.id[:12]}`"
                )
            by_stage: dict[str, list[float]] = {}
            for row in space.journal.ledger():
                sums = by_stage.setdefault(row.stage, [0, 0, 0, 0, 0])
                for i, value in enumerate(
                    (row.calls, row.cached, row.prompt_tokens, row.completion_tokens, row.seconds)
                ):
                    sums[i] += value
            for stage, sums in by_stage.items():
                say(
                    f"spent on {stage:<12} {sums[0]:.0f} calls ({sums[1]:.0f} cached),"
                    f" {sums[2]:,.0f} +"
                    f" {sums[3]:,.0f} tokens, {sums[4]:.1f} s"
                )
            for item in space.journal.set_asides():
                say(
                    f"set aside: document {item.document_id[:12]} [{item.start}:{item.end}]:"
                    f" {item.reason}"
                )
    return 0


@graph_app.command("show")
def show(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="An entity, by any of its names. Default: the most mentioned entities.",
        ),
    ] = None,
    workspace: WORKSPACE = None,
    store: STORE = None,
    limit: Annotated[
        int, typer.Option(min=1, help="Show at most this many lines of each kind.")
    ] = 20,
    as_json: JSON = False,
) -> int:
    """Show an entity with its relations and evidence. Without NAME, show the most mentioned
    entities and relations.
    """
    from dynagrag.curation.graph_printing import entity_lines, overview_lines
    from dynagrag.curation.graph_queries import entity_view, overview

    with open_to_read(workspace, read_settings(store=store)) as space:
        view = overview(space, limit) if name is None else entity_view(space, name, limit)
    if as_json:
        say_json(view)
    else:
        for line in overview_lines(view) if name is None else entity_lines(view):
            say(line)
    return 0


@graph_app.command("near")
def near(
    name: Annotated[str, typer.Argument(metavar="NAME", help="An entity, by any of its names.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    hops: Annotated[int, typer.Option(min=1, max=5, help="How many relations away to look.")] = 1,
    limit: Annotated[
        int,
        typer.Option(min=1, max=1000, help="Show at most this many relations, the heaviest first."),
    ] = 30,
    as_json: JSON = False,
) -> int:
    """Show what surrounds an entity. It is quick in large graphs too: it reads only what it
    shows.
    """
    from dynagrag.curation.graph_printing import near_lines
    from dynagrag.curation.graph_queries import near_view

    with open_to_read(workspace, read_settings(store=store)) as space:
        view = near_view(space, name, hops, limit)
    if as_json:
        say_json(view)
    else:
        for line in near_lines(view):
            say(line)
    return 0


@graph_app.command("merges")
def merges(
    workspace: WORKSPACE = None,
    store: STORE = None,
    words: Annotated[
        bool,
        typer.Option("--words", help="Also list the merges of plain words, which are no entities."),
    ] = False,
    as_json: JSON = False,
) -> int:
    """List which names were merged, and by what rule or model."""
    from dynagrag.graph_store.derived.linking_words import merges_of_things

    with open_to_read(workspace, read_settings(store=store)) as space:
        every = space.store.consolidation().merges
        found = every if words else merges_of_things(every, space.graph())
    if as_json:
        say_json([asdict(m) for m in found])
        return 0
    for merge in found:
        say(
            f"{merge.id[:12]}  {merge.canonical}  <- "
            f" {', '.join(k for k in merge.members if k != merge.canonical)}  ({merge.rule})"
        )
    if not found:
        say("no merges")
    if len(found) < len(every):
        say(f"and {len(every) - len(found):,} of plain words (--words lists them)")
    return 0


@graph_app.command("undo")
def undo(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="MERGE", help="A merge's id or the beginning of it, from `graph merges`."
        ),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
) -> int:
    """Take a merge back. It stays undone in later ingests."""
    from dynagrag.curation.corrections import somebody, undo_made_merge

    with open_space(workspace, read_settings(embedder=embedder, store=store)) as space:
        outcome = undo_made_merge(space, reference, by=somebody())
    say(
        f"{', '.join(outcome.edits[0].keys)} are apart again; the graph has {outcome.num_after}"
        " entities"
    )
    return 0


@graph_app.command("export")
def export(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help=(
                "File to write. Its ending says the format: .graphml, .json or .csv (two files:"
                " NAME.entities.csv, NAME.relations.csv)."
            ),
        ),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    force: FORCE = False,
) -> int:
    """Write the graph to a file for you alone, as GraphML, JSON or CSV.

    In CSV a text that a spreadsheet would run as a formula begins with an apostrophe.

    Example: dynagrag graph export talks.graphml
    """
    from dynagrag.config.own_files import check_output
    from dynagrag.curation import graph_export

    settings = read_settings(store=store)
    for path in graph_export.targets_of(file):
        check_output(path, settings)
    with open_to_read(workspace, settings) as space:
        for path in graph_export.export(space.graph(), file, force):
            say(str(path))
    return 0


graph_app.command("copy")(copy)
correct.register(graph_app)
