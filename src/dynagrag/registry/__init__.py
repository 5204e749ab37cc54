"""The things that a user may name, one table per kind. A row holds the name, the words that help,
messages and the app show of it, what it needs, where it may be used, and what makes it.

Words can be read without any implementation: that is imported when one is made. `wiring.py` makes
what is asked for.
"""
