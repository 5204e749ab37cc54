"""A workspace moved whole: into one file, back from it, and from one store to another.

Each can be killed at any point and run again. A file appears whole or not at all; a target says
that it is unfinished until it is whole.
"""

import fcntl
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagrag import wiring
from dynagrag.config.own_files import check_output
from dynagrag.config.settings import Settings
from dynagrag.core.errors import StoreError, UsageError, WorkspaceError
from dynagrag.core.files.private_files import make_folder, private, touch
from dynagrag.core.protocols import GraphStore
from dynagrag.graph_store.archive import (
    GRAPH,
    JOURNAL,
    Manifest,
    describe,
    pack,
    read_manifest,
    save_sqlite,
    unpack,
)
from dynagrag.graph_store.deletions import check_no_deletion
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.graph_store.transfer import CopyReport, Progress, copy_workspace, is_unfinished
from dynagrag.registry.stores import StoreAddress, embedded_in
from dynagrag.workspace.address import (
    has_store,
    name_in_store,
    open_store,
    remember_store,
    restoring_folder,
    store_address,
)
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.lock import WorkspaceLock

_LOG = logging.getLogger(__name__)
_WAIT_S = 30.0


# ------------------------------------------------------------------------------------------- backup


def back_up(space: Workspace, file: Path, *, is_forced: bool, progress: Progress) -> Manifest:
    """Writes a workspace to a file, as it is at one moment, also while something is ingested into
    it.

    Raises UsageError when the file is there already and `is_forced` is false, or is one of this
    program's own, StoreError when it cannot be written.
    """
    if file.is_dir() or (file.exists() and not is_forced):
        raise UsageError(
            f"{file} is {'a folder' if file.is_dir() else 'there already'}; name another file, or"
            " overwrite one with --force"
        )
    check_output(file, space.settings)
    if is_unfinished(space.store):
        raise StoreError(
            f"workspace {space.name!r} is an unfinished copy; run the copy or restore that made it"
            " again, then back it up"
        )
    try:
        with _work_folder(file.parent / f".{file.name}.partial") as folder:
            # the embedded store's own file at one moment, or a copy of the other store's workspace
            # in one
            path = folder / GRAPH
            if isinstance(space.store, SqliteStore):
                progress("copy", 0, 1)
                save_sqlite(space.folder / GRAPH, path)
                with closing(SqliteStore(path, space.store.workspace)) as saved:
                    check_no_deletion(saved, space.store.address())
                progress("copy", 1, 1)
            else:
                with closing(SqliteStore(path, space.store.workspace)) as store:
                    copy_workspace(space.store, store, progress, is_trailing=True)
            # After the graph: a document deleted in between leaves no words here that its graph has
            # not, too.
            save_sqlite(space.journal.path, folder / JOURNAL)
            made_at = datetime.now(UTC).isoformat(timespec="seconds")
            try:
                manifest = describe(
                    folder, space.store.workspace, made_at=made_at, dynagrag=version("dynagrag")
                )
            except StoreError as err:
                raise StoreError(
                    f"workspace {space.name!r} could not be restored from a backup: {err}; look"
                    " at it with `dynagrag doctor`, and ingest its files into another workspace"
                ) from err
            progress("pack", 0, 1)
            pack(folder, manifest, folder / "whole")
            with (folder / "whole").open("rb") as written:
                os.fsync(written.fileno())
            os.replace(folder / "whole", file)
            progress("pack", 1, 1)
    except OSError as err:
        raise StoreError(
            f"cannot write {file}: {err.strerror or err}; free some space, or choose a folder you"
            " may write to"
        ) from err
    return manifest


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """An empty folder for one process, gone afterwards; files that a killed one left there go
    first.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    with open(folder / "lock", "w", opener=private) as handle:
        try:  # the system lets go of it however the process ends
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            raise WorkspaceError(
                f"{folder} is in use: another backup or restore is under way; wait until it is done"
            ) from err
        for left in folder.iterdir():
            if left.name != "lock":
                left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


# ------------------------------------------------------------------------------------------ restore


@dataclass(frozen=True, slots=True)
class Restored:
    """Result of a restore: what, and where to."""

    manifest: Manifest
    address: str


def restore(file: Path, settings: Settings, workspace: str | None, progress: Progress) -> Restored:
    """Puts a backup back as a workspace that is not there yet; where to is `settings.store`, as for
    a new workspace.

    Raises:
        StoreError: The file is not a sound backup; nothing was written.
        WorkspaceError: The workspace is there already; it was left as it is.
    """
    manifest = read_manifest(file)
    name = manifest.workspace
    if workspace not in (None, name):
        raise UsageError(
            f"{file} holds workspace {name!r}: restore it under that name, then give it another"
            f" with `dynagrag workspaces rename {name} {workspace}`; a {name!r} that is here"
            " already is renamed before"
        )
    folder = settings.workspaces_dir / name
    here = store_address(folder, settings.model_copy(update={"store": None}))
    if has_store(folder) and here != store_address(folder, settings):
        raise WorkspaceError(
            f"workspace {name!r} is here already, in {here.text}, and was left as it is; to restore"
            f" it, give that one another name (`dynagrag workspaces rename {name} NAME`), or move"
            f" {folder} away"
        )
    try:
        restoring = restoring_folder(name, settings)
        make_folder(restoring.parent)
        with _work_folder(restoring) as unpacked:
            progress("check", 0, 1)
            if unpack(file, unpacked) != manifest:
                raise StoreError(
                    f"{file} changed while it was read; restore it again when it is whole"
                )
            # refuses a newer journal, brings an older one up to date
            with closing(wiring.make_journal(unpacked)) as journal:
                journal.job_book.make_history()
            progress("check", 1, 1)
            with _folder_of_workspace(folder, settings):
                return Restored(
                    manifest, _restore_checked(unpacked, folder, manifest, settings, progress)
                )
    except OSError as err:
        raise StoreError(
            f"cannot restore into {folder}: {err.strerror or err}; free some space, or set"
            " DYNAGRAG_HOME"
        ) from err


def _restore_checked(
    unpacked: Path, folder: Path, manifest: Manifest, settings: Settings, progress: Progress
) -> str:
    """Copies the checked parts to their places; the store's address."""
    with (
        closing(SqliteStore(unpacked / GRAPH, manifest.workspace)) as source,
        closing(open_store(folder, manifest.workspace, settings)) as target,
        WorkspaceLock(manifest.workspace, folder, target).hold(_WAIT_S, _LOG.warning),
    ):
        if not is_unfinished(target) and not target.documents():
            _check_journal(folder)

        def place_rest() -> None:
            """What belongs to the workspace beside its store; without it, it isn't whole."""
            _place(unpacked / JOURNAL, folder / JOURNAL)
            remember_store(folder, settings)

        is_here = store_address(folder, settings).is_embedded
        rename = f"`dynagrag workspaces rename {manifest.workspace} NAME`"
        or_rename = (
            f", or give the one that is here another name first: {rename}" if is_here else ""
        )
        copy_workspace(
            source,
            target,
            progress,
            origin=f"backup {manifest.parts[GRAPH].sha256}",
            remedy=f"restore into another store with --store{or_rename}",
            before_done=place_rest,
        )
        return target.address()


