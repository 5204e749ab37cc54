"""Safe names for uploaded files."""

import unicodedata

from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id

_MAX_NAME = 120
"""Bytes: so are a folder's limits."""
_NUM_DIGITS = 8
_SAFE_ASCII = frozenset(" _-.,()+&'!@#=[]")


def safe_name(name: str) -> str:
    """A file's name that is one: no folders, no leading dots, no control characters, short.
    LoadError where nothing of it is left.

    A name that had to be changed ends in digits of its own, so that no two become one.
    """
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = "".join(c if _is_safe(c) else "_" for c in base).strip(" .").rpartition(".")
    if not dot:
        stem, suffix = suffix, ""
    made = _joined(_cut(stem, _MAX_NAME), dot, suffix)
    if not made.strip("_. "):
        raise LoadError("its name holds nothing that can be a file's name; rename it")
    if made == base.strip():
        return made
    digits = content_id(base)[:_NUM_DIGITS]
    return _joined(f"{_cut(stem, _MAX_NAME - _NUM_DIGITS - 1)}-{digits}", dot, suffix)


def _is_safe(c: str) -> bool:
    return c.isprintable() and (not c.isascii() or c.isalnum() or c in _SAFE_ASCII)


def _joined(stem: str, dot: str, suffix: str) -> str:
    return f"{stem.strip(' .')}{dot}{suffix[:12]}".strip(" .")


def _cut(stem: str, max_bytes: int) -> str:
    return stem.encode()[:max_bytes].decode("utf-8", "ignore")
