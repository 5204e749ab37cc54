"""Glossary files of a workspace: read before anything is done, stored as a person's edits, listed.

A glossary is one edit, so it holds in later ingests, goes into backups and copies, and is taken
back as edits are. A file of the same name takes the place of the one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import entity_key, plain_key
from dynagrag.core.protocols import GraphStore, RecordStore
from dynagrag.core.schema import Edit, EditKind, Graph
from dynagrag.core.text import plural, short
from dynagrag.graph_store.derived.canonical import effective_edits
from dynagrag.graph_store.derived.glossary import glossary_rows, glossary_text
from dynagrag.graph_store.derived.linking_words import is_word
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.ingest.load.glossary_file import GlossaryFile, read_glossary_file
from dynagrag.workspace.edit_stamp import Stamp, somebody

_MAX_TERMS = 5
"""Named in a line."""


@dataclass(frozen=True, slots=True)
class GlossaryInForce:
    """A stored glossary: its edit's id, its file's name, how many terms and aliases, who brought it
    when.
    """

    id: str
    name: str
    num_terms: int
    num_aliases: int
    by: str
    at: str


def read_glossaries(
    paths: Sequence[str], stored: RecordStore | None = None
) -> tuple[GlossaryFile, ...]:
    """The files, read, each once. LoadError where one can't be; UsageError where two have one name,
    of which only one could hold. With a store, those are left out that are gone and were stored
    before.
    """
    path_of: dict[str, str] = {}
    for path in paths:
        if Path(path_of.setdefault(Path(path).name, path)).absolute() != Path(path).absolute():
            raise UsageError(
                f"two glossaries are called {Path(path).name!r}, and one would take the other's"
                " place; rename one of them"
            )
    edits = stored.edits() if stored is not None and paths else ()
    known = {glossary.name for glossary in glossaries_in_force(edits)}
    return tuple(
        read_glossary_file(Path(path))
        for name, path in path_of.items()
        if name not in known or Path(path).exists()
    )


def glossaries_in_force(edits: Sequence[Edit]) -> tuple[GlossaryInForce, ...]:
    """The stored glossaries that hold, oldest first."""
    found = []
    for edit in effective_edits(edits):
        if edit.kind is EditKind.GLOSSARY:
            rows = glossary_rows(edit)
            found.append(
                GlossaryInForce(
                    edit.id,
                    edit.name,
                    len(rows),
                    sum(len(r.aliases) for r in rows),
                    edit.by,
                    edit.at,
                )
            )
    return tuple(found)


def store_glossaries(store: RecordStore, files: Sequence[GlossaryFile]) -> None:
    """Stores those that aren't there as they are. The caller holds the workspace, and derives the
    graph.
    """
    for file in files:
        edits = store.edits()
        text, stamp = glossary_text(file.rows), Stamp(edits, somebody())
        glossaries = [e for e in effective_edits(edits) if e.kind is EditKind.GLOSSARY]
        own = [e for e in glossaries if e.name == file.name]
        if any(e.what == text for e in own):
            continue
        for old in own:
            store.put_edit(stamp.edit(EditKind.UNDO, (), what=old.id))
        store.put_edit(stamp.edit(EditKind.GLOSSARY, (), name=file.name, what=text))


def glossary_lines(files: Sequence[GlossaryFile]) -> list[str]:
    """Notes for the user on imported glossaries."""
    lines = []
    for file in files:
        lines.append(
            f"glossary {file.name}: {plural(len(file.rows), 'term')},"
            f" {plural(file.num_aliases, 'alias', 'aliases')}"
        )
        lines += [f"  {note}" for note in file.notes]
    return lines


def terms_not_found(file: GlossaryFile, graph: Graph) -> list[str]:
    """The terms of a glossary that are no entity's, and whose aliases aren't either: misspelt, or
    not in these sources.
    """
    found = {plain_key(key) for entity in graph.entities for key in entity.keys}
    return [
        row.term for row in file.rows if found.isdisjoint(map(entity_key, (row.term, *row.aliases)))
    ]


def plain_words(file: GlossaryFile, store: RecordStore) -> list[str]:
    """Names that the glossary writes with a capital and that stand for their term in lower case
    too, as a plain word: `the Fourth`.
    """
    names = {
        entity_key(name): name
        for row in file.rows
        for name in (row.term, *row.aliases)
        if not name.islower()
    }
    counted = counting_mentions(store.mentions(), len(store.passages()))
    return sorted({names[m.key] for m in counted if is_word(m) and m.key in names})


def lines_once_made(files: Sequence[GlossaryFile], store: GraphStore) -> list[str]:
    """Remarks on glossaries once the graph is made."""
    lines = []
    for file in files:
        if terms := terms_not_found(file, store.graph()):
            of = f"{len(terms):,} of {plural(len(file.rows), 'term')} of {file.name}"
            lines.append(f"{of} named nothing that was found in the sources: {_shown(terms)}")
        if words := plain_words(file, store):
            warning = (
                f"{file.name} has names that the sources use as plain words, which stand for the"
                f" terms now: {_shown(words)}"
            )
            lines.append(f"{warning}; leave out those that mean something else")
    return lines


def _shown(names: Sequence[str]) -> str:
    return ", ".join(short(name) for name in names[:_MAX_TERMS]) + (
        " ..." if len(names) > _MAX_TERMS else ""
    )
