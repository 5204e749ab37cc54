"""Pruning: how relevant the nodes and edges of retrieved ego-graphs are to a question, without
training and learned.
"""
