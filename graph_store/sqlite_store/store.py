"""The embedded store: one workspace in one SQLite file. Each part of the protocol has a module of
its own.

Every statement is fixed text; values are parameters. After a deletion the file is rewritten once
the graph is derived again.
"""

from dynagrag.graph_store.sqlite_store.derived_store import SqliteDerivedStore
from dynagrag.graph_store.sqlite_store.graph_browser import SqliteGraphBrowser
from dynagrag.graph_store.sqlite_store.record_store import SqliteRecordStore
from dynagrag.graph_store.sqlite_store.store_keeper import SqliteStoreKeeper
from dynagrag.graph_store.sqlite_store.vector_store import SqliteVectorStore


class SqliteStore(
    SqliteRecordStore, SqliteVectorStore, SqliteDerivedStore, SqliteGraphBrowser, SqliteStoreKeeper
):
    """A workspace's records and graph in a file. Thread-safe; another process may read while this
    one writes.

    Raises:
        StoreError: The file cannot be opened, is damaged, or holds another workspace.
        NewerStoreError: A newer version of dynagrag wrote it.
    """
