"""Retrieval by entities and facts that fit the question: G-Retriever's Prize-Collecting Steiner
Tree, and KAPING's best triples.
"""
