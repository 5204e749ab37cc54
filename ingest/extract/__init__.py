"""Extraction of a chunk's mentions and relation records, by a language model or by rules alone."""