def _check_journal(folder: Path) -> None:
    """A journal with calls in it is what is left of a workspace: not to be overwritten."""
    if not (folder / JOURNAL).is_file():
        return
    with closing(wiring.make_journal(folder)) as journal:
        if journal.ledger() or journal.jobs():
            raise WorkspaceError(
                f"{folder} holds the journal of a workspace of this name, which was left as it is;"
                " move it away to restore"
            )


def _place(source: Path, target: Path) -> None:
    """Copies a file so that it is there whole or not at all; a log of the one that it replaces
    goes.
    """
    partial = target.with_name(f".{target.name}.partial")
    partial.unlink(missing_ok=True)
    touch(partial)
    shutil.copyfile(source, partial)
    for suffix in ("-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    os.replace(partial, target)


# --------------------------------------------------------------------------------------------- copy


def copy_between(
    settings: Settings,
    name: str,
    source: str,
    target: str,
    *,
    is_replacing: bool,
    progress: Progress,
) -> CopyReport:
    """Copies a workspace from one address to another; the workspace stays where it was. Run again,
    it resumes where it was stopped.

    `is_replacing`: what the target holds of the workspace is deleted first.
    """
    check_workspace_name(name)
    at, to = StoreAddress(source), StoreAddress(target)
    if at.shown == to.shown:
        raise UsageError(f"--from and --to are both {at.shown}; name another store")
    folder = settings.workspaces_dir / name
    if at.is_embedded and not (folder / at.choice.file).is_file():
        raise WorkspaceError(
            f"there is no workspace {name!r} in {settings.workspaces_dir}; `dynagrag doctor` lists"
            " those that are there"
        )
    with (
        _folder_of_workspace(folder, settings),
        _opened(folder, name, settings, at) as here,
        _opened(folder, name, settings, to) as there,
    ):
        if not here.exists():
            raise WorkspaceError(
                f"there is no workspace {name!r} in {here.address()}; name another with -w, or"
                " another store with --from"
            )
        if here.version() == there.version():
            raise UsageError(
                f"{here.address()} is the same store under both addresses; name another one"
            )
        if is_unfinished(here):
            raise WorkspaceError(
                f"the workspace in {here.address()} is itself an unfinished copy; run that copy"
                " again first"
            )
        lock = WorkspaceLock(name, folder, there)
        if is_replacing:
            with lock.hold(_WAIT_S, _LOG.warning):
                there.clear()  # and with it a server's lease, which is why it is taken again
        with lock.hold(_WAIT_S, _LOG.warning):
            return copy_workspace(here, there, progress)


@contextmanager
def _opened(
    folder: Path, name: str, settings: Settings, address: StoreAddress
) -> Iterator[GraphStore]:
    """A store that is opened in passing: where the workspace lives stays as it was.

    A server's store gets a folder of its own, since two of them in one folder would take each
    other's rows for stale.
    """
    kept = name_in_store(folder, name)
    with ExitStack() as stack:
        if not address.is_embedded:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="dynagrag-copy-")))
        yield stack.enter_context(closing(address.open(folder, kept, settings)))


@contextmanager
def _folder_of_workspace(folder: Path, settings: Settings) -> Iterator[None]:
    """Makes a workspace's folder. One that was made for this goes again when this fails, unless
    another process has put something there.
    """
    is_new = not folder.exists()
    make_folder(folder)
    try:
        yield
    except Exception:
        if is_new and _is_unused(folder, settings):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _is_unused(folder: Path, settings: Settings) -> bool:
    """Whether nobody is at work in a workspace's folder and nothing was ingested into it."""
    with open(folder / "lock", "a", encoding="utf-8", opener=private) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if (folder / JOURNAL).is_file():
            with closing(wiring.make_journal(folder)) as journal:
                if journal.jobs() or journal.ledger():
                    return False
        embedded = embedded_in(folder)
        if embedded is None:
            return True
        with closing(embedded.open(folder, folder.name, settings)) as store:
            return is_unfinished(store) or not store.documents()
