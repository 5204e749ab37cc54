"""What a visitor's file may be called where it is kept."""

import re
import unicodedata

from dynagrag.errors import LoadError

_MAX_NAME = 120
_UNSAFE = re.compile(r"[^\w \-.,()+&'!@#=]+")


def safe_name(name: str) -> str:
    """A file's name that is one: no folders, no leading dots, no control characters, short. LoadError where nothing of it is left."""
    base = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = _UNSAFE.sub("_", base).strip(" .").rpartition(".")
    if not dot:
        stem, suffix = suffix, ""
    made = f"{_cut(stem.strip(' .'))}{dot}{suffix[:12]}".strip(" .")
    if not made.strip("_. "):
        raise LoadError("its name holds nothing that can be a file's name; rename it")
    return made


def _cut(stem: str) -> str:
    return stem.encode()[:_MAX_NAME].decode("utf-8", "ignore")  # a folder's limit is in bytes
