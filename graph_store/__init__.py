"""Where records and the derived graph live: the pure derivation, and two stores (SQLite, Neo4j)
behind one protocol.
"""
