"""Sets of questions with what should be found for each: how they are read, and which passages of a
workspace that is.
"""
