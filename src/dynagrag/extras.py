"""Libraries that only some uses need: the extras of pyproject.toml. What lacks one says so before it fetches or reads anything."""

from collections.abc import Mapping
from importlib.util import find_spec

from dynagrag.errors import SettingsError

_PACKAGES = {"sentence_transformers": "sentence-transformers", "torch_geometric": "torch-geometric", "ir_measures": "ir-measures"}
"""Of modules that are called otherwise than their package."""


def lacking_extras(use: str, extras: Mapping[str, str]) -> str | None:
    """A line that names all modules of `extras` (module: extra) that aren't installed, or None. `use`: "training a pruner"."""
    missing = {_PACKAGES.get(module, module): extra for module, extra in extras.items() if find_spec(module) is None}
    wanted = ",".join(dict.fromkeys(missing.values()))
    return f"{use} needs {' and '.join(missing)}: pip install 'dynagrag[{wanted}]'" if missing else None


def check_extras(use: str, extras: Mapping[str, str]) -> None:
    """Raises SettingsError with that line."""
    if line := lacking_extras(use, extras):
        raise SettingsError(line)
