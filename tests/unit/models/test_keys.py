"""Keys and passwords stay out of what is said, wherever they were set and in whatever form they come back."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import BaseModel
from raw_server import RawServer, chat, http

from dynagrag.errors import ModelError, ModelRefusedError, SettingsError
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.error_translation import Endpoint, translating
from dynagrag.protocols import Prompt
from dynagrag.scrubbing import address_secrets, scrubbed
from dynagrag.settings import Settings, known_secrets, load_settings

KEY = "0123456789abcdefCANARY"
PROMPT = Prompt("p", "Be brief.", "Hello")


class Reply(BaseModel):
    name: str


@pytest.fixture
def server() -> Iterator[RawServer]:
    with RawServer(http(chat('{"name": "x"}'))) as made:
        yield made


@pytest.fixture
def azure(server: RawServer, monkeypatch: pytest.MonkeyPatch) -> RawServer:
    """The environment of somebody who uses Azure."""
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.origin)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
    return server


def echo(server: RawServer, status: str, said: str = KEY) -> None:
    server.answer = http(json.dumps({"error": {"message": f"cannot serve {said} here"}}).encode(), status)


@pytest.mark.parametrize("status", ["400 X", "401 X", "429 X", "500 X"])
def test_a_providers_key_is_taken_out_of_its_error(azure: RawServer, caplog: pytest.LogCaptureFixture, status: str) -> None:
    caplog.set_level(logging.DEBUG)
    echo(azure, status)
    model = open_chat_model("azure_openai:my-deployment", Settings(max_retries=0))
    with pytest.raises(ModelError) as caught:
        model.complete(PROMPT, Reply, 50)
    logging.getLogger("test").exception("as a careless caller would log it", exc_info=caught.value)
    assert "cannot serve (key) here" in str(caught.value)
    assert KEY not in caplog.text
    assert f"api-key: {KEY}" in azure.heads[0]
    model.close()


def test_a_key_is_sent_without_the_white_space_around_it(azure: RawServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", f" {KEY}\r\n")
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{azure.base_url}\r")
    for spec, header in (("azure_openai:my-deployment", f"api-key: {KEY}\r"), ("openai:m", f"Authorization: Bearer {KEY}\r")):
        model = open_chat_model(spec, load_settings(max_retries=0))
        model.complete(PROMPT, Reply, 50)
        assert header.lower() in azure.heads[-1].lower()
        model.close()


@pytest.mark.parametrize("bad", ["0123456789\u00e4CANARY", "0123456789\x00CANARY", "0123456789\rCANARY"])
def test_a_key_that_can_be_none_is_refused_without_it(azure: RawServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bad: str) -> None:
    monkeypatch.chdir(tmp_path)
    if "\0" not in bad:
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", bad)
        with pytest.raises(SettingsError, match="character 11 of 17") as refused:
            open_chat_model("azure_openai:my-deployment", Settings())
        assert "CANARY" not in str(refused.value)
    with pytest.raises(SettingsError, match="character 11 of 17") as refused:
        load_settings(openai_api_key=bad)
    assert "CANARY" not in f"{refused.value} {refused.value.__cause__}"


def test_whatever_is_set_anywhere_is_scrubbed(server: RawServer, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        "HF_TOKEN": "token-of-the-hub",
        "ANTHROPIC_API_KEY": "key of another",
        "HTTPS_PROXY": "http://me:pass%2Fword@proxy:3128",
        "NEO4J_PASSWORD": "a password",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    Path(".env").write_text("MY_SECRET=from-dotenv\n")
    home.mkdir()
    (home / "settings.toml").write_text('openai_api_key = "from-toml"\n')
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url.replace("://", "://user:in-address@"))
    monkeypatch.delenv("HTTPS_PROXY")
    said = ["token-of-the-hub", "key of another", "a password", "from-dotenv", "from-toml", "in-address"]
    assert set(said) <= set(known_secrets())
    echo(server, "400 X", " and ".join(said))
    model = open_chat_model("openai:m", load_settings(max_retries=0))
    with pytest.raises(ModelRefusedError) as caught:
        model.complete(PROMPT, Reply, 50)
    assert "cannot serve (key) and (key) and (key) and (key) and (key) and (key) here" in str(caught.value)
    model.close()


@pytest.mark.parametrize("secret", ["pass\r", 'quo"te\\d', "sl/ash&more", "\u00fcml\u00e4ut-key"])
def test_a_secret_is_found_in_every_form(secret: str) -> None:
    forms = [secret, secret.strip(), repr(secret), repr(secret.encode()), json.dumps(secret), quote(secret, safe="")]
    for form in forms:
        assert scrubbed(f"<{form}>", [secret]).replace("b'", "'").strip("<>'\"\r") in ("(key)", "(key)\\r"), form


def test_all_that_led_to_an_error_is_scrubbed() -> None:
    def fail() -> None:
        try:
            raise OSError(f"first {KEY}")
        except OSError:
            try:
                raise ValueError({"header": KEY.encode()})
            except ValueError as cause:
                raise KeyError(KEY) from cause

    with pytest.raises(KeyError) as caught, translating(Endpoint("m", secrets=(KEY,))):
        fail()
    shown = [caught.value, caught.value.__cause__, caught.value.__cause__.__context__]  # type: ignore[union-attr]
    assert [type(err) for err in shown] == [KeyError, ValueError, OSError]
    assert not any(KEY in f"{err} {err!r}" for err in shown)


def test_a_password_in_an_address_is_known_as_written_and_decoded() -> None:
    assert address_secrets("http://me:pass%2Fword@h:1/v1?api-key=abc%20d&x") == ("pass%2Fword", "pass/word", "abc%20d", "abc d")
    assert address_secrets("http://[::1") == address_secrets(None) == address_secrets("http://h/v1") == ()


def test_an_address_with_a_key_in_its_query_makes_an_identity_without_it(azure: RawServer) -> None:
    url = f"{azure.base_url}?api-key={KEY}"
    model = open_chat_model("openai:m", Settings(openai_base_url=url))
    assert KEY not in model.identity
    model.close()
