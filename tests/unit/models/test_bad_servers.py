"""Model servers that answer with what is no reply, never end, send too much or send one on
elsewhere: one line of ours each, in time.
"""

import json
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel, SecretStr
from raw_server import RawServer, chat, embeddings, gzip_bomb, http

from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    DynaGragError,
    InvalidReplyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
)
from dynagrag.core.protocols import FirstWordModel, ModelReply, Prompt
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models import bounded_http
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import OpenAIEmbedder
from dynagrag.models.error_translation import Endpoint
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.models.yes_no import YES_NO

PROMPT = Prompt("p", "Be brief.", "Hello")
GOOD = http(chat('{"name": "x"}'))
DEEP = b"[" * 100_000 + b"]" * 100_000
KEY = "0123456789abcdefCANARY"


class Reply(BaseModel):
    name: str


@pytest.fixture
def server() -> Iterator[RawServer]:
    with RawServer() as made:
        yield made


def settings(server: RawServer, **more: Any) -> Settings:
    given = {
        "openai_base_url": server.base_url,
        "openai_api_key": SecretStr(KEY),
        "max_retries": 0,
        "timeout_s": 60,
    }
    return Settings(**(given | more))


def complete(server: RawServer, **more: Any) -> ModelReply:
    model = open_chat_model("openai:m", settings(server, **more))
    try:
        return model.complete(PROMPT, Reply, 50)
    finally:
        model.close()


def stream(server: RawServer, **more: Any) -> list[str]:
    model = open_chat_model("openai:m", settings(server, **more))
    try:
        return list(model.stream(PROMPT, 50))
    finally:
        model.close()


def embed(server: RawServer, **more: Any) -> Any:
    embedder = OpenAIEmbedder("openai:m", settings(server, **more))
    try:
        return embedder.embed_documents(["one", "two"])
    finally:
        embedder.close()


def check_line(err: DynaGragError, *said: str) -> None:
    assert all(word in str(err) for word in ("openai:m", "127.0.0.1", *said)), err
    assert "\n" not in str(err)
    assert KEY not in str(err)


# -------------------------------------------------------------------------------- malformed replies

