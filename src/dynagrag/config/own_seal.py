"""A seal on what this user has asked for, so that it can be told from what came with a folder.

A journal says which files a job reads and to which servers it sends them. It may come from
elsewhere: in a copied folder, or in a home that a `.env` names. The key of the seal lies beside
settings.toml, in the user's own folder, and in no workspace or backup.
"""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynagrag.config.settings_file import settings_file
from dynagrag.core.files.private_files import make_folder, replace_text

_LOG = logging.getLogger(__name__)
_FILE, _FIELD = "job_key", "seal"
_NUM_BYTES = 32


def seal(text: str) -> str:
    """The seal of a text, in hexadecimal; "" where the user's folder can't be written, so that the
    text counts as nobody's.

    The key is made at first use.
    """
    path = settings_file().with_name(_FILE)
    try:
        if _key(path) is None:
            make_folder(path.parent)
            replace_text(path, f"{secrets.token_hex(_NUM_BYTES)}\n")
    except OSError as err:
        _LOG.info("%s cannot be written (%s): jobs of this run have no seal", path, err.strerror)
        return ""
    key = _key(path)  # read again: of two processes that make one, the last has made it
    return "" if key is None else _seal(key, text)


def is_own(text: str, found: str) -> bool:
    """Whether this user has sealed the text."""
    key = _key(settings_file().with_name(_FILE))
    return key is not None and hmac.compare_digest(
        _seal(key, text).encode(), found.encode("utf-8", "surrogatepass")
    )


def sealed(form: Mapping[str, Any]) -> dict[str, Any]:
    """An object of JSON with this user's seal on all that it says."""
    return {**form, _FIELD: seal(_text(form))}


def opened(form: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """An object of JSON without its seal, and whether that was this user's on what it says."""
    said = {name: value for name, value in form.items() if name != _FIELD}
    return said, is_own(_text(said), str(form.get(_FIELD, "")))


def _text(form: Mapping[str, Any]) -> str:
    return json.dumps(form, sort_keys=True)


def _seal(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _key(path: Path) -> bytes | None:
    """None where there is none, or the file isn't as we wrote it."""
    if not path.is_file():
        return None
    try:
        key = bytes.fromhex(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return key if len(key) == _NUM_BYTES else None
