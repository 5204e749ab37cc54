"""`dynagrag evaluate retrieval`: options, the workspace of the set's corpus, arms, and the run that
asks each arm every question.
"""
