"""Files that a user names to be written: none of them may be one of this program's own, whatever
`--force` says.
"""

from pathlib import Path

from dynagrag.config.settings import Settings
from dynagrag.config.settings_file import settings_file
from dynagrag.core.errors import UsageError
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular

_SQLITE = b"SQLite format 3\0"


def check_output(path: Path, settings: Settings, but: Path | None = None) -> None:
    """Raises UsageError where a file that is to be written would take the place of one of this
    program's own, or of a database. `but`: a folder of a workspace in which it may be written.
    """
    try:
        real = path.resolve()
        workspaces, home = settings.workspaces_dir.resolve(), settings_file().parent.resolve()
        is_own = real.is_relative_to(workspaces) or real.is_relative_to(home / "restoring")
        is_own &= but is None or not real.is_relative_to(but.resolve())
        is_own |= real.parent == home and real.name in _OWN
        if is_irregular(path):
            raise UsageError(f"{path} {IRREGULAR}; name another file")
        if not is_own and path.is_file():
            with path.open("rb") as file:
                is_own = file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError, RuntimeError) as err:  # the last: links that lead round
        raise UsageError(
            f"{path} cannot be written: {getattr(err, 'strerror', None) or err}; name another file"
        ) from err
    if is_own:
        raise UsageError(
            f"{path} is a file of dynagrag's own or a database, or lies in a workspace's folder;"
            " name a file elsewhere"
        )


_OWN = ("settings.toml", "allowed_hosts.json", "job_key")
