"""Numbers that summaries share: scales, digits, and how few questions are too few."""

POINTS = 100
DIGITS = 6
FEW_QUESTIONS = 30
"""Below, resampling the questions shows too little of how they could have fallen."""
FEW = f"fewer than {FEW_QUESTIONS} questions: the intervals say little"
PRECISION = 2
"""Digits of what is given in points."""
