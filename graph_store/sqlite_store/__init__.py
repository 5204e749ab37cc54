"""The embedded store: one workspace in one SQLite file."""
