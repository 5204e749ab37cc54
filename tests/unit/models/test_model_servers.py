"""Model servers that behave otherwise than most: what is asked of them then, and what is said. The
table in docs/models.md names these tests.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from odd_model_server import (
    FailingProxy,
    OddModelServer,
    breaks_off,
    cuts_prompts,
    error_as_reply,
    in_thoughts,
    most_tokens,
    reasoning,
    refusal,
    replied,
    short_context,
    small_batches,
    spent_quota,
    without_fields,
    without_formats,
)
from pydantic import BaseModel

from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    BudgetError,
    ContextTooShortError,
    CutOffReplyError,
    EmptyReplyError,
    ModelRefusedError,
    ModelUnavailableError,
    PromptRefusedError,
)
from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models import reply_room
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.chat_names import is_reasoning_name, takes_effort
from dynagrag.models.embedders import OpenAIEmbedder
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.models.proxies import exempt_loopback, is_loopback, proxy_of
from dynagrag.models.reply_room import THINKING_TOKENS

PROMPT = Prompt("p", "Be brief.", "[E1] Acme Works is located in Delft.")
LONG = Prompt("p", "Be brief.", "[E1] Acme Works is located in Delft. " * 100)


class Reply(BaseModel):
    answer: str
    citations: list[str]


def settings(server: OpenAIStubServer, **more: Any) -> Settings:
    return Settings(
        **({"openai_base_url": server.base_url, "max_retries": 0, "timeout_s": 5} | more)
    )


Open = Callable[..., MeteredChat]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens a metered model, `openai:m` by default, at a server; closed at the end."""
    closing: list[Any] = []

    def open_at(server: OddModelServer, name: str = "m", **more: Any) -> MeteredChat:
        budget = more.pop("budget", None)
        model = open_chat_model(f"openai:{name}", settings(server, **more))
        journal = Journal(tmp_path / f"journal-{len(closing)}.sqlite")
        closing.extend((model, journal))
        return MeteredChat(model, journal, workspace="w", budget=budget)

    yield open_at
    for each in closing:
        each.close()


def ask(chat: MeteredChat, prompt: Prompt = PROMPT, max_tokens: int = 400) -> Reply:
    return chat.ask(prompt, Reply, stage="s", max_tokens=max_tokens)


def stream(chat: MeteredChat, prompt: Prompt = PROMPT, max_tokens: int = 600) -> str:
    return "".join(chat.stream(prompt, stage="s", max_tokens=max_tokens))


# --------------------------------------------------------------------------------- reasoning models


@pytest.mark.parametrize("begin", [None, "<think>\n", ""])
@pytest.mark.parametrize("max_tokens", [40, 400, 600])
def test_a_reply_that_thoughts_used_up_is_asked_for_once_more_with_room(
    opened: Open, begin: str | None, max_tokens: int
) -> None:
    with OddModelServer(reasoning(1200, begin)) as server:
        chat = opened(server)
        assert ask(chat, max_tokens=max_tokens).citations == ["E1"]
        assert [r["max_tokens"] for r in server.requests] == [
            max_tokens,
            max_tokens + THINKING_TOKENS,
        ]
        assert chat.usage().calls == 2
        # from then on it has room at once
        ask(chat, Prompt("p", "", "[E2] Other."), max_tokens)
        assert server.counts.chat_calls == 3


@pytest.mark.parametrize("begin", [None, "<think>\n"])
def test_a_stream_that_thoughts_used_up_is_asked_for_once_more(
    opened: Open, begin: str | None
) -> None:
    with OddModelServer(reasoning(1200, begin)) as server:
        assert stream(opened(server)) == "The transcript says: Acme Works is located in Delft [E1]."
        assert server.counts.chat_calls == 2


def test_thoughts_that_no_mark_opens_are_known_from_an_earlier_reply(opened: Open) -> None:
    with OddModelServer(reasoning(30, "")) as server:
        chat = opened(server)
        ask(chat)
        assert stream(chat) == "The transcript says: Acme Works is located in Delft [E1]."
        assert server.counts.chat_calls == 2


