"""Keys in the system's keyring (macOS Keychain, GNOME Keyring, KWallet, ...), by the library
`keyring`, which may be absent.

settings.toml names the keys that are kept there (`keys_in_keyring`), never the keys: without a name
nothing is looked up, so that no command waits for a keyring that holds nothing of ours, or makes it
ask for its own password.
"""

import logging
import time
from importlib.util import find_spec
from threading import RLock
from typing import Any

from dynagrag.config.store_logins import LOGINS
from dynagrag.core.errors import SettingsError

_LOG = logging.getLogger(__name__)
SERVICE = "dynagrag"
"""The service of our entries; an entry's user is the variable's name: `keyring get dynagrag
OPENAI_API_KEY`.
"""
KEYS = ("openai_api_key", *(login.password for login in LOGINS))
"""Names of settings."""
_FRESH_S = 30.0
"""Another process may have changed an entry."""


class _KeyringCache:
    """Entries that were read, so that a page that needs the settings a dozen times reads them once.
    A refusal stays until `look_again`.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.values: dict[str, tuple[float, str | None]] = {}
        self.ever: set[str] = set()
        """Every key that this process has had: work that began with a replaced one may still quote
        it.
        """
        self.trouble = ""


_seen = _KeyringCache()


def why_unusable() -> str:
    """Why no key can be kept, in a clause; empty where one can."""
    if find_spec("keyring") is None:
        return "the library `keyring` is not installed (pip install 'dynagrag[ui]')"
    try:
        import keyring

        backend = keyring.get_keyring()
        backends = list(getattr(backend, "backends", [backend]))
    except Exception as err:  # noqa: BLE001 - a backend's own trouble
        return f"the keyring could not be opened ({type(err).__name__})"
    modules = [type(backend).__module__ for backend in backends]
    if any(module.startswith("keyrings.alt") for module in modules):
        return "the keyring that is set up here writes to files of its own"
    if not modules or any(
        module in ("keyring.backends.fail", "keyring.backends.null") for module in modules
    ):
        return "this system has no keyring that is unlocked for this session"
    return _seen.trouble


def read_key(name: str) -> str | None:
    """A key that is kept; None where there is none, or the keyring is locked or gone, which is
    logged once.
    """
    with _seen.lock:
        at, value = _seen.values.get(name, (float("-inf"), None))
        if _seen.trouble or time.monotonic() - at < _FRESH_S:
            return value
        try:
            value = _ask("get_password", name)
        except SettingsError as err:
            _LOG.warning("%s is kept in the system's keyring, but %s", name.upper(), err)
            _seen.trouble, value = str(err), None
        _seen.values[name] = (time.monotonic(), value)
        if value:
            _seen.ever.add(value)
        return value


def keep_key(name: str, value: str) -> None:
    """Keeps a key. Raises SettingsError where the keyring refuses."""
    if reason := why_unusable():
        raise SettingsError(f"the key was not kept: {reason}")
    _seen.ever.add(value)
    _ask("set_password", name, value)
    look_again()


def remove_key(name: str) -> None:
    """Removes a key, where it is there. Raises SettingsError where the keyring refuses."""
    if _ask("get_password", name) is not None:
        _ask("delete_password", name)
    look_again()


def look_again() -> None:
    """Forgets what was read, and that the keyring was locked."""
    with _seen.lock:
        _seen.values.clear()
        _seen.trouble = ""


def keys_seen() -> list[str]:
    """The keys that were ever read or kept here, to be kept out of what is shown; the keyring isn't
    asked.
    """
    with _seen.lock:
        return sorted(_seen.ever)


def _ask(method: str, name: str, *values: str) -> Any:
    try:
        import keyring
        from keyring.errors import KeyringLocked, NoKeyringError
    except ImportError as err:
        raise SettingsError(
            "the library `keyring` is not installed (pip install 'dynagrag[ui]')"
        ) from err
    try:
        return getattr(keyring, method)(SERVICE, name.upper(), *values)
    except KeyringLocked as err:
        raise SettingsError("the system's keyring is locked; unlock it, and try again") from err
    except NoKeyringError as err:
        raise SettingsError("this system has no keyring that is unlocked for this session") from err
    # Backends raise what they like, and their texts may hold anything.
    except Exception as err:  # noqa: BLE001
        raise SettingsError(
            f"the system's keyring refused ({type(err).__name__}); unlock it, or set {name.upper()}"
            " instead"
        ) from None
