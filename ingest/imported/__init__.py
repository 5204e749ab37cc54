"""Passages imported as they are, with or without their entities and triples, rather than split from
a transcript.
"""
