"""Whether the words that answer a question are shown, how early, and whether it is said where
nothing answers.
"""
