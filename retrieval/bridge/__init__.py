"""Bridge-PPR: passages for questions of several steps, by PageRank over entities and passages
(docs/papers.md, Bridge-PPR).
"""
