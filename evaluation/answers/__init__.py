"""Answers that are scored or judged: the arms that give them, what is kept of each, and the runs
that make what is missing.
"""
