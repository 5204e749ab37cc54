"""The page Evaluate: choose what to measure, see what it takes, run it, read and compare runs."""
