"""The page Workspaces: making and deleting them; health and backup."""
