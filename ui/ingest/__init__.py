"""The page Ingest: bringing files, what they would cost, and the jobs at work."""
