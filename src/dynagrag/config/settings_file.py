"""settings.toml in the home folder: what it says, and writing it. `settings.py` reads it as the
lowest source of settings.
"""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import platformdirs

from dynagrag.config.store_logins import LOGINS
from dynagrag.config.system_keyring import KEYS
from dynagrag.core.errors import SettingsError
from dynagrag.core.files.private_files import make_folder, write_text

SAVED = (
    "llm",
    "embedder",
    "openai_base_url",
    "price_per_million_prompt_tokens",
    "price_per_million_completion_tokens",
    "store",
    *(login.address for login in LOGINS),
    "password_hash",
    "keys_in_keyring",
)
"""The settings that `save_settings` writes. Secrets are not among them, but for a hash: they come
from the environment or the keyring.
"""


def kept_in_keyring() -> tuple[str, ...]:
    """The keys that settings.toml says the keyring keeps."""
    said = saved_settings().get("keys_in_keyring", "")
    return tuple(name for name in KEYS if name in str(said).replace(",", " ").split())


def settings_file() -> Path:
    """The file that `load_settings` reads, whether it is there or not."""
    return (
        Path(
            os.environ.get("DYNAGRAG_HOME")
            or platformdirs.user_data_dir("dynagrag", appauthor=False)
        )
        / "settings.toml"
    )


def saved_settings() -> dict[str, Any]:
    """The values of settings.toml. SettingsError if it can't be read."""
    try:
        return tomllib.loads(settings_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as err:
        raise unreadable(settings_file(), err) from err


def unreadable(path: Path, err: OSError | ValueError) -> SettingsError:
    """The error of a file of settings that can't be read, with what helps."""
    if isinstance(err, OSError):
        remedy = (
            "make it readable for you, or set DYNAGRAG_HOME to a folder of your own (settings of"
            " another user are not taken over)"
        )
        return SettingsError(f"{err.filename or path} cannot be read: {err.strerror}; {remedy}")
    return SettingsError(f"{path} cannot be read: {err}; mend or remove that line")


def save_settings(**values: str | float | None) -> Path:
    """Writes settings into settings.toml, each in its line; None takes one out. The rest of the
    file stays as it is.

    Raises SettingsError where a name is not in `SAVED`, a value is none that can be read back, or
    the file can't be written; it is left as it was then.
    """
    unknown = [name for name in values if name not in SAVED]
    if unknown:
        raise SettingsError(
            f"setting {unknown[0]} is not kept in settings.toml; known: {', '.join(SAVED)}"
        )
    path = settings_file()
    wanted = {name: value for name, value in values.items() if value is not None}
    saved = saved_settings().items()
    expected = {name: value for name, value in saved if name not in values} | wanted
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in wanted.items()]
    kept = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    lines += [line for line in kept if line.partition("=")[0].strip().strip("\"'") not in values]
    text = "\n".join(lines) + "\n"
    try:
        is_same = tomllib.loads(text) == expected
    except tomllib.TOMLDecodeError:
        is_same = False
    if not is_same:
        raise SettingsError(
            f"{path} is written in a way that this cannot change; change {', '.join(values)} in it"
            " by hand"
        )
    partial = path.with_name(f"{path.name}.partial")
    try:
        make_folder(path.parent)
        partial.unlink(missing_ok=True)
        write_text(partial, text)  # closed to others: it may hold a password's hash
        os.replace(partial, path)
    except OSError as err:
        raise SettingsError(
            f"{path} cannot be written: {err.strerror}; make the folder writable, or set"
            " DYNAGRAG_HOME"
        ) from err
    return path
