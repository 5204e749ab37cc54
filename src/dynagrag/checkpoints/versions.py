"""Versions of the libraries that figures depend on."""

import platform
from importlib.metadata import PackageNotFoundError, version

_LIBRARIES = (
    "numpy",
    "scipy",
    "bm25s",
    "ir-measures",
    "pytrec-eval-terrier",
    "sentence-transformers",
    "torch",
    "torch-geometric",
)


def library_versions() -> dict[str, str]:
    """Versions of the libraries that are installed: noted, and no reason to refuse to go on."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
