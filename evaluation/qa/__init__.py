"""Questions with answers: what arms answer, scored against what should be answered, and what it
rests on.
"""
