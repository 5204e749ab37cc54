"""The embedded store: one workspace in one SQLite file. Each part of the protocol has a module of
its own.

Every statement is fixed text; values are parameters. After a deletion the file is rewritten once
the graph is derived again.
"""

from dynagrag.graph_store.sqlite_store.sqlite_graph import SqliteDerivedGraph
from dynagrag.graph_store.sqlite_store.sqlite_records import SqliteRecordStore
from dynagrag.graph_store.sqlite_store.sqlite_upkeep import SqliteStoreUpkeep
from dynagrag.graph_store.sqlite_store.sqlite_vectors import SqliteVectorStore


class SqliteStore(SqliteRecordStore, SqliteVectorStore, SqliteDerivedGraph, SqliteStoreUpkeep):
    """A workspace's records and graph in a file. Thread-safe; another process may read while this
    one writes.

    Raises:
        StoreError: The file cannot be opened, is damaged, or holds another workspace.
        NewerStoreError: A newer version of dynagrag wrote it.
    """
