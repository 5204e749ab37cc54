"""A workspace in one file, and back."""
