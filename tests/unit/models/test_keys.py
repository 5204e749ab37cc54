"""Keys and passwords stay out of what is said, wherever they were set and in whatever form they
come back.
"""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import BaseModel
from raw_server import RawServer, chat, http

from dynagrag.config.scrubbing import (
    MIN_REPLY_SECRET_CHARS,
    ReplyScrubber,
    address_secrets,
    scrubbed,
)
from dynagrag.config.settings import Settings, known_secrets, load_settings
from dynagrag.core.errors import CutOffReplyError, ModelError, ModelRefusedError, SettingsError
from dynagrag.core.protocols import Prompt
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.error_translation import Endpoint, translating
from dynagrag.models.metered_chat import MeteredChat

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
    server.answer = http(
        json.dumps({"error": {"message": f"cannot serve {said} here"}}).encode(), status
    )


@pytest.mark.parametrize("status", ["400 X", "401 X", "429 X", "500 X"])
def test_a_providers_key_is_taken_out_of_its_error(
    azure: RawServer, caplog: pytest.LogCaptureFixture, status: str
) -> None:
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


def test_a_key_is_sent_without_the_white_space_around_it(
    azure: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", f" {KEY}\r\n")
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{azure.base_url}\r")
    for spec, header in (
        ("azure_openai:my-deployment", f"api-key: {KEY}\r"),
        ("openai:m", f"Authorization: Bearer {KEY}\r"),
    ):
        model = open_chat_model(spec, load_settings(max_retries=0))
        model.complete(PROMPT, Reply, 50)
        assert header.lower() in azure.heads[-1].lower()
        model.close()


@pytest.mark.parametrize(
    "bad", ["0123456789\u00e4CANARY", "0123456789\x00CANARY", "0123456789\rCANARY"]
)
def test_a_key_that_can_be_none_is_refused_without_it(
    azure: RawServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bad: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "\0" not in bad:
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", bad)
        with pytest.raises(SettingsError, match="character 11 of 17") as refused:
            open_chat_model("azure_openai:my-deployment", Settings())
        assert "CANARY" not in str(refused.value)
    with pytest.raises(SettingsError, match="character 11 of 17") as refused:
        load_settings(openai_api_key=bad)
    assert "CANARY" not in f"{refused.value} {refused.value.__cause__}"


def test_whatever_is_set_anywhere_is_scrubbed(
    server: RawServer, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    said = [
        "token-of-the-hub",
        "key of another",
        "a password",
        "from-dotenv",
        "from-toml",
        "in-address",
    ]
    assert set(said) <= set(known_secrets())
    echo(server, "400 X", " and ".join(said))
    model = open_chat_model("openai:m", load_settings(max_retries=0))
    with pytest.raises(ModelRefusedError) as caught:
        model.complete(PROMPT, Reply, 50)
    assert "cannot serve (key) and (key) and (key) and (key) and (key) and (key) here" in str(
        caught.value
    )
    model.close()


@pytest.mark.parametrize("secret", ["pass\r", 'quo"te\\d', "sl/ash&more", "\u00fcml\u00e4ut-key"])
def test_a_secret_is_found_in_every_form(secret: str) -> None:
    forms = [
        secret,
        secret.strip(),
        repr(secret),
        repr(secret.encode()),
        json.dumps(secret),
        quote(secret, safe=""),
    ]
    for form in forms:
        assert scrubbed(f"<{form}>", [secret]).replace("b'", "'").strip("<>'\"\r") in (
            "(key)",
            "(key)\\r",
        ), form


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
    assert address_secrets("http://me:pass%2Fword@h:1/v1?api-key=abc%20d&x") == (
        "pass%2Fword",
        "pass/word",
        "abc%20d",
        "abc d",
    )
    assert (
        address_secrets("http://[::1")
        == address_secrets(None)
        == address_secrets("http://h/v1")
        == ()
    )


def test_an_address_with_a_key_in_its_query_makes_an_identity_without_it(azure: RawServer) -> None:
    url = f"{azure.base_url}?api-key={KEY}"
    model = open_chat_model("openai:m", Settings(openai_base_url=url))
    assert KEY not in model.identity
    model.close()


@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_key_that_a_reply_echoes_is_neither_stored_nor_shown(
    azure: RawServer, tmp_path: Path, size: int
) -> None:
    said = f"You sent {KEY}, and {KEY}{KEY}; not {KEY[:-1]}"
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": said[i : i + size]}}]}
        for i in range(0, len(said), size)
    ]
    model, journal = (
        open_chat_model("azure_openai:my-deployment", Settings(max_retries=0)),
        Journal(tmp_path / "journal.sqlite"),
    )
    metered = MeteredChat(model, journal, workspace="w")
    azure.answer = http(chat(json.dumps({"name": said})))
    assert metered.ask(PROMPT, Reply, stage="s", max_tokens=50).name == (
        clean := said.replace(KEY, "(key)")
    )
    azure.answer = http(
        b"".join(b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks)
        + b"data: [DONE]\n\n",
        kind="text/event-stream",
    )
    for _ in range(2):  # from the server, then from the cache
        assert "".join(metered.stream(PROMPT, stage="s", max_tokens=50)) == clean
    journal.close()
    model.close()
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())
    assert len(azure.bodies) == 2


def test_a_stream_that_breaks_off_shows_what_came_of_it() -> None:
    def cut_off() -> Iterator[str]:
        yield from ("one ", KEY[:4])
        raise CutOffReplyError("at its limit")

    pieces = ReplyScrubber([KEY]).pieces(cut_off())
    assert [next(pieces), next(pieces)] == ["one ", KEY[:4]]
    with pytest.raises(CutOffReplyError):
        next(pieces)


def test_pieces_of_a_reply_come_as_soon_as_no_key_can_begin_in_them() -> None:
    pieces = ReplyScrubber([KEY, "another secret of some length"]).pieces(
        iter(["a 0", "0", "another ", "word", "\n"])
    )
    assert list(pieces) == ["a ", "0", "0", "another word", "\n"]


@pytest.mark.parametrize("word", ["ollama", "not-needed", "x" * (MIN_REPLY_SECRET_CHARS - 1)])
def test_a_short_key_which_may_be_a_word_and_what_looks_like_one_stay_in_replies(word: str) -> None:
    assert (
        ReplyScrubber([word]).whole(f"{word} and the api-first plan")
        == f"{word} and the api-first plan"
    )
