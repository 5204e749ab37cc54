"""The command line: parses, calls the workspace, prints. One file per group of commands; `main` is where it begins."""
