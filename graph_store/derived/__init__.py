"""Derived from the records: the graph, its vectors and digest, and the facts of passages. Pure
functions, the same for every store.
"""
