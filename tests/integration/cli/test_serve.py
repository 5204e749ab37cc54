"""`dynagrag serve`."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.cli.serve import kept_hash
from dynagrag.config import passwords
from dynagrag.config.passwords import is_password
from dynagrag.config.settings_file import save_settings, settings_file
from dynagrag.core.errors import SettingsError


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash says what it cost, so a cheap one is checked alike."""
    monkeypatch.setattr(passwords, "_N", 16)


@pytest.mark.parametrize(
    "address", ["0.0.0.0", "::", "192.168.1.5", "localhost.example", "127.1", ""]
)
def test_an_address_that_others_reach_needs_a_password(
    cli: Callable[..., Any], address: str
) -> None:
    said = cli("serve", "--address", address).complaint(1)
    assert "needs a password: add --password, or set DYNAGRAG_PASSWORD" in said


def test_the_kept_password_is_not_forgotten_where_it_is_needed(
    cli: Callable[..., Any], home: Path
) -> None:
    save_settings(password_hash="kept")
    assert "leave --no-password out" in cli(
        "serve", "--address", "0.0.0.0", "--no-password"
    ).complaint(2)
    assert kept_hash(None) == "kept"


def test_without_any_password_one_message_says_all_that_is_to_change(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = cli("serve", "--address", "0.0.0.0", "--no-password").complaint(2)
    assert (
        "write --password in place of --no-password, or set DYNAGRAG_PASSWORD and leave"
        " --no-password out" in said
    )
    monkeypatch.setenv("DYNAGRAG_PASSWORD", "from the environment")
    said = cli("serve", "--address", "0.0.0.0", "--no-password").complaint(2)
    assert said.endswith("a password: leave --no-password out, and it asks for the one that is set")


def test_a_new_password_is_kept_as_a_hash_for_the_user_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse\r\n"))
    made = kept_hash(True)
    assert made is not None
    assert made == kept_hash(None)
    assert is_password("correct horse", made)
    assert "correct horse" not in settings_file().read_text()
    assert settings_file().stat().st_mode & 0o777 == 0o600
    assert kept_hash(False) is None
    assert "password" not in settings_file().read_text()


def test_a_short_password_is_refused_and_the_kept_one_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_settings(password_hash="kept")
    monkeypatch.setattr("sys.stdin", io.StringIO("1234567\n"))
    with pytest.raises(SettingsError, match="8 characters or more"):
        kept_hash(True)
    assert kept_hash(None) == "kept"


def test_the_password_of_the_environment_beats_the_kept_one_and_cannot_be_replaced(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_settings(password_hash="kept")
    monkeypatch.setenv("DYNAGRAG_PASSWORD", "from the environment")
    made = kept_hash(None)
    assert made is not None
    assert is_password("from the environment", made)
    for wanted in (True, False):
        with pytest.raises(SettingsError, match="unset it"):
            kept_hash(wanted)
    assert 'password_hash = "kept"' in settings_file().read_text()


@pytest.mark.parametrize("name", ["DYNAGRAG_PASSWORD", "DYNAGRAG_PASSWORD_HASH"])
@pytest.mark.parametrize("where", ["settings.toml", "DYNAGRAG_PASSWORD_HASH"])
def test_a_password_of_dotenv_replaces_none_that_the_user_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text(f"{name}=attackerknows\n")
    made = kept_hash(None)
    assert made is not None, "where there is no other, it counts"
    if where == "settings.toml":
        save_settings(password_hash="kept")
    else:
        monkeypatch.setenv(where, "kept")
    if where == name:
        assert kept_hash(None) == "kept"
        return
    for wanted in (None, True, False):
        with pytest.raises(
            SettingsError,
            match=rf"the \.env of this folder sets {name}, .* take the line out, or set {name}",
        ) as refused:
            kept_hash(wanted)
        assert "attackerknows" not in str(refused.value)
    monkeypatch.setenv("DYNAGRAG_PASSWORD", "from the environment")
    made = kept_hash(None)
    assert made is not None
    assert is_password("from the environment", made)


def test_a_kept_hash_that_is_none_is_said_before_the_app_starts(
    home: Path, cli: Callable[..., Any]
) -> None:
    save_settings(password_hash="kept")
    assert "make it anew: dynagrag serve --password" in cli(
        "serve", "--address", "0.0.0.0"
    ).complaint(1)
