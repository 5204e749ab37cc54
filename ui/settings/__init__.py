"""The page Settings: models, keys, the store of new workspaces, the password."""
