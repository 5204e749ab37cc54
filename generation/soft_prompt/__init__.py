"""Graphs put before a frozen language model as tokens of their own: G-Retriever and GRAG."""
