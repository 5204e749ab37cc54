"""The Neo4j store: workspaces of one database, told apart by `ws`. Each part of the protocol has a
module of its own.
"""

from dynagrag.graph_store.neo4j_store.derived_store import Neo4jDerivedStore
from dynagrag.graph_store.neo4j_store.graph_browser import Neo4jGraphBrowser
from dynagrag.graph_store.neo4j_store.record_store import Neo4jRecordStore
from dynagrag.graph_store.neo4j_store.store_keeper import Neo4jStoreKeeper
from dynagrag.graph_store.neo4j_store.vector_store import Neo4jVectorStore


class Neo4jStore(
    Neo4jRecordStore, Neo4jVectorStore, Neo4jDerivedStore, Neo4jGraphBrowser, Neo4jStoreKeeper
):
    """One workspace of a Neo4j database. Thread-safe; any number of processes and machines may use
    one workspace.

    Raises:
        UsageError: The address holds a user or password.
        SettingsError: The driver isn't installed.
        StoreError: The server can't be reached, refuses the user, is too old, or has no such
        database.
    """
