"""The command line: parses, calls the workspace, prints. One file per group of commands; `main` is
where it begins.
"""

import gc

# Of a command's start a twelfth went into looking for garbage among what libraries make at import.
# It stays so: collections are rarer then, for the whole process.
gc.set_threshold(50_000, 20, 20)