def test_a_model_that_is_known_to_think_has_room_and_little_to_think_about(opened: Open) -> None:
    with OddModelServer(reasoning(1200)) as server:
        ask(opened(server, "gpt-5-mini"))
        (asked,) = server.requests
        assert asked["max_tokens"] == 400 + THINKING_TOKENS
        assert asked["reasoning_effort"] == "low"


def test_thoughts_beyond_all_room_are_said_with_the_setting(opened: Open) -> None:
    with OddModelServer(reasoning(10**6)) as server:
        chat = opened(server, thinking_tokens=2000)
        with pytest.raises(EmptyReplyError, match=r"limit of 2400 tokens.*THINKING_TOKENS"):
            ask(chat)
        assert server.counts.chat_calls == 1, "the setting has given the room at once"


def test_without_room_by_the_setting_nothing_is_asked_again(opened: Open) -> None:
    with OddModelServer(reasoning(1200)) as server:
        with pytest.raises(EmptyReplyError):
            ask(opened(server, thinking_tokens=0))
        assert server.counts.chat_calls == 1


def test_the_second_try_is_within_the_budget(opened: Open) -> None:
    with OddModelServer(reasoning(1200)) as server:
        with pytest.raises(BudgetError):
            ask(opened(server, budget=Budget(max_calls=1)))
        assert server.counts.chat_calls == 1


def test_several_threads_learn_of_thoughts_by_one_call(opened: Open) -> None:
    with OddModelServer(reasoning(1200)) as server, ThreadPoolExecutor(8) as pool:
        chat = opened(server)
        prompts = [Prompt("p", "", f"[E1] Sentence {i}.") for i in range(10)]
        replies = list(pool.map(lambda prompt: ask(chat, prompt), prompts))
        assert [reply.citations for reply in replies] == [["E1"]] * 10
        assert server.counts.chat_calls == 11


def test_several_threads_learn_of_thoughts_by_one_call_also_when_limits_get_smaller(
    opened: Open,
) -> None:
    with OddModelServer(reasoning(1200)) as server, ThreadPoolExecutor(8) as pool:
        chat = opened(server)
        ask(chat, max_tokens=4000)
        prompts = [Prompt("p", "", f"[E1] Sentence {i}.") for i in range(10)]
        list(pool.map(lambda prompt: ask(chat, prompt, 700), prompts))
        assert server.counts.chat_calls == 12


def test_once_a_server_is_known_calls_are_made_side_by_side(opened: Open) -> None:
    together = Barrier(4, timeout=60)

    def meeting(body: Any, whole: Any) -> Any:
        if server.counts.chat_calls > 1:
            together.wait()
        return whole()

    with OddModelServer(meeting) as server, ThreadPoolExecutor(5) as pool:
        chat = opened(server)
        prompts = [Prompt("p", "", f"[E1] Sentence {i}.") for i in range(5)]
        assert len(list(pool.map(lambda prompt: ask(chat, prompt), prompts))) == 5


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("before", ["", "The user wants JSON. "])
def test_a_reply_among_the_thoughts_is_read_there_and_that_is_said_once(
    opened: Open, caplog: pytest.LogCaptureFixture, field: str, before: str
) -> None:
    with OddModelServer(in_thoughts(before, field)) as server:
        chat = opened(server)
        for i in range(3):
            assert ask(chat, Prompt("p", "", f"[E1] Sentence {i}.")).citations == ["E1"]
        assert server.counts.chat_calls == 3, "no repair is paid for"
        assert stream(chat).endswith("The transcript says: Acme Works is located in Delft [E1].")
    said = [r for r in caplog.records if "without its reasoning parser" in r.message]
    assert len(said) == 1


