"""Stores of records and the derived graph: the pure derivation, and two stores (SQLite, Neo4j)
behind one protocol.
"""