_CHOICE = {"index": 0, "finish_reason": "stop"}
REPLIES = {
    "no UTF-8": (
        b'{"choices": [{"message": {"role": "assistant", "content": "\xff\xfe"}}]}',
        "not UTF-8",
    ),
    "no choices": (b'{"id": "x"}', "choices"),
    "empty choices": (chat(choices=[]), "not a reply"),
    "choices of another kind": (chat(choices="abc"), "not a reply"),
    "choices of numbers": (chat(choices=[1]), "not a reply"),
    "no message": (chat(choices=[_CHOICE]), "not a reply"),
    "an object for text": (chat({"a": 1}), "not a reply"),
    "nested": (DEEP, "nested too deeply"),
    "choices nested": (b'{"choices": ' + DEEP + b"}", "nested too deeply"),
    "a number of 10,000 digits": (b'{"choices": ' + b"9" * 10_000 + b"}", "not a reply"),
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_malformed_reply_is_one_line(server: RawServer, name: str) -> None:
    body, said = REPLIES[name]
    server.answer = http(body)
    with pytest.raises(ModelUnavailableError) as caught:
        complete(server)
    check_line(caught.value, said)


@pytest.mark.parametrize(
    "event",
    [
        b"\xff\xfe",
        DEEP,
        b'"text"',
        b"null",
        b"{}",
        b'{"choices": [1]}',
        b'{"choices": [{"delta": null}]}',
    ],
)
def test_a_malformed_stream_is_one_line(server: RawServer, event: bytes) -> None:
    server.answer = http(b"data: " + event + b"\n\ndata: [DONE]\n\n", kind="text/event-stream")
    with pytest.raises(ModelUnavailableError) as caught:
        stream(server)
    check_line(caught.value)


def test_a_mistake_of_ours_is_not_blamed_on_the_server(
    server: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> None:
        raise TypeError("a mistake")

    server.answer = GOOD
    monkeypatch.setattr(bounded_http.BoundedCall, "receive", mistaken)
    monkeypatch.setitem(mistaken.__globals__, "__name__", "dynagrag.mistaken")
    with pytest.raises(TypeError, match="a mistake"):
        complete(server)


@pytest.mark.parametrize("count", [10**30, -5, "many", 1.5, [1]])
def test_a_count_of_tokens_that_can_be_none_is_unknown_and_said_once(
    server: RawServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, count: object
) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 1}
    server.answer = http(chat('{"name": "x"}', usage=usage))
    model, journal = open_chat_model("openai:m", settings(server)), Journal(tmp_path / "journal.db")
    metered = MeteredChat(model, journal, workspace="w")
    for limit in (50, 51):
        assert metered.ask(PROMPT, Reply, stage="s", max_tokens=limit) == Reply(name="x")
    assert 0 < journal.ledger()[0].prompt_tokens < 1000
    assert [record.message for record in caplog.records if "tokens" in record.message] == [
        f"openai:m at {server.origin[7:]} counts its tokens wrongly; they are estimated"
    ]
    model.close()
    journal.close()


@pytest.mark.parametrize(
    "logprobs",
    [
        "abc",
        [1],
        {"content": "abc"},
        {"content": [{"top_logprobs": 5}]},
        {"content": [{"top_logprobs": [{"token": "yes"}]}]},
    ]
    + [
        {"content": [{"top_logprobs": [{"token": "yes", "logprob": logprob}]}]}
        for logprob in ("much", None, 10**400)
    ],
)
def test_log_probabilities_that_are_none_say_neither_yes_nor_no(
    server: RawServer, logprobs: object
) -> None:
    server.answer = http(
        chat(
            choices=[
                _CHOICE | {"message": {"role": "assistant", "content": "yes"}, "logprobs": logprobs}
            ]
        )
    )
    model = open_chat_model("openai:m", settings(server))
    assert isinstance(model, FirstWordModel)
    assert not model.first_word(PROMPT, YES_NO).logprobs
    server.answer = http(DEEP)
    with pytest.raises(ModelUnavailableError) as caught:
        model.first_word(PROMPT, YES_NO)
    check_line(caught.value, "nested too deeply")
    model.close()


def test_a_text_nested_too_deeply_is_repaired_once_and_refused(
    server: RawServer, tmp_path: Path
) -> None:
    server.answer = http(chat('{"name": ' + "[" * 100_000))
    model, journal = open_chat_model("openai:m", settings(server)), Journal(tmp_path / "journal.db")
    with pytest.raises(InvalidReplyError, match="does not fit Reply"):
        MeteredChat(model, journal, workspace="w").ask(PROMPT, Reply, stage="s", max_tokens=50)
    assert len(server.bodies) == 2
    model.close()
    journal.close()


NAN, INFINITE = float("nan"), float("inf")
VECTORS = {
    "ragged": ([[1.0, 0.0], [1.0]], "vectors of 1 or 2 numbers"),
    "zeros": ([[0.0, 0.0], [0.0, 0.0]], "2 of 2 vectors are zero"),
    "one of zeros": ([[0.0, 0.0], [1.0, 0.0]], "1 of 2 vectors are zero"),
    "not a number": ([[NAN, 1.0], [1.0, 1.0]], "no numbers"),
    "infinite": ([[INFINITE, 1.0], [1.0, 1.0]], "infinite"),
    "beyond 32 bits": ([[1e39, 1.0], [1.0, 1.0]], "infinite"),
    "too long to measure": ([[3e38, 3e38], [1.0, 1.0]], "infinite"),
    "no base64": (["????", "????"], "base64"),
    "cut base64": (["AAAA", "AAAA"], "gave embeddings that are none"),
    "words": ([["a"], ["b"]], "no list of numbers"),
    "objects": ([{"a": 1}, {"a": 2}], "no list of numbers"),
    "nothing": ([None, None], "no list of numbers"),
    "nested": ([[[1.0]], [[1.0]]], "no list of numbers"),
    "empty": ([[], []], "zero"),
    "too few": ([[1.0, 0.0]], "1 vectors for 2 texts"),
    "too many": ([[1.0, 0.0]] * 3, "3 vectors for 2 texts"),
}


@pytest.mark.parametrize("name", VECTORS)
def test_embeddings_that_are_none_are_one_line(server: RawServer, name: str) -> None:
    rows, said = VECTORS[name]
    server.answer = http(embeddings(*rows))
    with pytest.raises(ModelError) as caught:
        embed(server)
    check_line(caught.value, said, "OPENAI_BASE_URL")


@pytest.mark.parametrize(
    "data",
    [
        "abc",
        [1, 2],
        {"a": 1},
        [{"index": 0, "embedding": [1, 0]}] * 2,
        [{"index": "a", "embedding": [1, 0]}, {"index": 0, "embedding": [0, 1]}],
        [{"index": 7, "embedding": [1, 0]}, {"index": 0, "embedding": [0, 1]}],
    ],
)
def test_a_list_of_embeddings_that_is_none_is_one_line(server: RawServer, data: object) -> None:
    server.answer = http(json.dumps({"object": "list", "data": data}).encode())
    with pytest.raises(ModelError) as caught:
        embed(server)
    check_line(caught.value)


@pytest.mark.parametrize("body", [b"\xff", DEEP])
def test_embeddings_that_cannot_be_read_are_one_line(server: RawServer, body: bytes) -> None:
    server.answer = http(body)
    with pytest.raises(ModelUnavailableError) as caught:
        embed(server)
    check_line(caught.value, "not a reply")


def test_embeddings_are_put_in_order_and_taken_as_they_come_where_none_is_numbered(
    server: RawServer,
) -> None:
    rows = [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 0]}]
    server.answer = http(json.dumps({"data": rows}).encode())
    assert embed(server).tolist() == [[1, 0], [0, 1]]
    server.answer = http(
        json.dumps({"data": [{"embedding": row["embedding"]} for row in rows]}).encode()
    )
    assert embed(server).tolist() == [[0, 1], [1, 0]]


