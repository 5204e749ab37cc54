"""The Neo4j store: workspaces of one database, told apart by `ws`. Each part of the protocol has a
module of its own.
"""

from dynagrag.graph_store.neo4j_store.neo4j_graph import Neo4jDerivedGraph
from dynagrag.graph_store.neo4j_store.neo4j_records import Neo4jRecordStore
from dynagrag.graph_store.neo4j_store.neo4j_upkeep import Neo4jStoreUpkeep
from dynagrag.graph_store.neo4j_store.neo4j_vectors import Neo4jVectorStore


class Neo4jStore(Neo4jRecordStore, Neo4jVectorStore, Neo4jDerivedGraph, Neo4jStoreUpkeep):
    """One workspace of a Neo4j database. Thread-safe; any number of processes and machines may use
    one workspace.

    Raises:
        UsageError: The address holds a user or password.
        SettingsError: The driver isn't installed.
        StoreError: The server can't be reached, refuses the user, is too old, or has no such
        database.
    """
