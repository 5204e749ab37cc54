"""Files that people name. A pipe, socket or device is refused: who reads one may wait without end,
or read without end.
"""

from pathlib import Path

IRREGULAR = "is no regular file (a pipe, socket or device); save its content to a file"


def is_irregular(path: Path) -> bool:
    """Whether it, or what its link leads to, is there and neither file nor folder. False where that
    can't be told: opening it says why.
    """
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):
        return False
