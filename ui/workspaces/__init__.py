"""The page Workspaces: making, renaming and deleting them; health and backup."""
