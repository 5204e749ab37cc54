"""A glossary that a visitor brings: kept in its workspace's `glossaries` folder, where a resumed
run finds it, and read before anything starts. What can't be read is not kept.
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.files.private_files import make_folder
from dynagrag.core.text import plural
from dynagrag.ingest.load.glossary_file import MAX_BYTES, read_glossary_file
from dynagrag.ui import state
from dynagrag.ui.safe_markdown import plain
from dynagrag.ui.safe_name import safe_name
from dynagrag.workspace.workspace_folder import workspace_folder

_FOLDER = "glossaries"
_STATE = "glossary"
_HELP = (
    "Names that are one thing: CSV with the columns term, aliases, definition, or JSON with the"
    " same. It is stored and holds in later ingests; a file of the same name takes its place."
    " Curate takes it back."
)


def ask(settings: Settings, workspace: str) -> tuple[str, ...]:
    """The path of the glossary in the box, once it could be read; none without one. What was read
    is said below the box.
    """
    number = state.remembered("upload_number", 0)
    file = st.file_uploader("Glossary", key=f"glossary_{workspace}_{number}", help=_HELP)
    if file is None:
        return ()
    read: tuple[str, str, tuple[str, ...]] = state.remembered(_STATE, ("", "", ()))
    if read[0] != file.file_id:
        with state.shown_errors():
            read = (file.file_id, *keep(folder_of(settings, workspace), file.name, file))
            state.remember(_STATE, read)
    if read[0] != file.file_id:
        return ()
    _, path, said = read
    for line in said:
        st.caption(plain(line))
    return (path,)


def folder_of(settings: Settings, workspace: str) -> Path:
    """Where a workspace's glossaries lie, as `workspace_folder` has it."""
    return workspace_folder(settings, workspace, _FOLDER)


def keep(folder: Path, name: str, content: IO[bytes]) -> tuple[str, tuple[str, ...]]:
    """Keeps a glossary that can be read: its path, and what is to be said of it. It takes the place
    of a file of the same name.

    LoadError where it can't be read; nothing is kept then, and what was there stays.
    """
    name = safe_name(name)
    data = content.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise LoadError(f"glossary {name} is larger than {MAX_BYTES // 1024**2} MiB; split it")
    make_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".partial-") as aside:
        partial = Path(aside) / name
        partial.write_bytes(data)
        try:
            made = read_glossary_file(partial)
        except LoadError as err:
            raise LoadError(str(err).replace(str(partial), name)) from None
        os.replace(partial, folder / name)
    head = f"{plural(len(made.rows), 'term')}, {plural(made.num_aliases, 'other name')}"
    return str(folder / name), (head, *made.notes)
