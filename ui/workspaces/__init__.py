"""The page Workspaces: making and deleting them; models, settings, health, backup."""
