"""Where a workspace's graph lives: its folder, the address of its store, and the store opened
there.
"""

from pathlib import Path

from dynagrag.config.settings import Settings
from dynagrag.config.store_logins import LOGINS
from dynagrag.core.files.private_files import write_text
from dynagrag.core.protocols import GraphStore
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.registry.stores import EMBEDDED, StoreAddress, embedded_in

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
    return has_embedded(folder) or (folder / ADDRESS_FILE).is_file()


def has_embedded(folder: Path) -> bool:
    """Whether an embedded store's file is in a folder."""
    return embedded_in(folder) is not None


def restoring_folder(name: str, settings: Settings) -> Path:
    """Where a backup of a workspace is unpacked and checked before it is restored."""
    return settings.home / "restoring" / name


def store_address(folder: Path, settings: Settings) -> StoreAddress:
    """Where a workspace's graph lives: what was asked for, else where it was last, else the server
    of the settings (NEO4J_URI) for a new one, else `sqlite`.
    """
    if settings.store is not None:
        return StoreAddress(settings.store)
    if (folder / ADDRESS_FILE).is_file():
        return StoreAddress((folder / ADDRESS_FILE).read_text(encoding="utf-8").strip())
    if (embedded := embedded_in(folder)) is not None:
        return embedded
    servers = (getattr(settings, login.address) for login in LOGINS)
    return StoreAddress(next((server for server in servers if server is not None), EMBEDDED))


def name_in_store(folder: Path, workspace: str) -> str:
    """A workspace's name in its store and in ids: its own, or the one that it was made with where
    it was renamed since.
    """
    path = folder / FIRST_NAME_FILE
    return path.read_text(encoding="utf-8").strip() if path.is_file() else workspace


def open_store(folder: Path, workspace: str, settings: Settings) -> GraphStore:
    """The workspace's graph store, in the folder or at the settings' address."""
    return store_address(folder, settings).open(folder, name_in_store(folder, workspace), settings)


def remember_store(folder: Path, settings: Settings) -> None:
    """Keeps a workspace's address for commands that don't name one."""
    address = store_address(folder, settings).text
    path = folder / ADDRESS_FILE
    if (settings.store is not None or address != EMBEDDED) and (
        not path.is_file() or path.read_text(encoding="utf-8").strip() != address
    ):
        write_text(path, f"{address}\n")
