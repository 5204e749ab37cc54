"""Passages that are given, with or without their entities and triples, rather than read from a
transcript.
"""
