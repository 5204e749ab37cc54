"""Looking after a workspace from the command line: doctor, backup, restore, graph copy."""
