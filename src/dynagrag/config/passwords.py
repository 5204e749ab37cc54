"""Passwords are kept as salted scrypt hashes: `scrypt:N:r:p:salt:hash`, the last two in
hexadecimal.
"""

import hashlib
import hmac
import secrets
import unicodedata

from dynagrag.core.errors import SettingsError

MIN_LENGTH = 8
_N, _R, _P = 2**15, 8, 3
"""32 MiB and some 0.25 s a guess: one of the settings that OWASP's password storage cheat sheet
names.
"""
_MAX_BYTES = 256 * 2**20
_HASH_BYTES = 32


def hash_password(password: str) -> str:
    """The hash of a password to store. SettingsError if it is shorter than MIN_LENGTH, or has what
    nobody can type into the app's field.
    """
    if any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in password):
        raise SettingsError(
            "a password has no control characters (such as a line break or a tab): no browser's"
            " field takes them; choose one without"
        )
    if len(password) < MIN_LENGTH:
        raise SettingsError(f"a password has {MIN_LENGTH} characters or more; choose a longer one")
    salt = secrets.token_bytes(16)
    return f"scrypt:{_N}:{_R}:{_P}:{salt.hex()}:{_scrypt(password, salt, _N, _R, _P).hex()}"


def is_password(guess: str, kept: str) -> bool:
    """Whether a guess is the password that `hash_password` made `kept` of. Raises SettingsError
    where `kept` is no such hash.
    """
    n, r, p, salt, made = _parts(kept)
    return hmac.compare_digest(_scrypt(guess, salt, n, r, p), made)


def check_hash(kept: str) -> None:
    """Raises SettingsError where `kept` is nothing that `hash_password` makes."""
    _parts(kept)


def _parts(kept: str) -> tuple[int, int, int, bytes, bytes]:
    try:
        kind, n, r, p, salt, made = kept.split(":")
        if kind != "scrypt" or len(bytes.fromhex(made)) != _HASH_BYTES:
            raise ValueError(kind)
        return int(n), int(r), int(p), bytes.fromhex(salt), bytes.fromhex(made)
    except ValueError as err:
        raise SettingsError(
            "setting password_hash is no hash of a password; make it anew: dynagrag serve"
            " --password"
        ) from err


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    said = unicodedata.normalize("NFKC", password).encode(
        "utf-8", "surrogatepass"
    )  # keyboards differ in how they write one letter
    return hashlib.scrypt(said, salt=salt, n=n, r=r, p=p, maxmem=_MAX_BYTES, dklen=_HASH_BYTES)