# ------------------------------------------------------------------------------------ time and size


def _late_head(server: RawServer) -> None:
    server.trickle(GOOD)


def _late_body(server: RawServer) -> None:
    def pieces() -> Iterator[bytes]:
        yield GOOD[:-40]
        for i in range(len(GOOD) - 40, len(GOOD)):
            time.sleep(0.05)
            yield GOOD[i : i + 1]

    server.answer = pieces


def _late_end(server: RawServer) -> None:
    """Each wait is shorter than the timeout."""

    def pieces() -> Iterator[bytes]:
        yield GOOD[:-2]
        time.sleep(0.2)
        yield GOOD[-2:-1]
        time.sleep(0.25)
        yield GOOD[-1:]

    server.answer = pieces


def _late_events(server: RawServer) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        for _ in range(60):
            yield b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
            time.sleep(0.05)

    server.answer = pieces


@pytest.mark.parametrize(
    ("ask", "slow"),
    [
        (complete, _late_head),
        (complete, _late_body),
        (complete, _late_end),
        (stream, _late_events),
        (embed, _late_head),
    ],
)
def test_a_reply_that_trickles_ends_when_its_time_is_up_and_is_not_asked_for_again(
    server: RawServer, ask: Callable[..., Any], slow: Callable[[RawServer], None]
) -> None:
    slow(server)
    open_chat_model("openai:m", settings(server)).close()  # its libraries take seconds to load
    began = time.monotonic()
    with pytest.raises(ModelUnavailableError) as caught:
        ask(server, timeout_s=0.3, max_retries=3)
    assert (
        time.monotonic() - began < 5
    )  # 0.3 s on an idle machine; without a bound the reply comes, in the end
    check_line(caught.value, "no whole reply within 0.3 s", "DYNAGRAG_TIMEOUT_S")
    assert len(server.heads) == 1


