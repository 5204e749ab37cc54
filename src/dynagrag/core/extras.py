"""Libraries that only some uses need: the extras of pyproject.toml. What lacks one says so before
it fetches or reads anything.
"""

from collections.abc import Mapping
from importlib.util import find_spec

from dynagrag.core.errors import SettingsError


def lacking_extras(use: str, extras: Mapping[str, str]) -> str | None:
    """A line that names all modules of `extras` (module: extra) that aren't installed, or None.
    `use`: "training a pruner".
    """
    missing = {
        module.replace("_", "-"): extra
        for module, extra in extras.items()
        if find_spec(module) is None
    }
    wanted = ",".join(dict.fromkeys(missing.values()))
    return (
        f"{use} needs {' and '.join(missing)}: pip install 'dynagrag[{wanted}]'"
        if missing
        else None
    )


def check_extras(use: str, extras: Mapping[str, str]) -> None:
    """Raises SettingsError with that line."""
    if line := lacking_extras(use, extras):
        raise SettingsError(line)
