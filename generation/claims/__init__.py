"""Whether lines say what a text claims: an answer is split into claims, and checkers find the lines
that state or contradict each.
"""
