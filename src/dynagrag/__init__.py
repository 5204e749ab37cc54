"""Transcripts into a knowledge graph, questions into cited answers."""
