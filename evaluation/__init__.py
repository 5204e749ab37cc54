"""Data sets, metrics and runs. Empty until retrieval is evaluated here."""