def test_thoughts_alone_are_no_answer_and_stop_after_one_more_try(opened: Open) -> None:
    with OddModelServer(in_thoughts("Hmm, let me see.", answer=False)) as server:
        chat = opened(server)
        with ThreadPoolExecutor(8) as pool:
            prompts = [Prompt("p", "", f"[E1] Sentence {i}.") for i in range(10)]
            tries = [pool.submit(ask, chat, prompt) for prompt in prompts]
        errors = [each.exception() for each in tries]
        assert all(isinstance(err, ModelRefusedError) for err in errors), errors
        assert "without its reasoning parser" in str(errors[0])
        assert server.counts.chat_calls == 2


def test_thoughts_alone_of_a_model_that_answers_are_repaired(opened: Open) -> None:
    def quirk(body: Any, whole: Any) -> Any:
        is_silent = server.counts.chat_calls == 2
        return in_thoughts("Hmm.", answer=False)(body, whole) if is_silent else whole()

    with OddModelServer(quirk) as server:
        chat = opened(server)
        for i in range(3):
            assert ask(chat, Prompt("p", "", f"[E1] Sentence {i}.")).citations == ["E1"]
        assert server.counts.chat_calls == 4


def test_a_stream_of_thoughts_alone_is_no_answer(opened: Open) -> None:
    with (
        OddModelServer(in_thoughts("Hmm, let me see.", answer=False)) as server,
        pytest.raises(ModelUnavailableError, match="thoughts alone"),
    ):
        stream(opened(server))


def test_a_long_reply_without_thoughts_is_cut_off_as_before(opened: Open) -> None:
    def long(body: Any, whole: Any) -> Any:
        return replied(body, '{"answer": "' + "and so on " * 400, "length")

    with OddModelServer(long) as server:
        with pytest.raises(CutOffReplyError) as caught:
            ask(opened(server))
        assert not isinstance(caught.value, EmptyReplyError)
        assert server.counts.chat_calls == 1


@pytest.mark.parametrize(
    ("name", "thinks", "has_effort"),
    [
        ("gpt-5-mini", True, True),
        ("openai:o3-mini", True, True),
        ("o1-mini", True, False),
        ("gpt-oss:20b", True, True),
        ("deepseek-reasoner", True, False),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", True, False),
        ("qwen3:4b", True, False),
        ("Qwen3-4B-Thinking-2507", True, False),
        ("Qwen3-4B-Instruct-2507", False, False),
        ("gpt-5-chat-latest", False, False),
        ("gpt-4o-mini", False, False),
        ("deepseek-chat", False, False),
        ("llama-3.1-8B", False, False),
    ],
)
def test_models_that_think_are_known_by_their_names(
    name: str, thinks: bool, has_effort: bool
) -> None:
    assert (is_reasoning_name(name), takes_effort(name)) == (thinks, has_effort)


# ------------------------------------------------------------------------------------------ streams


def test_a_stream_without_its_end_is_no_answer(opened: Open) -> None:
    with OddModelServer(breaks_off()) as server:
        chat = opened(server)
        pieces: list[str] = []
        with pytest.raises(ModelUnavailableError, match="broke off amid its reply"):
            pieces.extend(chat.stream(PROMPT, stage="s", max_tokens=600))
        with suppress(ModelUnavailableError):
            stream(chat)
        assert server.counts.chat_calls == 2, "it is not kept"


@pytest.mark.parametrize("end", ["[DONE]", None])
def test_a_stream_may_end_with_a_reason_or_with_a_mark(opened: Open, end: str | None) -> None:
    with OddModelServer(
        breaks_off(
            end or json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        )
    ) as server:
        assert stream(opened(server)).endswith("Acme Works never acquired ")


@pytest.mark.parametrize("code", [502, "server_error", None])
def test_an_error_event_is_said_in_the_providers_words(opened: Open, code: Any) -> None:
    event = json.dumps({"error": {"message": "upstream connection lost", "code": code}})
    with (
        OddModelServer(breaks_off(event)) as server,
        pytest.raises(ModelUnavailableError, match="upstream connection lost"),
    ):
        stream(opened(server))


