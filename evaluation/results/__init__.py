"""What runs leave behind: their folders, summaries, comparisons and reports."""
