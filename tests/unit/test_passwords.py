"""Hashes of passwords."""

import pytest

from dynagrag.config import passwords
from dynagrag.config.passwords import check_hash, hash_password, is_password
from dynagrag.core.errors import SettingsError

BYTES_OF_WORK = 128 * passwords._N * passwords._R * passwords._P


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash says what it cost, so a cheap one is checked alike."""
    monkeypatch.setattr(passwords, "_N", 16)


def test_only_the_password_is_taken_and_a_hash_does_not_show_it() -> None:
    kept = hash_password("correct horse")
    assert is_password("correct horse", kept)
    assert not any(
        is_password(guess, kept)
        for guess in ("", "Correct horse", "correct horse ", "correct hors", kept)
    )
    assert "horse" not in kept
    assert hash_password("correct horse") != kept  # salted


def test_a_letter_may_be_typed_in_one_piece_or_in_two() -> None:
    assert is_password("caf\u00e9 au lait", hash_password("cafe\u0301 au lait"))
    assert is_password("\ud800 is no text", hash_password("\ud800 is no text"))


def test_a_password_costs_what_is_recommended() -> None:
    assert BYTES_OF_WORK >= 96 * 2**20
    assert "scrypt:16:8:3:" in hash_password("correct horse")  # as patched: the hash says it


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "correct horse",
        "scrypt:16:8:3:zz:00",
        "scrypt:16:8:3:00:00",
        "md5:16:8:3:00:" + "0" * 64,
    ],
)
def test_what_is_no_hash_is_said(kept: str) -> None:
    with pytest.raises(SettingsError, match="dynagrag serve --password"):
        check_hash(kept)


@pytest.mark.parametrize("sign", ["\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\u2028"])
def test_a_password_with_what_no_field_takes_is_refused(sign: str) -> None:
    with pytest.raises(SettingsError, match="no control characters"):
        hash_password(f"juniper{sign}gate")
