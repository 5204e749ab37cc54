"""Evidence line by line: which sentences fit a question best, what is shown around them, and
whether anything fits at all.
"""
