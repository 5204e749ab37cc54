"""Where a workspace's graph lives: its folder, the address of its store, and the store opened
there.
"""

from pathlib import Path

from dynagrag.config.key_hosts import is_of_dotenv
from dynagrag.config.own_seal import is_own, seal
from dynagrag.config.settings import Settings
from dynagrag.config.store_logins import LOGINS, login_for
from dynagrag.core.errors import SettingsError
from dynagrag.core.files.private_files import write_text
from dynagrag.core.protocols import GraphStore
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.registry.stores import EMBEDDED, StoreAddress, embedded_in

ADDRESS_FILE = "store"
_SEAL_FILE = "store.seal"
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
    if (address := _address_of_folder(folder)) is not None:
        return StoreAddress(address)
    if (embedded := embedded_in(folder)) is not None:
        return embedded
    servers = (getattr(settings, login.address) for login in LOGINS)
    return StoreAddress(next((server for server in servers if server is not None), EMBEDDED))


def name_in_store(folder: Path, workspace: str) -> str:
    """A workspace's name in its store and in ids: its own, or the one that it was made with where
    it was renamed since.
    """
    path = folder / FIRST_NAME_FILE
    return (
        path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else workspace
    )


def open_store(folder: Path, workspace: str, settings: Settings) -> GraphStore:
    """The workspace's graph store, in the folder or at the settings' address.

    Raises SettingsError where only the workspace's folder names its server, which may come from
    elsewhere.
    """
    check_named_here(folder, settings)
    return store_address(folder, settings).open(folder, name_in_store(folder, workspace), settings)


def remember_store(folder: Path, settings: Settings) -> None:
    """Keeps a workspace's address for commands that don't name one."""
    address = store_address(folder, settings).text
    if (settings.store is not None or address != EMBEDDED) and address != _address_of_folder(
        folder
    ):
        write_text(folder / ADDRESS_FILE, f"{address}\n")
    agree_to_store(folder, settings)


def agree_to_store(folder: Path, settings: Settings) -> None:
    """Keeps that this user has named the address that the folder has, and not the folder alone."""
    address = _address_of_folder(folder)
    names = ("store", *(login.address for login in LOGINS))
    is_named = any(
        getattr(settings, name) == address and not is_of_dotenv(name, address) for name in names
    )
    if address is None or not is_named or _is_agreed(folder, address):
        return
    if made := seal(address):
        write_text(folder / _SEAL_FILE, f"{made}\n")


def check_named_here(folder: Path, settings: Settings) -> None:
    """Texts and a password go to no server that only a folder names: it may have been copied here
    from elsewhere.
    """
    address = _address_of_folder(folder)
    if settings.store is not None or address is None or StoreAddress(address).is_embedded:
        return
    named = (getattr(settings, login.address) for login in LOGINS)
    if address in named or _is_agreed(folder, address):
        return
    shown, login = StoreAddress(address).shown, login_for(address)
    secret = f" and your {login.password.upper()}" if login else ""
    raise SettingsError(
        f"{folder / ADDRESS_FILE} says that the workspace is in {shown}, which you have not named"
        f" on this machine: its texts{secret} would go there; if that is right, name it once with"
        f" --store {shown}"
    )


def _address_of_folder(folder: Path) -> str | None:
    path = folder / ADDRESS_FILE
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8", errors="replace").strip()


def _is_agreed(folder: Path, address: str) -> bool:
    path = folder / _SEAL_FILE
    return path.is_file() and is_own(
        address, path.read_text(encoding="utf-8", errors="replace").strip()
    )
