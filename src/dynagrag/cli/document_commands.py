"""The documents of a workspace from the command line: list, rename and delete them, and correct
their language.
"""

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, WORKSPACE, YES
from dynagrag.cli.terminal import (
    confirm,
    in_line,
    open_space,
    open_to_read,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural

if TYPE_CHECKING:
    from dynagrag.core.schema import Document, Turn
    from dynagrag.workspace.facade import Workspace

_NUM_SPEAKERS = 4


def documents(workspace: WORKSPACE = None, store: STORE = None, as_json: JSON = False) -> int:
    """List a workspace's documents: title, turns, words, language, who speaks most, and the path
    they came from.

    `rename`, `set-language`, `delete` and `ask --document` take a title, a path or an id, which
    --json gives.
    """
    set_up_log(False)
    from dynagrag.language.identification import language_name

    with open_to_read(workspace, read_settings(store=store)) as space:
        found = sorted(space.store.documents(), key=lambda d: (d.title.casefold(), d.uri))
        turns = {document.id: space.store.turns(document.id) for document in found}
    if as_json:
        say_json([_row(document, turns[document.id]) for document in found])
        return 0
    for document in found:
        row = _row(document, turns[document.id])
        names = row["speakers"]
        spoken = (
            f", {', '.join(names[:_NUM_SPEAKERS])}{' …' if len(names) > _NUM_SPEAKERS else ''}"
            if names
            else ""
        )
        say(
            in_line(
                f"{document.title}: {plural(len(turns[document.id]), 'turn')}, {row['words']:,}"
                f" words, {language_name(row['language'])}{spoken}; {document.uri}"
            )
        )
    if not found:
        say("no documents; `dynagrag ingest PATH` brings some in")
    return 0


def _row(document: "Document", turns: "tuple[Turn, ...]") -> dict[str, Any]:
    from dynagrag.language.document_language import language_of_document

    spoken: Counter[str] = Counter()
    for turn in turns:
        spoken[turn.speaker or ""] += turn.end - turn.start
    return {
        "id": document.id,
        "title": document.title,
        "path": document.uri,
        "turns": len(turns),
        "words": len(document.text.split()),
        "language": language_of_document(document),
        "speakers": [speaker for speaker, _ in spoken.most_common() if speaker],
    }


def delete(
    reference: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="A document's id, path or title.")
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
    llm: LLM = None,
    yes: YES = False,
    as_json: JSON = False,
) -> int:
    """Delete a document and all that came from it.

    Records, graph, vectors and cached replies go; so do conversations that quote it, corrections of
    names that only it held, and its uploaded file. Backups, exports, runs of `evaluate` and a
    trained pruner, which holds no words, stay. A deletion that was interrupted is finished by the
    next command on the workspace, and can be repeated. Where nobody can be asked, --yes is needed.
    """
    set_up_log(False)
    with open_space(workspace, read_settings(llm, embedder, store)) as space:
        is_gone = space.documents.is_deleted(reference)
        document, report = space.documents.delete(
            reference if is_gone else _confirmed(space, reference, yes)
        )
        if as_json:
            say_json({"deleted": document.id, "title": document.title, "graph": asdict(report)})
        else:
            done = (
                f"{document.title} was deleted before, and nothing of it is left"
                if is_gone
                else f"deleted {document.title}"
            )
            say(
                f"{done}; the graph has {plural(report.num_entities, 'entity', 'entities')} and"
                f" {plural(report.num_relations, 'relation')}"
            )
    return 0


def rename(
    reference: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="A document's id, path or title.")
    ],
    title: Annotated[
        str,
        typer.Argument(metavar="TITLE", help="What lists, citations and prompts shall call it."),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Give a document another title, which stays when its file changes. Path and id stay; entities
    are renamed with `graph rename`.
    """
    set_up_log(False)

    with open_space(workspace, read_settings(None, embedder, store)) as space:
        renamed = space.documents.rename(reference, title)
    if as_json:
        say_json({"renamed": renamed.id, "title": renamed.title})
    else:
        say(f"{renamed.uri} is called {renamed.title!r} now")
    return 0


def set_language(
    reference: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="A document's id, path or title.")
    ],
    language: Annotated[
        str,
        typer.Argument(metavar="LANGUAGE", help="Its ISO 639-1 code or English name: de, German."),
    ],
    workspace: WORKSPACE = None,
    store: STORE = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
) -> int:
    """Correct a document's language, which stays when its file changes. Questions find its words by
    that language's stems at once; its sentences are parted by that language's rules when its file
    is ingested again.
    """
    set_up_log(False)
    from dynagrag.language.identification import language_name

    with open_space(workspace, read_settings(None, embedder, store)) as space:
        changed = space.documents.set_language(reference, language)
    if as_json:
        say_json({"id": changed.id, "language": changed.language})
    else:
        say(in_line(f"{changed.title} is in {language_name(changed.language)} now"))
    return 0


def _confirmed(space: "Workspace", reference: str, yes: bool) -> str:
    """The id of the document that shall go."""
    found = space.documents.find(reference)
    if not confirm(
        f"Delete {found.title!r} ({found.uri}) from workspace {space.name!r}?",
        yes,
        without_terminal=False,
    ):
        raise UsageError(f"nothing was deleted: confirm the deletion of {found.title!r} with --yes")
    return found.id
