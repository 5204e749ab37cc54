"""Where a workspace's graph lives: its folder, the address of its store, and the store opened
there.
"""

from pathlib import Path

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.files.private_files import write_text
from dynagrag.core.protocols import GraphStore
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.wiring import EMBEDDED, GRAPH_FILE, STORES

ADDRESS_FILE = "store"
FIRST_NAME_FILE = "first-name"
"""In the folder of a workspace that was renamed: the name that it was made with."""


def workspace_meant(name: str | None, settings: Settings) -> str:
    """The name that was given, else the setting; an empty one was given, too. WorkspaceError where
    a workspace can't be called so.
    """
    meant = settings.workspace if name is None else name
    check_workspace_name(meant)
    return meant


def has_store(folder: Path) -> bool:
    """Whether a workspace is in a folder, or its store's address."""
    return (folder / GRAPH_FILE).is_file() or (folder / ADDRESS_FILE).is_file()


def has_embedded(folder: Path) -> bool:
    """Whether an embedded store's file is in a folder."""
    return (folder / GRAPH_FILE).is_file()


def restoring_folder(name: str, settings: Settings) -> Path:
    """Where a backup of a workspace is unpacked and checked before it is restored."""
    return settings.home / "restoring" / name


def shown_address(address: str) -> str:
    """An address as it may be shown: scheme, host and port. UsageError where it is none, without
    repeating it.
    """
    store = STORES.get(address.partition("://")[0])
    if store is None:
        raise UsageError(
            f"that store's address lacks its scheme; write {EMBEDDED}, or an address such as"
            " bolt://HOST:7687"
        )
    return store.checked_address(address)


def store_address(folder: Path, settings: Settings) -> str:
    """Where a workspace's graph lives: what was asked for, else where it was last, else NEO4J_URI
    for a new one, else `sqlite`.
    """
    if settings.store is not None:
        return settings.store
    if (folder / ADDRESS_FILE).is_file():
        return (folder / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    if (folder / GRAPH_FILE).is_file() or settings.neo4j_uri is None:
        return EMBEDDED
    return settings.neo4j_uri


def name_in_store(folder: Path, workspace: str) -> str:
    """What a workspace's store calls it, and its ids hold: its name, or the one that it was made
    with where it was renamed since.
    """
    path = folder / FIRST_NAME_FILE
    return path.read_text(encoding="utf-8").strip() if path.is_file() else workspace


def open_store(folder: Path, workspace: str, settings: Settings) -> GraphStore:
    """The workspace's graph store, in the folder or at the settings' address."""
    address = store_address(folder, settings)
    shown_address(address)
    return STORES[address.partition("://")[0]].open(
        address, folder, name_in_store(folder, workspace), settings
    )


def remember_store(folder: Path, settings: Settings) -> None:
    """Keeps a workspace's address for commands that don't name one."""
    address = store_address(folder, settings)
    path = folder / ADDRESS_FILE
    if (settings.store is not None or address != EMBEDDED) and (
        not path.is_file() or path.read_text(encoding="utf-8").strip() != address
    ):
        write_text(path, f"{address}\n")
