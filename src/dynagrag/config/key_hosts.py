"""To whom a key or password is sent where a `.env` of the current folder says so: somebody must
have agreed.

A folder that came from elsewhere may bring a `.env`, and a base URL in it would send the key that
is set in the environment to a host of its author's choice. So a key goes to a host that `.env`
names only if the key is of that file too, or a person has said yes to the host; that is kept in the
user's own folder, never in one that `.env` names. What the environment or settings.toml names is
the user's own word.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from dynagrag.config.settings import Settings, load_settings, own_settings
from dynagrag.config.settings_file import settings_file
from dynagrag.config.store_logins import LOGINS, login_for
from dynagrag.core.errors import SettingsError
from dynagrag.core.files.private_files import write_text

_FILE = "allowed_hosts.json"


@dataclass(frozen=True, slots=True)
class KeyHost:
    """A host that a `.env` wants to send a secret to which is not its own. `secret` and `variable`
    are names, never values.
    """

    secret: str
    variable: str
    origin: str
    folder: str

    @property
    def question(self) -> str:
        """The question to the user."""
        return (
            f"The .env of this folder sets {self.variable}. Send your {self.secret} to"
            f" {self.origin}?"
        )

    def error(self) -> SettingsError:
        """Why it was not sent, with the remedy."""
        return SettingsError(
            f"the .env of this folder sets {self.variable}, which would send your {self.secret} to"
            f" {self.origin}; if that is right, run the command in a terminal and say yes once, set"
            f" {self.variable} in the environment, or put {self.secret} into the same .env"
        )


def key_hosts(settings: Settings) -> list[KeyHost]:
    """Those that a person is still to be asked about, of the models and the store that the settings
    name.
    """
    hosts: list[KeyHost | None] = []
    if any((name or "").startswith("openai:") for name in (settings.llm, settings.embedder)):
        hosts.append(_model_host(settings))
    addresses = (settings.store, *(getattr(settings, login.address) for login in LOGINS))
    hosts += [_store_host(settings, address) for address in addresses if address]
    return [host for host in dict.fromkeys(hosts) if host is not None]


def check_model_host(settings: Settings) -> None:
    """Raises SettingsError where the key for the OpenAI protocol would go to a host that nobody has
    agreed to.
    """
    if host := _model_host(settings):
        raise host.error()


def check_store_host(settings: Settings, address: str) -> None:
    """Raises SettingsError where the password of a server would go to a host that nobody has agreed
    to.
    """
    if host := _store_host(settings, address):
        raise host.error()


def is_of_dotenv(name: str, value: object) -> bool:
    """Whether a setting has this value because of the `.env` of this folder alone."""
    dot_env = _DotEnv.read()
    return dot_env is not None and dot_env.is_of_it(name, value)


def allow(host: KeyHost) -> None:
    """Keeps a person's yes. Raises SettingsError where it can't be written."""
    path = _path()
    rows = sorted({*_allowed(), (host.folder, host.secret, host.origin)})
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(partial, json.dumps(rows, indent=1))
        os.replace(partial, path)
    except OSError as err:
        raise SettingsError(
            f"{path} cannot be written: {err.strerror}; make the folder writable, or set"
            " DYNAGRAG_HOME"
        ) from err


def _model_host(settings: Settings) -> KeyHost | None:
    url, key = settings.openai_base_url, settings.openai_api_key
    if not (url and key and key.get_secret_value()) or (dot_env := _DotEnv.read()) is None:
        return None
    if dot_env.is_of_it("openai_api_key", key) or not dot_env.is_of_it("openai_base_url", url):
        return None
    own = dot_env.without.openai_base_url
    if own and _origin(own) == _origin(url):
        return None
    return _unless_allowed("OPENAI_API_KEY", "OPENAI_BASE_URL", url)


def _store_host(settings: Settings, address: str) -> KeyHost | None:
    address = address.strip()
    if (login := login_for(address)) is None:
        return None
    password: SecretStr | None = getattr(settings, login.password)
    if not (password and password.get_secret_value()) or (dot_env := _DotEnv.read()) is None:
        return None
    if dot_env.is_of_it(login.password, password):
        return None
    for variable, name, value in (
        ("DYNAGRAG_STORE", "store", address),
        (login.address.upper(), login.address, address),
        # a workspace remembers its address: who chooses the home chooses that too
        ("DYNAGRAG_HOME", "home", settings.home),
    ):
        if dot_env.is_of_it(name, value):
            return _unless_allowed(login.password.upper(), variable, address)
    return None


def _unless_allowed(secret: str, variable: str, address: str) -> KeyHost | None:
    host = KeyHost(secret, variable, _origin(address), str(Path.cwd().resolve()))
    return None if (host.folder, host.secret, host.origin) in _allowed() else host


@dataclass(frozen=True, slots=True)
class _DotEnv:
    """The settings with `.env` and without it. Nothing else reads its lines, so that nothing can
    read them differently.
    """

    among_all: Settings
    without: Settings

    @classmethod
    def read(cls) -> "_DotEnv | None":
        """None where there is no such file. Raises SettingsError where the settings with it or
        without it are wrong.
        """
        return cls(load_settings(), own_settings()) if Path(".env").exists() else None

    def is_of_it(self, name: str, value: object) -> bool:
        """Whether a setting has this value because of `.env` alone."""
        return bool(value == getattr(self.among_all, name) and value != getattr(self.without, name))


def _origin(address: str) -> str:
    parts = urlsplit(address)
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{parts.port}' if parts.port else ''}"


def _path() -> Path:
    """Beside the settings.toml that is read: `.env` has no say in where that is."""
    return settings_file().with_name(_FILE)


def _allowed() -> set[tuple[str, str, str]]:
    """(folder, secret, origin) of each yes; none where the file is not as we wrote it, so that one
    is asked again.
    """
    try:
        rows = json.loads(_path().read_text(encoding="utf-8"))
        return {(str(folder), str(secret), str(origin)) for folder, secret, origin in rows}
    except (OSError, ValueError, TypeError):
        return set()