def test_an_error_with_status_200_is_said_in_the_providers_words(opened: Open) -> None:
    with (
        OddModelServer(error_as_reply) as server,
        pytest.raises(ModelUnavailableError, match="Provider returned error; try later"),
    ):
        ask(opened(server))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "model 'm' is not loaded"}, "model 'm' is not loaded"),
        ({"error": {"code": 502, "message": "Provider returned error"}}, "Provider returned error"),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "metadata": {"raw": '{"error": {"message": "the tokenizer of m is missing"}}'},
                }
            },
            "Provider returned error: the tokenizer of m is missing",
        ),
        ({"object": "error", "message": "worker gone", "code": 50001}, "worker gone"),
        ({"detail": [{"loc": ["body"], "msg": "engine is dead"}]}, "engine is dead"),
        ({"base_resp": {"status_code": 1002, "status_msg": "too busy"}}, "too busy"),
        ({"choices": None, "error": {"msg": "no worker"}}, "no worker"),
    ],
)
@pytest.mark.parametrize("kind", ["ask", "stream", "embed"])
def test_an_error_with_status_200_is_said_whole_whatever_its_form(
    opened: Open, body: dict[str, Any], words: str, kind: str
) -> None:
    def quirk(_: Any, whole: Any) -> Any:
        return 200, json.dumps(body)

    with OddModelServer(quirk, quirk) as server:
        chat, embedder = opened(server), OpenAIEmbedder("openai:e", settings(server))
        calls: dict[str, Callable[[], Any]] = {
            "ask": lambda: ask(chat),
            "stream": lambda: stream(chat),
            "embed": lambda: embedder.embed_query("x"),
        }
        with pytest.raises(ModelUnavailableError, match=words):
            calls[kind]()
        embedder.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 402, "message": "Insufficient credits"}, ModelRefusedError),
        ({"message": "You exceeded your current quota: insufficient_quota"}, ModelRefusedError),
        ({"message": "the prompt is too long: 9000 tokens"}, ContextTooShortError),
        ({"code": "429", "message": "slow down"}, ModelUnavailableError),
    ],
)
def test_an_error_with_status_200_counts_as_the_status_that_it_names(
    opened: Open, error: dict[str, Any], kind: type[Exception]
) -> None:
    with (
        OddModelServer(lambda _, whole: (200, json.dumps({"error": error}))) as server,
        pytest.raises(kind, match=str(error["message"])),
    ):
        ask(opened(server))


@pytest.mark.parametrize("error", ["out of memory", {"detail": "out of memory"}])
def test_an_error_event_of_any_form_is_said_in_the_providers_words(
    opened: Open, error: Any
) -> None:
    with (
        OddModelServer(breaks_off(json.dumps({"error": error}))) as server,
        pytest.raises(ModelUnavailableError, match="out of memory"),
    ):
        stream(opened(server))


# ------------------------------------------------------------------------------- what is not taken


@pytest.mark.parametrize(
    ("unknown", "kinds"),
    [
        (("json_schema",), ["json_schema", "json_object", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None, None]),
    ],
)
def test_a_server_without_schemas_gets_them_in_the_prompt_and_that_is_said_once(
    opened: Open, caplog: pytest.LogCaptureFixture, unknown: tuple[str, ...], kinds: list[Any]
) -> None:
    with OddModelServer(without_formats(*unknown)) as server:
        chat = opened(server)
        assert ask(chat).citations == ["E1"]
        assert ask(chat, Prompt("p", "", "[E2] Other.")).citations == ["E2"]
        asked = [(r.get("response_format") or {}).get("type") for r in server.requests]
        assert asked == kinds
        assert '"citations"' in server.requests[-1]["messages"][-1]["content"]
        assert chat.usage().calls == 2, "a refused request costs nothing"
    said = [r.message for r in caplog.records if "and the schema in the prompt" in r.message]
    assert len(said) == len(unknown)


