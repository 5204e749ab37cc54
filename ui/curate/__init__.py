"""The page Curate: suggested and made merges, corrections by hand, their history."""
