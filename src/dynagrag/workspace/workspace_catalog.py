"""The catalog of workspaces: lists, describes, creates and deletes them."""

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, StoreError, WorkspaceError
from dynagrag.graph_store.rules import REPAIR, check_workspace_name
from dynagrag.journal.jobs import JobStatus
from dynagrag.journal.workspace_journal import Journal
from dynagrag.registry.stores import EMBEDDED_FILES, SERVER_VARIABLES
from dynagrag.workspace.address import (
    ADDRESS_FILE,
    FIRST_NAME_FILE,
    has_store,
    name_in_store,
    open_store,
    store_address,
)
from dynagrag.workspace.lock import WorkspaceLock

_WAIT_S = 5.0
_MADE_LATER = (REPAIR, "the next ingest makes it")
"""Remedies of what an empty database lacks: the first ingest makes it."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Counts and size of a workspace. `error`: why its store can't be read; the graph's counts are
    0 then.
    """

    name: str
    address: str
    num_documents: int = 0
    num_entities: int = 0
    num_relations: int = 0
    num_jobs: int = 0
    num_replies: int = 0
    num_uploads: int = 0
    size_bytes: int = 0
    error: str = ""


def workspace_names(settings: Settings) -> list[str]:
    """Names of all workspaces of the home folder, sorted."""
    if not settings.workspaces_dir.is_dir():
        return []
    return sorted(p.name for p in settings.workspaces_dir.iterdir() if has_store(p))


def last_change(folder: Path) -> float:
    """When something was last written into the workspace's folder, in seconds of the epoch."""
    # SQLite touches its -shm and -wal files at each look
    files = [path for path in folder.iterdir() if not path.name.endswith(("-shm", "-wal"))]
    return max((path.stat().st_mtime for path in files), default=0.0)


def unknown_workspace(name: str, where: str, settings: Settings) -> WorkspaceError:
    """The error for a workspace that does not exist; its message names those that do."""
    known = ", ".join(workspace_names(settings)) or "none yet"
    return WorkspaceError(
        f"there is no workspace {name!r} in {where} (known in this home: {known}); make it with"
        f" `dynagrag ingest`, or say where it is with --store or {SERVER_VARIABLES}"
    )


def check_name_on_server(name: str, settings: Settings) -> None:
    """Checks that no renamed workspace of this home still uses the name on the same server.

    Raises:
        WorkspaceError: another one does, so that the two would share their records.
    """
    address = store_address(settings.workspaces_dir / name, settings)
    kept = name_in_store(settings.workspaces_dir / name, name)
    own = settings.model_copy(update={"store": None})
    for other in () if address.is_embedded else workspace_names(settings):
        folder = settings.workspaces_dir / other
        is_known_so = (
            other != name
            and (folder / FIRST_NAME_FILE).is_file()
            and name_in_store(folder, other) == kept
        )
        if is_known_so and store_address(folder, own).shown == address.shown:
            raise WorkspaceError(
                f"{address.shown} knows workspace {other!r} as {name!r}, its name before"
                " it was renamed; choose another name"
            )


def read_holdings(name: str, settings: Settings) -> Holdings:
    """Counts what a workspace of the home folder holds; read-only."""
    folder = workspace_folder(name, settings)
    shown = store_address(folder, settings).shown
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(_size(path) for path in files)
    num_uploads = sum(
        path.parent == folder / "uploads" and not path.name.startswith(".") for path in files
    )
    num_jobs = num_replies = 0
    if (folder / wiring.JOURNAL_FILE).is_file():
        with closing(wiring.make_journal(folder)) as journal:
            num_jobs, num_replies = (
                len(journal.jobs()),
                int(journal.rows("SELECT count(*) FROM replies")[0][0]),
            )
    kept = Holdings(
        name,
        shown,
        num_jobs=num_jobs,
        num_replies=num_replies,
        num_uploads=num_uploads,
        size_bytes=size,
    )
    try:
        with closing(open_store(folder, name, settings)) as store, store.reading():
            graph, num_documents = store.overview(0, 0), len(store.documents())
    except DynaGragError as err:
        return replace(kept, error=str(err))
    return replace(
        kept,
        num_documents=num_documents,
        num_entities=sum(graph.weight_counts.values()),
        num_relations=graph.num_relations,
    )


def workspace_folder(name: str, settings: Settings) -> Path:
    """Where a workspace of this home lies. WorkspaceError where there is none of this name."""
    check_workspace_name(name)
    folder = settings.workspaces_dir / name
    if not has_store(folder):
        raise WorkspaceError(f"there is no workspace {name!r} in {settings.workspaces_dir}")
    return folder


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a file of SQLite's that is gone by now
        return 0


def check_new(name: str, settings: Settings) -> None:
    """Whether a workspace can be made: its name, and a server's health. Makes nothing.

    Raises WorkspaceError where it is there already or can't be called so, StoreError where the
    server can't be used.
    """
    check_workspace_name(name)
    if has_store(settings.workspaces_dir / name):
        raise WorkspaceError(f"workspace {name!r} is there already; choose another name")
    address = store_address(settings.workspaces_dir / name, settings)
    _ = address.shown  # raises where it can be none
    if address.is_embedded:
        return
    check_name_on_server(name, settings)
    # In a folder of its own: looking makes no workspace and remembers no address.
    with (
        TemporaryDirectory() as passing,
        closing(open_store(Path(passing), name, settings)) as store,
    ):
        for found in store.health():
            if not found.is_ok and found.remedy not in _MADE_LATER:
                raise StoreError(
                    f"{store.address()}: {found.what}: {found.finding}; {found.remedy}"
                )


def delete_workspace(
    name: str,
    settings: Settings,
    *,
    leaves_server: bool = False,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Deletes a workspace: what its store holds of it, and its folder with the journal, the uploads
    and the index. Not its sources.

    `leaves_server`: a server that can't be reached keeps what it holds; only the folder goes.
    `check` is called while it waits.

    Raises WorkspaceError where a job is at work in it or there is none, StoreError where the store
    can't be emptied: nothing is gone then.
    """
    folder = workspace_folder(name, settings)
    if folder.is_symlink():
        raise WorkspaceError(f"{folder} is a link; remove it, and what it leads to, by hand")
    with closing(wiring.make_journal(folder)) as journal:
        check_no_job(name, journal)
        if store_address(folder, settings).is_embedded or leaves_server:
            _remove(folder)
            return
        with (
            closing(open_store(folder, name, settings)) as store,
            WorkspaceLock(name, folder, store).hold(_WAIT_S, check=check),
        ):
            store.clear()
    _remove(folder)


def check_no_job(name: str, journal: Journal) -> None:
    """WorkspaceError where a job is at work in a workspace, in whatever process."""
    for job in journal.jobs():
        if job.status == JobStatus.RUNNING:
            raise WorkspaceError(
                f"job {job.id} is at work in workspace {name!r}; wait for its end, or stop it, and"
                " try again"
            )


def _remove(folder: Path) -> None:
    """Killed half-way, what is left is no workspace."""
    gone = folder.with_name(f".deleted-{secrets.token_hex(8)}")
    try:
        os.replace(folder, gone)
        for name in (ADDRESS_FILE, *EMBEDDED_FILES):
            (gone / name).unlink(missing_ok=True)
        shutil.rmtree(gone)
    except OSError as err:
        raise WorkspaceError(
            f"{err.filename or folder} cannot be removed: {err.strerror}; make it writable, and try"
            " again"
        ) from err
