"""Correcting the graph from the command line: graph suggest, merge, apart, split, rename, sense, edits, unedit."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.terminal import EMBEDDER, JSON, LLM, STORE, WORKSPACE, open_space, read_settings, say, say_json, set_up_log
from dynagrag.errors import UsageError
from dynagrag.text import times

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynagrag.curation.corrections import Outcome
    from dynagrag.workspace.facade import Workspace

NAME = Annotated[str, typer.Argument(metavar="NAME", help="An entity, by any of its names.")]
NAMES = Annotated[list[str], typer.Argument(metavar="NAME...", help="Entities, by any of their names; two or more.")]


def suggest(
    workspace: WORKSPACE = None,
    store: STORE = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: JSON = False,
) -> int:
    """Lists entities that may be one, likeliest first, with what speaks for and against it. `graph merge` or `graph apart` settles each."""
    from dynagrag.curation.view import read_seen

    with open_space(workspace, read_settings(store=store)) as space:
        seen = read_seen(space.store)
    found = seen.suggestions[:limit]
    if as_json:
        say_json([asdict(s) | {"names": [seen.by_id[i].name for i in s.entity_ids]} for s in found])
        return 0
    for s in found:
        a, b = (seen.by_id[i] for i in s.entity_ids)
        say(f"{s.score:.2f}  {a.name} ({a.weight})  =  {b.name} ({b.weight})  ? {'; '.join(s.reasons)}")
        if s.against:
            say(f"      but {'; '.join(s.against)}")
    if not found:
        say("no suggestions")
    return 0


def merge(
    names: NAMES,
    name: Annotated[str, typer.Option("--name", help="What the entity is called (default: as the most mentioned).")] = "",
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Makes one entity of several. Like every correction it is kept, holds in later ingests, and is taken back with `graph unedit`."""
    from dynagrag.curation import corrections

    return _correct(lambda s: corrections.merge(s, names, name, by=corrections.somebody()), workspace, store, llm, embedder, as_json)


def apart(
    names: NAMES,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Says that entities are not the same: neither a rule nor a model merges them, and they are suggested no more."""
    from dynagrag.curation import corrections

    return _correct(lambda s: corrections.keep_apart(s, names, by=corrections.somebody()), workspace, store, llm, embedder, as_json)


def split(
    name: NAME,
    out: Annotated[list[str], typer.Argument(metavar="ALIAS...", help="Which of its names leave it.")],
    together: Annotated[bool, typer.Option("--together", help="As one entity, instead of each on its own.")] = False,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Takes names out of an entity."""
    from dynagrag.curation import corrections
    from dynagrag.ids import entity_key

    def act(space: "Workspace") -> "Outcome":
        keys = {entity_key(alias) or alias: alias for alias in out}
        return corrections.split(space, name, list(keys), is_together=together, by=corrections.somebody())

    return _correct(act, workspace, store, llm, embedder, as_json)


def rename(
    name: NAME,
    new: Annotated[str, typer.Argument(metavar="NEW", help="What it is called from now on; at most 200 characters.")],
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Gives an entity another name. The names under which it was said still find it."""
    from dynagrag.curation import corrections

    return _correct(lambda s: corrections.rename(s, name, new, by=corrections.somebody()), workspace, store, llm, embedder, as_json)


def sense(
    name: NAME,
    documents: Annotated[list[str], typer.Option("--in", help="A document in which it stands for something else; may be repeated.")],
    new: Annotated[str, typer.Option("--name", help="What the other thing is called.")] = "",
    other: Annotated[str, typer.Option("--is", help="The entity that it is there, if there is one already.")] = "",
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Homonyms: tells two things with one name apart, by the documents in which the name stands for the other one."""
    from dynagrag.curation import corrections

    if not new and not other:
        raise UsageError("say what it is in these documents: --name for something new, or --is for an entity that is there")

    def act(space: "Workspace") -> "Outcome":
        ids = [space.find_document(reference).id for reference in documents]
        return corrections.tell_senses_apart(space, name, ids, new, other=other, by=corrections.somebody())

    return _correct(act, workspace, store, llm, embedder, as_json)


def edits(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """Lists all corrections, newest first: what, who, when; in force, undone, or sleeping since their names are gone."""
    from dynagrag.curation.view import history, read_seen

    with open_space(workspace, read_settings(store=store)) as space:
        lines = history(read_seen(space.store))
    if as_json:
        rows = [{**asdict(x.edit), "text": x.text, "state": x.state, "undone_by": x.undone_by.id if x.undone_by else None} for x in lines]
        say_json(rows)
        return 0
    for line in lines:
        say(f"{line.edit.id[:12]}  {line.state.value:<8}  {line.text}  ({line.edit.by}, {line.edit.at[:19]})")
        if line.undone_by is not None:
            say(f"{'':14}undone by {line.undone_by.by}, {line.undone_by.at[:19]}")
    if not lines:
        say("no corrections")
    return 0


def unedit(
    reference: Annotated[str, typer.Argument(metavar="EDIT", help="A correction's id (or its beginning), from `graph edits`.")],
    redo: Annotated[bool, typer.Option("--redo", help="Bring one back that was undone.")] = False,
    workspace: WORKSPACE = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Takes a correction back, or with --redo brings it back."""
    from dynagrag.curation import corrections

    act = corrections.redo_edit if redo else corrections.undo_edit
    return _correct(lambda s: act(s, reference, by=corrections.somebody()), workspace, store, llm, embedder, as_json)


def _correct(
    act: "Callable[[Workspace], Outcome]", workspace: str | None, store: str | None, llm: str | None, embedder: str | None, as_json: bool
) -> int:
    set_up_log(False)
    with open_space(workspace, read_settings(llm, embedder, store)) as space:
        done = act(space)
    if as_json:
        say_json(_json(done))
        return 0
    say(f"{done.num_before} entities before, {done.num_after} now; taken back with `dynagrag graph unedit {done.edits[-1].id[:12]}`")
    for sign, entities in (("-", done.went), ("+", done.came)):
        for entity in entities[:10]:
            say(
                f"  {sign} {entity.name}, mentioned {times(entity.weight)}"
                + (f" (also: {', '.join(entity.aliases)})" if entity.aliases else "")
            )
    for note in done.notes:
        say(f"note: {note}")
    return 0


def _json(done: "Outcome") -> dict[str, Any]:
    rows = {name: [{"name": e.name, "keys": e.keys, "weight": e.weight} for e in getattr(done, name)] for name in ("went", "came")}
    return {"edits": [asdict(e) for e in done.edits], "entities": done.num_after, **rows, "notes": done.notes}


def register(graph_app: typer.Typer) -> None:
    """Adds the commands to `dynagrag graph`."""
    for command in (suggest, merge, apart, split, rename, sense, edits, unedit):
        graph_app.command(command.__name__)(command)
