"""The command line: parses, calls the workspace, prints. A file a group of commands; `main` is where it begins."""
