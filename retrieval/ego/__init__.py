"""Ego-graphs: what they hold, one vector each, an index of them, and the diverse choice among
them.
"""
