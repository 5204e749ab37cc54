"""Pruners trained on sets with known support and on the questions of a workspace."""
