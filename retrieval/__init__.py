"""A question to evidence: the ego-graph index, diversity-aware selection, pruning, and plain search as controls."""