def test_clients_share_what_they_trust_unless_the_environment_says_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endpoint = Endpoint("openai:m", "https://models.example/v1", ())

    def trusted() -> ssl.SSLContext:
        with bounded_http.bounded_client(endpoint) as client:
            return client._transport._pool._ssl_context  # type: ignore[attr-defined]

    usual = trusted()
    assert trusted() is usual
    assert usual.verify_mode == ssl.CERT_REQUIRED
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert trusted() is not usual


def test_the_next_call_has_a_time_of_its_own(
    server: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    num_hours = 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 3600 * num_hours)
    monkeypatch.setattr(bounded_http, "time", clock)
    model = open_chat_model("openai:m", settings(server, timeout_s=60))
    server.answer = GOOD
    for _ in range(3):
        model.complete(PROMPT, Reply, 50)
        num_hours += 1
    assert len(server.heads) == 3
    model.close()


@pytest.mark.parametrize(("ask", "most_mib"), [(complete, 16), (stream, 16), (embed, 1.5)])
def test_a_reply_has_a_largest_size(
    server: RawServer, ask: Callable[..., Any], most_mib: float
) -> None:
    num_sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal num_sent
        kind = "text/event-stream" if ask is stream else "application/json"
        yield f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
        for _ in range(200):
            num_sent += 1 << 20
            yield b" " * (1 << 20)

    server.answer = endless
    with pytest.raises(ModelUnavailableError) as caught:
        ask(server, timeout_s=60)
    check_line(caught.value, f"more than {most_mib:g} MiB")
    assert num_sent < (40 << 20)  # the rest is what fits between the two ends of a connection


@pytest.mark.parametrize("ask", [complete, stream, embed])
def test_a_compressed_reply_is_not_asked_for_and_not_unpacked(
    server: RawServer, ask: Callable[..., Any]
) -> None:
    server.answer = gzip_bomb(2_000_000)
    with pytest.raises(ModelUnavailableError) as caught:
        ask(server)
    check_line(caught.value, "compressed")
    assert "accept-encoding: identity" in server.heads[0].lower()


# ---------------------------------------------------------------------------------------- redirects


@pytest.mark.parametrize("status", ["302 X", "307 X"])
@pytest.mark.parametrize("ask", [complete, stream, embed])
def test_a_redirect_to_another_host_is_refused_and_named(
    server: RawServer, ask: Callable[..., Any], status: str
) -> None:
    with RawServer(GOOD) as other:
        server.answer = http(
            b"", status, "text/plain", f"Location: {other.base_url}/chat/completions"
        )
        with pytest.raises(ModelRefusedError) as caught:
            ask(server)
        check_line(caught.value, "redirects to another host", other.origin)
        assert other.heads == []


@pytest.mark.parametrize(
    ("first", "then", "is_right"),
    [
        ("http://h/v1", "https://h/v1", True),
        ("https://h/v1", "https://h/v2", True),
        ("https://h/v1", "http://h/v1", False),
        ("http://h:80/v1", "http://h:8080/v1", False),
        ("http://h:8080/v1", "https://h/v1", False),
        ("http://h/v1", "https://h.evil/v1", False),
    ],
)
def test_only_the_same_host_or_its_encrypted_self_is_gone_on_to(
    first: str, then: str, is_right: bool
) -> None:
    call = bounded_http.BoundedCall(Endpoint("m"))
    call.go_to(httpx2.URL(first))
    with nullcontext() if is_right else pytest.raises(ModelRefusedError):
        call.go_to(httpx2.URL(then))


def test_a_redirect_within_the_host_is_followed(server: RawServer) -> None:
    def pieces() -> Iterator[bytes]:
        moved = http(b"", "307 X", "text/plain", "Location: /v1/moved")
        yield moved if len(server.heads) == 1 else GOOD

    server.answer = pieces
    assert complete(server).text == '{"name": "x"}'
    assert [head.split()[1] for head in server.heads] == ["/v1/chat/completions", "/v1/moved"]
