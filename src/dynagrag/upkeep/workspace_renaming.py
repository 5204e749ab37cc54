"""Another name for a workspace: its folder is moved, with all that lies in it.

Its store keeps the name that it was made with, since all its ids hold that; the folder says so
(`workspace/address.py`). So nothing is copied, and a Neo4j server isn't written to, but for the
places of uploaded files.
"""

import fcntl
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.files.private_files import private, write_text
from dynagrag.evaluation.frame.renamed_workspace import check_no_run, rename_in_runs
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.workspace.address import FIRST_NAME_FILE, name_in_store
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.workspace_catalog import check_no_job, workspace_folder

_WAIT_S = 5.0


def rename_workspace(old: str, new: str, settings: Settings) -> None:
    """Gives a workspace of the home folder another name. Its graph, conversations, notes,
    corrections, jobs, trained pruner, soft prompts, questions and evaluation runs stay with it.
    Killed before its folder is moved, it has the old name, and the same call does the rest.

    Raises WorkspaceError where there is none of the old name, one of the new name is there, or a
    job is at work in it; UsageError where an evaluation is; StoreError where its store can't be
    used.
    """
    folder = workspace_folder(old, settings)
    check_workspace_name(new)
    if new == old:
        raise UsageError(f"workspace {old!r} is called so already")
    target = settings.workspaces_dir / new
    if target.exists() or target.is_symlink():
        raise WorkspaceError(
            f"{target} is there already, so workspace {old!r} keeps its name; choose another one"
        )
    if folder.is_symlink():
        raise WorkspaceError(f"{folder} is a link; rename it, and what it leads to, by hand")
    check_no_run(settings.home, old)
    own = settings.model_copy(update={"store": None, "llm": None})
    with open_workspace(old, settings=own, create=False) as space, space.parts.writing(_WAIT_S):
        check_no_job(old, space.journal)
        _move_paths(space, folder.absolute(), target.absolute())
    rename_in_runs(settings.home, old, new)
    # The lock keeps writers out. The name that the store has is noted first: it is the folder's
    # name still.
    with open(folder / "lock", "a", encoding="utf-8", opener=private) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as err:
            raise WorkspaceError(
                f"another process is changing workspace {old!r}; wait until it is done, and try"
                " again"
            ) from err
        with closing(wiring.make_journal(folder)) as journal:
            check_no_job(old, journal)
        kept = name_in_store(folder, old)
        try:
            write_text(folder / FIRST_NAME_FILE, f"{kept}\n")
            os.rename(folder, target)
            if kept == target.name:
                (target / FIRST_NAME_FILE).unlink()
        except OSError as err:
            raise WorkspaceError(
                f"{folder} cannot be moved to {target}: {err.strerror}; make the folder writable,"
                " and try again"
            ) from err


def _move_paths(space: Workspace, old: Path, new: Path) -> None:
    """Uploaded files move with the folder, so what names their place is changed: documents, and
    jobs that may be resumed.
    """
    for document in space.store.documents():
        if document.uri.startswith(f"{old}/"):
            moved = replace(document, uri=f"{new}/{document.uri.removeprefix(f'{old}/')}")
            space.store.put_document(
                moved, space.store.turns(document.id), space.store.passages(document.id)
            )
    space.journal.job_book.move_paths(str(old), str(new))
