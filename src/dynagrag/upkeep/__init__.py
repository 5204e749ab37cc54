"""Looking after a workspace: backup, restore, copies from store to store, and the doctor."""