@pytest.mark.parametrize(
    ("words", "without"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
            " 'max_completion_tokens' instead.",
            "max_tokens",
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default"
            " (1) value is supported.",
            "temperature",
        ),
        ("Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"),
    ],
)
def test_what_a_server_refuses_is_left_out(opened: Open, words: str, without: str) -> None:
    with OddModelServer(without_fields(**{without: words})) as server:
        chat = opened(server, "gpt-oss")
        assert ask(chat).citations == ["E1"]
        assert stream(chat)
        assert [without in r for r in server.requests] == [True, False, False]


def test_a_refusal_for_another_reason_is_an_error(opened: Open) -> None:
    with OddModelServer(lambda body, whole: refusal("content policy")) as server:
        with pytest.raises(PromptRefusedError, match="content policy"):
            ask(opened(server))
        assert server.counts.chat_calls == 1


def test_a_limit_that_is_too_high_is_lowered_and_remembered(opened: Open) -> None:
    with OddModelServer(most_tokens(8192)) as server:
        chat = opened(server, "deepseek-reasoner")
        assert ask(chat).citations == ["E1"]
        ask(chat, Prompt("p", "", "[E2] Other."))
        assert [r["max_tokens"] for r in server.requests] == [16400, 8200, 4100, 4100]


def test_a_context_that_is_too_short_is_told_apart(opened: Open) -> None:
    with OddModelServer(short_context(500)) as server:
        chat = opened(server)
        assert ask(chat).citations == ["E1"]
        with pytest.raises(ContextTooShortError, match="its context is too short"):
            ask(chat, LONG)


