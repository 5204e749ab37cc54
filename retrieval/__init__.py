"""A question to passages and subgraphs: Bridge-PPR, diverse ego-graphs, pruning, filters, and plain
search as controls.
"""
