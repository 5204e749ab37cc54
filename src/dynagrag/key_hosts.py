"""To whom a key or password is sent where a `.env` of the current folder says so: somebody must have agreed.

A folder that came from elsewhere may bring a `.env`, and a base URL in it would send the key that is set in the environment to a host of
its author's choice. So a key goes to a host that `.env` names only if the key is of that file too, or a person has said yes to the host;
that is kept in the user's own folder, never in one that `.env` names. What the environment or settings.toml names is the user's own word.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import dotenv_values

from dynagrag.errors import SettingsError
from dynagrag.settings import OTHERS_NAMES, Settings, saved_settings, settings_file

_PREFIX = "DYNAGRAG_"
"""Settings that other programs read too may be written with it as well."""
_FILE = "allowed_hosts.json"


@dataclass(frozen=True, slots=True)
class KeyHost:
    """A host that a `.env` wants to send a secret to which is not its own. `secret` and `variable` are names, never values."""

    secret: str
    variable: str
    origin: str
    folder: str

    @property
    def question(self) -> str:
        """What to ask a person."""
        return f"The .env of this folder sets {self.variable}. Send your {self.secret} to {self.origin}?"

    def error(self) -> SettingsError:
        """Why it was not sent, with the remedy."""
        return SettingsError(
            f"the .env of this folder sets {self.variable}, which would send your {self.secret} to {self.origin}; if that is right, run"
            f" the command in a terminal and say yes once, set {self.variable} in the environment, or put {self.secret} into the same .env"
        )


def key_hosts(settings: Settings) -> list[KeyHost]:
    """Those that a person is still to be asked about, of the models and the store that the settings name."""
    asked = [_model_host(settings)] if any((name or "").startswith("openai:") for name in (settings.llm, settings.embedder)) else []
    asked += [_store_host(settings, address) for address in (settings.store, settings.neo4j_uri) if address]
    return [host for host in dict.fromkeys(asked) if host is not None]


def check_model_host(settings: Settings) -> None:
    """Raises SettingsError where the key for the OpenAI protocol would go to a host that nobody has agreed to."""
    if host := _model_host(settings):
        raise host.error()


def check_store_host(settings: Settings, address: str) -> None:
    """Raises SettingsError where the password of a server would go to a host that nobody has agreed to."""
    if host := _store_host(settings, address):
        raise host.error()


def allow(host: KeyHost) -> None:
    """Keeps a person's yes. Raises SettingsError where it can't be written."""
    path = _path()
    rows = sorted({*_allowed(), (host.folder, host.secret, host.origin)})
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
        os.replace(partial, path)
    except OSError as err:
        raise SettingsError(f"{path} cannot be written: {err.strerror}; make the folder writable, or set DYNAGRAG_HOME") from err


def _model_host(settings: Settings) -> KeyHost | None:
    lines, url = _lines_in_force(), settings.openai_base_url
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    if not (url and key) or _is(lines, "OPENAI_API_KEY", key) or not _is(lines, "OPENAI_BASE_URL", url):
        return None
    saved = saved_settings().get("openai_base_url")
    if isinstance(saved, str) and _origin(saved) == _origin(url):
        return None
    return _unless_allowed("OPENAI_API_KEY", "OPENAI_BASE_URL", url)


def _store_host(settings: Settings, address: str) -> KeyHost | None:
    lines = _lines_in_force()
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    if "://" not in address or not password or _is(lines, "NEO4J_PASSWORD", password):
        return None
    # A workspace remembers its address: with a home of its choice, `.env` chooses that too.
    is_their_home = settings.home == Path(lines.get("DYNAGRAG_HOME") or "/")
    for variable in ("DYNAGRAG_STORE", "NEO4J_URI", "DYNAGRAG_HOME"):
        if is_their_home if variable == "DYNAGRAG_HOME" else _is(lines, variable, address):
            return _unless_allowed("NEO4J_PASSWORD", variable, address)
    return None


def _unless_allowed(secret: str, variable: str, address: str) -> KeyHost | None:
    host = KeyHost(secret, variable, _origin(address), str(Path.cwd().resolve()))
    return None if (host.folder, host.secret, host.origin) in _allowed() else host


def _lines_in_force() -> Mapping[str, str]:
    """What `.env` sets and the environment does not."""
    set_already = {name.upper() for name in os.environ}
    lines = {k.upper(): v.strip() for k, v in dotenv_values(".env").items() if v is not None and k.upper() not in set_already}
    return lines | {name.removeprefix(_PREFIX): value for name, value in lines.items() if name.removeprefix(_PREFIX) in OTHERS_NAMES}


def _is(lines: Mapping[str, str], variable: str, value: str) -> bool:
    return lines.get(variable) == value.strip()


def _origin(address: str) -> str:
    parts = urlsplit(address)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{parts.port}' if parts.port else ''}"


def _path() -> Path:
    """Beside the settings.toml that is read: `.env` has no say in where that is."""
    return settings_file().with_name(_FILE)


def _allowed() -> set[tuple[str, str, str]]:
    """(folder, secret, origin) of each yes; none where the file is not as we wrote it, so that one is asked again."""
    try:
        rows = json.loads(_path().read_text(encoding="utf-8"))
        return {(str(folder), str(secret), str(origin)) for folder, secret, origin in rows}
    except (OSError, ValueError, TypeError):
        return set()
