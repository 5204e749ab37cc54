"""The stores of graphs: `--store`, and the address that tells which one a workspace has."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dynagrag.config.store_logins import NEO4J, StoreLogin
from dynagrag.core.errors import UsageError
from dynagrag.registry.choices import Choice, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.core.protocols import GraphStore


class OpenStore(Protocol):
    """Opens a workspace's store at an address, or in the workspace's folder."""

    def __call__(
        self, address: str, folder: Path, workspace: str, settings: "Settings", /
    ) -> "GraphStore":
        """The store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreChoice(Choice[OpenStore]):
    """A kind of store.

    Attributes:
        product: Whose it is, as people call it.
        schemes: How its addresses begin. That of an embedded store is its scheme alone.
        example: An address of it.
        checked_address: The address as it may be shown. Raises UsageError where it can't be one,
            without repeating it.
        file: Of an embedded store: its file in the workspace's folder.
        login: Of a server: the settings that hold its address and login.
        library: The library that it needs beyond those of dynagrag.
    """

    product: str
    schemes: tuple[str, ...]
    example: str
    checked_address: Callable[[str], str]
    file: str = ""
    login: StoreLogin | None = None
    library: str = ""

    @property
    def is_embedded(self) -> bool:
        """Whether it is a file in the workspace's folder."""
        return bool(self.file)


def sqlite_store(address: str, folder: Path, workspace: str, settings: "Settings") -> "GraphStore":
    """In the folder."""
    from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

    return SqliteStore(folder / GRAPH_FILE, workspace)


def sqlite_address(address: str) -> str:
    """The one address there is."""
    if address != EMBEDDED:
        raise UsageError(
            f"the embedded store lies in the workspace's folder; its address is {EMBEDDED} alone"
        )
    return address


def neo4j_store(address: str, folder: Path, workspace: str, settings: "Settings") -> "GraphStore":
    """On the server; its rows are kept in the folder as well."""
    from dynagrag.config.key_hosts import check_store_host
    from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore

    check_store_host(settings, address)
    password = settings.neo4j_password
    return Neo4jStore(
        address,
        workspace,
        username=settings.neo4j_username,
        password=password.get_secret_value() if password else "",
        database=settings.neo4j_database,
        cache=folder / "cache.sqlite",
    )


def neo4j_address(address: str) -> str:
    """Without what it has of a login."""
    from dynagrag.graph_store.neo4j_store.neo4j_connection import checked_address

    return checked_address(address)


EMBEDDED = "sqlite"
"""The address of the store that a workspace has where none is named."""
GRAPH_FILE = "graph.sqlite"
STORES = table(
    StoreChoice(
        name="sqlite",
        sentence="embedded",
        label="A file on this machine (SQLite)",
        make=sqlite_store,
        product="SQLite",
        schemes=(EMBEDDED,),
        example=EMBEDDED,
        checked_address=sqlite_address,
        file=GRAPH_FILE,
    ),
    StoreChoice(
        name="neo4j",
        sentence="a Neo4j server, 5.26 or later; neo4j://, +s and +ssc too",
        label="A Neo4j server",
        make=neo4j_store,
        needs_extra="neo4j",
        product=NEO4J.product,
        schemes=NEO4J.schemes,
        example="bolt://HOST:7687",
        checked_address=neo4j_address,
        login=NEO4J,
        library="neo4j",
    ),
)


EMBEDDED_FILES = tuple(row.file for row in STORES.values() if row.is_embedded)
"""The files in a workspace's folder that are its graph."""


SERVER_VARIABLES = ", ".join(row.login.address.upper() for row in STORES.values() if row.login)
"""The variables that name a server for new workspaces."""


def store_words() -> str:
    """The stores with an address of each, for a help text."""
    *others, last = (f"{row.example} ({row.sentence})" for row in STORES.values())
    return f"{', '.join(others)}, or {last}"


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where a workspace's graph lives, as it was written."""

    text: str

    @property
    def scheme(self) -> str:
        """The part before `://`, or all of it."""
        return self.text.partition("://")[0]

    @property
    def is_embedded(self) -> bool:
        """Whether that is a file in the workspace's folder."""
        return any(row.is_embedded and self.text in row.schemes for row in STORES.values())

    @property
    def choice(self) -> StoreChoice:
        """The kind of store. UsageError where there is none of this scheme."""
        for row in STORES.values():
            if self.scheme in row.schemes:
                return row
        example = next(row.example for row in STORES.values() if not row.is_embedded)
        raise UsageError(
            f"no store's address begins like that; write {EMBEDDED}, or an address such as"
            f" {example}"
        )

    @property
    def shown(self) -> str:
        """As it may be shown: scheme, host and port. UsageError where it is none, without repeating
        it.
        """
        return self.choice.checked_address(self.text)

    def open(self, folder: Path, workspace: str, settings: "Settings") -> "GraphStore":
        """The store there. UsageError where the address is none."""
        _ = self.shown
        return self.choice.make(self.text, folder, workspace, settings)


def embedded_in(folder: Path) -> StoreAddress | None:
    """The address of the embedded store whose file is in a workspace's folder; None without one."""
    for row in STORES.values():
        if row.is_embedded and (folder / row.file).is_file():
            return StoreAddress(row.schemes[0])
    return None
