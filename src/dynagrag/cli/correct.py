"""Correcting the graph from the command line: graph suggest, merge, keep-apart, split, rename,
sense, edits, undo-edit.
"""

import inspect
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, WORKSPACE
from dynagrag.cli.terminal import (
    complain,
    open_space,
    open_to_read,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural, times

if TYPE_CHECKING:
    from dynagrag.curation.corrections import Outcome
    from dynagrag.workspace.facade import Workspace

NAME = Annotated[str, typer.Argument(metavar="NAME", help="An entity, by any of its names.")]
NAMES = Annotated[
    list[str],
    typer.Argument(metavar="NAME", help="Two or more entities, each by any of its names."),
]
ALIASES = Annotated[list[str], typer.Argument(metavar="ALIAS", help="Names to take out of it.")]
TOGETHER = Annotated[
    bool,
    typer.Option(
        "--together", help="Make one entity of these names. Default: one entity per name."
    ),
]
NEW_NAME = Annotated[
    str, typer.Argument(metavar="NEW", help="Its new name, of at most 200 characters.")
]
MERGED_NAME = Annotated[
    str,
    typer.Option("--name", help="Name of the merged entity. Default: the fullest of their names."),
]
OTHER_NAME = Annotated[
    str, typer.Option("--name", help="Name of the other thing, if it isn't an entity yet.")
]
OTHER = Annotated[
    str, typer.Option("--is", help="The other thing, if it is an entity already: any of its names.")
]
IN = Annotated[
    list[str],
    typer.Option(
        "--in",
        help="A document (title, path or id) in which the name means the other thing; repeat it.",
    ),
]
EDIT = Annotated[
    str,
    typer.Argument(
        metavar="EDIT", help="A correction's id or the beginning of it, from `graph edits`."
    ),
]
REDO = Annotated[bool, typer.Option("--redo", help="Bring back a correction that was undone.")]
LIMIT = Annotated[int, typer.Option(min=1, help="Show at most this many pairs.")]
_MAX_CHANGES = 10
_RENAMED = {"apart": "keep-apart", "unedit": "undo-edit"}
"""Old names of commands, which still work, and the new ones."""


def _correction(act: "Callable[..., Outcome]") -> Callable[..., int]:
    """A command that corrects a workspace: the options of `act`, after the first, and those that
    all corrections share.
    """

    @wraps(act)
    def command(
        workspace: str | None,
        store: str | None,
        llm: str | None,
        embedder: str | None,
        as_json: bool,
        **own: Any,
    ) -> int:
        set_up_log(False)
        with open_space(workspace, read_settings(llm, embedder, store)) as space:
            done = act(space, **own)
        if as_json:
            rows = {
                name: [
                    {"name": e.name, "keys": e.keys, "weight": e.weight}
                    for e in getattr(done, name)
                ]
                for name in ("went", "came")
            }
            say_json(
                {
                    "edits": [asdict(e) for e in done.edits],
                    "entities": done.num_after,
                    **rows,
                    "notes": done.notes,
                }
            )
        else:
            say(
                f"{plural(done.num_before, 'entity', 'entities')} before, {done.num_after} now;"
                f" undo with `dynagrag graph undo-edit {done.edits[-1].id[:12]}`"
            )
            for sign, entities in (("-", done.went), ("+", done.came)):
                for entity in entities[:_MAX_CHANGES]:
                    also = f" (also: {', '.join(entity.aliases)})" if entity.aliases else ""
                    say(f"  {sign} {entity.name}, mentioned {times(entity.weight)}{also}")
            for note in done.notes:
                say(f"note: {note}")
        return 0

    shared = {
        "workspace": WORKSPACE,
        "store": STORE,
        "llm": LLM,
        "embedder": EMBEDDER,
        "as_json": JSON,
    }
    own = list(inspect.signature(act).parameters.values())[1:]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    added = [
        inspect.Parameter(
            name, kind, default=False if name == "as_json" else None, annotation=shared[name]
        )
        for name in shared
    ]
    signature = inspect.Signature([*own, *added], return_annotation=int)
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {
        parameter.name: parameter.annotation for parameter in (*own, *added)
    } | {"return": int}
    return command


@_correction
def merge(space: "Workspace", names: NAMES, name: MERGED_NAME = "") -> "Outcome":
    """Make one entity of several. Like every correction it holds in later ingests; `graph
    undo-edit` takes it back.

    Example: dynagrag graph merge "Jack Lousma" "Cap Com" --name Lousma
    """
    from dynagrag.curation import corrections

    return corrections.merge(space, names, name, by=corrections.somebody())


@_correction
def keep_apart(space: "Workspace", names: NAMES) -> "Outcome":
    """Say that entities are different. No rule and no model merges them, and `graph suggest` leaves
    them out.
    """
    from dynagrag.curation import corrections

    return corrections.keep_apart(space, names, by=corrections.somebody())


@_correction
def split(space: "Workspace", name: NAME, out: ALIASES, together: TOGETHER = False) -> "Outcome":
    """Take names out of an entity.

    Example: dynagrag graph split "Jack Lousma" "Cap Com"
    """
    from dynagrag.core.ids import entity_key
    from dynagrag.curation import corrections

    keys = {entity_key(alias) or alias: alias for alias in out}
    return corrections.split(
        space, name, list(keys), is_together=together, by=corrections.somebody()
    )


@_correction
def rename(space: "Workspace", name: NAME, new: NEW_NAME) -> "Outcome":
    """Give an entity another name. The names it had still find it."""
    from dynagrag.curation import corrections

    return corrections.rename(space, name, new, by=corrections.somebody())


@_correction
def sense(
    space: "Workspace", name: NAME, documents: IN, new: OTHER_NAME = "", other: OTHER = ""
) -> "Outcome":
    """Tell two things with one name apart. Name the documents in which it means the other thing.

    Example: dynagrag graph sense Mercury --in astronomy --name "Planet Mercury"
    """
    from dynagrag.curation import corrections

    if not new and not other:
        raise UsageError(
            "say what it is in these documents: --name for something new, or --is for an entity"
            " that is there"
        )
    ids = [space.documents.find(reference).id for reference in documents]
    return corrections.tell_senses_apart(
        space, name, ids, new, other=other, by=corrections.somebody()
    )


@_correction
def undo_edit(space: "Workspace", reference: EDIT, redo: REDO = False) -> "Outcome":
    """Take a correction back, or bring it back with --redo."""
    from dynagrag.curation import corrections

    return (corrections.redo_edit if redo else corrections.undo_edit)(
        space, reference, by=corrections.somebody()
    )


def suggest(
    workspace: WORKSPACE = None, store: STORE = None, limit: LIMIT = 20, as_json: JSON = False
) -> int:
    """List pairs of entities that may be one, likeliest first. Each comes with what speaks for and
    against it.

    Settle each with `graph merge` or `graph keep-apart`.
    """
    from dynagrag.curation.view import read_seen

    with open_to_read(workspace, read_settings(store=store)) as space:
        seen = read_seen(space.store)
    found = seen.suggestions[:limit]
    if as_json:
        say_json([asdict(s) | {"names": [seen.by_id[i].name for i in s.entity_ids]} for s in found])
        return 0
    for s in found:
        a, b = (seen.by_id[i] for i in s.entity_ids)
        say(
            f"{s.score:.2f}  {a.name} ({a.weight})  =  {b.name} ({b.weight})  ?"
            f" {'; '.join(s.reasons)}"
        )
        if s.against:
            say(f"      but {'; '.join(s.against)}")
    if not found:
        say("no suggestions")
    return 0


def edits(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """List all corrections, newest first. Each is in force, undone or inactive.

    A correction is inactive while the names that it is about are not in the graph. --json calls
    that state "sleeping".
    """
    from dynagrag.curation.view import history, read_seen

    with open_to_read(workspace, read_settings(store=store)) as space:
        lines = history(read_seen(space.store))
    if as_json:
        rows = [
            {
                **asdict(x.edit),
                "text": x.text,
                "state": x.state,
                "undone_by": x.undone_by.id if x.undone_by else None,
            }
            for x in lines
        ]
        say_json(rows)
        return 0
    for line in lines:
        say(
            f"{line.edit.id[:12]}  {line.state.word:<8}  {line.text}  ({line.edit.by},"
            f" {line.edit.at[:19]})"
        )
        if line.undone_by is not None:
            say(f"{'':14}undone by {line.undone_by.by}, {line.undone_by.at[:19]}")
    if not lines:
        say("no corrections")
    return 0


def register(graph_app: typer.Typer) -> None:
    """Adds the commands to `dynagrag graph`, and those that were renamed under their old names
    too.
    """
    commands: dict[str, Callable[..., int]] = {
        "suggest": suggest,
        "merge": merge,
        "keep-apart": keep_apart,
        "split": split,
        "rename": rename,
        "sense": sense,
        "edits": edits,
        "undo-edit": undo_edit,
    }
    for name, command in commands.items():
        graph_app.command(name)(command)
    for old, new in _RENAMED.items():
        graph_app.command(old, hidden=True)(_under_old_name(commands[new], old, new))


def _under_old_name(command: Callable[..., int], old: str, new: str) -> Callable[..., int]:
    @wraps(command)
    def renamed(**given: Any) -> int:
        complain(f"`graph {old}` is now `graph {new}`; the old name still works")
        return command(**given)

    return renamed