def test_a_prompt_that_was_cut_in_silence_is_said_once_and_its_reply_not_kept(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with OddModelServer(cuts_prompts(300)) as server:
        chat = opened(server)
        for _ in range(2):
            ask(chat, LONG)
        ask(chat)  # a short one, which it read whole
        ask(chat)
        assert server.counts.chat_calls == 3
        ask(chat, Prompt("p", "Be brief.", 2 * LONG.user))
    (said,) = [r.message for r in caplog.records if "cut the rest in silence" in r.message]
    assert "read only 300 of some 928 tokens" in said
    assert "num_ctx" in said


@pytest.mark.parametrize("max_retries", [0, 4])
def test_a_spent_quota_is_refused_at_once(
    opened: Open, max_retries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OddModelServer(spent_quota) as server, ThreadPoolExecutor(8) as pool:
        chat = opened(server, max_retries=max_retries)
        asked = [pool.submit(ask, chat, Prompt("p", "", str(i))) for i in range(8)]
        for future in asked:
            with pytest.raises(ModelRefusedError, match="quota is spent"):
                future.result()
        assert server.counts.chat_calls == 1
        monkeypatch.setattr(reply_room, "_REFUSED_FOR_S", 0)
        with pytest.raises(ModelRefusedError):
            ask(chat)
        assert server.counts.chat_calls == 2, "later it is tried again"


def test_a_rate_limit_in_the_words_of_a_quota_is_waited_for(opened: Open) -> None:
    def busy(body: Any, whole: Any) -> Any:
        if server.counts.chat_calls > 1:
            return whole()
        return refusal(
            "You exceeded your current quota, check your billing. Please retry in 1s", 429
        )

    with OddModelServer(busy) as server:
        assert ask(opened(server, max_retries=2)).citations == ["E1"]
        assert server.counts.chat_calls == 2


# --------------------------------------------------------------------------------------- embeddings


@pytest.mark.parametrize(
    ("most", "status", "num_refused"), [(10, 400, 5), (32, 422, 3), (64, 413, 2)]
)
def test_a_batch_that_is_refused_is_halved_and_remembered(
    most: int, status: int, num_refused: int
) -> None:
    with OddModelServer(embedding_quirk=small_batches(most, status)) as server:
        embedder = OpenAIEmbedder("openai:m", settings(server, max_concurrency=1))
        texts = [f"text {i}" for i in range(300)]
        for _ in range(2):
            vectors = embedder.embed_documents(texts)
            np.testing.assert_allclose(vectors, FakeEmbedder().embed_documents(texts), atol=1e-6)
        sizes = [len(r["input"]) for r in server.requests]
        assert sum(size > most for size in sizes) == num_refused
        embedder.close()


def test_a_single_text_that_is_refused_is_an_error() -> None:
    with OddModelServer(embedding_quirk=lambda body, whole: refusal("too long")) as server:
        embedder = OpenAIEmbedder("openai:m", settings(server, max_embedding_batch=4))
        with pytest.raises(PromptRefusedError, match="too long"):
            embedder.embed_documents(["a"] * 4)
        assert [len(r["input"]) for r in server.requests] == [4, 2, 1]
        embedder.close()


def test_the_largest_batch_is_a_setting() -> None:
    with OddModelServer() as server:
        embedder = OpenAIEmbedder("openai:m", settings(server, max_embedding_batch=32))
        embedder.embed_documents(["a"] * 100)
        assert max(len(r["input"]) for r in server.requests) == 32
        embedder.close()


# -------------------------------------------------------------------------------------------- proxy


def test_the_loopback_is_asked_directly(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with FailingProxy() as proxy, OddModelServer() as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        assert ask(opened(server)).citations == ["E1"]
        embedder = OpenAIEmbedder("openai:m", settings(server))
        embedder.embed_query("a")
        embedder.close()
        assert proxy.requests == []


_CLIENT_OF_ITS_OWN = """
import httpx
from langchain_core.language_models import SimpleChatModel
from pydantic import PrivateAttr

CLIENTS = []


class ChatOllama(SimpleChatModel):
    model: str
    base_url: str | None = None
    _client: httpx.Client = PrivateAttr()
    _llm_type = "ollama"

    def model_post_init(self, context):
        self._client = httpx.Client()
        CLIENTS.append(self._client)

    def _call(self, messages, stop=None, run_manager=None, **more):
        reply = self._client.post(BASE_URL + "/chat/completions", json={"messages": [
            {"role": "user", "content": messages[-1].content}
        ]})
        return reply.raise_for_status().json()["choices"][0]["message"]["content"]
"""
"""A provider's package as they are: its client follows the environment."""


def test_a_providers_own_client_asks_the_loopback_directly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FailingProxy() as proxy, OddModelServer() as server:
        code = f"BASE_URL = {server.base_url!r}\n{_CLIENT_OF_ITS_OWN}"
        (tmp_path / "langchain_ollama.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "langchain_ollama", raising=False)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.setenv(name, "models.example")
        chat = open_chat_model("ollama:m", settings(server))
        assert "Delft" in "".join(chat.stream(PROMPT, 100))
        assert proxy.requests == []
        assert proxy_of("http://models.example/v1") is None, "what was exempt before still is"
        assert proxy_of("http://other.example/v1") == proxy.host
    for client in sys.modules.pop("langchain_ollama").CLIENTS:
        client.close()


def test_without_a_proxy_the_environment_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert not exempt_loopback("http://127.0.0.7/v1")
    assert "NO_PROXY" not in os.environ
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example")
    assert not exempt_loopback("http://127.0.0.7/v1")


def test_a_proxy_is_named_where_a_request_through_it_fails(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FailingProxy() as proxy, OddModelServer() as server:
        monkeypatch.setenv("http_proxy", f"http://user:secret@{proxy.host}")
        with pytest.raises(ModelUnavailableError) as caught:
            ask(opened(server, openai_base_url="http://models.example/v1"))
        assert f"through the proxy {proxy.host}" in str(caught.value)
        assert "NO_PROXY" in str(caught.value)
        assert "secret" not in str(caught.value)
        assert len(proxy.requests) == 1


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.8.0.1:1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://192.168.0.4/v1", False),
        ("https://localhost.example/v1", False),
    ],
)
def test_a_server_on_this_machine_is_known_by_its_address(url: str, is_here: bool) -> None:
    assert is_loopback(url) is is_here


def test_a_host_in_no_proxy_has_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    monkeypatch.setenv("no_proxy", "models.example")
    assert proxy_of("https://models.example/v1") is None
    assert proxy_of("https://other.example/v1") == "proxy.example:3128"
    assert proxy_of("http://other.example/v1") is None
